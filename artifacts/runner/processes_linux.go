package runner

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// processes reads the process table.
func processes() []row {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	var table []row
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := stat(pid); ok {
			table = append(table, p)
		}
	}
	return table
}

// stat reads /proc/PID/stat (proc_pid_stat(5)). The command name in it may hold
// spaces and parentheses, so the fields count from the last one.
func stat(pid int) (row, bool) {
	data := read(file(pid, "stat"))
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 20 || bytes.ContainsAny(fields[0], "ZX") {
		return row{}, false
	}
	p := row{pid: pid}
	p.parent, _ = strconv.Atoi(string(fields[1]))
	p.session, _ = strconv.Atoi(string(fields[3]))
	p.start, _ = strconv.ParseUint(string(fields[19]), 10, 64)
	return p, true
}

// read reads a file of /proc, "" when the process is gone or somebody else's. It
// takes a third of the time of os.ReadFile, which tries to poll the file.
func read(path string) []byte {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	data := make([]byte, 0, 1024)
	for {
		n, err := syscall.Read(fd, data[len(data):cap(data)])
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return data
		}
		data = data[:len(data)+n]
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

func startOf(pid int) uint64 {
	p, _ := stat(pid)
	return p.start
}

func file(pid int, name string) string {
	return "/proc/" + strconv.Itoa(pid) + "/" + name
}

// marked says whether pid was started with the mark in its environment.
func marked(pid int, id string) bool {
	return bytes.Contains(read(file(pid, "environ")), []byte(id))
}

// pipeName is what /proc calls the pipe.
func pipeName(f *os.File) string {
	raw, err := f.SyscallConn()
	if err != nil {
		return ""
	}
	name := ""
	raw.Control(func(fd uintptr) {
		name, _ = os.Readlink("/proc/self/fd/" + strconv.Itoa(int(fd)))
	})
	return name
}

// holds says whether pid writes its output or errors to the pipe.
func holds(pid int, pipe string) bool {
	if pipe == "" {
		return false
	}
	for _, fd := range []string{"fd/1", "fd/2"} {
		if to, err := os.Readlink(file(pid, fd)); err == nil && to == pipe {
			return true
		}
	}
	return false
}

func commandLine(pid int) string {
	line := bytes.TrimRight(read(file(pid, "cmdline")), "\x00")
	return shown(bytes.Split(line, []byte{0}))
}
