//go:build linux || darwin

package runner

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// limit is how long a test waits for what should come at once.
const limit = 30 * time.Second

func run(t *testing.T, c Command) Result {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	if c.Timeout == 0 {
		c.Timeout = limit
	}
	result, err := Run(t.Context(), c)
	if err != nil {
		t.Fatalf("Run(%+v): %v", c, err)
	}
	t.Cleanup(result.Leftover.End)
	return result
}

// write makes a script and returns its path.
func write(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRunLine(t *testing.T) {
	tests := []struct {
		name, line string
		code       int
		tail       string
	}{
		{"success", "echo out; echo err >&2", 0, "out\nerr"},
		{"exit code", "echo no; exit 3", 3, "no"},
		{"a failure within a pipe", "false | cat", 1, ""},
		{"ended by a signal", "kill -SEGV $$", 128 + int(syscall.SIGSEGV), ""},
		{"not found", "no-such-program-here", 127, "no-such-program-here: command not found"},
		{"standard input is empty", "cat; read -r line || echo end", 0, "end"},
		{"looks like an option", "-e", 127, "-e: command not found"},
		{"line ends of Windows", "echo a\r\necho b\r\n", 0, "a\nb"},
		{"a syntax error", "if", 2, "syntax error"},
		{"a protocol message", `echo '{"jsonrpc":"2.0","id":1,"result":{}}'`, 0, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"bytes that are no text", `printf 'a\377\376\000b\n\264\353 c\n'`, 0, "a\uFFFDb\n\uFFFD c"},
		{"colours", `printf '\033[1;31mred\033[0m \033]0;title\007x\n'`, 0, "red x"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := run(t, Command{Line: test.line})
			if got.ExitCode != test.code || got.OK != (test.code == 0) {
				t.Errorf("exit code = %d, OK = %v, want %d", got.ExitCode, got.OK, test.code)
			}
			if !strings.Contains(got.Tail, test.tail) || test.tail == "" && got.Tail != "" {
				t.Errorf("tail = %q, want %q", got.Tail, test.tail)
			}
			if got.Shell != "bash" || got.TimedOut || got.Canceled || got.Cut || got.Leftover != nil {
				t.Errorf("result = %+v", got)
			}
		})
	}
}

func TestRunScript(t *testing.T) {
	tests := []struct {
		name, text string
		mode       os.FileMode
		code       int
		tail       string
		shell      string
	}{
		{"a shebang and the x bit", "#!/usr/bin/env bash\nset -euo pipefail\necho ${BASH_VERSION:+bash}\n", 0o755, 0, "bash", "bash"},
		{"no x bit", "#!/bin/bash\necho ${BASH_VERSION:+bash}\n", 0o644, 0, "bash", "bash"},
		{"no shebang", "echo ${BASH_VERSION:+bash}\n", 0o644, 0, "bash", "bash"},
		{"no shebang but the x bit", "exit 4", 0o755, 4, "", "bash"},
		{"sh", "#!/bin/sh\necho ${BASH_VERSION:-none}\n", 0o755, 0, "", "sh"},
		{"options", "#!/bin/bash -e\nfalse\necho on\n", 0o755, 1, "", "bash"},
		{"env with options", "#!/usr/bin/env -S bash -e\nfalse\necho on\n", 0o755, 1, "", "bash"},
		{"env with an assignment", "#!/usr/bin/env -S A=b bash\necho $A\n", 0o755, 0, "b", "env"},
		{"a space after #!", "#! /bin/bash\necho on\n", 0o755, 0, "on", "bash"},
		{"python", "#!/usr/bin/env python3\nprint(6 * 7)\n", 0o644, 0, "42", "python3"},
		{"python with a byte order mark", "\ufeff#!/usr/bin/env python3\nprint(6 * 7)\n", 0o644, 0, "42", "python3"},
		{"bash elsewhere", "#!/nowhere/bin/bash\necho on\n", 0o755, 0, "on", "bash"},
		{"data after the script", "#!/bin/bash\necho on; exit 0\n\x00\r\n\xff", 0o755, 0, "on", "bash"},
		{"empty", "", 0o644, 0, "", "bash"},
		{"only a shebang", "#!", 0o644, 0, "", "bash"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "ü #1 $x's")
			path := write(t, filepath.Join(dir, "init script.sh"), test.text, test.mode)
			got := run(t, Command{Script: path, Dir: dir})
			if got.ExitCode != test.code || !strings.HasPrefix(got.Tail, test.tail) {
				t.Errorf("exit code %d, tail %q, want %d, %q", got.ExitCode, got.Tail, test.code, test.tail)
			}
			if got.Shell != test.shell {
				t.Errorf("shell = %q, want %q", got.Shell, test.shell)
			}
		})
	}
}

