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
	if len(os.Args) > 1 && os.Args[1] == "shepherd" {
		os.Exit(Shepherd(os.Args[2:]))
	}
	if line := os.Getenv(asServer); line != "" {
		_, keep := os.LookupEnv("RUNNER_TEST_KEEP")
		_, shepherd := os.LookupEnv("RUNNER_TEST_SHEPHERD")
		r, err := Run(context.Background(), Command{Line: line, Dir: "/", Keep: keep, Shepherd: shepherd})
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

// guards are the children of the test that watch over a run.
func guards() (pids []int) {
	for _, p := range processes() {
		line, _ := os.ReadFile(file(p.pid, "cmdline"))
		guard := bytes.HasPrefix(line, []byte("/bin/sh\x00-c\x00")) || bytes.Contains(line, []byte("\x00shepherd\x00"))
		if p.parent == os.Getpid() && guard {
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

// lost are those that show no trace at all once they run: a shepherd alone finds them.
var lost = []struct{ name, line string }{
	{"lost", "env -i setsid -f sleep N </dev/null >/dev/null 2>&1; sleep N"},
	{"lost twice", "env -i setsid -f setsid -f sleep N </dev/null >/dev/null 2>&1; sleep N"},
	{"lost in a loop", "env -i setsid -f bash -c 'trap \"\" TERM; while :; do env -i setsid -f sleep N; sleep N; done' </dev/null >/dev/null 2>&1; sleep N"},
}

// eachWay calls test for every stubborn line, with a shepherd and without one.
func eachWay(t *testing.T, test func(t *testing.T, n trace, c Command)) {
	t.Helper()
	for _, shepherd := range []bool{false, true} {
		lines, way := stubborn, "alone"
		if shepherd {
			lines, way = append(stubborn[:len(stubborn):len(stubborn)], lost...), "with a shepherd"
		}
		for _, l := range lines {
			t.Run(way+"/"+l.name, func(t *testing.T) {
				n := newTrace()
				line := strings.ReplaceAll(l.line, "N", string(n))
				test(t, n, Command{Line: line, Dir: t.TempDir(), Timeout: limit, Shepherd: shepherd})
			})
		}
	}
}

func TestCancelEndsTheTree(t *testing.T) {
	eachWay(t, func(t *testing.T, n trace, c Command) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			defer cancel()
			for began := time.Now(); len(n.sleeping()) == 0 && time.Since(began) < limit; {
				time.Sleep(5 * time.Millisecond)
			}
		}()
		c.Line = "echo begun; " + c.Line
		got, err := Run(ctx, c)
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
	if left := guards(); len(left) > 0 {
		t.Errorf("left running: %v", left)
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
	eachWay(t, func(t *testing.T, n trace, c Command) {
		t.Parallel()
		c.Timeout, c.Keep = 500*time.Millisecond, true
		got := run(t, c)
		if !got.TimedOut || got.OK || got.ExitCode != -1 || got.Leftover != nil || got.Background != nil {
			t.Errorf("result = %+v, want timed out", got)
		}
		if left := n.pids(); len(left) > 0 {
			t.Errorf("left running: %v", left)
		}
	})
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
		for _, shepherd := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, shepherd %v", test.name, shepherd), func(t *testing.T) {
				n := newTrace()
				line := fmt.Sprintf("sleep %s & setsid sleep %s >/dev/null & ", n, n)
				if shepherd {
					line += fmt.Sprintf("env -i setsid -f sleep %s >/dev/null 2>&1; ", n)
				}
				got := run(t, Command{Line: line + fmt.Sprintf("echo up; exit %d", test.code), Keep: test.keep, Shepherd: shepherd})
				if got.ExitCode != test.code || got.Tail != "up" || got.Leftover != nil || len(got.Background) > 0 {
					t.Errorf("result = %+v, want %d and nothing left", got, test.code)
				}
				if left := append(n.pids(), guards()...); len(left) > 0 {
					t.Errorf("left running: %v", left)
				}
			})
		}
	}
}

// TestKeepLeavesTheLostRunning keeps a daemon without a trace for the session.
func TestKeepLeavesTheLostRunning(t *testing.T) {
	n := newTrace()
	got := run(t, Command{Line: "env -i setsid -f sleep " + string(n) + " >/dev/null 2>&1", Keep: true, Shepherd: true})
	if !got.OK || got.Leftover == nil || len(got.Background) != 1 || !strings.Contains(got.Background[0].Command, string(n)) {
		t.Fatalf("result = %+v, want OK and the sleep in the background", got)
	}
	other := newTrace()
	run(t, Command{Line: "env -i setsid -f sleep " + string(other) + " >/dev/null 2>&1", Shepherd: true})
	if left := other.pids(); len(left) > 0 {
		t.Errorf("left running by the run after it: %v", left)
	}
	if startOf(got.Background[0].PID) == 0 {
		t.Error("the run after it ended what was kept")
	}
	got.Leftover.End()
	if left := append(n.pids(), guards()...); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}

// TestShepherdAttacked has a command end or stop its own shepherd.
func TestShepherdAttacked(t *testing.T) {
	for _, line := range []string{
		"kill -KILL $PPID; setsid sleep N & sleep N",
		"kill -STOP $PPID; setsid sleep N & sleep N",
		"setsid sleep N & kill -STOP $PPID",
		"kill -TERM $PPID; kill -HUP $PPID; kill -INT $PPID; setsid sleep N & sleep N",
	} {
		t.Run(line, func(t *testing.T) {
			n := newTrace()
			got := run(t, Command{Line: strings.ReplaceAll(line, "N", string(n)), Timeout: 500 * time.Millisecond, Shepherd: true})
			if got.OK || got.ExitCode != -1 {
				t.Errorf("result = %+v, want no success", got)
			}
			if left := append(n.pids(), guards()...); len(left) > 0 {
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
	if left := append(n.pids(), guards()...); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
	got.Leftover.End()
}

func TestKeepWithoutBackground(t *testing.T) {
	got := run(t, Command{Line: "echo up", Keep: true})
	if !got.OK || got.Leftover != nil || got.Background != nil {
		t.Errorf("result = %+v, want no tree", got)
	}
	if left := guards(); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
	got.Leftover.End()
}

func TestRunInARun(t *testing.T) {
	t.Setenv(mark, "outer")
	if got := run(t, Command{Line: "echo $" + mark}); !strings.HasPrefix(got.Tail, "outer:") {
		t.Errorf("mark = %q, want that of the outer run too", got.Tail)
	}
}

// TestShepherdShowsNothing compares what a command sees and tells with and without one.
func TestShepherdShowsNothing(t *testing.T) {
	t.Setenv(mark, "outer")
	for _, line := range []string{
		"exit 3", "kill -SEGV $$", "kill -PIPE $$", "no-such-program-here", "cat; echo $?", "yes | head -n 1",
		"pwd; ulimit -a; umask; set -o", "ls /proc/self/fd", "grep -E '^(Sig|Shd)(Blk|Ign|Cgt)' /proc/self/status",
		"env | grep -v '^_=' | sed 's/\\(" + mark + "=outer:\\).*/\\1/' | sort",
	} {
		dir := t.TempDir()
		alone := run(t, Command{Line: line, Dir: dir})
		got := run(t, Command{Line: line, Dir: dir, Shepherd: true})
		if got.ExitCode != alone.ExitCode || got.Tail != alone.Tail {
			t.Errorf("%s: %d %q, want %d %q", line, got.ExitCode, got.Tail, alone.ExitCode, alone.Tail)
		}
	}
}

// TestServerKilled kills a server with SIGKILL while a command runs, and after one
// that left something running.
func TestServerKilled(t *testing.T) {
	tests := []struct {
		name, line string
		keep       bool
		shepherd   bool
		want       int // processes to wait for before the kill
	}{
		{"while it runs", "trap '' TERM; (setsid sleep N &); sleep N | cat; sleep N", false, false, 2},
		{"after success", "(setsid sleep N >/dev/null 2>&1 &); sleep N & echo up", true, false, 2},
		{"while a lost one runs", "env -i setsid -f sleep N >/dev/null 2>&1; sleep N", false, true, 2},
		{"after success, a lost one", "env -i setsid -f sleep N >/dev/null 2>&1; echo up", true, true, 1},
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
			if test.shepherd {
				server.Env = append(server.Env, "RUNNER_TEST_SHEPHERD=1")
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
	f, err := launch(cmd, program{}, out, false)
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
	run(t, Command{Line: "true", Shepherd: true}) // what the runtime opens once
	open, children := count()
	dir := t.TempDir()
	for _, line := range []string{"true", "false", "sleep 300 & true", "sleep 300", "kill -9 $$", "cat /dev/zero | head -c 1000000", "exec >&- 2>&-; true"} {
		for _, shepherd := range []bool{false, true} {
			got := run(t, Command{Line: line, Dir: dir, Timeout: 100 * time.Millisecond, Keep: true, Shepherd: shepherd})
			got.Leftover.End()
		}
	}
	for _, shepherd := range []bool{false, true} {
		if _, err := Run(t.Context(), Command{Line: strings.Repeat("x", 4<<20), Dir: dir, Shepherd: shepherd}); err == nil {
			t.Error("a line that is too long started")
		}
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
