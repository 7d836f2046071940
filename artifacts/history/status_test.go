package history

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// messy is a repository with one of each kind of change.
func messy(t *testing.T) (string, *Repo) {
	t.Helper()
	dir, r := newRepo(t)
	for _, name := range []string{"app/mod", "app/staged", "app/gone", "app/rm", "app/cached", "app/both", "app/renamed", "app/now-ignored"} {
		write(t, dir, name, name+"\n")
	}
	commitAll(t, dir, "app")
	write(t, dir, ".gitignore", "*.log\nbuild/\n!keep.log\nnow-ignored\n")
	write(t, dir, "app/mod", "m\n")
	write(t, dir, "app/staged", "s\n")
	write(t, dir, "app/both", "1\n")
	git(t, dir, "add", "app/staged", "app/both")
	write(t, dir, "app/both", "2\n")
	os.Remove(filepath.Join(dir, "app/gone"))
	git(t, dir, "rm", "-q", "app/rm")
	git(t, dir, "rm", "-q", "--cached", "app/cached")
	git(t, dir, "mv", "app/renamed", "app/moved to ü")
	write(t, dir, "app/new/deep/x", "x\n")
	write(t, dir, "app/x.log", "ignored")
	write(t, dir, "app/keep.log", "kept")
	write(t, dir, "app/build/out", "ignored")
	write(t, dir, "app/intent", "i\n")
	write(t, dir, "app/now-ignored", "changed all the same\n")
	git(t, dir, "add", "-N", "app/intent")
	write(t, dir, ".git/info/exclude", "secret*\n")
	write(t, dir, "app/secret.txt", "ignored")
	write(t, dir, "outside", "not in the project")
	write(t, dir, "app/nested/y", "y")
	git(t, filepath.Join(dir, "app", "nested"), "init", "-q")
	return dir, open(t, filepath.Join(r.Root(), "app"))
}

func TestStatus(t *testing.T) {
	_, r := messy(t)
	want := []string{
		"both Staged Unstaged", "cached Staged Untracked", "gone Unstaged Deleted", "intent Unstaged", "keep.log Untracked", "mod Unstaged",
		"moved to ü Staged", "new/deep/x Untracked", "now-ignored Unstaged", "renamed Staged Deleted", "rm Staged Deleted", "staged Staged",
	}
	native := open(t, r.project())
	native.git = nil
	for name, repo := range map[string]*Repo{"git": r, "without git": native} {
		before := state(t, r)
		changes, err := repo.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range changes {
			got = append(got, describe(c))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: Status() =\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if state(t, r) != before {
			t.Errorf("%s: Status wrote the index", name)
		}
	}
}

func describe(c Change) string {
	text := c.Path
	for _, flag := range []struct {
		on   bool
		name string
	}{{c.Staged, "Staged"}, {c.Unstaged, "Unstaged"}, {c.Untracked, "Untracked"}, {c.Conflict, "Conflict"}, {c.Deleted, "Deleted"}} {
		if flag.on {
			text += " " + flag.name
		}
	}
	return text
}

func TestStatusConflict(t *testing.T) {
	dir, r := conflicted(t, "merge")
	native := open(t, dir)
	native.git = nil
	for _, repo := range []*Repo{r, native} {
		changes, err := repo.Status(t.Context())
		if err != nil || len(changes) != 1 || !changes[0].Conflict || changes[0].Path != "a.txt" {
			t.Errorf("Status() = %+v, %v", changes, err)
		}
	}
}

func TestStatusNames(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("names of Linux")
	}
	dir, r := newRepo(t)
	names := []string{" lead", "-n", ":(top)x", "a\nb", "q\"q", "ü ü", "\xff"}
	for _, name := range names {
		write(t, dir, name, "x")
	}
	changes, err := r.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		if i >= len(changes) || changes[i].Path != name {
			t.Errorf("Status() = %+v, want %q", changes, names)
			break
		}
	}
}

func TestIgnored(t *testing.T) {
	dir, r := messy(t)
	home := filepath.Join(tempDir(t), "git")
	write(t, home, "ignore", "*.bak\n")
	t.Setenv("XDG_CONFIG_HOME", filepath.Dir(home))
	if err := os.Symlink("/", filepath.Join(dir, "app", "link")); err != nil {
		t.Skip(err)
	}
	ask := []string{"x.log", "keep.log", "build/out", "build/none/yet", "mod", "now-ignored", "secret.txt", "a.bak", ":(top)x.log", "link/etc", "nested/y.log", "not/there"}
	want := map[string]bool{"x.log": true, "build/out": true, "build/none/yet": true, "secret.txt": true, "a.bak": true, ":(top)x.log": true}
	native := open(t, r.project())
	native.git = nil
	for name, repo := range map[string]*Repo{"git": r, "without git": native} {
		got, err := repo.Ignored(t.Context(), ask)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, path := range ask {
			if path != "nested/y.log" && got[path] != want[path] {
				t.Errorf("%s: Ignored(%q) = %v", name, path, got[path])
			}
		}
	}
	if got, err := r.Ignored(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("Ignored(nothing) = %v, %v", got, err)
	}
}

