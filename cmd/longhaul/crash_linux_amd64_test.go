package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// crashes are the acts that are cut, each on a project that other calls have brought there, and what the act may answer
// when it is called again.
var crashes = []struct {
	name   string
	before [][]string // calls; "!" files are written by the user
	act    []string
	again  []string // codes that a second call may refuse with
}{
	{"harness_init", nil, []string{"harness_init", crashFeatures}, []string{"already-initialized"}},
	{"session_start", [][]string{{"harness_init", crashFeatures}, {"session_end", `{"focus":"x","next_steps":"y"}`}},
		[]string{"session_start", `{}`}, nil},
	{"next_feature", [][]string{{"harness_init", crashFeatures}}, []string{"next_feature", `{}`}, nil},
	{"mark_feature_passed", [][]string{{"harness_init", crashFeatures}, {"next_feature", `{}`}, {"!a", "1"}},
		[]string{"mark_feature_passed", `{"id":"F001"}`}, nil},
	{"append_progress", [][]string{{"harness_init", crashFeatures}, {"next_feature", `{}`}},
		[]string{"append_progress", `{"focus":"cut","decisions":"a decision","next_steps":"more"}`}, nil},
	{"add_features", [][]string{{"harness_init", crashFeatures}},
		[]string{"add_features", `{"features":[{"description":"The file c exists","steps":["ls c"]}]}`}, nil},
	{"report_regression", [][]string{{"harness_init", crashFeatures}, {"next_feature", `{}`}, {"!a", "1"}, {"mark_feature_passed", `{"id":"F001"}`}},
		[]string{"report_regression", `{"id":"F001","reason":"a is empty"}`}, []string{"not-passed"}},
	{"commit", [][]string{{"harness_init", crashFeatures}, {"next_feature", `{}`}, {"!a", "1"}, {"mark_feature_passed", `{"id":"F001"}`}, {"!b c", "2"}},
		[]string{"commit", `{"message":"a exists"}`}, []string{"nothing-to-commit"}},
	{"session_end", [][]string{{"harness_init", crashFeatures}, {"next_feature", `{}`}, {"!a", "1"}, {"mark_feature_passed", `{"id":"F001"}`}, {"commit", `{"message":"a"}`}},
		[]string{"session_end", `{"focus":"x","next_steps":"y"}`}, []string{"no-session"}},
	{"rollback uncommitted", append(slices.Clone(crashDay), []string{"!a", "changed"}),
		[]string{"rollback", `{"target":"uncommitted","reason":"wrong"}`}, nil},
	{"rollback to a commit", crashDay,
		[]string{"rollback", `{"target":"HEAD~1","reason":"wrong"}`}, nil},
	{"rollback feature_list", append(slices.Clone(crashDay), []string{"!.claude/features.json", `{"features":[]}`}),
		[]string{"rollback", `{"target":"feature_list","reason":"emptied"}`}, nil},
}

const crashFeatures = `{"project":"p","type":"cli","features":[{"description":"The file a exists","steps":["ls a"],"check":"test -s a"},{"description":"The file b exists","steps":["ls b"],"check":"test -s b"}]}`

// crashDay ends with a passed and committed feature.
var crashDay = [][]string{{"harness_init", crashFeatures}, {"next_feature", `{}`}, {"!a", "1"}, {"mark_feature_passed", `{"id":"F001"}`},
	{"append_progress", `{"next_steps":"b"}`}, {"commit", `{"message":"a exists"}`}}

