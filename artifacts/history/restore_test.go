package history

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// snapshot is every file of a work tree with content and mode, and what git status says about it.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, file)
		if name == ".git" {
			return filepath.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content, _ := os.Readlink(file)
		if info.Mode().IsRegular() {
			content = read(t, dir, name)
		}
		lines = append(lines, fmt.Sprintf("%s %v %x", name, info.Mode(), sha256.Sum256([]byte(content))))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n") + "\n" + git(t, dir, "status", "--porcelain")
}

// dirty is a repository with staged, half staged, unstaged, deleted, new and ignored files.
func dirtyRepo(t *testing.T) (string, *Repo) {
	t.Helper()
	dir, r := newRepo(t)
	for _, name := range []string{"mod", "staged", "both", "gone", "rm", "run.sh", "features.json"} {
		write(t, dir, name, name+"\n")
	}
	write(t, dir, ".gitignore", "*.env\nnode_modules\n")
	commitAll(t, dir, "files")
	write(t, dir, "mod", "m\x00\r\n")
	write(t, dir, "staged", "s\n")
	write(t, dir, "both", "1\n")
	git(t, dir, "add", "staged", "both")
	write(t, dir, "both", "2\n")
	os.Remove(filepath.Join(dir, "gone"))
	git(t, dir, "rm", "-q", "rm")
	os.Chmod(filepath.Join(dir, "run.sh"), 0o755)
	write(t, dir, "features.json", "kept\n")
	write(t, dir, "added", "staged new\n")
	git(t, dir, "add", "added")
	write(t, dir, "unt racked/ü", "u\n")
	write(t, dir, "x.env", "secret\n")
	write(t, dir, "node_modules/p/i.js", "x\n")
	return dir, r
}

