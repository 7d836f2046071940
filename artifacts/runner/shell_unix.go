//go:build linux || darwin

package runner

import "os/exec"

func findBash() string { return onPath("bash", "/bin/bash") }

func findSh() string { return onPath("sh", "/bin/sh") }

// onPath looks for name on PATH and, since a server may be started with a short
// one, in its usual place.
func onPath(name, usual string) string {
	for _, candidate := range []string{name, usual} {
		if at, err := exec.LookPath(candidate); err == nil {
			return at
		}
	}
	return ""
}

// plainLine is for systems whose own shell is another one.
func plainLine(string) (program, error) {
	return program{}, &Error{"check-failed", "neither bash nor sh is installed"}
}

// nativeScript is for scripts that no shebang explains.
func nativeScript(string) (program, bool) { return program{}, false }
