package history

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// trace is what git's own event log says about the processes that one git commit started. Exit codes and words alone
// do not tell a refusing hook from the rest.
type trace struct {
	seen   bool            // the log could be read
	ran    map[string]bool // hooks
	hooks  []string        // those that ended badly
	signer bool            // the signing program ended badly
}

// failed names the first hook that ended badly.
func (t trace) failed() string {
	if len(t.hooks) == 0 {
		return ""
	}
	return t.hooks[0]
}

// readTrace reads the JSON lines of GIT_TRACE2_EVENT, format in git's api-trace2: of the outermost process alone, for
// hooks run git too.
func readTrace(file string) trace {
	f, err := os.Open(file)
	if err != nil {
		return trace{}
	}
	defer f.Close()
	type child struct{ hook, program string }
	children := map[int]child{}
	t := trace{ran: map[string]bool{}}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event struct {
			Event string
			SID   string
			Child int      `json:"child_id"`
			Class string   `json:"child_class"`
			Hook  string   `json:"hook_name"`
			Argv  []string `json:"argv"`
			Code  int
		}
		if json.Unmarshal(lines.Bytes(), &event) != nil || strings.Contains(event.SID, "/") {
			continue
		}
		t.seen = true
		switch event.Event {
		case "child_start":
			c := child{hook: event.Hook}
			t.ran[event.Hook] = true
			if event.Class != "hook" && len(event.Argv) > 0 {
				c = child{program: strings.TrimSuffix(filepath.Base(event.Argv[0]), ".exe")}
				if len(event.Argv) > 1 && (event.Argv[1] == "-Y" || strings.HasPrefix(event.Argv[1], "--status-fd")) {
					c.program = "signer"
				}
			}
			children[event.Child] = c
		case "child_exit":
			c := children[event.Child]
			if event.Code == 0 {
				continue
			}
			if c.hook != "" {
				t.hooks = append(t.hooks, c.hook)
			}
			t.signer = t.signer || c.program == "signer" || strings.HasPrefix(c.program, "gpg") || c.program == "ssh-keygen"
		}
	}
	return t
}
