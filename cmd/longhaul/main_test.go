package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"longhaul": main})
}

// TestScripts plays a user's day, a topic a file, with a fresh process for each call.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		RequireUniqueNames:  true,
		RequireExplicitExec: false,
		Setup:               ownHome,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"field":   fieldIs,
			"capture": capture,
			"append":  appendText,
			"replace": replaceText,
			"reprint": reprint,
		},
	})
}

// ownHome gives a script a home folder with a git identity and nothing of the user's settings.
func ownHome(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	env.Setenv("HOME", home)
	env.Setenv("USERPROFILE", home)
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("LONGHAUL_PROJECT", "")
	env.Setenv("CLAUDE_PROJECT_DIR", "")
	env.Setenv("LONGHAUL_ROLE", "")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	identity := "[user]\n\tname = Script\n\temail = script@example.invalid\n[init]\n\tdefaultBranch = main\n"
	return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(identity), 0o644)
}

// fieldIs is `field PATH VALUE`: the JSON last printed holds VALUE there. `! field PATH` wants nothing there.
func fieldIs(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || len(args) > 2 || neg != (len(args) == 1) {
		ts.Fatalf("usage: field PATH VALUE, or ! field PATH")
	}
	got, ok := field([]byte(ts.ReadFile("stdout")), args[0])
	if neg {
		if ok {
			ts.Fatalf("%s is %q, want nothing", args[0], got)
		}
		return
	}
	if !ok || got != args[1] {
		ts.Fatalf("%s is %q, want %q", args[0], got, args[1])
	}
}

// capture is `capture NAME PATH`: keeps a value of the JSON last printed in an environment variable.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture NAME PATH")
	}
	value, ok := field([]byte(ts.ReadFile("stdout")), args[1])
	if !ok {
		ts.Fatalf("nothing at %s", args[1])
	}
	ts.Setenv(args[0], value)
}

// appendText is `append FILE LINE`.
func appendText(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: append FILE LINE")
	}
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	ts.Check(err)
	_, err = f.WriteString(args[1] + "\n")
	ts.Check(err)
	ts.Check(f.Close())
}

// replaceText is `replace FILE OLD NEW`: OLD must be there; every one of it is replaced.
func replaceText(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	before := ts.ReadFile(args[0])
	after := strings.ReplaceAll(before, args[1], args[2])
	if after == before {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	// Written in place: the file keeps its mode and, where it is one, its link.
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(after), 0o644))
}

// reprint is `reprint drop|reverse FILE`: reads a list, changes it and prints it anew, as agents do.
func reprint(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: reprint drop|reverse FILE")
	}
	change, ok := map[string]func([]byte) ([]byte, error){"drop": drop, "reverse": reverse}[args[0]]
	if !ok {
		ts.Fatalf("no change %q", args[0])
	}
	after, err := change([]byte(ts.ReadFile(args[1])))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), after, 0o644))
}

func reverse(text []byte) ([]byte, error) {
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, err
	}
	slices.Reverse(whole["features"].([]any))
	return json.MarshalIndent(whole, "", "  ")
}