// TestKilledAtEveryWrite kills the program and the git that it runs at the first, the second, … system call that writes, and
// wants the next calls to work as if it had never begun or had ended. LONGHAUL_CRASH=1 tries every one, 2 every second; without it a small sample is tried.
func TestKilledAtEveryWrite(t *testing.T) {
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	every := sampled(t, 31, 97)
	for _, c := range crashes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := crashWorld{T: t, program: program, env: homeOf(t)}
			dir, base := filepath.Join(t.TempDir(), "project"), filepath.Join(t.TempDir(), "kept")
			w.prepare(dir, c.before)
			w.copy(dir, base)
			writes, err := killAt(0, w.command(dir, c.act...))
			if errors.Is(err, errNoTrace) {
				t.Skip(err)
			}
			if err != nil || writes < 5 {
				t.Fatalf("%s under trace: %d writes, %v", c.name, writes, err)
			}
			tried := 0
			for n := 1; n <= writes; n++ {
				if n%every != 1%every && n != writes {
					continue
				}
				w.copy(base, dir)
				_, err := killAt(n, w.command(dir, c.act...))
				if err != nil && !errors.Is(err, errKilled) {
					t.Fatalf("killed at %d: %v", n, err)
				}
				tried++
				if !w.check(fmt.Sprintf("killed at write %d of %d", n, writes), base, dir, c.act, c.again) {
					return
				}
			}
			t.Logf("%d of %d writes", tried, writes)
		})
	}
}

// sampled is the step from one write that is tried to the next: LONGHAUL_CRASH, else few or, in a short run, fewer.
func sampled(t *testing.T, few, fewer int) int {
	t.Helper()
	if wish, err := strconv.Atoi(os.Getenv("LONGHAUL_CRASH")); err == nil && wish > 0 {
		return wish
	}
	if testing.Short() {
		return fewer
	}
	return few
}

// A crashWorld has the program and an environment for it.
type crashWorld struct {
	*testing.T
	program string
	env     []string
}

func (w crashWorld) command(dir string, words ...string) *exec.Cmd {
	c := exec.Command(w.program, append([]string{"call", "--project", dir}, words...)...)
	c.Dir = dir
	c.Env = append(os.Environ(), w.env...)
	return c
}

// call is one call that is not cut: its reply, or the code that it refuses with.
func (w crashWorld) call(dir string, words ...string) (reply []byte, code string) {
	w.Helper()
	c := w.command(dir, words...)
	var out, told bytes.Buffer
	c.Stdout, c.Stderr = &out, &told
	err := c.Run()
	if err == nil {
		return out.Bytes(), ""
	}
	code, _, said := strings.Cut(told.String(), ":")
	if !said {
		fmt.Fprintf(&told, "%v, %d bytes on standard output", err, out.Len())
	}
	return told.Bytes(), cmp.Or(code, err.Error())
}

func (w crashWorld) prepare(dir string, calls [][]string) {
	w.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.Fatal(err)
	}
	w.git(dir, "init", "-q")
	for _, words := range calls {
		if name, ok := strings.CutPrefix(words[0], "!"); ok {
			if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(words[1]+"\n"), 0o644); err != nil {
				w.Fatal(err)
			}
			continue
		}
		if reply, code := w.call(dir, words...); code != "" {
			w.Fatalf("%s: %s", words[0], reply)
		}
	}
}