func TestRunByteOrderMark(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "init.sh"), "\ufeff#!/usr/bin/env bash\nset -e\necho \"$0\"\nfalse\necho on\n", 0o755)
	got := run(t, Command{Script: path, Dir: dir})
	if got.ExitCode != 1 || !strings.HasSuffix(got.Tail, path) {
		t.Errorf("exit code %d, tail %q, want 1 and the path at the end", got.ExitCode, got.Tail)
	}
}

func TestRunMissingInterpreter(t *testing.T) {
	dir := t.TempDir()
	for _, line := range []string{"#!/usr/bin/env no-such-interpreter", "#!/opt/no-such-interpreter -x"} {
		path := write(t, filepath.Join(dir, "init.sh"), line+"\n", 0o755)
		got := run(t, Command{Script: path, Dir: dir})
		if got.ExitCode != 127 || got.OK || !strings.Contains(got.Tail, "no-such-interpreter: interpreter not found") {
			t.Errorf("%s: exit code %d, tail %q, want 127 and the name", line, got.ExitCode, got.Tail)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := syscall.Mkfifo(at("fifo"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, at("locked"), "echo on\n", 0o000)
	tests := []struct {
		name    string
		command Command
		code    string
		text    string
	}{
		{"missing", Command{Script: at("missing")}, "init-failed", "no such file"},
		{"a folder", Command{Script: dir}, "init-failed", "is a folder"},
		{"a FIFO", Command{Script: at("fifo")}, "init-failed", "not a regular file"},
		{"a device", Command{Script: "/dev/null"}, "init-failed", "not a regular file"},
		{"CR LF", Command{Script: write(t, at("crlf"), "#!/bin/bash\r\nset -e\r\nfalse\r\n", 0o755)}, "script-crlf", "line 1"},
		{"one CR LF", Command{Script: write(t, at("one"), "#!/bin/bash\nset -e\r\n", 0o755)}, "script-crlf", "line 2"},
		{"CR alone", Command{Script: write(t, at("cr"), "#!/bin/bash\rset -e\r", 0o755)}, "script-crlf", "line 1"},
		{"UTF-16", Command{Script: write(t, at("utf16"), "\xff\xfee\x00c\x00h\x00o\x00\n\x00", 0o755)}, "init-failed", "UTF-16"},
		{"a mark before a command", Command{Script: write(t, at("bom"), "\ufeffset -e\n", 0o755)}, "init-failed", "byte order mark"},
		{"no program", Command{Script: write(t, at("data"), "a\x00b", 0o644)}, "init-failed", "neither a script"},
		{"nothing to run", Command{}, "init-failed", "neither a command line"},
		{"NUL", Command{Line: "echo \x00"}, "check-failed", "NUL"},
		{"too long a line", Command{Line: "echo " + strings.Repeat("x", 4<<20)}, "check-failed", "argument list too long"},
		{"no folder for a line", Command{Line: "true", Dir: at("missing")}, "check-failed", "no such folder"},
		{"a file for a folder", Command{Script: at("crlf"), Dir: at("crlf")}, "init-failed", "no such folder"},
	}
	if os.Getuid() != 0 {
		tests = append(tests, tests[0])
		tests[len(tests)-1].name, tests[len(tests)-1].command.Script, tests[len(tests)-1].text = "no permission", at("locked"), "permission denied"
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.command.Dir == "" {
				test.command.Dir = dir
			}
			_, err := Run(t.Context(), test.command)
			var refusal *Error
			if !errors.As(err, &refusal) || refusal.Code != test.code || !strings.Contains(refusal.Text, test.text) {
				t.Errorf("Run = %v, want %s with %q", err, test.code, test.text)
			}
		})
	}
}

func TestRunProgramInPlaceOfScript(t *testing.T) {
	program, err := os.ReadFile("/bin/echo")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "init"), string(program), 0o755)
	got := run(t, Command{Script: path, Dir: dir})
	if !got.OK || got.Shell != "init" {
		t.Errorf("result = %+v, want OK by init", got)
	}
}

func TestRunEnvironment(t *testing.T) {
	t.Setenv("GIT_DIR", "/elsewhere")
	t.Setenv("GIT_INDEX_FILE", "/elsewhere/index")
	t.Setenv("KEPT", "a  b")
	t.Setenv("PWD", "/elsewhere")
	dir := t.TempDir()
	got := run(t, Command{Line: `env | grep ^GIT_; echo "$KEPT|$(printenv PWD)|$(pwd -P)"`, Dir: dir})
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := "a  b|" + dir + "|" + real; got.Tail != want {
		t.Errorf("tail = %q, want %q", got.Tail, want)
	}
}

