package runner

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asServer names the variable that makes the test binary run a command as a
// server would, to be killed.
const asServer = "RUNNER_TEST_LINE"

func TestMain(m *testing.M) {
	if line := os.Getenv(asServer); line != "" {
		_, keep := os.LookupEnv("RUNNER_TEST_KEEP")
		r, err := Run(context.Background(), Command{Line: line, Dir: "/", Keep: keep})
		fmt.Printf("%+v %v\n", r, err)
		select {}
	}
	os.Exit(m.Run())
}

// A trace finds processes by a text in their command line that no others have.
type trace string

// newTrace is a number that sleep takes: 300 seconds and a unique fraction.
func newTrace() trace {
	var digits strings.Builder
	digits.WriteString("300.")
	for _, b := range []byte(rand.Text()) {
		digits.WriteByte('0' + b%10)
	}
	return trace(digits.String())
}

func (n trace) pids() (pids []int) {
	for _, p := range processes() {
		line, _ := os.ReadFile(file(p.pid, "cmdline"))
		if bytes.Contains(line, []byte(n)) {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for began := time.Now(); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > limit {
			t.Fatalf("still not after %v: %s", limit, what)
		}
	}
}

// watchdogs are the children of the test that guard a run.
func watchdogs() (pids []int) {
	for _, p := range processes() {
		line, _ := os.ReadFile(file(p.pid, "cmdline"))
		if p.parent == os.Getpid() && bytes.HasPrefix(line, []byte("/bin/sh\x00-c\x00")) {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

// stubborn are command lines that would outlive a simple kill. N is the trace; a
// line that ends by itself is followed by wait.
var stubborn = []struct{ name, line string }{
	{"plain", "sleep N"},
	{"two commands", "sleep N; true"},
	{"pipe", "sleep N | cat"},
	{"subshell", "(sleep N; true)"},
	{"background", "sleep N & wait"},
	{"session", "setsid sleep N & wait"},
	{"nohup", "nohup sleep N >/dev/null 2>&1 & wait"},
	{"disowned", "sleep N & disown; sleep N"},
	{"no signals", "trap '' TERM INT HUP; sleep N; sleep N"},
	{"its own trap", "trap 'sleep N' TERM; sleep N; sleep N"},
	{"comes again", "while :; do sleep N; done"},
	{"comes again in a session", "setsid bash -c 'trap \"\" TERM; while :; do sleep N; done' & wait"},
	{"daemon", "(setsid bash -c 'sleep N & exit' &); sleep N"},
	{"daemon of closed output", "(setsid bash -c 'sleep N >/dev/null 2>&1 </dev/null & exit' &); sleep N"},
	{"other environment", "env -i setsid sleep N & wait"},
	{"daemon of other environment", "(env -i setsid sleep N &); sleep N"},
	{"stopped", "sleep N & kill -STOP $!; sleep N"},
	{"many", "for i in 1 2 3 4 5 6 7 8 9; do (sleep N & sleep N | cat) & done; wait"},
	{"other name", "bash -c 'exec -a init sleep N' & wait"},
	{"python daemon", `python3 -c '
import os, sys, time
if os.fork(): time.sleep(N)
os.setsid()
if os.fork(): os._exit(0)
os.close(0); os.close(1); os.close(2)
time.sleep(N)'`},
}

func TestCancelEndsTheTree(t *testing.T) {
	for _, test := range stubborn {
		t.Run(test.name, func(t *testing.T) {
			n := newTrace()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				defer cancel()
				for began := time.Now(); len(n.sleeping()) == 0 && time.Since(began) < limit; {
					time.Sleep(5 * time.Millisecond)
				}
			}()
			got, err := Run(ctx, Command{Line: "echo begun; " + strings.ReplaceAll(test.line, "N", string(n)), Dir: t.TempDir(), Timeout: limit})
			if err != nil || !got.Canceled || got.OK || got.ExitCode != -1 {
				t.Errorf("Run = %+v, %v, want canceled", got, err)
			}
			if !strings.HasPrefix(got.Tail, "begun") {
				t.Errorf("tail = %q, want what was said before", got.Tail)
			}
			if left := n.pids(); len(left) > 0 {
				t.Errorf("left running: %v", left)
			}
		})
	}
	if left := watchdogs(); len(left) > 0 {
		t.Errorf("left running: watchdogs %v", left)
	}
}

// sleeping are those of the pids that are no shell on its way to them.
func (n trace) sleeping() (pids []int) {
	for _, pid := range n.pids() {
		line := commandLine(pid)
		if strings.HasPrefix(line, "sleep") || strings.HasPrefix(line, "init") || strings.HasPrefix(line, "python") {
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestTimeLimitEndsTheTree(t *testing.T) {
	for _, test := range stubborn {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			n := newTrace()
			got := run(t, Command{
				Line:    strings.ReplaceAll(test.line, "N", string(n)),
				Timeout: 500 * time.Millisecond,
				Keep:    true,
			})
			if !got.TimedOut || got.OK || got.ExitCode != -1 || got.Leftover != nil || got.Background != nil {
				t.Errorf("result = %+v, want timed out", got)
			}
			if left := n.pids(); len(left) > 0 {
				t.Errorf("left running: %v", left)
			}
		})
	}
}

func TestFailureAndSuccessLeaveNothing(t *testing.T) {
	tests := []struct {
		name string
		keep bool
		code int
	}{
		{"failed", false, 1},
		{"failed, keep", true, 1},
		{"succeeded", false, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := newTrace()
			got := run(t, Command{
				Line: fmt.Sprintf("sleep %s & setsid sleep %s >/dev/null & echo up; exit %d", n, n, test.code),
				Keep: test.keep,
			})
			if got.ExitCode != test.code || got.Tail != "up" || got.Leftover != nil || len(got.Background) > 0 {
				t.Errorf("result = %+v, want %d and nothing left", got, test.code)
			}
			if left := n.pids(); len(left) > 0 {
				t.Errorf("left running: %v", left)
			}
		})
	}
}

func TestKeepLeavesTheServerRunning(t *testing.T) {
	n := newTrace()
	dir := t.TempDir()
	text := fmt.Sprintf(`#!/usr/bin/env bash
set -euo pipefail
(while :; do echo working; echo on >beat; done; sleep %[1]s) &
nohup setsid sleep %[1]s >/dev/null 2>&1 &
echo up
`, n)
	got := run(t, Command{Script: write(t, filepath.Join(dir, "init.sh"), text, 0o644), Dir: dir, Keep: true})
	if !got.OK || got.Leftover == nil {
		t.Fatalf("result = %+v, want OK with a tree", got)
	}
	named := false
	for _, p := range got.Background {
		named = named || strings.Contains(p.Command, string(n))
		if startOf(p.PID) == 0 {
			t.Errorf("%+v does not run", p)
		}
	}
	if !named || len(got.Background) != 2 {
		t.Errorf("background = %+v, want two, with sleep %s", got.Background, n)
	}

	// It writes far more than a pipe holds and must neither block nor die.
	for range 3 {
		beat := filepath.Join(dir, "beat")
		os.Remove(beat)
		eventually(t, "the server writes", func() bool { _, err := os.Stat(beat); return err == nil })
	}

	got.Leftover.End()
	for _, p := range got.Background {
		if startOf(p.PID) != 0 {
			t.Errorf("%+v still runs", p)
		}
	}
	if left := append(n.pids(), watchdogs()...); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
	got.Leftover.End()
}

func TestKeepWithoutBackground(t *testing.T) {
	got := run(t, Command{Line: "echo up", Keep: true})
	if !got.OK || got.Leftover != nil || got.Background != nil {
		t.Errorf("result = %+v, want no tree", got)
	}
	if left := watchdogs(); len(left) > 0 {
		t.Errorf("left running: watchdogs %v", left)
	}
	got.Leftover.End()
}

func TestRunInARun(t *testing.T) {
	t.Setenv(mark, "outer")
	if got := run(t, Command{Line: "echo $" + mark}); !strings.HasPrefix(got.Tail, "outer:") {
		t.Errorf("mark = %q, want that of the outer run too", got.Tail)
	}
}

// TestServerKilled kills a server with SIGKILL while a command runs, and after one
// that left something running.
func TestServerKilled(t *testing.T) {
	tests := []struct {
		name, line string
		keep       bool
		want       int // processes to wait for before the kill
	}{
		{"while it runs", "trap '' TERM; (setsid sleep N &); sleep N | cat; sleep N", false, 2},
		{"after success", "(setsid sleep N >/dev/null 2>&1 &); sleep N & echo up", true, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			n := newTrace()
			server := exec.Command(os.Args[0])
			server.Env = append(os.Environ(), asServer+"="+strings.ReplaceAll(test.line, "N", string(n)))
			if test.keep {
				server.Env = append(server.Env, "RUNNER_TEST_KEEP=1")
			}
			said, err := server.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := server.Start(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the command runs", func() bool { return len(n.sleeping()) >= test.want })
			if test.keep {
				said.Read(make([]byte, 1))
			}
			var guards []int
			for _, p := range processes() {
				if p.parent == server.Process.Pid {
					guards = append(guards, p.pid)
				}
			}
			server.Process.Kill()
			server.Wait()
			eventually(t, "all processes are gone", func() bool { return len(n.pids()) == 0 })
			eventually(t, "the watchdog is gone", func() bool {
				for _, pid := range guards {
					if startOf(pid) != 0 {
						return false
					}
				}
				return true
			})
		})
	}
}

// TestWatchdogIsTold closes the watchdog's pipe, as the death of the server does,
// with a member alive that its environment does not show.
func TestWatchdogIsTold(t *testing.T) {
	n := newTrace()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	defer in.Close()
	cmd := exec.Command("env", "-i", "bash", "-c", "sleep "+string(n)+"; true")
	cmd.Dir = "/"
	f, err := launch(cmd, program{}, out)
	if err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer f.end()
	eventually(t, "the watchdog is told of both", func() bool {
		f.observe()
		told := 0
		for _, m := range f.known {
			if m.told {
				told++
			}
		}
		return told == 2 && len(n.sleeping()) == 1
	})
	f.guard.pipe.Close()
	f.guard.cmd.Wait()
	eventually(t, "all processes are gone", func() bool { return len(n.pids()) == 0 })
}

// TestRunLeavesNothing counts open files and children before and after.
func TestRunLeavesNothing(t *testing.T) {
	count := func() (open, children int) {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range processes() {
			if p.parent == os.Getpid() {
				children++
			}
		}
		return len(files), children
	}
	run(t, Command{Line: "true"}) // what the runtime opens once
	open, children := count()
	dir := t.TempDir()
	for _, line := range []string{"true", "false", "sleep 300 & true", "sleep 300", "kill -9 $$", "cat /dev/zero | head -c 1000000", "exec >&- 2>&-; true"} {
		got := run(t, Command{Line: line, Dir: dir, Timeout: 100 * time.Millisecond, Keep: true})
		got.Leftover.End()
	}
	if _, err := Run(t.Context(), Command{Line: strings.Repeat("x", 4<<20), Dir: dir}); err == nil {
		t.Error("a line that is too long started")
	}
	openAfter, childrenAfter := count()
	if openAfter != open || childrenAfter != children {
		t.Errorf("%d open files and %d children, want %d and %d", openAfter, childrenAfter, open, children)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("left in the folder: %v, %v", names, err)
	}
}

func TestForeignProcessesAreSpared(t *testing.T) {
	n := newTrace()
	foreign := exec.Command("sleep", string(n))
	foreign.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := foreign.Start(); err != nil {
		t.Fatal(err)
	}
	defer foreign.Wait()
	defer foreign.Process.Kill()
	run(t, Command{Line: "sleep 300 & sleep 300", Timeout: 100 * time.Millisecond})
	if startOf(foreign.Process.Pid) == 0 {
		t.Error("a process of somebody else was ended")
	}
}

func TestProcessTable(t *testing.T) {
	own, ok := stat(os.Getpid())
	if !ok || own.parent != os.Getppid() || own.start == 0 {
		t.Errorf("stat = %+v, %v, want parent %d", own, ok, os.Getppid())
	}
	name := filepath.Join(t.TempDir(), "a) R 1 (b")
	program, err := os.ReadFile("/bin/sleep")
	if err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(name, program, 0o755); err != nil {
		t.Fatal(err)
	}
	odd := exec.Command(name, "300")
	if err := odd.Start(); err != nil {
		t.Fatal(err)
	}
	defer odd.Wait()
	defer odd.Process.Kill()
	if p, ok := stat(odd.Process.Pid); !ok || p.parent != os.Getpid() {
		t.Errorf("stat of %s = %+v, %v, want parent %d", strconv.Quote(name), p, ok, os.Getpid())
	}
}
