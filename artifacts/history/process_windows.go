package history

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// detach gives a command a process group and no console window; a cancel ends its whole tree.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
	cmd.Cancel = func() error {
		endGroup(cmd)
		return cmd.Process.Kill()
	}
}

// endGroup ends what a cancelled command left.
func endGroup(cmd *exec.Cmd) {
	if cmd.Process == nil {
		return
	}
	taskkill := filepath.Join(os.Getenv("SystemRoot"), "System32", "taskkill.exe")
	_ = exec.Command(taskkill, "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
}