func TestBackupComesBackWithStockGit(t *testing.T) {
	dir, r := dirtyRepo(t)
	before, bytesBefore := snapshot(t, dir), state(t, r)
	info, _ := os.Stat(r.indexFile())
	ref, err := r.Backup(t.Context(), "20260131T143000Z-session-005")
	if err != nil {
		t.Fatal(err)
	}
	if want := "refs/longhaul/backup/20260131T143000Z-session-005"; ref != want {
		t.Errorf("Backup() = %q, want %q", ref, want)
	}
	git(t, dir, "update-ref", "refs/test/w", ref)
	git(t, dir, "update-ref", "-d", ref)
	git(t, dir, "update-ref", "-d", "refs/test/w")
	if now, _ := os.Stat(r.indexFile()); !now.ModTime().Equal(info.ModTime()) {
		t.Error("Backup wrote the index")
	}
	if state(t, r) != bytesBefore || snapshot(t, dir) != before {
		t.Error("Backup touched index or files")
	}
	if ref, err = r.Backup(t.Context(), "again"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Backup(t.Context(), "again"); err == nil {
		t.Error("Backup under a name that is taken was not refused")
	}
	git(t, dir, "reset", "-q", "--hard")
	git(t, dir, "clean", "-fdq")
	git(t, dir, "gc", "-q", "--prune=now")
	git(t, dir, "stash", "apply", "-q", "--index", ref)
	if after := snapshot(t, dir); after != before {
		t.Errorf("after git stash apply:\n%s\nwant\n%s", after, before)
	}
	healthy(t, dir)
}

func TestBackupOfRacyAndClean(t *testing.T) {
	dir, r := newRepo(t)
	ref, err := r.Backup(t.Context(), "clean")
	if err != nil || git(t, dir, "diff", "--stat", "HEAD", ref) != "" {
		t.Errorf("Backup(clean) = %q, %v", ref, err)
	}
	// The same size and time as when the index was written: only the index's own time tells that it must be read.
	info, _ := os.Stat(r.indexFile())
	write(t, dir, "a.txt", "a\n")
	os.Chtimes(filepath.Join(dir, "a.txt"), info.ModTime(), info.ModTime())
	git(t, dir, "add", "a.txt")
	write(t, dir, "a.txt", "z\n")
	now, _ := os.Stat(r.indexFile())
	os.Chtimes(filepath.Join(dir, "a.txt"), now.ModTime(), now.ModTime())
	ref, err = r.Backup(t.Context(), "racy")
	if err != nil || git(t, dir, "show", ref+":a.txt") != "z" {
		t.Errorf("Backup(racy) = %v, lost an edit", err)
	}
}

func TestBackupUnborn(t *testing.T) {
	dir := tempDir(t)
	git(t, dir, "init", "-q")
	r := open(t, dir)
	write(t, dir, "x", "x\n")
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	ref, err := r.Backup(t.Context(), "u")
	if err != nil || git(t, dir, "show", ref+":x") != "x" || git(t, dir, "status", "--porcelain") != "?? x" {
		t.Errorf("Backup() = %q, %v", ref, err)
	}
	for _, name := range []string{"", "../x", "a..b", "x.lock", "a b", "-x", "a/b"} {
		if _, err := r.Backup(t.Context(), name); code(err) != "bad-argument" {
			t.Errorf("Backup(%q) = %v, want bad-argument", name, err)
		}
	}
	if got, err := r.RestoreUncommitted(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("RestoreUncommitted() = %v, %v", got, err)
	}
}

func TestRestoreUncommitted(t *testing.T) {
	dir, r := dirtyRepo(t)
	before := snapshot(t, dir)
	ref, err := r.Backup(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.RestoreUncommitted(t.Context(), []string{"features.json"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"added", "both", "gone", "mod", "rm", "run.sh", "staged"}; !slices.Equal(got, want) {
		t.Errorf("RestoreUncommitted() = %v, want %v", got, want)
	}
	if got, want := git(t, dir, "status", "--porcelain"), " M features.json\n?? added\n?? \"unt racked/\""; got != want {
		t.Errorf("git status = %q, want %q", got, want)
	}
	for name, want := range map[string]string{"features.json": "kept\n", "added": "staged new\n", "x.env": "secret\n", "node_modules/p/i.js": "x\n", "unt racked/ü": "u\n", "mod": "mod\n", "gone": "gone\n"} {
		if got := read(t, dir, name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	healthy(t, dir)
	// What the backup holds comes back over it, once the files that stand are out of the way.
	git(t, dir, "checkout", "-q", "features.json")
	os.Remove(filepath.Join(dir, "added"))
	os.RemoveAll(filepath.Join(dir, "unt racked"))
	git(t, dir, "stash", "apply", "-q", "--index", ref)
	if after := snapshot(t, dir); after != before {
		t.Errorf("after git stash apply:\n%s\nwant\n%s", after, before)
	}
}

func TestRestoreRefusesObstacles(t *testing.T) {
	dir, r := newRepo(t)
	write(t, dir, "d/x", "x\n")
	base := commitAll(t, dir, "d")
	git(t, dir, "rm", "-q", "-r", "d", "b.txt")
	git(t, dir, "commit", "-q", "-m", "gone")
	cases := []struct {
		name string
		set  func()
		says string
	}{
		{"untracked file", func() { write(t, dir, "b.txt", "precious\n") }, "b.txt"},
		{"ignored file", func() { write(t, dir, "b.txt", "precious\n"); write(t, dir, ".git/info/exclude", "b.txt\n") }, "b.txt"},
		{"folder", func() { write(t, dir, "b.txt/inner", "precious\n") }, "b.txt"},
		{"file for a folder", func() { write(t, dir, "d", "precious\n") }, "d"},
		{"link for a folder", func() { os.Symlink("/tmp", filepath.Join(dir, "d")) }, "d"},
		{"staged file", func() { write(t, dir, "b.txt", "precious\n"); git(t, dir, "add", "-f", "b.txt") }, "b.txt"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.set()
			before, files := state(t, r), snapshot(t, dir)
			_, err := r.RestoreCommit(t.Context(), RestoreRequest{Rev: base, Message: "back"})
			if code(err) != "bad-argument" || !strings.Contains(err.Error(), c.says) {
				t.Errorf("RestoreCommit() = %v, want it to name %s", err, c.says)
			}
			if state(t, r) != before || snapshot(t, dir) != files {
				t.Error("a refusal changed something")
			}
			git(t, dir, "reset", "-q")
			os.RemoveAll(filepath.Join(dir, "b.txt"))
			os.RemoveAll(filepath.Join(dir, "d"))
			write(t, dir, ".git/info/exclude", "")
		})
	}
	t.Run("uncommitted", func(t *testing.T) {
		os.Remove(filepath.Join(dir, "a.txt"))
		write(t, dir, "a.txt/precious", "x")
		before, files := state(t, r), snapshot(t, dir)
		if _, err := r.RestoreUncommitted(t.Context(), nil); code(err) != "bad-argument" {
			t.Errorf("RestoreUncommitted() = %v", err)
		}
		if state(t, r) != before || snapshot(t, dir) != files {
			t.Error("a refusal changed something")
		}
	})
}

func TestRestoreCommit(t *testing.T) {
	dir, _ := newRepo(t)
	write(t, dir, "app/code", "v1\n")
	write(t, dir, "app/old/deep", "old\n")
	write(t, dir, "app/list", "list 1\n")
	write(t, dir, "outside", "1\n")
	good := commitAll(t, dir, "good")
	write(t, dir, "app/code", "v2\n")
	write(t, dir, "app/list", "list 2\n")
	write(t, dir, "app/only/now", "n\n")
	write(t, dir, "outside", "2\n")
	git(t, dir, "rm", "-q", "-r", "app/old")
	commitAll(t, dir, "bad\n\nHarness-Feature: F002")
	write(t, dir, "app/code", "v3 uncommitted\n")
	write(t, dir, "app/list", "list 3, on disk\n")
	write(t, dir, "app/log", "new harness file\n")
	write(t, dir, "app/x.env", "secret\n")
	write(t, dir, "app/notes", "untracked\n")
	write(t, dir, "app/only/mine", "untracked beside a tracked file\n")
	write(t, dir, "outside", "3 uncommitted\n")
	write(t, dir, ".git/info/exclude", "*.env\nignored-harness\n")
	write(t, dir, "app/ignored-harness", "x\n")
	r := open(t, filepath.Join(dir, "app"))
	head := git(t, dir, "rev-parse", "HEAD")
	got, err := r.RestoreCommit(t.Context(), RestoreRequest{Rev: good, Keep: []string{"list", "log", "none", "ignored-harness"}, Message: "harness: back to good\n\n# kept"})
	restored, sha := got.Restored, got.SHA
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"code", "old/deep", "only/now"}; !slices.Equal(restored, want) {
		t.Errorf("restored = %v, want %v", restored, want)
	}
	if got := git(t, dir, "rev-parse", "HEAD"); got != sha || git(t, dir, "rev-parse", "HEAD^") != head {
		t.Errorf("HEAD = %s, want %s on top of %s", got, sha, head)
	}
	want := map[string]string{"app/code": "v1\n", "app/old/deep": "old\n", "app/list": "list 3, on disk\n", "app/log": "new harness file\n",
		"app/x.env": "secret\n", "app/notes": "untracked\n", "app/only/mine": "untracked beside a tracked file\n", "outside": "3 uncommitted\n"}
	for name, text := range want {
		if got := read(t, dir, name); got != text {
			t.Errorf("%s = %q, want %q", name, got, text)
		}
	}
	if exists(dir, "app/only/now") {
		t.Error("app/only/now is still there")
	}
	if got, want := git(t, dir, "status", "--porcelain", "-uall"), " M outside\n?? app/notes\n?? app/only/mine"; got != want {
		t.Errorf("git status = %q, want %q", got, want)
	}
	if got := git(t, dir, "show", "HEAD:outside"); got != "2" {
		t.Errorf("outside the project the commit has %q", got)
	}
	if got := git(t, dir, "log", "-1", "--format=%B"); got != "harness: back to good\n\n# kept\n" && got != "harness: back to good\n\n# kept" {
		t.Errorf("message = %q", got)
	}
	healthy(t, dir)
	if _, err := r.RestoreCommit(t.Context(), RestoreRequest{Rev: "HEAD", Keep: []string{"list", "log"}, Message: "again"}); code(err) != "nothing-to-commit" {
		t.Errorf("RestoreCommit(HEAD) = %v, want nothing-to-commit", err)
	}
}

func TestRestoreCommitSwapsFileAndFolder(t *testing.T) {
	dir, r := newRepo(t)
	write(t, dir, "x", "file\n")
	write(t, dir, "y/in", "folder\n")
	good := commitAll(t, dir, "good")
	git(t, dir, "rm", "-q", "-r", "x", "y")
	write(t, dir, "x/in", "folder\n")
	write(t, dir, "y", "file\n")
	commitAll(t, dir, "swapped")
	if _, err := r.RestoreCommit(t.Context(), RestoreRequest{Rev: good, Message: "back"}); err != nil {
		t.Fatal(err)
	}
	if read(t, dir, "x") != "file\n" || read(t, dir, "y/in") != "folder\n" || git(t, dir, "status", "--porcelain") != "" {
		t.Errorf("git status = %q", git(t, dir, "status", "--porcelain"))
	}
	healthy(t, dir)
}

func TestRestoreCommitRefusals(t *testing.T) {
	cases := []struct {
		name, want string
		set        func(t *testing.T, dir string)
	}{
		{"detached", "detached-head", func(t *testing.T, dir string) { git(t, dir, "checkout", "-q", "--detach") }},
		{"index.lock", "index-locked", func(t *testing.T, dir string) { write(t, dir, ".git/index.lock", "") }},
		{"branch lock", "index-locked", func(t *testing.T, dir string) { write(t, dir, ".git/refs/heads/main.lock", "") }},
		{"signing", "signing-failed", func(t *testing.T, dir string) {
			git(t, dir, "config", "commit.gpgsign", "true")
			git(t, dir, "config", "user.signingkey", "0000")
		}},
		{"no identity", "no-identity", func(t *testing.T, dir string) { t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull) }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir, r := newRepo(t)
			good := git(t, dir, "rev-parse", "HEAD")
			write(t, dir, "a.txt", "2\n")
			write(t, dir, "new", "n\n")
			commitAll(t, dir, "second")
			write(t, dir, "untracked", "u\n")
			c.set(t, dir)
			before, files := state(t, r), snapshot(t, dir)
			if _, err := r.RestoreCommit(t.Context(), RestoreRequest{Rev: good, Message: "back"}); code(err) != c.want {
				t.Errorf("RestoreCommit() = %v (%s), want %s", err, code(err), c.want)
			}
			if state(t, r) != before {
				t.Error("HEAD, refs or index changed")
			}
			if snapshot(t, dir) != files {
				t.Errorf("files changed\n%s", snapshot(t, dir))
			}
		})
	}
}
