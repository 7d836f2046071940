package runner

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// findBash finds the bash of Git for Windows or MSYS2. The bash.exe in the system
// folder is not meant: it starts a Linux machine with other paths and programs.
func findBash() string { return findPOSIX("bash.exe") }

func findSh() string { return findPOSIX("sh.exe") }

func findPOSIX(name string) string {
	if at, err := exec.LookPath(name); err == nil && !ofSystem(at) {
		return at
	}
	git, err := exec.LookPath("git.exe")
	if err != nil {
		return ""
	}
	root := filepath.Dir(filepath.Dir(git)) // …\Git\cmd\git.exe
	for _, folder := range []string{"bin", `usr\bin`} {
		if at := filepath.Join(root, folder, name); isFile(at) {
			return at
		}
	}
	return ""
}

func ofSystem(path string) bool {
	path = strings.ToLower(path)
	root := strings.ToLower(os.Getenv("SystemRoot"))
	return root != "" && strings.HasPrefix(path, root) || strings.Contains(path, `\windowsapps\`)
}

// plainLine runs a line by cmd.exe, which takes it unquoted.
func plainLine(line string) (program, error) {
	return program{path: commandShell(), line: `cmd.exe /d /s /c "` + line + `"`, shell: "cmd"}, nil
}

func commandShell() string {
	if at := os.Getenv("ComSpec"); at != "" {
		return at
	}
	return `C:\Windows\System32\cmd.exe`
}

// nativeScript runs what Windows knows by its extension. CR LF is right there.
func nativeScript(path string) (program, bool) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".bat", ".cmd":
		return program{path: commandShell(), line: `cmd.exe /d /s /c ""` + path + `""`, shell: "cmd"}, true
	case ".ps1":
		return program{
			path:  find("powershell.exe"),
			args:  []string{"-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File", path},
			shell: "powershell",
		}, true
	}
	return program{}, false
}