func (w crashWorld) git(dir string, words ...string) string {
	w.Helper()
	c := exec.Command("git", words...)
	c.Dir = dir
	c.Env = append(os.Environ(), w.env...)
	out, err := c.CombinedOutput()
	if err != nil {
		w.Errorf("git %s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return string(out)
}

// copy has the folder to hold what from holds. A session knows its folder by name, so a run is always in the same one.
func (w crashWorld) copy(from, to string) {
	w.Helper()
	if err := os.RemoveAll(to); err != nil {
		w.Fatal(err)
	}
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		w.Fatalf("cp: %v %s", err, out)
	}
}

// check holds a project whose act was cut against what must be true then.
func (w crashWorld) check(when, base, dir string, act, again []string) bool {
	w.Helper()
	bad := func(format string, values ...any) bool {
		w.Errorf("%s, %s: %s", act[0], when, fmt.Sprintf(format, values...))
		return false
	}
	status, code := w.call(dir, "status", `{}`)
	begun := act[0] != "harness_init" || code != "not-initialized"
	if code != "" && begun {
		return bad("status: %s", status)
	}
	broken := strings.Contains(act[1], "feature_list") // that is what the act mends
	if ok, _ := field(status, "integrity.ok"); begun && ok != "true" && !broken {
		return bad("integrity: %s", status)
	}
	// What git has undone has not passed, and what it has not undone has.
	if passed, _ := field(status, "counts.passed"); strings.Contains(act[1], "HEAD~1") {
		undone := strings.Contains(w.git(dir, "log", "-1", "--format=%s"), "roll back")
		if want := map[bool]string{true: "0", false: "1"}[undone]; passed != want {
			return bad("%s features have passed, want %s; undone is %v", passed, want, undone)
		}
	}
	if lock := filepath.Join(dir, ".git", "index.lock"); exists(lock) {
		// Git itself leaves it when it is killed, and says that a person is to remove it.
		_ = os.Remove(lock)
	}
	for _, name := range []string{"HEAD.lock", "refs/heads/main.lock"} {
		_ = os.Remove(filepath.Join(dir, ".git", filepath.FromSlash(name)))
	}
	reply, code := w.call(dir, act...)
	if code != "" && !slices.Contains(again, code) {
		return bad("again: %s", reply)
	}
	if reply, code := w.call(dir, "session_start", `{"run_init":false}`); code != "" {
		return bad("session_start afterwards: %s", reply)
	}
	if status, code = w.call(dir, "status", `{}`); code != "" {
		return bad("status afterwards: %s", status)
	}
	if ok, _ := field(status, "integrity.ok"); ok != "true" {
		return bad("integrity afterwards: %s", status)
	}
	if why := wholeFiles(dir); why != "" {
		return bad("%s", why)
	}
	if why := nothingLost(base, dir); why != "" {
		return bad("%s", why)
	}
	w.git(dir, "fsck", "--strict", "--no-dangling")
	w.git(dir, "status", "--porcelain")
	return !w.Failed()
}

// nothingLost says what the project had before the act and has no more.
func nothingLost(base, dir string) string {
	before, _ := os.ReadFile(filepath.Join(base, ".harness", "ledger.jsonl"))
	after, _ := os.ReadFile(filepath.Join(dir, ".harness", "ledger.jsonl"))
	if !bytes.HasPrefix(after, before) {
		return "the ledger lost lines"
	}
	log, _ := os.ReadFile(filepath.Join(base, ".claude", "progress.md"))
	now, _ := os.ReadFile(filepath.Join(dir, ".claude", "progress.md"))
	for line := range bytes.Lines(log) {
		if !bytes.Contains(now, line) {
			return fmt.Sprintf("the log lost %q", line)
		}
	}
	if list, err := os.ReadFile(filepath.Join(dir, ".claude", "features.json")); err != nil || !bytes.Contains(list, []byte("The file a exists")) || !bytes.Contains(list, []byte("The file b exists")) {
		return "the list lost a feature"
	}
	return ""
}

// TestTracerTakesNobodysChild looks for a tracer among threads that have started commands.
func TestTracerTakesNobodysChild(t *testing.T) {
	for range 16 {
		sleeper := exec.Command("cat")
		in, err := sleeper.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := sleeper.Start(); err != nil {
			t.Fatal(err)
		}
		onThreadWithoutChildren(func() {
			if id, err := unix.Wait4(-1, nil, unix.WALL|unix.WNOTHREAD|unix.WNOHANG, nil); !errors.Is(err, unix.ECHILD) {
				t.Errorf("the tracer's thread has children: wait4() = %d, %v", id, err)
			}
		})
		in.Close()
		if err := sleeper.Wait(); err != nil {
			t.Errorf("the other command ended with %v", err)
		}
	}
}

var (
	errNoTrace = errors.New("this machine lets no process be traced")
	errKilled  = errors.New("killed")
)

// killAt runs the command and kills it, with all that it has started, when their n-th system call that writes begins; 0 is
// never. It returns how many there were.
func killAt(n int, c *exec.Cmd) (writes int, err error) {
	onThreadWithoutChildren(func() { writes, err = traced(n, c) })
	return writes, err
}

// onThreadWithoutChildren runs do on a thread of its own, for a tracer is a thread. Waiting for whatever that thread has
// started would take the end of a command that another test began there from under it.
func onThreadWithoutChildren(do func()) {
	var done sync.WaitGroup
	done.Go(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		const look = unix.WEXITED | unix.WNOWAIT | unix.WNOHANG | unix.WALL | unix.WNOTHREAD
		if errors.Is(unix.Waitid(unix.P_ALL, 0, nil, look, nil), unix.ECHILD) {
			do()
			return
		}
		onThreadWithoutChildren(do) // on another one, as this one is held
	})
	done.Wait()
}

