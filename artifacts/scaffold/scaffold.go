// Package scaffold holds what a new project gets beside its harness files: the
// init.sh of its stack, and the line that keeps local state out of git. It
// performs no I/O; the templates are embedded.
package scaffold

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed init
var templates embed.FS

// stacks are those that have templates, each one file to prepare and one to
// tell how to start.
var stacks = []string{"node", "python", "go", "rust", "rails", "java", "dotnet", "php", "other"}

// InitScript returns the init.sh for a stack. Of the kind "prepare", which is
// also "", it installs, sets up and smoke-tests, then says how to start; of the
// kind "start" it goes on to start the dev server and waits until that answers.
// In a project that has no code yet it does nothing and succeeds. A stack
// without a template of its own has that of "other"; another kind is an error.
func InitScript(stack, kind string) ([]byte, error) {
	if !slices.Contains(stacks, stack) {
		stack = "other"
	}
	line, last := "Prepares this project for work; starts nothing.", "ready.sh"
	switch kind {
	case "", "prepare":
	case "start":
		line, last = "Prepares this project for work, starts its dev server and waits until that answers.", "serve.sh"
	default:
		return nil, fmt.Errorf("init script kind takes prepare or start, not %q", kind)
	}
	var script strings.Builder
	for _, name := range []string{"head.sh", "prepare/" + stack + ".sh", "start/" + stack + ".sh", last} {
		text, err := templates.ReadFile("init/" + name)
		if err != nil {
			return nil, err
		}
		script.Write(text)
	}
	// A checkout on Windows may have given the templates other line ends.
	whole := strings.ReplaceAll(script.String(), "\r\n", "\n")
	return []byte(strings.Replace(whole, "KIND_LINE", line, 1)), nil
}
