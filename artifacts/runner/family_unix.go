//go:build linux || darwin

package runner

import (
	"crypto/rand"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

const (
	polite  = 200 * time.Millisecond // between SIGTERM and SIGKILL
	patient = 3 * time.Second        // for processes that SIGKILL does not end at once
)

// A family is the processes of one run: the leader and whatever came from it. A
// process group alone would lose every daemon. A process belongs when it carries
// the run's mark in its environment, has a member or the run's shepherd for its
// parent, lives in a member's session, or writes to the run's output. Members that
// were seen once stay members, so that one that clears its traces later is not lost.
type family struct {
	mu       sync.Mutex
	id       string
	output   string // the output pipe, as holds names it
	leader   int
	known    map[int]member // by pid
	sessions map[int]bool   // sessions with a living member
	guard    *watchdog
	shepherd *shepherd // nil where there is none
	cmd      *exec.Cmd // the leader, where there is no shepherd
}

// A member is a process of the family. Its start tells it from a later process of
// the same pid.
type member struct {
	start uint64
	told  bool // to the watchdog
}

// A row is a process of the process table. Zombies are not in it.
type row struct {
	pid, parent, session int
	start                uint64
}

// launch starts cmd as the leader of a new family, under a shepherd if it may be.
func launch(cmd *exec.Cmd, p program, output *os.File, shepherded bool) (*family, error) {
	id := rand.Text()
	f := &family{id: id, output: pipeName(output), known: map[int]member{}}
	var err error
	if f.guard, err = watch(id); err != nil {
		return nil, err
	}
	if shepherded {
		f.shepherd, f.leader, err = hire(cmd, id)
	}
	if err == nil && f.shepherd == nil {
		err = f.lead(cmd)
	}
	if err != nil {
		f.guard.release()
		return nil, err
	}
	f.guard.leader(f.leader)
	f.sessions = map[int]bool{f.leader: true}
	f.observe()
	return f, nil
}

// lead starts cmd as a child of the server.
func (f *family) lead(cmd *exec.Cmd) error {
	cmd.Env = environment(cmd.Dir, f.id)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	f.cmd, f.leader = cmd, cmd.Process.Pid
	return nil
}

// wait waits for the leader and gives its exit code.
func (f *family) wait() int {
	if f.shepherd != nil {
		return f.shepherd.wait()
	}
	f.cmd.Wait()
	return exitCode(f.cmd.ProcessState)
}

// close ends the watch over the family.
func (f *family) close() {
	f.shepherd.release()
	f.guard.release()
}

// observe notes who belongs to the family now, by parent and session only: it is
// called often.
func (f *family) observe() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.living(false)
}

// living finds the living members; thorough looks at the traces too.
func (f *family) living(thorough bool) []row {
	table := processes()
	if len(table) == 0 {
		return nil // unreadable; keep what is known
	}
	self, shepherd := os.Getpid(), f.shepherd.pid()
	in := make(map[int]bool)
	for _, p := range table {
		m, known := f.known[p.pid]
		switch {
		case p.pid == self, p.pid == shepherd:
		case shepherd != 0 && p.parent == shepherd:
			in[p.pid] = true
		case known && m.start == p.start, f.sessions[p.session]:
			in[p.pid] = true
		case thorough && f.traced(p.pid):
			in[p.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range table {
			if in[p.parent] && !in[p.pid] && p.pid != self && p.pid != shepherd {
				in[p.pid], grown = true, true
			}
		}
	}
	return f.remember(table, in)
}

func (f *family) traced(pid int) bool {
	return marked(pid, f.id) || holds(pid, f.output)
}

// remember replaces what is known by the members that are alive, and tells the
// watchdog of those that it could not know by their mark.
func (f *family) remember(table []row, in map[int]bool) (members []row) {
	known := make(map[int]member)
	clear(f.sessions)
	for _, p := range table {
		if !in[p.pid] {
			continue
		}
		members = append(members, p)
		m := f.known[p.pid]
		// A new program may have been given another environment, so a member that
		// had the mark is looked at again.
		if m.start != p.start {
			m = member{start: p.start}
		}
		if !m.told && !marked(p.pid, f.id) {
			f.guard.also(p)
			m.told = true
		}
		known[p.pid] = m
		f.sessions[p.session] = true
	}
	f.known = known
	return members
}

// members are the living processes of the family with their command lines.
func (f *family) members() []Process {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []Process
	for _, p := range f.living(true) {
		list = append(list, Process{p.pid, commandLine(p.pid)})
	}
	return list
}

// end ends every process of the family, politely first, and returns when none is
// left. One look at the table can miss a process that is just being born, so two
// in a row must find nobody.
func (f *family) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	members := f.living(true)
	if len(members) == 0 && len(processes()) == 0 {
		syscall.Kill(-f.leader, syscall.SIGKILL) // the best there is without a table
	}
	if len(members) == 0 {
		return
	}
	kill(members, syscall.SIGTERM)
	for began := time.Now(); len(members) > 0 && time.Since(began) < polite; {
		time.Sleep(5 * time.Millisecond)
		members = f.living(true)
	}
	empty := 0
	for began := time.Now(); empty < 2 && time.Since(began) < patient; {
		kill(members, syscall.SIGKILL)
		time.Sleep(2 * time.Millisecond)
		members = f.living(true)
		empty++
		if len(members) > 0 {
			empty = 0
		}
	}
}

// kill signals processes that are still those of the table.
func kill(members []row, signal syscall.Signal) {
	for _, p := range members {
		// On Linux the handle pins the process, so that between the look and the
		// signal nobody else can take its pid.
		handle, err := os.FindProcess(p.pid)
		if err != nil {
			continue
		}
		if startOf(p.pid) == p.start {
			handle.Signal(signal)
		}
		handle.Release()
	}
}

// exitCode is the code a shell would give.
func exitCode(state *os.ProcessState) int {
	if state == nil {
		return -1 // the system had no answer
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok {
		return state.ExitCode()
	}
	return shellCode(status)
}

func shellCode(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}