func traced(n int, c *exec.Cmd) (writes int, err error) {
	c.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	c.Stdin, c.Stdout, c.Stderr = null, null, null
	if err := c.Start(); err != nil {
		return 0, fmt.Errorf("%w: %v", errNoTrace, err)
	}
	root := c.Process.Pid
	var status unix.WaitStatus
	if _, err := unix.Wait4(root, &status, unix.WALL, nil); err != nil {
		return 0, err
	}
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
		unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_EXITKILL
	if err := unix.PtraceSetOptions(root, options); err != nil {
		return 0, fmt.Errorf("%w: %v", errNoTrace, err)
	}
	inside := map[int]bool{root: false} // by thread: it is in a system call
	_ = unix.PtraceSyscall(root, 0)
	killed, code := false, 0
	for len(inside) > 0 {
		id, err := unix.Wait4(-1, &status, unix.WALL|unix.WNOTHREAD, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			break
		}
		if status.Exited() || status.Signaled() {
			delete(inside, id)
			if id == root {
				code = status.ExitStatus()
			}
			continue
		}
		signal := 0
		switch stop := status.StopSignal(); {
		case stop == unix.SIGTRAP|0x80:
			inside[id] = !inside[id]
			if inside[id] && isWrite(id) {
				writes++
				killed = killed || writes == n
			}
		case stop == unix.SIGTRAP && status.TrapCause() == unix.PTRACE_EVENT_EXEC:
			// The thread that replaces a program takes the process's number. Its own is free for a process of anybody's, and
			// no exit tells so.
			if former, err := unix.PtraceGetEventMsg(id); err == nil && int(former) != id {
				delete(inside, int(former))
			}
		case stop == unix.SIGTRAP, stop == unix.SIGSTOP && !known(inside, id):
			if !known(inside, id) {
				inside[id] = false
			}
		default:
			signal = int(stop)
		}
		if killed {
			for one := range inside {
				_ = unix.Kill(one, unix.SIGKILL)
			}
			continue
		}
		_ = unix.PtraceSyscall(id, signal)
	}
	_ = c.Process.Release()
	switch {
	case killed:
		return writes, errKilled
	case code != 0:
		return writes, errors.New("exit code " + strconv.Itoa(code))
	}
	return writes, nil
}

func known(inside map[int]bool, id int) bool {
	_, ok := inside[id]
	return ok
}

// writing are the system calls that change what is on a disk.
var writing = []uint64{unix.SYS_RENAME, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2,
	unix.SYS_UNLINK, unix.SYS_UNLINKAT, unix.SYS_MKDIR, unix.SYS_MKDIRAT, unix.SYS_RMDIR, unix.SYS_LINK, unix.SYS_LINKAT, unix.SYS_SYMLINK, unix.SYS_SYMLINKAT,
	unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_TRUNCATE, unix.SYS_FTRUNCATE, unix.SYS_CHMOD, unix.SYS_FCHMOD, unix.SYS_FCHMODAT}

// isWrite looks at a call that begins. What goes to pipes, sockets and devices is not written to a disk.
func isWrite(thread int) bool {
	var regs unix.PtraceRegs
	if unix.PtraceGetRegs(thread, &regs) != nil {
		return false
	}
	switch regs.Orig_rax {
	case unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_WRITEV:
		to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", thread, regs.Rdi))
		return err == nil && strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "/dev/")
	case unix.SYS_OPEN:
		return regs.Rsi&(unix.O_WRONLY|unix.O_RDWR|unix.O_CREAT) != 0
	case unix.SYS_OPENAT:
		return regs.Rdx&(unix.O_WRONLY|unix.O_RDWR|unix.O_CREAT) != 0
	}
	return slices.Contains(writing, regs.Orig_rax)
}
