package runner

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A shepherd is a process of the server's own program between the server and a
// command. It is the subreaper of whatever comes from the command (prctl(2),
// PR_SET_CHILD_SUBREAPER): a process that leaves its session, clears its
// environment and loses its parent becomes a child of the shepherd, not of init, and
// so is still found by its parent. When the server is gone the shepherd ends them
// all; it ends by itself when none is left.
type shepherd struct {
	cmd    *exec.Cmd
	orders *os.File // its end is the end of the server
	report *os.File
	lines  *bufio.Scanner // of report
}

// hire starts cmd under a shepherd and returns the pid of the command. No shepherd
// and no error: there can be none here.
func hire(cmd *exec.Cmd, id string) (s *shepherd, leader int, err error) {
	theirOrders, orders, err := os.Pipe()
	if err != nil {
		return nil, 0, err
	}
	defer theirOrders.Close()
	report, theirReport, err := os.Pipe()
	if err != nil {
		orders.Close()
		return nil, 0, err
	}
	defer theirReport.Close()
	s = &shepherd{orders: orders, report: report, lines: bufio.NewScanner(report)}
	env, marking := apart(environment(cmd.Dir, id), id)
	// The link names the running program also after another has taken its place.
	s.cmd = exec.Command("/proc/self/exe")
	s.cmd.Args = append([]string{os.Args[0], "shepherd", marking, cmd.Path}, cmd.Args...)
	s.cmd.Dir, s.cmd.Env = cmd.Dir, env
	s.cmd.Stdout, s.cmd.Stderr = cmd.Stdout, cmd.Stderr
	s.cmd.ExtraFiles = []*os.File{theirOrders, theirReport}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := s.cmd.Start(); err != nil {
		orders.Close()
		report.Close()
		return nil, 0, nil
	}
	theirReport.Close()
	word, rest := s.next()
	leader, _ = strconv.Atoi(rest)
	if word != "pid" {
		s.release()
		return nil, 0, errors.New(rest)
	}
	return s, leader, nil
}

// apart takes the mark of the run from an environment: the shepherd does not bear it
// and so is no member of the run. That of an outer run stays.
func apart(env []string, id string) (rest []string, marking string) {
	last := len(env) - 1
	rest, marking = env[:last:last], env[last]
	if outer, ok := strings.CutSuffix(marking, ":"+id); ok {
		rest = append(rest, outer)
	}
	return rest, marking
}

// next is what the shepherd says next.
func (s *shepherd) next() (word, rest string) {
	if !s.lines.Scan() {
		return "", "the shepherd of the run ended"
	}
	word, rest, _ = strings.Cut(s.lines.Text(), " ")
	return word, rest
}

// pid is 0 without a shepherd.
func (s *shepherd) pid() int {
	if s == nil {
		return 0
	}
	return s.cmd.Process.Pid
}

// wait waits for the command, which may have ended the shepherd: -1.
func (s *shepherd) wait() int {
	word, rest := s.next()
	code, err := strconv.Atoi(rest)
	if word != "exit" || err != nil {
		return -1
	}
	return code
}

// release ends the shepherd and what is still with it.
func (s *shepherd) release() {
	if s == nil {
		return
	}
	s.orders.Close()
	s.cmd.Process.Signal(syscall.SIGCONT)
	late := time.AfterFunc(2*patient, func() { s.cmd.Process.Kill() })
	s.cmd.Wait()
	late.Stop()
	s.report.Close()
}

// Shepherd is the whole work of a process that Run starts when Command.Shepherd is
// set, with what follows the word "shepherd" in its arguments, and returns its exit
// code. It returns when the command and all that came from it have ended, and ends
// them when the server is gone.
func Shepherd(args []string) int {
	if len(args) < 3 {
		return 2
	}
	syscall.CloseOnExec(3)
	syscall.CloseOnExec(4)
	orders, report := os.NewFile(3, "orders"), os.NewFile(4, "report")
	// Where the kernel has no subreapers the marks must do.
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	// Signals are caught, not ignored: the command would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	leader, err := os.StartProcess(args[1], args[2:], &os.ProcAttr{
		Env:   append(os.Environ(), args[0]),
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		fmt.Fprintln(report, "error", err)
		return 1
	}
	// The output must end when the others have ended.
	os.Stdout.Close()
	os.Stderr.Close()
	fmt.Fprintln(report, "pid", leader.Pid)
	go func() {
		io.Copy(io.Discard, orders)
		slay()
		os.Exit(1)
	}()
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return 0 // nobody is left
		case pid == leader.Pid:
			fmt.Fprintln(report, "exit", shellCode(status))
		}
	}
}

// slay ends all descendants of this process. Two looks in a row must find nobody.
func slay() {
	empty := 0
	for began := time.Now(); empty < 2 && time.Since(began) < patient; {
		left := descendants(processes(), os.Getpid())
		kill(left, syscall.SIGKILL)
		time.Sleep(2 * time.Millisecond)
		empty++
		if len(left) > 0 {
			empty = 0
		}
	}
}

func descendants(table []row, of int) (found []row) {
	in := map[int]bool{of: true}
	for grown := true; grown; {
		grown = false
		for _, p := range table {
			if in[p.parent] && !in[p.pid] {
				in[p.pid], grown = true, true
				found = append(found, p)
			}
		}
	}
	return found
}