func TestFingerprint(t *testing.T) {
	dir, r := newRepo(t)
	one := r.Fingerprint("a.txt")
	if one == "" || one != r.Fingerprint("a.txt") {
		t.Errorf("Fingerprint() = %q", one)
	}
	if got := r.Fingerprint("none"); got != "" {
		t.Errorf("Fingerprint(none) = %q", got)
	}
	write(t, dir, "a.txt", "b\n")
	if r.Fingerprint("a.txt") == one || r.Fingerprint("a.txt") != r.Fingerprint("b.txt") {
		t.Error("Fingerprint does not go by content")
	}
	if runtime.GOOS == "windows" {
		return
	}
	os.Chmod(filepath.Join(dir, "a.txt"), 0o755)
	if r.Fingerprint("a.txt") == r.Fingerprint("b.txt") {
		t.Error("Fingerprint does not see the mode")
	}
	os.Symlink("a.txt", filepath.Join(dir, "l"))
	if got := r.Fingerprint("l"); got == r.Fingerprint("a.txt") || !strings.HasPrefix(got, "link ") {
		t.Errorf("Fingerprint(link) = %q", got)
	}
}

func TestAddedLines(t *testing.T) {
	dir, r := newRepo(t)
	write(t, dir, "a.txt", "one\ntwo\nthree\n")
	write(t, dir, "with space.txt", "x\n")
	write(t, dir, "old.txt", "o\n")
	base := commitAll(t, dir, "base")
	write(t, dir, "committed.txt", "in a commit\n")
	commitAll(t, dir, "later")
	git(t, dir, "config", "diff.noprefix", "true")
	git(t, dir, "config", "diff.external", "false")
	git(t, dir, "config", "color.ui", "always")
	git(t, dir, "config", "diff.interHunkContext", "50")
	write(t, dir, "a.txt", "one\nzwei\nthree\n+++ b/fake.txt\n@@ -1 +1,5 @@\nTODO last")
	write(t, dir, "with space.txt", "x\ny\r\n")
	write(t, dir, "ü\"q.txt", "neu\n\nTODO\n")
	git(t, dir, "add", "-N", "ü\"q.txt")
	write(t, dir, "untracked.txt", "a\nb")
	write(t, dir, "binary", "a\x00b\n")
	write(t, dir, "x.log", "ignored\n")
	write(t, dir, ".git/info/exclude", "*.log\n")
	os.Remove(filepath.Join(dir, "old.txt"))
	var want []string
	for _, l := range []AddedLine{{"a.txt", 2, "zwei"}, {"a.txt", 4, "+++ b/fake.txt"}, {"a.txt", 5, "@@ -1 +1,5 @@"}, {"a.txt", 6, "TODO last"},
		{"committed.txt", 1, "in a commit"}, {"untracked.txt", 1, "a"}, {"untracked.txt", 2, "b"}, {"with space.txt", 2, "y"},
		{"ü\"q.txt", 1, "neu"}, {"ü\"q.txt", 2, ""}, {"ü\"q.txt", 3, "TODO"}} {
		want = append(want, fmt.Sprint(l))
	}
	native := open(t, dir)
	native.git = nil
	for name, repo := range map[string]*Repo{"git": r, "without git": native} {
		lines, err := repo.AddedLines(t.Context(), base, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range lines {
			got = append(got, fmt.Sprint(l))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: AddedLines() =\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if lines, err := repo.AddedLines(t.Context(), base, []string{"untracked.txt", "none", "../out"}); err != nil || len(lines) != 2 {
			t.Errorf("%s: AddedLines(untracked.txt) = %v, %v", name, lines, err)
		}
		if lines, err := repo.AddedLines(t.Context(), "", []string{"b.txt"}); err != nil || len(lines) != 1 || lines[0] != (AddedLine{"b.txt", 1, "b"}) {
			t.Errorf("%s: AddedLines(since nothing) = %v, %v", name, lines, err)
		}
		if _, err := repo.AddedLines(t.Context(), "nonsense", nil); code(err) != "bad-argument" {
			t.Errorf("%s: AddedLines(nonsense) = %v", name, err)
		}
	}
}

func TestAddedLinesIsBounded(t *testing.T) {
	dir, r := newRepo(t)
	write(t, dir, "b.txt", strings.Repeat("x\n", maxAddedLines+5000))
	write(t, dir, "a.txt", strings.Repeat("y", 100_000)+"\nnext\n")
	lines, err := r.AddedLines(t.Context(), "HEAD", nil)
	if err != nil || len(lines) != maxAddedLines {
		t.Fatalf("AddedLines() = %d lines, %v", len(lines), err)
	}
	if len(lines[0].Text) != maxLineBytes || lines[1].Text != "next" || lines[1].Line != 2 {
		t.Errorf("first line has %d bytes, second is %+v", len(lines[0].Text), lines[1])
	}
}
