//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocsAudit runs what docs/audit.md shows: the hook before commits of git and of the tool, the lines of CI on a sound
// history and on a broken one.
func TestDocsAudit(t *testing.T) {
	page := readRoot(t, "docs/audit.md")
	blocks := regexp.MustCompile("(?s)\n```bash\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(blocks) != 2 {
		t.Fatalf("docs/audit.md shows %d scripts, want the hook and the one for CI", len(blocks))
	}
	ci := []string{blocks[1][1]}
	for _, m := range regexp.MustCompile(`(?m)^ +- (?:run: )?(longhaul .*)$`).FindAllStringSubmatch(page, -1) {
		ci = append(ci, m[1])
	}
	if len(ci) != 3 {
		t.Fatalf("docs/audit.md shows %q", ci)
	}
	y := newYard(t, false)
	shell := func(line string) (code int, out string) {
		t.Helper()
		command := exec.Command("sh", "-c", line)
		command.Dir = y.dir
		command.Env = append(y.env[:len(y.env):len(y.env)], "PATH="+filepath.Dir(y.program)+":"+os.Getenv("PATH"))
		text, err := command.CombinedOutput()
		if err != nil && command.ProcessState == nil {
			t.Fatal(err)
		}
		return command.ProcessState.ExitCode(), string(text)
	}
	want := func(code int, part, line string) {
		t.Helper()
		if got, out := shell(line); got != code || !strings.Contains(out, part) {
			t.Errorf("%s\nends with %d, want %d with %q:\n%s", line, got, code, part, out)
		}
	}
	want(0, "", "mkdir -p .git/hooks")
	if err := os.WriteFile(filepath.Join(y.dir, ".git", "hooks", "pre-commit"), []byte(blocks[0][1]), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, line := range ci {
		want(0, "", line)
	}

	y.write("notes.txt", "a note\n")
	want(0, "", "git add notes.txt && git commit -qm 'a note'")
	y.write("notes.txt", "another note\n")
	y.must("commit", `{"message":"another note"}`)

	list := y.read(".claude/features.json")
	y.write(".claude/features.json", strings.Replace(list, "The second note", "The other note", 1))
	want(1, "F002 edited", "git commit -qam 'a little edit'")
	want(0, "M .claude/features.json", "git reset -q && git status --porcelain")
	want(0, "", "git commit -qam 'past the hook' --no-verify")
	for _, line := range ci {
		want(1, "F002", line)
	}
	y.write(".claude/features.json", list)
	want(0, "", "git commit -qam 'put right'")
	for _, line := range ci {
		want(0, "", line)
	}

	y.write(".claude/features.json", strings.Replace(list, `"passes": false`, `"passes": true`, 1))
	want(1, "passed", "git commit -qam 'done'")
	y.write(".claude/features.json", list[:len(list)/2])
	want(1, "unreadable", "git commit -qam 'cut off'")
}
