//go:build unix

package history

import (
	"os/exec"
	"syscall"
)

// detach gives a command a session of its own: no terminal to ask at, and one group to end. The first signal is
// SIGTERM, on which git takes its lock files away.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// endGroup ends what a cancelled command left.
func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
