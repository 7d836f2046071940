package runner

import "os"

// Ancestor says whether this process descends from another, within a few steps: a client starts its hooks through a shell or two. It is
// false where the system does not tell.
func Ancestor(pid int, born string) bool {
	const far = 6
	for up, n := os.Getppid(), 0; up > 1 && n < far; up, n = parentOf(up), n+1 {
		if up == pid {
			return Born(pid) == born
		}
	}
	return false
}
