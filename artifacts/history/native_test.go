package history

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

func nativeRepo(t *testing.T) (string, *Repo) {
	t.Helper()
	dir, r := newRepo(t)
	r.git = nil
	return dir, r
}

func TestNativeCommit(t *testing.T) {
	dir, r := nativeRepo(t)
	write(t, dir, "app/x/y", "deep\n")
	write(t, dir, "app.go", "sorts before app/\n")
	write(t, dir, "app-x", "too\n")
	write(t, dir, "mine", "staged by the user\n")
	git(t, dir, "add", "mine")
	write(t, dir, "b.txt", "half done\n")
	head := git(t, dir, "rev-parse", "HEAD")
	got, err := r.Commit(t.Context(), CommitRequest{[]string{"app/x/y", "app.go", "app-x"}, "feat: x\n\nHarness-Feature: F1"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"app-x", "app.go", "app/x/y"}; !slices.Equal(got.Files, want) {
		t.Errorf("Files = %v, want %v", got.Files, want)
	}
	if got, want := git(t, dir, "status", "--porcelain"), " M b.txt\nA  mine"; got != want {
		t.Errorf("git status = %q, want %q", got, want)
	}
	if got := git(t, dir, "log", "-1", "--format=%P|%an|%ae|%s"); got != head+"|Test Ümläut|test@example.com|feat: x" {
		t.Errorf("git log = %q", got)
	}
	for _, ref := range []string{"HEAD@{1}", "main@{1}"} {
		if got := git(t, dir, "rev-parse", ref); got != head {
			t.Errorf("%s = %s, want %s: the reflog lacks the commit", ref, got, head)
		}
	}
	healthy(t, dir)
	os.RemoveAll(filepath.Join(dir, "app"))
	if _, err := r.Commit(t.Context(), CommitRequest{[]string{"app/x/y"}, "gone"}); err != nil {
		t.Fatal(err)
	}
	if out, _ := tryGit(dir, "ls-tree", "HEAD", "app"); out != "" {
		t.Errorf("an empty folder is left in the tree: %s", out)
	}
	healthy(t, dir)
}

func TestNativeCommitInLinkedWorktree(t *testing.T) {
	dir, _ := newRepo(t)
	linked := filepath.Join(tempDir(t), "w")
	git(t, dir, "worktree", "add", "-q", "-b", "topic/one", linked)
	git(t, dir, "pack-refs", "--all")
	r := open(t, linked)
	r.git = nil
	write(t, linked, "x", "x\n")
	got, err := r.Commit(t.Context(), CommitRequest{[]string{"x"}, "m"})
	if err != nil || git(t, dir, "rev-parse", "topic/one") != got.SHA {
		t.Errorf("Commit() = %+v, %v", got, err)
	}
	if git(t, linked, "status", "--porcelain") != "" || git(t, dir, "status", "--porcelain") != "" {
		t.Error("git status is not clean")
	}
	healthy(t, dir)
}

// Where git would do more than store the bytes, a commit without it is refused with the reason.
func TestNativeRefusals(t *testing.T) {
	cases := []struct {
		name, want string
		set        func(t *testing.T, dir string)
	}{
		{"hook", "no-git", func(t *testing.T, dir string) { hook(t, dir+"/.git/hooks", "pre-commit", "exit 0") }},
		{"husky", "no-git", func(t *testing.T, dir string) { git(t, dir, "config", "core.hooksPath", ".husky") }},
		{"signing", "no-git", func(t *testing.T, dir string) { git(t, dir, "config", "commit.gpgSign", "true") }},
		{"autocrlf", "no-git", func(t *testing.T, dir string) { git(t, dir, "config", "core.autocrlf", "input") }},
		{"filter", "no-git", func(t *testing.T, dir string) { write(t, dir, ".gitattributes", "*.psd filter=lfs -text\n") }},
		{"eol in info", "no-git", func(t *testing.T, dir string) { write(t, dir, ".git/info/attributes", "* text=auto\n") }},
		{"include", "no-git", func(t *testing.T, dir string) { git(t, dir, "config", "include.path", "/x") }},
		{"intent to add", "no-git", func(t *testing.T, dir string) { write(t, dir, "i", "i"); git(t, dir, "add", "-N", "i") }},
		{"assume unchanged", "no-git", func(t *testing.T, dir string) { git(t, dir, "update-index", "--assume-unchanged", "b.txt") }},
		{"split index", "no-git", func(t *testing.T, dir string) { git(t, dir, "update-index", "--split-index") }},
		{"no identity", "no-identity", func(t *testing.T, dir string) { t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull) }},
		{"index.lock", "index-locked", func(t *testing.T, dir string) { write(t, dir, ".git/index.lock", "") }},
		{"branch lock", "index-locked", func(t *testing.T, dir string) { write(t, dir, ".git/refs/heads/main.lock", "") }},
		{"nothing", "nothing-to-commit", func(t *testing.T, dir string) {
			git(t, dir, "checkout", "-q", "a.txt")
			os.Remove(filepath.Join(dir, "new"))
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir, r := nativeRepo(t)
			write(t, dir, "a.txt", "changed\n")
			c.set(t, dir)
			before := state(t, r)
			if _, err := r.Commit(t.Context(), CommitRequest{[]string{"a.txt"}, "m"}); code(err) != c.want {
				t.Errorf("Commit() = %v (%s), want %s", err, code(err), c.want)
			}
			if state(t, r) != before {
				t.Error("HEAD, refs or index changed")
			}
		})
	}
	t.Run("special file", func(t *testing.T) {
		if runtime.GOOS != "linux" {
			t.Skip("device files of Linux")
		}
		dir, r := nativeRepo(t)
		if err := os.Symlink("/dev/zero", filepath.Join(dir, "zero")); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Commit(t.Context(), CommitRequest{[]string{"zero"}, "a link is stored as a link"}); err != nil {
			t.Errorf("Commit() = %v", err)
		}
	})
	t.Run("backup and restore", func(t *testing.T) {
		_, r := nativeRepo(t)
		if _, err := r.Backup(t.Context(), "x"); code(err) != "no-git" {
			t.Errorf("Backup() = %v, want no-git", err)
		}
		if _, err := r.RestoreUncommitted(t.Context(), nil); code(err) != "no-git" {
			t.Errorf("RestoreUncommitted() = %v, want no-git", err)
		}
		if _, err := r.RestoreCommit(t.Context(), RestoreRequest{Rev: "HEAD", Message: "m"}); code(err) != "no-git" {
			t.Errorf("RestoreCommit() = %v, want no-git", err)
		}
	})
}