func TestRunShortPath(t *testing.T) {
	t.Setenv("PATH", "/nowhere")
	got := run(t, Command{Line: "echo $PATH; ls"})
	if got.ExitCode != 127 || !strings.HasPrefix(got.Tail, "/nowhere\n") || !strings.Contains(got.Tail, "not found") {
		t.Errorf("exit code %d, tail %q, want 127 and the PATH of the server", got.ExitCode, got.Tail)
	}
}

func TestRunKeepsTheEnd(t *testing.T) {
	got := run(t, Command{Line: `for i in $(seq 3000); do echo "line $i"; echo "зеркало 😀 $i" >&2; done`})
	if n := utf8.RuneCountInString(got.Tail); n != tailLimit || !got.Cut {
		t.Errorf("%d characters, cut %v, want %d, true", n, got.Cut, tailLimit)
	}
	if !utf8.ValidString(got.Tail) || strings.ContainsRune(got.Tail, utf8.RuneError) {
		t.Errorf("tail holds a broken character: %q", got.Tail)
	}
	if want := "line 3000\nзеркало 😀 3000"; !strings.HasSuffix(got.Tail, want) {
		t.Errorf("tail ends with %q, want %q", got.Tail[len(got.Tail)-40:], want)
	}
}

func TestRunMuchOutput(t *testing.T) {
	line := `
		(for i in $(seq 20); do head -c 1048576 /dev/zero | tr '\0' x; echo; done) &
		(for i in $(seq 5); do head -c 1048576 /dev/zero | tr '\0' y >&2; echo >&2; done) &
		wait; echo the end`
	got := run(t, Command{Line: line})
	if !got.OK || !got.Cut || !strings.HasSuffix(got.Tail, "\nthe end") {
		t.Errorf("OK %v, cut %v, tail ends with %q", got.OK, got.Cut, got.Tail[max(0, len(got.Tail)-20):])
	}
	if len(got.Output) > outputLimit {
		t.Errorf("%d bytes of output, want at most %d", len(got.Output), outputLimit)
	}
}

func TestRunTee(t *testing.T) {
	dir := t.TempDir()
	text := "exec > >(tee log) 2>&1\necho the last line\nexit 5\n"
	got := run(t, Command{Script: write(t, filepath.Join(dir, "init.sh"), text, 0o755), Dir: dir})
	if got.ExitCode != 5 || got.Tail != "the last line" {
		t.Errorf("exit code %d, tail %q, want 5 and the last line", got.ExitCode, got.Tail)
	}
}

func TestRunReportsProgress(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "go")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	calls := 0
	got := run(t, Command{
		Line: `printf 'installing\n\033[1m 50%%\033[0m'; read -r _ <go`,
		Dir:  dir,
		Progress: func(elapsed time.Duration, last string) {
			if calls++; calls > 1 {
				return
			}
			if elapsed <= 0 || elapsed > 5*time.Second || last != " 50%" {
				t.Errorf("progress(%v, %q), want within five seconds and 50%%", elapsed, last)
			}
			if err := os.WriteFile(fifo, []byte("on\n"), 0); err != nil {
				t.Error(err)
			}
		},
	})
	if !got.OK || calls == 0 {
		t.Errorf("OK %v after %d calls", got.OK, calls)
	}
}

func TestRunInAnEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	got, err := Run(ctx, Command{Line: "touch ran", Dir: dir})
	if err != nil || !got.Canceled || got.OK {
		t.Errorf("Run = %+v, %v, want canceled", got, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the command ran")
	}
}

// FuzzScript reads any bytes as a script: there is a program or a reason, and no
// text with CR LF gets through.
func FuzzScript(f *testing.F) {
	for _, seed := range []string{"", "#!", "#!/usr/bin/env -S", "#! env", "\ufeff#!/bin/sh -e\n", "echo\r\n", "#!/bin/sh\x00", "\xff\xfea\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		path := filepath.Join(t.TempDir(), "init.sh")
		if err := os.WriteFile(path, script, 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := Command{Script: path, Dir: "/"}.program()
		var refusal *Error
		if err != nil && !errors.As(err, &refusal) {
			t.Errorf("program = %v, want an *Error", err)
		}
		if err == nil && (p.path == "") == (p.missing == "") {
			t.Errorf("program = %+v, want a path or what is missing", p)
		}
		if err == nil && bytes.Contains(script, []byte("\r\n")) && !bytes.Contains(script, []byte{0}) {
			t.Errorf("CR LF gets through: %+v", p)
		}
	})
}
