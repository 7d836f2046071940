package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A yard is a project that can be brought back to where it was.
type yard struct {
	*testing.T
	program, top, dir string
	env               []string
}

func newYard(t *testing.T, empty bool) *yard {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatalf("go build: %v", err)
	}
	top := t.TempDir()
	y := &yard{T: t, program: program, top: top, dir: filepath.Join(top, "yard")}
	y.env = append(append(os.Environ(), homeOf(t)...), "GOMAXPROCS=1")
	if err := os.Mkdir(y.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	y.git("init", "-q")
	y.write("notes.txt", "first\n")
	y.git("add", ".")
	y.git("commit", "-qm", "notes")
	if empty {
		return y
	}
	y.must("harness_init", `{"project":"yard","type":"cli","commit":true,"features":[{"description":"The first note can be printed again","steps":["print it"]},{"description":"The second note can be printed again","steps":["print it"]}]}`)
	y.must("session_end", `{"next_steps":["build the first"]}`)
	y.must("session_start", `{"run_init":false}`)
	y.must("mark_feature_passed", `{"id":"F001","evidence":["Printed the note, the line came out"]}`)
	y.write("notes.txt", "second\n")
	y.must("commit", `{"message":"the first note is printed"}`)
	y.must("session_end", `{"next_steps":["the second"],"notes":["the note before the crash"]}`)
	y.write("notes.txt", "third\n")
	y.git("commit", "-qam", "a person's own")
	y.must("session_start", `{"run_init":false}`)
	return y
}

func (y *yard) git(args ...string) string {
	y.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = y.dir, y.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		y.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (y *yard) write(rel, text string) {
	y.Helper()
	if err := os.WriteFile(filepath.Join(y.dir, rel), []byte(text), 0o644); err != nil {
		y.Fatal(err)
	}
}

func (y *yard) read(rel string) string {
	y.Helper()
	data, err := os.ReadFile(filepath.Join(y.dir, rel))
	if err != nil {
		y.Fatal(err)
	}
	return string(data)
}

// call runs a tool in a process of its own.
func (y *yard) call(tool, args string) (reply, refusal string) {
	y.Helper()
	cmd := exec.Command(y.program, "call", tool, args)
	cmd.Dir, cmd.Env = y.dir, y.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", errs.String()
	}
	return out.String(), ""
}

func (y *yard) must(tool, args string) string {
	y.Helper()
	reply, refusal := y.call(tool, args)
	if refusal != "" {
		y.Fatalf("%s %s: %s", tool, args, refusal)
	}
	return reply
}

// under runs a tool under strace with one expression. Its error is how the program ended.
func (y *yard) under(expression, tool, args string) error {
	y.Helper()
	cmd := exec.Command("strace", "-f", "-qq", "-e", "signal=none", "-o", filepath.Join(y.top, "trace"),
		"-e", "trace=file,desc", "-e", expression, y.program, "call", tool, args)
	cmd.Dir, cmd.Env = y.dir, y.env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		return errors.New(strings.TrimSpace(err.Error() + "\n" + errs.String()))
	}
	return nil
}

func (y *yard) keep() { y.copyTree(y.dir, filepath.Join(y.top, "kept")) }

func (y *yard) restore() {
	y.Helper()
	if err := os.RemoveAll(y.dir); err != nil {
		y.Fatal(err)
	}
	y.copyTree(filepath.Join(y.top, "kept"), y.dir)
}

func (y *yard) copyTree(from, to string) {
	y.Helper()
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		y.Fatalf("cp: %v\n%s", err, out)
	}
}

// whole wants a project in which everything is in order.
func (y *yard) whole(point string) {
	y.Helper()
	var status struct {
		Counts    struct{ Total int }
		Integrity struct{ OK bool }
		Tampered  []any
	}
	if err := json.Unmarshal([]byte(y.must("status", `{"audit":true}`)), &status); err != nil {
		y.Fatalf("%s: status: %v", point, err)
	}
	if !status.Integrity.OK || len(status.Tampered) > 0 {
		y.Errorf("%s: status = %+v", point, status)
	}
	if log := y.read(".claude/progress.md"); status.Counts.Total > 0 && !strings.Contains(log, "the note before the crash") {
		y.Errorf("%s: the log lost an entry", point)
	}
	if list := y.read(".claude/features.json"); status.Counts.Total > 0 && !strings.Contains(list, "The second note") {
		y.Errorf("%s: the list lost a feature", point)
	}
	y.git("fsck", "--strict", "--no-dangling")
	err := filepath.WalkDir(y.dir, func(path string, d fs.DirEntry, err error) error {
		if name := d.Name(); strings.HasSuffix(name, ".longhaul-tmp") || name == "journal.json" {
			y.Errorf("%s: %s was left", point, path)
		}
		return err
	})
	if err != nil {
		y.Error(err)
	}
}
