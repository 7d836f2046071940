package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A yard is where projects are made to measure on.
type yard struct {
	dir               string
	longhaul, trivial string // the programs
	size              size
}

// ownHome keeps the user's settings out: git and Longhaul see a home folder with an identity and nothing else.
func (y yard) ownHome() error {
	home := filepath.Join(y.dir, "home")
	for key, value := range map[string]string{
		"HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1",
		"LONGHAUL_PROJECT": "", "CLAUDE_PROJECT_DIR": "", "LONGHAUL_ROLE": "",
	} {
		if err := os.Setenv(key, value); err != nil {
			return err
		}
	}
	identity := "[user]\n\tname = Bench\n\temail = bench@example.invalid\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"
	return write(filepath.Join(home, ".gitconfig"), identity)
}

// A plan says what a project holds before it is measured.
type plan struct {
	features int
	files    int
	sessions int // that the ledger and the log tell of
	log      int // bytes of the log at least
	ledger   int // lines of the ledger at least
}

// project makes a project that is set up, committed and between two sessions.
func (y yard) project(name string, p plan) (dir string, err error) {
	dir = filepath.Join(y.dir, name)
	for i := range max(p.files, 1) {
		if err := write(filepath.Join(dir, "src", fmt.Sprintf("d%03d", i%250), fmt.Sprintf("f%05d.txt", i)), fmt.Sprintln("file", i)); err != nil {
			return "", err
		}
	}
	seed, err := list(p.features)
	if err != nil {
		return "", err
	}
	for path, text := range map[string]string{
		"README.md":            "# A project\n",
		".harness/config.json": `{"policy":{"max_features_per_session":1000}}`,
		"seed.json":            seed,
	} {
		if err := write(filepath.Join(dir, path), text); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "feat: the code"}} {
		if err := output(dir, nil, "git", args...); err != nil {
			return "", err
		}
	}
	arguments := `{"project":"demo","type":"cli"}`
	if p.features > 0 {
		arguments = `{"project":"demo","type":"cli","import":"seed.json"}`
	}
	for _, call := range [][2]string{{"harness_init", arguments}, {"session_end", wordyNote}} {
		if err := output(dir, nil, y.longhaul, "call", call[0], call[1]); err != nil {
			return "", err
		}
	}
	return dir, p.age(dir)
}

// wordyNote is what a session leaves for the next one.
const wordyNote = `{"focus":"Set-up","decisions":["The list is kept in one file: it is small and git shows each change of it"],` +
	`"notes":["The dev server needs a second after its first line before it answers; the smoke test waits for the port"],` +
	`"next_steps":["Begin with the first feature of the list","Look at the table's empty state, which nobody has seen yet"]}`

// list is a list of n features in the size that public ones have; every second one has a check.
func list(n int) (string, error) {
	type item struct {
		Category    string   `json:"category"`
		Priority    string   `json:"priority"`
		Description string   `json:"description"`
		Steps       []string `json:"steps"`
		Check       string   `json:"check,omitempty"`
	}
	items := make([]item, n)
	for i := range items {
		items[i] = item{Category: "functional", Priority: "2",
			Description: fmt.Sprintf("User can open thing number %d, change each of its fields and see the change after a reload of the page", i+1)}
		for k := range 5 {
			items[i].Steps = append(items[i].Steps, fmt.Sprintf("Step %d: click on the button of thing %d and wait until the table shows it", k+1, i+1))
		}
		if i%2 == 1 {
			items[i].Check = "test -f README.md"
		}
	}
	text, err := json.MarshalIndent(map[string]any{"features": items}, "", "  ")
	return string(text), err
}

// evidence are observations for the five steps of feature n.
func evidence(n int) string {
	return fmt.Sprintf(`["the button of %[1]d took the click and the table came up","row %[1]d stood first in the table","its second field took the new value","after the reload the new value was there","the count above the table said %[1]d"]`, n)
}

// age writes a past into ledger and log, committed as one that came from another machine would be.
func (p plan) age(dir string) error {
	var ledger, log bytes.Buffer
	for n := 2; n <= max(p.sessions, 1); n++ {
		fmt.Fprintf(&ledger, `{"kind":"session-start","at":"2026-01-02T10:00:00Z","session":"session-%03d"}`+"\n", n)
		fmt.Fprintf(&ledger, `{"kind":"attempt","at":"2026-01-02T10:20:00Z","session":"session-%03d","id":"F001","code":"check-failed","proof":{"kind":"observed","command":"test -f README.md","exit_code":1,"seconds":0.01}}`+"\n", n)
		fmt.Fprintf(&ledger, `{"kind":"entry","at":"2026-01-02T10:30:00Z","session":"session-%03d","doing":[{"id":"F001","text":"the table does not come up yet"}]}`+"\n", n)
		fmt.Fprintf(&ledger, `{"kind":"session-end","at":"2026-01-02T10:40:00Z","session":"session-%03d","claimed":["F001"],"incomplete":true}`+"\n", n)
	}
	for n := bytes.Count(ledger.Bytes(), []byte("\n")); n < p.ledger; n++ {
		fmt.Fprintf(&ledger, `{"kind":"attempt","at":"2026-01-02T10:20:00Z","session":"session-001","id":"F%03d","code":"check-failed","proof":{"kind":"observed","command":"test -f README.md","exit_code":1,"seconds":0.01}}`+"\n", 1+n%200)
	}
	for n := max(p.sessions, 1); n > 1 || (p.sessions <= 1 && log.Len() < p.log); n-- {
		fmt.Fprintf(&log, "---\n\n## Session %d | 2026-01-02 10:30 +00:00 | session-%03d\n**Focus**: F001: User can open thing number 1\n**Duration**: ~40 min\n\n### Blockers\n- None\n\n### Next Session Should\n1. look at the table again\n\n### Notes\n- %s\n\n",
			max(n, 1), max(n, 1), strings.Repeat("what was found out on the way, and why it matters. ", 8))
	}
	if ledger.Len()+log.Len() == 0 {
		return nil
	}
	if err := insert(filepath.Join(dir, ".claude", "progress.md"), log.String()); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, ".harness", "ledger.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(ledger.Bytes()); err != nil {
		return err
	}
	return output(dir, nil, "git", "commit", "-q", "-a", "-m", "chore: what came before")
}

// insert puts entries on top of a log, below its head.
func insert(path, entries string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, _ := strings.Cut(string(old), "---\n")
	return write(path, head+entries+"---\n"+rest)
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
