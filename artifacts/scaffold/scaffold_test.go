package scaffold

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func each(t *testing.T, test func(t *testing.T, stack, kind string, script []byte)) {
	t.Helper()
	for _, stack := range stacks {
		for _, kind := range []string{"prepare", "start"} {
			t.Run(stack+" "+kind, func(t *testing.T) {
				script, err := InitScript(stack, kind)
				if err != nil {
					t.Fatal(err)
				}
				test(t, stack, kind, script)
			})
		}
	}
}

func TestScriptsAreWellFormed(t *testing.T) {
	each(t, func(t *testing.T, stack, kind string, script []byte) {
		if !bytes.HasPrefix(script, []byte("#!/usr/bin/env bash\n")) {
			t.Error("no shebang for bash")
		}
		if !bytes.Contains(script, []byte("\nset -euo pipefail\nexec </dev/null\n")) {
			t.Error("not strict, or reads stdin")
		}
		if bytes.ContainsRune(script, '\r') || !bytes.HasSuffix(script, []byte("\n")) {
			t.Error("line ends are not LF")
		}
		if bytes.Contains(script, []byte("KIND_LINE")) {
			t.Error("the placeholder is still there")
		}
		// What bash 3.2, the one of macOS, does not know.
		for _, newer := range []string{"mapfile", "readarray", "declare -A", ",,}", "^^}", "|&", "&>>", "wait -n"} {
			if bytes.Contains(script, []byte(newer)) {
				t.Errorf("%q is not known to bash 3.2", newer)
			}
		}
	})
}

func TestScriptsParse(t *testing.T) {
	bash := needs(t, "bash")
	each(t, func(t *testing.T, stack, kind string, script []byte) {
		command := exec.Command(bash, "-n")
		command.Stdin = bytes.NewReader(script)
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, output)
		}
	})
}

func TestInitScriptKinds(t *testing.T) {
	usual, err := InitScript("go", "")
	if err != nil {
		t.Fatal(err)
	}
	prepare, _ := InitScript("go", "prepare")
	if !bytes.Equal(usual, prepare) {
		t.Error(`InitScript("go", "") is not the one that prepares`)
	}
	if _, err := InitScript("go", "run"); err == nil {
		t.Error(`InitScript("go", "run") error = nil, want one`)
	}
	unknown, _ := InitScript("cobol", "")
	other, _ := InitScript("other", "")
	if !bytes.Equal(unknown, other) {
		t.Error("an unknown stack has not the template of other")
	}
}

// run runs a script that lies in the folder as init.sh, with a stdin that would block.
func run(t *testing.T, dir string, script []byte, env ...string) (string, error) {
	t.Helper()
	file := filepath.Join(dir, "init.sh")
	if err := os.WriteFile(file, script, 0o755); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(needs(t, "bash"), file)
	command.Dir = dir
	command.Env = append(os.Environ(), env...)
	output, err := os.CreateTemp(t.TempDir(), "output")
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	// A file, not a pipe: a server that is left running would hold a pipe open.
	command.Stdout, command.Stderr = output, output
	err = command.Run()
	text, readErr := os.ReadFile(output.Name())
	if readErr != nil {
		t.Fatal(readErr)
	}
	return string(text), err
}

func needs(t *testing.T, program string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are for a Unix shell")
	}
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	return path
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEmptyProject(t *testing.T) {
	each(t, func(t *testing.T, stack, kind string, script []byte) {
		dir := t.TempDir()
		output, err := run(t, dir, script)
		if err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		if !strings.Contains(output, "nothing to prepare") {
			t.Errorf("output = %q, want it to say that there is nothing to prepare", output)
		}
		left, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(left) != 1 {
			t.Errorf("files made in an empty project: %v", left)
		}
	})
}

// projects are small ones that need no network.
var projects = []struct {
	stack, tool string
	files       map[string]string
	start       string            // what it says about starting
	broken      map[string]string // what makes it fail
}{
	{"node", "npm", map[string]string{
		"package.json": `{"name":"p","scripts":{"dev":"node server.js","smoke":"node -e 'console.log(\"smoke ran\")'"}}`,
		"server.js":    "require('http').createServer((q, r) => r.end('ok')).listen(process.env.PORT)",
	}, "npm run dev", map[string]string{"package.json": `{"scripts":{"smoke":"exit 3"}}`}},
	{"python", "python3", map[string]string{
		"app.py": "import os\n", "requirements.txt": "# none yet\n", "manage.py": "import sys\nprint(sys.argv[1:])\n",
	}, "python manage.py runserver", map[string]string{"app.py": "def broken(:\n"}},
	{"go", "go", map[string]string{
		"go.mod": "module p\n\ngo 1.22\n", "cmd/server/main.go": "package main\n\nfunc main() {}\n",
	}, "go run ./cmd/server", map[string]string{"cmd/server/main.go": "package main\n\nfunc main() { x }\n"}},
	{"rust", "cargo", map[string]string{
		"Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/main.rs": "fn main() {}\n",
	}, "cargo run", map[string]string{"src/main.rs": "fn main() { x }\n"}},
	{"java", "java", map[string]string{
		"gradlew": "#!/bin/sh\njava -version && echo \"compiled $*\"\n", "build.gradle": "plugins { id 'org.springframework.boot' }\n",
	}, "bootRun", map[string]string{"gradlew": "exit 1\n"}},
	{"other", "make", map[string]string{
		"Makefile": "setup:\n\t@echo set up\nsmoke:\n\t@echo smoke ran\ndev:\n\t@true\n",
	}, "make dev", map[string]string{"Makefile": "smoke:\n\t@exit 1\n"}},
}

func TestPrepare(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles and makes environments")
	}
	for _, project := range projects {
		t.Run(project.stack, func(t *testing.T) {
			needs(t, project.tool)
			dir := t.TempDir()
			write(t, dir, project.files)
			write(t, dir, map[string]string{".env.example": "KEY=\n"})
			script, err := InitScript(project.stack, "prepare")
			if err != nil {
				t.Fatal(err)
			}
			for _, time := range []string{"first", "second"} {
				output, err := run(t, dir, script)
				if err != nil {
					t.Fatalf("%s run: %v\n%s", time, err, output)
				}
				if !strings.Contains(output, "init: ready") || !strings.Contains(output, project.start) {
					t.Errorf("%s run: %s\nwant it to be ready and to name %q", time, output, project.start)
				}
				if made := strings.Contains(output, ".env made"); made != (time == "first") {
					t.Errorf("%s run: .env made = %v", time, made)
				}
			}
			write(t, dir, project.broken)
			if output, err := run(t, dir, script); err == nil {
				t.Errorf("a broken project is ready:\n%s", output)
			}
		})
	}
}

func TestEnvIsKept(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{".env": "MINE=1\n", ".env.example": "KEY=\n"})
	script, _ := InitScript("other", "")
	if output, err := run(t, dir, script); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	got, _ := os.ReadFile(filepath.Join(dir, ".env"))
	if string(got) != "MINE=1\n" {
		t.Errorf(".env = %q, want it as it was", got)
	}
}

func TestRunsFromTheProjectRoot(t *testing.T) {
	needs(t, "make")
	dir := t.TempDir()
	write(t, dir, map[string]string{
		".harness/config.json": "{}", "Makefile": "setup:\n\t@echo set up in $(CURDIR)\n",
	})
	sub := filepath.Join(dir, "scripts")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	script, _ := InitScript("other", "")
	output, err := run(t, sub, script)
	if err != nil || !strings.Contains(output, "set up in") {
		t.Errorf("from scripts/: %v\n%s", err, output)
	}
}
