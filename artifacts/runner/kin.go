package runner

import "os"

// Kin says whether a process was started by a process that this one descends from: two programs that one client runs. It is false where
// the system does not tell.
func Kin(pid int) bool {
	client := parentOf(pid)
	if client <= 1 {
		return false
	}
	const far = 6 // a client starts its hooks through a shell or two
	for up, n := os.Getppid(), 0; up > 1 && n < far; up, n = parentOf(up), n+1 {
		if up == client {
			return true
		}
	}
	return false
}
