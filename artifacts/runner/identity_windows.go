package runner

import (
	"os"
	"strconv"

	"golang.org/x/sys/windows"
)

// Born tells two processes with one pid apart: the start time of a process, "" when there is none.
func Born(pid int) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(h)
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil || exited.Nanoseconds() > created.Nanoseconds() {
		return ""
	}
	return strconv.FormatInt(created.Nanoseconds(), 10)
}

// Host names the machine.
func Host() string {
	name, _ := os.Hostname()
	return name
}
