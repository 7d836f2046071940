package runner

import (
	"bytes"
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of <sys/proc.h>.
const zombie = 5

// processes reads the process table.
func processes() []row {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	var table []row
	for i := range list {
		if list[i].Proc.P_stat != zombie {
			table = append(table, entry(&list[i]))
		}
	}
	return table
}

func entry(k *unix.KinfoProc) row {
	pid := int(k.Proc.P_pid)
	session, err := unix.Getsid(pid)
	if err != nil {
		session = -1
	}
	began := k.Proc.P_starttime
	return row{
		pid:     pid,
		parent:  int(k.Eproc.Ppid),
		session: session,
		start:   uint64(began.Sec)*1e6 + uint64(began.Usec),
	}
}

func startOf(pid int) uint64 {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	return entry(k).start
}

// arguments reads KERN_PROCARGS2: the number of arguments, the path of the
// program, NULs, then arguments and environment, each ended by a NUL. The system
// leaves the environment of its own protected programs out.
func arguments(pid int) (args, env [][]byte) {
	data, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(data) < 4 {
		return nil, nil
	}
	count := int(binary.LittleEndian.Uint32(data))
	_, rest, _ := bytes.Cut(data[4:], []byte{0})
	all := bytes.Split(bytes.TrimLeft(rest, "\x00"), []byte{0})
	count = min(max(count, 0), len(all))
	return all[:count], all[count:]
}

// marked says whether pid was started with the mark in its environment.
func marked(pid int, id string) bool {
	_, env := arguments(pid)
	for _, entry := range env {
		if bytes.Contains(entry, []byte(id)) {
			return true
		}
	}
	return false
}

// pipeName is empty: the system does not tell who holds a pipe.
func pipeName(*os.File) string { return "" }

func holds(int, string) bool { return false }

func commandLine(pid int) string {
	args, _ := arguments(pid)
	return shown(args)
}
