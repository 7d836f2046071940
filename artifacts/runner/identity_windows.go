package runner

import (
	"os"
	"strconv"
	"unsafe"

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

// parentOf is the parent of a process, 0 when there is none.
func parentOf(pid int) int {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return 0
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		if int(entry.ProcessID) == pid {
			return int(entry.ParentProcessID)
		}
	}
	return 0
}