// Commits of several writers at once are all on the branch in the end.
func TestManyWriters(t *testing.T) {
	for name, p := range map[string]*program{"git": installed(), "without git": nil} {
		t.Run(name, func(t *testing.T) {
			dir, _ := newRepo(t)
			const writers, each = 4, 4
			var group sync.WaitGroup
			made := make([][]string, writers)
			for w := range writers {
				r := open(t, dir)
				r.git = p
				group.Go(func() {
					for i := range each {
						name := fmt.Sprintf("w%d-%d", w, i)
						if err := os.WriteFile(filepath.Join(dir, name), []byte(name+"\n"), 0o644); err != nil {
							t.Error(err)
							return
						}
						_, err := r.Commit(t.Context(), CommitRequest{[]string{name}, name})
						if err == nil {
							made[w] = append(made[w], name)
						} else if code(err) != "index-locked" { // the others had the lock for too long
							t.Errorf("%s: Commit() = %v", name, err)
						}
					}
				})
			}
			group.Wait()
			all := slices.Concat(made...)
			log := strings.Split(git(t, dir, "log", "--format=%s"), "\n")
			for _, name := range all {
				if !slices.Contains(log, name) || git(t, dir, "ls-tree", "HEAD", name) == "" {
					t.Errorf("%s was said to be committed and is not in HEAD", name)
				}
			}
			if len(all) < writers {
				t.Errorf("only %d commits were made", len(all))
			}
			healthy(t, dir)
		})
	}
}

// TestNamesLostToAnotherWriter has another process write an index without the new file, as a git commit does that read
// it before we put the name in: with a git that does so once in its place.
func TestNamesLostToAnotherWriter(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the git in between is a shell script")
	}
	dir, r := newRepo(t)
	between := filepath.Join(tempDir(t), "git")
	script := fmt.Sprintf(`#!/bin/sh
case " $* " in *" commit "*)
	if [ ! -e %[1]s.done ]; then
		: >%[1]s.done
		%[2]s update-index --force-remove fresh.txt
	fi ;;
esac
exec %[2]s "$@"
`, between, installed().path)
	if err := os.WriteFile(between, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	r.git = &program{path: between, usable: installed().usable}
	write(t, dir, "fresh.txt", "new\n")
	got, err := r.Commit(t.Context(), CommitRequest{[]string{"fresh.txt"}, "fresh"})
	if err != nil || !slices.Equal(got.Files, []string{"fresh.txt"}) {
		t.Errorf("Commit() = %+v, %v; want fresh.txt committed", got, err)
	}
	if _, err := os.Stat(between + ".done"); err != nil {
		t.Errorf("the name was never taken out: %v", err)
	}
	healthy(t, dir)
}
