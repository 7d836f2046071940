//go:build unix

package history

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A situation is a state that real repositories are met in. Each is held against the git program in one way: what status
// answers, what a commit of some files makes of it, and what a rollback leaves.
type situation struct {
	name   string
	paths  []string                       // to be committed; nil: a.txt and new.txt
	refuse string                         // the code of a refused commit, "" where it is made
	oracle []string                       // paths for git commit --only where they must differ from ours
	byGit  func(t *testing.T, dir string) // in place of git commit --only
	stays  string                         // what git status says after a rollback
	spoils bool                           // a stash of git's own does not bring back the bytes either, for filters and settings change them
	native string                         // the code without a git program: "same" where it does as git would
	back   string                         // the code of a refused rollback
	set    func(t *testing.T, dir string)
}

var situations = []situation{
	{name: "plain", native: "same", set: func(*testing.T, string) {}},
	{name: "hook that passes", native: "no-git", set: func(t *testing.T, dir string) {
		hook(t, dir+"/.git/hooks", "pre-commit", "exit 0")
	}},
	{name: "hook that refuses", refuse: "hook-failed", native: "no-git", back: "hook-failed", set: func(t *testing.T, dir string) {
		hook(t, dir+"/.git/hooks", "pre-commit", "echo no; exit 1")
	}},
	{name: "signing with ssh", native: "no-git", set: func(t *testing.T, dir string) {
		signs(t, dir)
	}},
	{name: "eol=crlf", spoils: true, native: "no-git", set: func(t *testing.T, dir string) {
		write(t, dir, ".git/info/attributes", "*.txt text=auto eol=crlf\n")
		write(t, dir, "b.txt", "b\r\n")
		write(t, dir, "a.txt", "one\r\ntwo\r\n")
	}},
	{name: "autocrlf input", spoils: true, native: "no-git", set: func(t *testing.T, dir string) {
		git(t, dir, "config", "core.autocrlf", "input")
		write(t, dir, "a.txt", "one\r\ntwo\r\n")
	}},
	{name: "working-tree-encoding", spoils: true, paths: []string{"a.txt", "u.bat"}, native: "no-git", set: func(t *testing.T, dir string) {
		commitFile(t, dir, ".gitattributes", "*.bat working-tree-encoding=UTF-16LE eol=crlf\n")
		write(t, dir, "u.bat", "u\x00\r\x00\n\x00")
	}},
	{name: "ident", spoils: true, paths: []string{"a.txt", "i.h"}, native: "no-git", set: func(t *testing.T, dir string) {
		commitFile(t, dir, ".gitattributes", "*.h ident\n")
		write(t, dir, "i.h", "/* $Id: 0000000000000000000000000000000000000000 $ */\n")
	}},
	{name: "clean filter", spoils: true, paths: []string{"a.txt", "x.key"}, native: "no-git", set: func(t *testing.T, dir string) {
		git(t, dir, "config", "filter.scrub.clean", "sed s/SECRET/xxx/")
		commitFile(t, dir, ".gitattributes", "*.key filter=scrub\n")
		write(t, dir, "x.key", "k=SECRET\n")
	}},
	{name: "filter that fails", paths: []string{"a.txt", "x.key"}, refuse: "other", native: "no-git", back: "no backup", set: func(t *testing.T, dir string) {
		git(t, dir, "config", "filter.scrub.clean", "exit 1; cat")
		git(t, dir, "config", "filter.scrub.required", "true")
		commitFile(t, dir, ".gitattributes", "*.key filter=scrub\n")
		write(t, dir, "x.key", "k=SECRET\n")
	}},
	{name: "info/exclude", native: "same", set: func(t *testing.T, dir string) {
		write(t, dir, ".git/info/exclude", "*.private\n")
		write(t, dir, "y.private", "mine\n")
	}},
	{name: "core.excludesFile", native: "same", set: func(t *testing.T, dir string) {
		git(t, dir, "config", "core.excludesFile", filepath.Join(dir, ".git", "mine"))
		write(t, dir, ".git/mine", "*.bak\n")
		write(t, dir, "y.bak", "mine\n")
	}},
	{name: "byte order mark in .gitignore", native: "same", set: func(t *testing.T, dir string) {
		commitFile(t, dir, ".gitignore", "\xef\xbb\xbf*.bom\n*.log\n")
		write(t, dir, "y.bom", "mine\n")
	}},
	{name: "patterns of every kind", native: "same", set: func(t *testing.T, dir string) {
		commitFile(t, dir, ".gitignore", "*.log\n[!k]eep.o\n/top\nsub/**/deep\n!b.log\nback\\ slash\ntrail \n\\#hash\n\\!bang\nexcl/\n!excl/in\n**/any/**\n")
		for _, name := range []string{"keep.o", "beep.o", "top", "sub/top", "sub/x/y/deep", "sub/deep", "b.log", "back slash", "trail", "#hash", "!bang", "excl/in", "any/a/b", "q/any/z"} {
			write(t, dir, name, name)
		}
	}},
	{name: "submodule with a new commit", paths: []string{"a.txt", "lib"}, stays: " M lib", native: "no-git", set: func(t *testing.T, dir string) {
		withSubmodule(t, dir)
		write(t, dir, "lib/l.txt", "2\n")
		commitAll(t, filepath.Join(dir, "lib"), "moved")
	}},
	{name: "submodule that is dirty", native: "same", set: func(t *testing.T, dir string) {
		withSubmodule(t, dir)
		write(t, dir, "lib/l.txt", "dirty\n")
		write(t, dir, "lib/untracked", "u\n")
	}},
	{name: "submodule not cloned", native: "same", set: func(t *testing.T, dir string) {
		withSubmodule(t, dir)
		git(t, dir, "submodule", "-q", "deinit", "-f", "lib")
		os.RemoveAll(filepath.Join(dir, ".git", "modules"))
	}},
	{name: "gitlink without .gitmodules", native: "same", set: func(t *testing.T, dir string) {
		withSubmodule(t, dir)
		git(t, dir, "rm", "-q", "--cached", ".gitmodules")
		os.Remove(filepath.Join(dir, ".gitmodules"))
		git(t, dir, "commit", "-q", "-m", "no .gitmodules")
	}},
	{name: "nested repository", native: "same", set: func(t *testing.T, dir string) {
		write(t, dir, "nested/x", "x\n")
		git(t, filepath.Join(dir, "nested"), "init", "-q")
		commitAll(t, filepath.Join(dir, "nested"), "inner")
	}},
	{name: "split index", native: "no-git", set: func(t *testing.T, dir string) { git(t, dir, "update-index", "--split-index") }},
	{name: "index version 4", native: "same", set: func(t *testing.T, dir string) { git(t, dir, "update-index", "--index-version", "4") }},
	{name: "untracked cache", native: "same", set: func(t *testing.T, dir string) {
		git(t, dir, "config", "core.untrackedCache", "true")
		git(t, dir, "status")
	}},
	{name: "fsmonitor hook", native: "same", set: func(t *testing.T, dir string) {
		hook(t, dir+"/.git", "watch", "printf 'token\\0/\\0'")
		git(t, dir, "config", "core.fsmonitor", filepath.Join(dir, ".git", "watch"))
		git(t, dir, "status")
	}},
	{name: "link retargeted, file to link", paths: []string{"link", "b.txt"}, native: "same", set: func(t *testing.T, dir string) {
		relink(t, dir, "link", "nowhere")
		relink(t, dir, "b.txt", "a.txt")
	}},
	{name: "folder replaced by a link", paths: []string{"dir", "dir/c.txt"}, native: "same", back: "bad-argument", byGit: func(t *testing.T, dir string) {
		git(t, dir, "reset", "-q", "mine.txt") // git commit --only follows the link
		git(t, dir, "add", "-A", "dir")
		git(t, dir, "commit", "-q", "-m", "the work\n\nHarness-Feature: F001")
		git(t, dir, "add", "mine.txt")
	}, set: func(t *testing.T, dir string) {
		os.Rename(filepath.Join(dir, "dir"), filepath.Join(dir, "moved"))
		relink(t, dir, "dir", "moved")
	}},
	{name: "file replaced by a folder", paths: []string{"b.txt", "b.txt/in"}, oracle: []string{"b.txt/in"}, native: "same", set: func(t *testing.T, dir string) {
		os.Remove(filepath.Join(dir, "b.txt"))
		write(t, dir, "b.txt/in", "in\n")
	}, back: "bad-argument"},
	{name: "folder deleted", paths: []string{"dir/c.txt", "dir/deep/d.txt"}, native: "same", set: func(t *testing.T, dir string) {
		os.RemoveAll(filepath.Join(dir, "dir"))
	}},
	{name: "executable bit", paths: []string{"b.txt"}, native: "same", set: func(t *testing.T, dir string) {
		os.Chmod(filepath.Join(dir, "b.txt"), 0o755)
	}},
	{name: "modes do not count", spoils: true, native: "no-git", set: func(t *testing.T, dir string) {
		git(t, dir, "config", "core.fileMode", "false")
		os.Chmod(filepath.Join(dir, "a.txt"), 0o755)
		os.Chmod(filepath.Join(dir, "b.txt"), 0o755)
	}},
	{name: "names without case", native: "no-git", set: func(t *testing.T, dir string) {
		git(t, dir, "config", "core.ignorecase", "true")
		write(t, dir, "Y.LOG", "ignored by *.log\n")
	}},
	{name: "packed refs alone", native: "same", set: func(t *testing.T, dir string) { git(t, dir, "pack-refs", "--all", "--prune") }},
	{name: "branch that is an alias", native: "same", set: func(t *testing.T, dir string) {
		git(t, dir, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
		git(t, dir, "symbolic-ref", "HEAD", "refs/heads/alias")
	}},
	{name: "orphan branch", native: "same", back: "unborn", set: func(t *testing.T, dir string) {
		git(t, dir, "checkout", "-q", "--orphan", "fresh")
		git(t, dir, "rm", "-r", "-q", "-f", "--cached", ".")
	}},
	{name: "detached", refuse: "detached-head", native: "detached-head", back: "detached-head", set: func(t *testing.T, dir string) {
		git(t, dir, "checkout", "-q", "--detach")
	}},
	{name: "merge that waits for its commit", refuse: "merge-in-progress", native: "merge-in-progress", back: "merge-in-progress", set: func(t *testing.T, dir string) {
		git(t, dir, "stash", "-q", "-u")
		git(t, dir, "checkout", "-q", "-b", "side", "HEAD~1")
		write(t, dir, "side.txt", "s\n")
		commitAll(t, dir, "side")
		git(t, dir, "checkout", "-q", "main")
		git(t, dir, "stash", "pop", "-q")
		git(t, dir, "reset", "-q")
		git(t, dir, "stash", "-q", "-u")
		git(t, dir, "merge", "-q", "--no-commit", "--no-ff", "side")
		git(t, dir, "stash", "apply", "-q", "stash@{0}")
	}},
	{name: "squash merge that waits", native: "same", set: func(t *testing.T, dir string) {
		git(t, dir, "branch", "side", "HEAD~1")
		write(t, dir, ".git/SQUASH_MSG", "squashed\n")
	}},
	{name: "bisect under way", refuse: "", native: "same", set: func(t *testing.T, dir string) {
		write(t, dir, ".git/BISECT_LOG", "git bisect start\n")
		write(t, dir, ".git/BISECT_START", "main\n")
	}},
	{name: "index.lock", refuse: "index-locked", native: "index-locked", back: "index-locked", set: func(t *testing.T, dir string) {
		write(t, dir, ".git/index.lock", "")
	}},
	{name: "HEAD.lock", refuse: "index-locked", native: "index-locked", back: "index-locked", set: func(t *testing.T, dir string) {
		write(t, dir, ".git/HEAD.lock", "")
	}},
	{name: "names that other systems refuse", paths: []string{"aux.c", "con", "lpt9.log.txt", "com1/x", "a.txt"}, native: "same", set: func(t *testing.T, dir string) {
		onLinux(t)
		for _, name := range []string{"aux.c", "con", "lpt9.log.txt", "com1/x", "aux/y"} {
			write(t, dir, name, name)
		}
	}},
	{name: "odd names", paths: []string{"a:b", "dot.", "sp ", "q\"q'", "[id]", "(group)", "@x", "*", "?", "-n", ":(top)x", "ü", "u\u0308", "\xff\xfe", "😀"}, native: "same",
		set: func(t *testing.T, dir string) {
			onLinux(t)
			for _, name := range []string{"a:b", "dot.", "sp ", "q\"q'", "[id]", "(group)", "@x", "*", "?", "-n", ":(top)x", "ü", "u\u0308", "\xff\xfe", "😀", "i", "x"} {
				write(t, dir, name, name)
			}
		}},
	{name: "names with control characters", paths: []string{"a\nb", "t\tt", "del\x7f", "back\\slash", "\x01"}, native: "same", set: func(t *testing.T, dir string) {
		onLinux(t)
		for _, name := range []string{"a\nb", "t\tt", "del\x7f", "back\\slash", "\x01"} {
			write(t, dir, name, name)
		}
	}},
	{name: "added with -N", paths: []string{"a.txt", "named"}, spoils: true, native: "no-git", set: func(t *testing.T, dir string) {
		write(t, dir, "named", "n\n")
		write(t, dir, "other", "o\n")
		git(t, dir, "add", "-N", "named", "other")
	}},
	{name: "assume-unchanged", native: "no-git", set: func(t *testing.T, dir string) {
		git(t, dir, "update-index", "--assume-unchanged", "b.txt")
		write(t, dir, "b.txt", "a local secret\n")
	}},
	{name: "skip-worktree", native: "same", set: func(t *testing.T, dir string) {
		git(t, dir, "update-index", "--skip-worktree", "b.txt")
		write(t, dir, "b.txt", "a local secret\n")
	}},
	{name: "edit of the same size and time", paths: []string{"b.txt"}, native: "same", set: func(t *testing.T, dir string) {
		info, err := os.Stat(filepath.Join(dir, "b.txt"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, "b.txt", "z\n")
		os.Chtimes(filepath.Join(dir, "b.txt"), info.ModTime(), info.ModTime())
	}},
	{name: "FIFO and socket", native: "same", set: func(t *testing.T, dir string) {
		mkfifo(t, filepath.Join(dir, "pipe"))
		mkfifo(t, filepath.Join(dir, "dir", "pipe"))
	}},
	{name: "FIFO that is named", paths: []string{"a.txt", "pipe"}, refuse: "bad-argument", native: "bad-argument", set: func(t *testing.T, dir string) {
		mkfifo(t, filepath.Join(dir, "pipe"))
	}},
	{name: "tracked file that became a FIFO", paths: []string{"b.txt"}, refuse: "bad-argument", native: "bad-argument", back: "no backup", set: func(t *testing.T, dir string) {
		os.Remove(filepath.Join(dir, "b.txt"))
		mkfifo(t, filepath.Join(dir, "b.txt"))
	}},
	{name: "nothing to commit", paths: []string{"b.txt", "dir/c.txt"}, refuse: "nothing-to-commit", native: "nothing-to-commit", set: func(*testing.T, string) {}},
	{name: "packs of every kind", native: "same", set: func(t *testing.T, dir string) {
		git(t, dir, "repack", "-q", "-a", "-d", "--write-bitmap-index")
		git(t, dir, "multi-pack-index", "write")
		git(t, dir, "commit-graph", "write", "--reachable")
		packs, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
		for _, pack := range packs {
			write(t, filepath.Dir(pack), strings.TrimSuffix(filepath.Base(pack), ".pack")+".keep", "")
		}
	}},
	{name: "pack index of version 1", native: "other", set: func(t *testing.T, dir string) {
		git(t, dir, "-c", "pack.indexVersion=1", "repack", "-q", "-a", "-d")
	}},
	{name: "replaced commit", native: "same", set: func(t *testing.T, dir string) {
		other := git(t, dir, "commit-tree", "-m", "in its place", "-p", "HEAD~1", "HEAD^{tree}")
		git(t, dir, "replace", "HEAD", other)
	}},
	{name: "two staged renames", paths: []string{"a.txt", "new.txt"}, native: "same", set: func(t *testing.T, dir string) {
		git(t, dir, "mv", "b.txt", "b2.txt")
		git(t, dir, "mv", "dir", "folder")
	}},
	{name: "half staged", paths: []string{"a.txt", "b.txt"}, native: "same", set: func(t *testing.T, dir string) {
		write(t, dir, "b.txt", "staged\n")
		git(t, dir, "add", "b.txt")
		write(t, dir, "b.txt", "staged\nand more\n")
	}},
	{name: "staged, then deleted", paths: []string{"a.txt", "mine.txt"}, native: "same", set: func(t *testing.T, dir string) {
		os.Remove(filepath.Join(dir, "mine.txt"))
	}},
	{name: "removed from the index alone", paths: []string{"a.txt", "b.txt"}, native: "same", set: func(t *testing.T, dir string) {
		git(t, dir, "rm", "-q", "--cached", "b.txt")
		write(t, dir, "b.txt", "still here\n")
	}, back: "bad-argument"},
	{name: "config that go-git can't read", native: "same", set: func(t *testing.T, dir string) {
		write(t, dir, ".git/config", read(t, dir, ".git/config")+"[core] editor = vim\n[branch \"x\"]\n\trebase = merges\n\tmerge = not/full\n"+
			"[remote \"o\"]\n\turl = x\n\tfetch = ^refs/heads/no\n[a.b]\n\tc = d\n[pack]\n\twindow = 1k\n")
	}},
	{name: "format 0 with extensions", native: "same", set: func(t *testing.T, dir string) {
		git(t, dir, "config", "extensions.worktreeConfig", "true")
		git(t, dir, "config", "extensions.preciousObjects", "true")
	}},
	{name: "format 1 with extensions", native: "same", set: func(t *testing.T, dir string) {
		git(t, dir, "config", "core.repositoryFormatVersion", "1")
		git(t, dir, "config", "extensions.worktreeConfig", "true")
		git(t, dir, "config", "extensions.partialClone", "origin")
		git(t, dir, "config", "extensions.objectFormat", "sha1")
	}},
	{name: "shared repository", native: "no-git", set: func(t *testing.T, dir string) { git(t, dir, "config", "core.sharedRepository", "group") }},
	{name: "commit encoding", native: "no-git", set: func(t *testing.T, dir string) { git(t, dir, "config", "i18n.commitEncoding", "ISO-8859-1") }},
}

func signs(t *testing.T, dir string) {
	t.Helper()
	key := filepath.Join(dir, ".git", "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		t.Skipf("no key: %v %s", err, out)
	}
	write(t, dir, ".git/allowed", "* "+read(t, dir, ".git/key.pub"))
	for name, value := range map[string]string{"gpg.format": "ssh", "user.signingKey": key, "commit.gpgSign": "true", "gpg.ssh.allowedSignersFile": filepath.Join(dir, ".git", "allowed")} {
		git(t, dir, "config", name, value)
	}
}

// withSubmodule adds lib, whose origin lies beside the repository.
func withSubmodule(t *testing.T, dir string) {
	t.Helper()
	lib := filepath.Join(filepath.Dir(dir), "lib")
	if err := os.MkdirAll(lib, 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, lib, "init", "-q", "-b", "main")
	write(t, lib, "l.txt", "1\n")
	commitAll(t, lib, "lib")
	git(t, dir, "stash", "-q", "-u")
	git(t, dir, "submodule", "--quiet", "add", lib, "lib")
	git(t, dir, "commit", "-q", "-m", "with lib")
	git(t, dir, "stash", "pop", "-q", "--index")
}

func relink(t *testing.T, dir, name, to string) {
	t.Helper()
	file := filepath.Join(dir, name)
	_ = os.Remove(file)
	if err := os.Symlink(to, file); err != nil {
		t.Fatal(err)
	}
}

// commitFile commits one file beside what is under way.
func commitFile(t *testing.T, dir, name, text string) {
	t.Helper()
	write(t, dir, name, text)
	git(t, dir, "add", "-f", name)
	git(t, dir, "commit", "-q", "-m", name, "--", name)
}

// worked is a repository of two commits with work of every kind going on, of which a.txt and new.txt are the session's.
func worked(t *testing.T, dir string) {
	t.Helper()
	git(t, dir, "init", "-q", "-b", "main")
	for _, name := range []string{"a.txt", "b.txt", "dir/c.txt", "dir/deep/d.txt"} {
		write(t, dir, name, filepath.Base(name)[:1]+"\n")
	}
	relink(t, dir, "link", "a.txt")
	write(t, dir, ".gitignore", "*.log\n")
	commitAll(t, dir, "first")
	write(t, dir, "a.txt", "second\n")
	write(t, dir, "e.txt", "e\n")
	git(t, dir, "rm", "-q", "dir/deep/d.txt")
	write(t, dir, "dir/deep/d.txt", "d2\n")
	commitAll(t, dir, "second")
	write(t, dir, "a.txt", "changed\n")
	write(t, dir, "new.txt", "new\n")
	write(t, dir, "mine.txt", "the user's\n")
	git(t, dir, "add", "mine.txt")
	write(t, dir, "notes/todo", "untracked\n")
	write(t, dir, "x.log", "ignored\n")
}

// twin is a copy of a repository and of what lies beside it.
func twin(t *testing.T, dir string) string {
	t.Helper()
	to := tempDir(t)
	if out, err := exec.Command("cp", "-a", filepath.Dir(dir)+"/.", to).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v %s", err, out)
	}
	return filepath.Join(to, filepath.Base(dir))
}

func TestSituations(t *testing.T) {
	for _, s := range situations {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(tempDir(t), "w")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			worked(t, dir)
			s.set(t, dir)
			if s.paths == nil {
				s.paths = []string{"a.txt", "new.txt"}
			}
			if s.oracle == nil {
				s.oracle = s.paths
			}
			t.Run("status", func(t *testing.T) { statusAsGit(t, twin(t, dir)) })
			var want []string
			if s.refuse == "" {
				want = s.committedByGit(t, twin(t, dir))
			}
			t.Run("commit", func(t *testing.T) { s.commitAsGit(t, twin(t, dir), installed(), s.refuse, want) })
			t.Run("commit without git", func(t *testing.T) { s.commitAsGit(t, twin(t, dir), nil, strings.TrimPrefix(s.native, "same"), want) })
			t.Run("rollback", func(t *testing.T) { s.rollsBack(t, twin(t, dir)) })
		})
	}
}

