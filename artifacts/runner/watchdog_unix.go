//go:build linux || darwin

package runner

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

//go:embed watchdog.sh
var watchdogScript string

// A watchdog ends a family when the server is gone, however it went. It is a
// shell that reads from a pipe which only the server holds open: the end of that
// pipe is the end of the server.
type watchdog struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

// watch starts a watchdog in a session of its own, so that what is sent to the
// server's group does not reach it, and without any mark, so that no run takes it
// for its own.
func watch(id string) (*watchdog, error) {
	cmd := exec.Command("/bin/sh", "-c", watchdogScript)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH") + ":/usr/bin:/bin", "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	w := &watchdog{cmd, pipe}
	fmt.Fprintln(pipe, "mark", id)
	return w, nil
}

// leader tells the process group of the run.
func (w *watchdog) leader(pid int) { fmt.Fprintln(w.pipe, "group", pid) }

// also tells of a member that the mark does not show.
func (w *watchdog) also(p row) { fmt.Fprintln(w.pipe, "also", p.pid, p.start) }

// release ends the watchdog; closing the pipe first would wake it.
func (w *watchdog) release() {
	w.cmd.Process.Kill()
	w.pipe.Close()
	w.cmd.Wait()
}
