package runner

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// scriptLimit is far more than a script is, and less than an accident.
const scriptLimit = 8 << 20

// A program is what is executed for a Command.
type program struct {
	path string
	args []string
	//lint:ignore U1000 the other systems have no use for it
	line    string // the raw command line, where Windows needs one
	shell   string // its name
	missing string // the interpreter that is not there, as a message
}

func (c Command) program() (program, error) {
	if info, err := os.Stat(c.Dir); err != nil || !info.IsDir() {
		return program{}, &Error{c.code(), fmt.Sprintf("%s: no such folder to run in", c.Dir)}
	}
	switch {
	case c.Line != "":
		return lineProgram(c.Line)
	case c.Script != "":
		return scriptProgram(c.Script)
	}
	return program{}, initFailed("neither a command line nor a script is given")
}

// lineProgram runs a command line. Line ends of Windows are those of the file that
// the line was stored in, not part of the command.
func lineProgram(line string) (program, error) {
	line = strings.ReplaceAll(line, "\r\n", "\n")
	if strings.ContainsRune(line, 0) {
		return program{}, &Error{"check-failed", "the command holds a NUL character"}
	}
	if strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+") {
		line = " " + line // else the shell takes it for one of its options
	}
	if bash := findBash(); bash != "" {
		return program{path: bash, args: []string{"-o", "pipefail", "-c", line, "bash"}, shell: "bash"}, nil
	}
	if sh := findSh(); sh != "" {
		return program{path: sh, args: []string{"-c", line, "sh"}, shell: "sh"}, nil
	}
	return plainLine(line)
}

// scriptProgram runs a script by the interpreter that its shebang names. The
// script itself is never executed: it may lack the x bit, and the file system may
// forbid it.
func scriptProgram(path string) (program, error) {
	head, err := readScript(path)
	if err != nil {
		return program{}, err
	}
	if p, ok := nativeScript(path); ok {
		return p, nil
	}
	head, _, data := bytes.Cut(head, []byte{0})
	if data && !bytes.HasPrefix(head, []byte("#!")) {
		return executable(path, head)
	}
	if n := carriageReturn(head); n > 0 {
		return program{}, &Error{"script-crlf", fmt.Sprintf("%s: line %d ends with a carriage return, which a shell takes as part of the command; save it with LF line ends", path, n)}
	}
	body := bytes.TrimPrefix(head, []byte("\ufeff"))
	first, _, _ := bytes.Cut(body, []byte("\n"))
	words := strings.Fields(string(bytes.TrimPrefix(first, []byte("#!"))))
	if !bytes.HasPrefix(first, []byte("#!")) || len(words) == 0 {
		if len(body) < len(head) && startsCommand(first) {
			return program{}, initFailed("%s: starts with a byte order mark, which a shell takes as part of the first command; save it as UTF-8 without one", path)
		}
		return shellScript(path)
	}
	return shebang(path, words)
}

// carriageReturn is the number of the first line that ends with CR LF, or with CR in
// a script without any LF; 0 when there is none.
func carriageReturn(script []byte) int {
	at := bytes.Index(script, []byte("\r\n"))
	if at < 0 && !bytes.Contains(script, []byte("\n")) {
		at = bytes.IndexByte(script, '\r')
	}
	if at < 0 {
		return 0
	}
	return bytes.Count(script[:at], []byte("\n")) + 1
}

// startsCommand says whether a shell would do anything with the line.
func startsCommand(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && line[0] != '#'
}

func initFailed(format string, args ...any) error {
	return &Error{"init-failed", fmt.Sprintf(format, args...)}
}

// readScript reads a script, and refuses what only shares its name. It looks
// before it opens: opening a FIFO waits for a writer.
func readScript(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, initFailed("%s: no such file", path)
	}
	if err != nil {
		return nil, initFailed("%v", err)
	}
	if info.IsDir() {
		return nil, initFailed("%s: is a folder, not a script", path)
	}
	if !info.Mode().IsRegular() {
		return nil, initFailed("%s: is not a regular file", path)
	}
	if info.Size() > scriptLimit {
		return nil, initFailed("%s: %d bytes are too many for a script", path, info.Size())
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, initFailed("%v", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, scriptLimit))
	if err != nil {
		return nil, initFailed("%v", err)
	}
	return data, nil
}

// executable runs a program that stands in a script's place.
func executable(path string, head []byte) (program, error) {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return program{}, initFailed("%s: is UTF-16, which no shell reads; save it as UTF-8", path)
	}
	if _, err := exec.LookPath(path); err != nil {
		return program{}, initFailed("%s: is neither a script nor an executable program", path)
	}
	return program{path: path, shell: filepath.Base(path)}, nil
}

// shellScript runs a script without a shebang.
func shellScript(path string) (program, error) {
	if bash := findBash(); bash != "" {
		return program{path: bash, args: []string{path}, shell: "bash"}, nil
	}
	if sh := findSh(); sh != "" {
		return program{path: sh, args: []string{path}, shell: "sh"}, nil
	}
	return program{}, initFailed("%s: neither bash nor sh is installed", path)
}

// shebang runs a script by the interpreter and arguments of its first line. Where
// Linux would hand all arguments over as one, they are split, as on macOS.
func shebang(path string, words []string) (program, error) {
	name := words[0]
	if filepath.Base(name) == "env" {
		if len(words) > 1 && words[1] == "-S" {
			words = append(words[:1:1], words[2:]...)
		}
		return viaEnv(path, words)
	}
	at := find(name)
	if at == "" {
		return noInterpreter(path, name), nil
	}
	return program{path: at, args: append(words[1:], path), shell: filepath.Base(name)}, nil
}

// viaEnv runs "env python3"; options and assignments are left to env itself.
func viaEnv(path string, words []string) (program, error) {
	if len(words) == 1 {
		return noInterpreter(path, words[0]), nil
	}
	name := words[1]
	if strings.HasPrefix(name, "-") || strings.Contains(name, "=") {
		env := find(words[0])
		if env == "" {
			return noInterpreter(path, words[0]), nil
		}
		return program{path: env, args: append(words[1:], path), shell: "env"}, nil
	}
	at := find(filepath.Base(name))
	if at == "" {
		return noInterpreter(path, name), nil
	}
	return program{path: at, args: append(words[2:], path), shell: filepath.Base(name)}, nil
}

// noInterpreter is what a shell says, code 127 included.
func noInterpreter(path, name string) program {
	return program{shell: name, missing: fmt.Sprintf("%s: %s: interpreter not found", path, name)}
}

// find is the file of a named interpreter: the place that is named, else one of
// that name on PATH, since /bin/bash is elsewhere on some systems.
func find(name string) string {
	base := filepath.Base(name)
	switch base {
	case "bash":
		if at := findBash(); at != "" && !isFile(name) {
			return at
		}
	case "sh":
		if at := findSh(); at != "" && !isFile(name) {
			return at
		}
	}
	for _, candidate := range []string{name, base} {
		if at, err := exec.LookPath(candidate); err == nil {
			return at
		}
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Shell is the program that runs checks: bash, else sh, "" where there is neither.
func Shell() string {
	if bash := findBash(); bash != "" {
		return bash
	}
	return findSh()
}