// statusAsGit holds Status, with and without the git program, against the first format of git status.
func statusAsGit(t *testing.T, dir string) {
	t.Helper()
	want := shortStatus(t, dir)
	before := everything(t, dir)
	r := open(t, dir)
	for _, p := range []*program{installed(), nil} {
		r.git = p
		changes, err := r.Status(t.Context())
		if p == nil && code(err) == "no-git" {
			continue
		}
		if err != nil {
			t.Errorf("Status() = %v, with the program: %v", err, p != nil)
			continue
		}
		var got []string
		for _, c := range changes {
			got = append(got, describe(c))
		}
		if !slices.Equal(got, want) {
			t.Errorf("with the program: %v, Status() =\n%s\nwant\n%s", p != nil, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if now := everything(t, dir); now != before {
			t.Errorf("Status changed\n%s", differences(before, now))
		}
	}
}

// shortStatus is git status in its first format, told as describe tells changes.
func shortStatus(t *testing.T, dir string) []string {
	t.Helper()
	out := git(t, dir, "--no-optional-locks", "status", "--porcelain", "-z", "-uall", "--no-renames", "--ignore-submodules=dirty")
	at := map[string]*Change{}
	for _, line := range records([]byte(out)) {
		path, x, y := line[3:], line[0], line[1]
		if strings.HasSuffix(path, "/") {
			continue // a repository in the repository
		}
		c := at[path]
		if c == nil {
			c = &Change{Path: path, Deleted: true}
			at[path] = c
		}
		switch {
		case x == '?':
			c.Untracked = true
		case x == 'U' || y == 'U' || x == 'A' && y == 'A' || x == 'D' && y == 'D':
			c.Conflict, c.Unstaged = true, true
		default:
			c.Staged, c.Unstaged = c.Staged || x != ' ', c.Unstaged || y != ' '
		}
		c.Deleted = c.Deleted && (y == 'D' || x == 'D' && (y == ' ' || y == 'D'))
	}
	var lines []string
	for _, c := range at {
		lines = append(lines, describe(*c))
	}
	slices.Sort(lines)
	return lines
}

// commitAsGit has a commit made by us and holds it against the one that git commit --only made.
func (s situation) commitAsGit(t *testing.T, dir string, p *program, refuse string, want []string) {
	t.Helper()
	r := open(t, dir)
	r.git = p
	before := everything(t, dir)
	got, err := r.Commit(t.Context(), CommitRequest{s.paths, "the work\n\nHarness-Feature: F001\n"})
	if refuse != "" {
		if err == nil || code(err) != refuse && refuse != "other" {
			t.Errorf("Commit() = %+v, %v (%s), want %s", got, err, code(err), refuse)
		}
		if now := everything(t, dir); now != before {
			t.Errorf("a refusal changed\n%s", differences(before, now))
		}
		return
	}
	if err != nil {
		t.Fatalf("Commit() = %v (%s)", err, code(err))
	}
	for i, have := range committed(t, dir) {
		if have != want[i] {
			t.Errorf("git %v = %q, after git commit --only it is %q", whatCounts[i], have, want[i])
		}
	}
	if files := records([]byte(committed(t, dir)[0])); !slices.Equal(got.Files, files) {
		t.Errorf("Files = %q, git says %q", got.Files, files)
	}
	if len(got.Hooks) != 0 {
		t.Errorf("Hooks = %q", got.Hooks)
	}
	sound(t, dir)
}

// whatCounts are the questions to git that tell all of a commit and of the work beside it.
var whatCounts = [][]string{
	{"diff-tree", "-r", "--root", "--no-commit-id", "--name-only", "-z", "HEAD"},
	{"log", "-1", "--raw", "--abbrev=40", "--root", "--format=%T %an %ae %cn %ce %G? %e%n%B"},
	{"ls-files", "-v", "-z", "--stage"},
	{"status", "--porcelain=v2", "-z", "-uall", "--ignored", "--ignore-submodules=dirty"},
	{"rev-list", "--count", "HEAD"},
	{"symbolic-ref", "HEAD"},
}

func committed(t *testing.T, dir string) []string {
	t.Helper()
	var answers []string
	for _, ask := range whatCounts {
		answers = append(answers, git(t, dir, ask...))
	}
	return answers
}

func (s situation) committedByGit(t *testing.T, dir string) []string {
	t.Helper()
	if s.byGit != nil {
		s.byGit(t, dir)
		return committed(t, dir)
	}
	known := records([]byte(git(t, dir, "ls-files", "-z")))
	add := []string{"--literal-pathspecs", "add", "-N", "--"}
	for _, name := range s.oracle {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && !slices.Contains(known, name) && !info.IsDir() {
			add = append(add, name)
		}
	}
	if len(add) > 4 {
		git(t, dir, add...)
	}
	git(t, dir, append([]string{"--literal-pathspecs", "commit", "-q", "--only", "-m", "the work\n\nHarness-Feature: F001", "--"}, s.oracle...)...)
	return committed(t, dir)
}

// sound says that git finds no fault and that no lock is left which was not there.
func sound(t *testing.T, dir string) {
	t.Helper()
	if out, err := tryGit(dir, "fsck", "--strict"); err != nil {
		t.Errorf("git fsck: %v\n%s", err, out)
	}
	if exists(dir, ".git/index.lock") {
		t.Error("index.lock is left")
	}
}

// rollsBack makes a backup, drops what is uncommitted, brings it back with stock git, and goes back one commit.
func (s situation) rollsBack(t *testing.T, dir string) {
	t.Helper()
	r := open(t, dir)
	files, untracked := snapshot(t, dir), others(t, dir)
	before := everything(t, dir)
	if s.back == "unborn" {
		return
	}
	ref, err := r.Backup(t.Context(), "b")
	if s.back == "no backup" {
		if err == nil {
			t.Error("Backup() made one")
		}
		if now := everything(t, dir); now != before {
			t.Errorf("a refusal changed\n%s", differences(before, now))
		}
		return
	}
	if s.back != "" {
		s.refusesBack(t, r)
		return
	}
	if err != nil {
		t.Fatalf("Backup() = %v", err)
	}
	if changed := differences(before, everything(t, dir)); strings.Contains(changed, "\n") || !strings.HasPrefix(changed, "+ .git/"+ref) {
		t.Errorf("Backup changed\n%s", changed)
	}
	if _, err := r.RestoreUncommitted(t.Context(), nil); err != nil {
		t.Fatalf("RestoreUncommitted() = %v", err)
	}
	if out := git(t, dir, "status", "--porcelain", "-uno", "--ignore-submodules=dirty"); out != s.stays {
		t.Errorf("after RestoreUncommitted git status says %q", out)
	}
	left := others(t, dir)
	for name, content := range untracked {
		if got := left[name]; got != content {
			t.Errorf("untracked or ignored %q is %q, was %q", name, got, content)
		}
	}
	git(t, dir, "clean", "-q", "-f", "-d")
	git(t, dir, "stash", "apply", "-q", "--index", ref)
	if now := snapshot(t, dir); now != files && !s.spoils {
		t.Errorf("git stash apply brought back\n%s", differences(files, now))
	}
	sound(t, dir)
	want := git(t, dir, "rev-parse", "HEAD~1^{tree}")
	if _, err := r.RestoreCommit(t.Context(), RestoreRequest{Rev: "HEAD~1", Message: "back\n"}); err != nil {
		t.Fatalf("RestoreCommit() = %v", err)
	}
	if got := git(t, dir, "rev-parse", "HEAD^{tree}"); got != want {
		t.Errorf("the tree after RestoreCommit is %s, want %s", got, want)
	}
	if out := git(t, dir, "status", "--porcelain", "-uno", "--ignore-submodules=dirty"); out != "" {
		t.Errorf("after RestoreCommit git status says %q", out)
	}
	left = others(t, dir)
	for name, content := range untracked {
		if got := left[name]; got != content && !s.spoils {
			t.Errorf("untracked or ignored %q is %q, was %q", name, got, content)
		}
	}
	sound(t, dir)
}

func (s situation) refusesBack(t *testing.T, r *Repo) {
	t.Helper()
	before := everything(t, r.Root())
	_, err := r.RestoreCommit(t.Context(), RestoreRequest{Rev: "HEAD~1", Message: "back\n"})
	if err == nil || code(err) != s.back && s.back != "other" {
		t.Errorf("RestoreCommit() = %v (%s), want %s", err, code(err), s.back)
	}
	if now := everything(t, r.Root()); now != before {
		t.Errorf("a refusal changed\n%s", differences(before, now))
	}
}

// others are the contents of untracked and ignored files.
func others(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range records([]byte(git(t, dir, "ls-files", "-z", "-o"))) {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err == nil && info.Mode().IsRegular() {
			all[name] = read(t, dir, name)
		}
	}
	return all
}

// everything is each file of a repository with mode and content, git's own included: all but objects and the message that
// git leaves when a commit is refused. The index counts with its time.
func everything(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, file)
		if d.IsDir() {
			if d.Name() == "objects" {
				return filepath.SkipDir
			}
			return nil
		}
		if d.Name() == "COMMIT_EDITMSG" {
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
		if len(content) > 400 {
			content = fmt.Sprintf("%x", sha256.Sum256([]byte(content)))
		}
		when := ""
		if d.Name() == "index" {
			when = info.ModTime().Format(time.StampNano)
		}
		lines = append(lines, fmt.Sprintf("%s %v %s %q", name, info.Mode(), when, content))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// differences are the lines that two texts do not share.
func differences(before, now string) string {
	a, b := strings.Split(before, "\n"), strings.Split(now, "\n")
	var lines []string
	for _, line := range a {
		if !slices.Contains(b, line) {
			lines = append(lines, "- "+line)
		}
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			lines = append(lines, "+ "+line)
		}
	}
	return strings.Join(lines, "\n")
}

// onLinux skips names and forms that other systems' file systems do not take.
func onLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("names of Linux")
	}
}

func mkfifo(t *testing.T, file string) {
	t.Helper()
	if err := syscall.Mkfifo(file, 0o644); err != nil {
		t.Skip(err)
	}
}
