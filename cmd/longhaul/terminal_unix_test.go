//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// A terminal is the program at a pseudo-terminal of 60 columns, and a person before it.
type terminal struct {
	t       *testing.T
	command *exec.Cmd
	tty     *os.File
	printed chan string
	seen    string // since the last sees
	all     string
}

func (y *yard) atTerminal(t *testing.T, environment []string, args ...string) *terminal {
	t.Helper()
	command := exec.Command(y.program, args...)
	command.Dir, command.Env = y.dir, append(append(y.env[:len(y.env):len(y.env)], "TERM=xterm", "NO_COLOR="), environment...)
	blocking, err := pty.StartWithSize(command, &pty.Winsize{Rows: 30, Cols: 60})
	if err != nil {
		t.Fatalf("pty: %v", err)
	}
	// The runtime closes a file that blocks only when its reader returns.
	fd, err := syscall.Dup(int(blocking.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(fd)
	blocking.Close()
	tty := os.NewFile(uintptr(fd), "pty")
	tm := &terminal{t: t, command: command, tty: tty, printed: make(chan string)}
	t.Cleanup(func() {
		tty.Close()
		command.Process.Kill()
		for range tm.printed {
		}
	})
	go func() {
		defer close(tm.printed)
		part := make([]byte, 4096)
		for {
			n, err := tty.Read(part)
			if n > 0 {
				tm.printed <- string(part[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	return tm
}

// next waits for more on the screen; false at the end of the program.
func (tm *terminal) next() bool {
	tm.t.Helper()
	select {
	case part, ok := <-tm.printed:
		tm.seen, tm.all = tm.seen+part, tm.all+part
		return ok
	case <-time.After(time.Minute):
		tm.t.Fatalf("nothing comes after %q", tm.all)
		return false
	}
}

// sees waits until text stands on the screen, after what was seen before.
func (tm *terminal) sees(text string) {
	tm.t.Helper()
	for {
		if _, after, ok := strings.Cut(tm.seen, text); ok {
			tm.seen = after
			return
		}
		if !tm.next() {
			tm.t.Fatalf("the program ended without %q: %q", text, tm.all)
		}
	}
}

func (tm *terminal) types(text string) {
	tm.t.Helper()
	if _, err := tm.tty.WriteString(text); err != nil {
		tm.t.Fatal(err)
	}
}

// ends waits for the end of the program and gives its exit code, -1 when a signal ended it, and all that it printed.
func (tm *terminal) ends() (int, string) {
	tm.t.Helper()
	for tm.next() {
	}
	var exit *exec.ExitError
	if err := tm.command.Wait(); err != nil && !errors.As(err, &exit) {
		tm.t.Fatal(err)
	}
	return tm.command.ProcessState.ExitCode(), tm.all
}

var colour = regexp.MustCompile(`\x1b\[[0-9]+m`)

const evil = `{"focus":"evil","blockers":["\u001b]0;owned\u0007 \u001b[2J \u202e"],"next_steps":"x"}`

func TestStatusAtTerminal(t *testing.T) {
	y := newYard(t, false)
	y.must("append_progress", evil)
	tests := []struct {
		name        string
		environment []string
		colours     bool
	}{
		{"colours", nil, true},
		{"NO_COLOR", []string{"NO_COLOR=1"}, false},
		{"a dumb terminal", []string{"TERM=dumb"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, got := y.atTerminal(t, tt.environment, "status").ends()
			if code != 0 || colour.MatchString(got) != tt.colours {
				t.Errorf("exit code %d, colours %v, want 0, %v: %q", code, colour.MatchString(got), tt.colours, got)
			}
			text := colour.ReplaceAllString(got, "")
			for _, want := range []string{"1/2 features (50%)", "██████████░░░░░░░░░░", "To do:", "F002  claimed  The second note can be printed again", `owned`} {
				if !strings.Contains(text, want) {
					t.Errorf("the screen lacks %q: %s", want, text)
				}
			}
			if strings.ContainsAny(text, "\x1b\x07\u202e") {
				t.Errorf("a text reached the terminal raw: %q", text)
			}
		})
	}
	code, got := y.atTerminal(t, nil, "status", "--json").ends()
	command := exec.Command(y.program, "status", "--json")
	command.Dir, command.Env = y.dir, y.env
	want, err := command.Output()
	if err != nil || code != 0 || strings.ReplaceAll(got, "\r\n", "\n") != string(want) {
		t.Errorf("status --json at a terminal = %q, want %q (%v)", got, want, err)
	}
}

func TestWatch(t *testing.T) {
	y := newYard(t, false)
	start := func(t *testing.T) *terminal {
		t.Helper()
		tm := y.atTerminal(t, nil, "status", "--watch")
		tm.sees("1/2 features (50%)")
		tm.sees("q ends")
		return tm
	}
	back := func(t *testing.T, tm *terminal) {
		t.Helper()
		if code, all := tm.ends(); code != 0 || !strings.HasSuffix(all, "\x1b[?25h\x1b[?1049l") {
			t.Errorf("exit code %d, want 0 and the screen as it was: %q", code, all)
		}
	}
	t.Run("the files change, the window too", func(t *testing.T) {
		tm := start(t)
		y.must("append_progress", evil)
		tm.sees("Blockers: ")
		tm.sees("owned")
		if err := pty.Setsize(tm.tty, &pty.Winsize{Rows: 5, Cols: 20}); err != nil {
			t.Fatal(err)
		}
		tm.sees("\x1b[H")
		tm.sees("\x1b[J")
		if strings.Contains(tm.all, "\x1b[2J") || strings.Contains(tm.all, "\x1b]") {
			t.Errorf("a text reached the terminal raw: %q", tm.all)
		}
		tm.types("q")
		back(t, tm)
	})
	t.Run("ctrl-c", func(t *testing.T) {
		tm := start(t)
		tm.types("\x03")
		back(t, tm)
	})
	t.Run("a signal", func(t *testing.T) {
		tm := start(t)
		if err := tm.command.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		back(t, tm)
	})
	t.Run("a closed terminal", func(t *testing.T) {
		tm := start(t)
		tm.tty.Close()
		tm.ends()
	})
	t.Run("a list that can't be read", func(t *testing.T) {
		tm := start(t)
		list := y.read(".claude/features.json")
		y.write(".claude/features.json", "{\n")
		tm.sees("unreadable: ")
		y.write(".claude/features.json", list)
		tm.sees("1/2 features (50%)")
		tm.types("q")
		back(t, tm)
	})
	t.Run("a dumb terminal", func(t *testing.T) {
		code, all := y.atTerminal(t, []string{"TERM=dumb"}, "status", "--watch").ends()
		if code != 1 || !strings.Contains(all, "--watch needs a terminal") || strings.Contains(all, "\x1b") {
			t.Errorf("exit code %d: %q, want 1 and why", code, all)
		}
	})
}

// TestPersonVerbs has a person answer yes, no, with Ctrl-C, and by closing the terminal.
func TestPersonVerbs(t *testing.T) {
	y := newYard(t, false)
	y.write(".claude/features.json", strings.Replace(y.read(".claude/features.json"), "The second note", "The other note", 1))
	y.keep()
	verbs := []struct {
		args []string
		asks string
		done func(t *testing.T)
	}{
		{[]string{"accept"}, "F002 edited", func(t *testing.T) { y.holds(t, ".claude/features.json", "The other note", 0) }},
		{[]string{"restore"}, "sealed state", func(t *testing.T) { y.holds(t, ".claude/features.json", "The second note", 0) }},
		{[]string{"waive", "F002", "--reason", "seen \x1b[2J by me"}, `because: seen \x1b[2J by me`, func(t *testing.T) { y.holds(t, ".harness/ledger.jsonl", "waive", 1) }},
		{[]string{"config", "set", "session_minutes", "30"}, "Set session_minutes to 30", func(t *testing.T) { y.holds(t, ".harness/config.json", "30", 1) }},
	}
	for _, verb := range verbs {
		t.Run(verb.args[0], func(t *testing.T) {
			answers := []struct {
				name, types string
				code        int
			}{
				{"no", "no\n", 1}, {"nothing", "\n", 1}, {"yes and more", "yes please\n", 1}, {"the end of input", "\x04", 1}, {"ctrl-c", "\x03", 1}, {"closed", "", -1}, {"yes", "yes\n", 0},
			}
			for _, answer := range answers {
				y.restore()
				if verb.args[0] == "waive" || verb.args[0] == "config" {
					y.must("rollback", `{"target":"feature_list","reason":"these act on a sound list"}`)
				}
				before := y.texts(t)
				tm := y.atTerminal(t, nil, verb.args...)
				tm.sees(verb.asks)
				tm.sees("Type yes to go on: ")
				if answer.types == "" {
					tm.tty.Close()
				}
				if answer.types != "" {
					tm.types(answer.types)
				}
				code, all := tm.ends()
				if answer.code == 0 {
					verb.done(t)
				} else if after := y.texts(t); after != before {
					t.Errorf("%s: the project was changed", answer.name)
				}
				if answer.code >= 0 && code != answer.code || answer.code < 0 && code == 0 {
					t.Errorf("%s: exit code %d, want %d: %q", answer.name, code, answer.code, all)
				}
				if strings.Contains(all, "\x1b") {
					t.Errorf("%s: a text reached the terminal raw: %q", answer.name, all)
				}
			}
		})
	}
}

// holds wants text in a file, more often than the last commit has it where more is 1.
func (y *yard) holds(t *testing.T, rel, text string, more int) {
	t.Helper()
	before := 0
	if more > 0 {
		before = strings.Count(y.git("show", "HEAD:"+rel), text)
	}
	if n := strings.Count(y.read(rel), text); n < before+max(more, 1) {
		t.Errorf("%s holds %q %d times, want at least %d", rel, text, n, before+max(more, 1))
	}
}

// texts is every file of the harness in one text.
func (y *yard) texts(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range []string{".claude", ".harness"} {
		err := filepath.WalkDir(filepath.Join(y.dir, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			b.WriteString(path + "\n" + string(data))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}
