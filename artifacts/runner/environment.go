package runner

import (
	"os"
	"runtime"
	"strings"
)

// mark names the variable by which the processes of a run are known. Every child
// inherits it, whatever sessions and groups it opens. A run inside a run adds its
// id, so that the outer one still knows its own.
const mark = "LONGHAUL_RUN"

// environment is the server's, without GIT_* (a GIT_DIR would send every git of
// the script elsewhere), with dir as PWD and with the mark of the run.
func environment(dir, id string) []string {
	var env []string
	outer := ""
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		switch {
		case strings.HasPrefix(name, "GIT_"):
		case name == "PWD" && runtime.GOOS != "windows":
		case name == mark:
			outer = value + ":"
		default:
			env = append(env, entry)
		}
	}
	if runtime.GOOS != "windows" {
		env = append(env, "PWD="+dir)
	}
	return append(env, mark+"="+outer+id)
}
