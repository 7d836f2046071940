package runner

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// Born tells two processes with one pid apart: the boot and the start time of a process, "" when there is none.
func Born(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // the name may hold spaces and brackets
	if len(fields) < 20 || string(fields[0]) == "Z" {
		return ""
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(boot)) + "/" + string(fields[19])
}

// Host names the machine and, inside containers, the process table that pids belong to.
func Host() string {
	name, _ := os.Hostname()
	space, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSuffix(name+" "+space, " ")
}

// parentOf is the parent of a process, 0 when there is none.
func parentOf(pid int) int {
	p, _ := stat(pid)
	return p.parent
}
