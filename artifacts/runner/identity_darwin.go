package runner

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Born tells two processes with one pid apart: the start time of a process, "" when there is none.
func Born(pid int) string {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || p.Proc.P_pid != int32(pid) {
		return ""
	}
	return strconv.FormatInt(p.Proc.P_starttime.Nano(), 10)
}

// Host names the machine.
func Host() string {
	name, _ := os.Hostname()
	return name
}

// parentOf is the parent of a process, 0 when there is none.
func parentOf(pid int) int {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	return int(p.Eproc.Ppid)
}
