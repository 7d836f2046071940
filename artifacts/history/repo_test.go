package history

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestMain keeps the machine's own git settings out.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "history-home-")
	if err != nil {
		panic(err)
	}
	config := filepath.Join(home, ".gitconfig")
	text := "[user]\n\tname = Test Ümläut\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		panic(err)
	}
	for name, value := range map[string]string{"HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": filepath.Join(home, "xdg"),
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": config} {
		os.Setenv(name, value)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// git runs the git program, the oracle of these tests.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(dir, args...)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimRight(out, "\n")
}

func tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(environment(os.Environ()), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
	return err == nil
}

// newRepo is a repository with one commit of a.txt and b.txt.
func newRepo(t *testing.T) (string, *Repo) {
	t.Helper()
	dir := tempDir(t)
	git(t, dir, "init", "-q", "-b", "main")
	write(t, dir, "a.txt", "a\n")
	write(t, dir, "b.txt", "b\n")
	commitAll(t, dir, "first")
	return dir, open(t, dir)
}

func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func commitAll(t *testing.T, dir, message string) string {
	t.Helper()
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", message)
	return git(t, dir, "rev-parse", "HEAD")
}

func open(t *testing.T, dir string) *Repo {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func hook(t *testing.T, dir, name, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("hooks are shell scripts")
	}
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// code is the code of an error, "" for any other.
func code(err error) string {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	return ""
}

// state is all that a refusal must leave alone: HEAD, every ref, and the bytes of the index.
func state(t *testing.T, r *Repo) string {
	t.Helper()
	index, err := os.ReadFile(r.indexFile())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	refs, _ := tryGit(r.Root(), "for-each-ref")
	head := read(t, r.GitDir(), "HEAD")
	return head + refs + string(index)
}

func healthy(t *testing.T, dir string) {
	t.Helper()
	if out, err := tryGit(dir, "fsck", "--strict"); err != nil {
		t.Errorf("git fsck: %v\n%s", err, out)
	}
	for _, lock := range []string{"index.lock", "HEAD.lock"} {
		if exists(filepath.Join(dir, ".git"), lock) {
			t.Errorf("%s is left", lock)
		}
	}
}

func TestOpen(t *testing.T) {
	dir, _ := newRepo(t)
	write(t, dir, "app/web/x", "x")
	r := open(t, filepath.Join(dir, "app", "web"))
	if r.Root() != dir || r.Prefix() != "app/web/" || r.GitDir() != filepath.Join(dir, ".git") || r.CommonDir() != r.GitDir() {
		t.Errorf("Open() = root %q prefix %q git %q common %q", r.Root(), r.Prefix(), r.GitDir(), r.CommonDir())
	}
	if _, err := Open(tempDir(t)); !errors.Is(err, ErrNoGit) {
		t.Errorf("Open(no repository) = %v, want ErrNoGit", err)
	}
	t.Run("through a link", func(t *testing.T) {
		link := filepath.Join(tempDir(t), "link")
		if err := os.Symlink(filepath.Join(dir, "app"), link); err != nil {
			t.Skip(err)
		}
		if r := open(t, link); r.Root() != dir || r.Prefix() != "app/" {
			t.Errorf("Open(link) = %q %q", r.Root(), r.Prefix())
		}
	})
	t.Run("GIT_DIR is ignored", func(t *testing.T) {
		other, _ := newRepo(t)
		before := git(t, other, "rev-parse", "HEAD")
		t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
		t.Setenv("GIT_WORK_TREE", other)
		t.Setenv("GIT_INDEX_FILE", filepath.Join(other, ".git", "index"))
		r := open(t, dir)
		write(t, dir, "new", "n\n")
		got, err := r.Commit(t.Context(), CommitRequest{[]string{"new"}, "here"})
		if err != nil || git(t, dir, "rev-parse", "HEAD") != got.SHA || git(t, other, "rev-parse", "HEAD") != before {
			t.Errorf("Commit() = %v, %v; the other repository must be untouched", got, err)
		}
	})
	t.Run("gitdir that leads nowhere", func(t *testing.T) {
		lost := tempDir(t)
		write(t, lost, ".git", "gitdir: /nowhere/at/all\n")
		if _, err := Open(lost); code(err) != "no-git" {
			t.Errorf("Open() = %v, want no-git", err)
		}
	})
	t.Run("a .git folder that is no repository is passed over", func(t *testing.T) {
		inner := filepath.Join(dir, "inner")
		if err := os.MkdirAll(filepath.Join(inner, ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
		if r := open(t, inner); r.Root() != dir {
			t.Errorf("Root() = %q, want %q", r.Root(), dir)
		}
	})
}

func TestHead(t *testing.T) {
	dir, r := newRepo(t)
	sha := git(t, dir, "rev-parse", "HEAD")
	check := func(name string, want Head) {
		t.Helper()
		if got, err := r.Head(); err != nil || got != want {
			t.Errorf("%s: Head() = %+v, %v, want %+v", name, got, err, want)
		}
	}
	check("on main", Head{SHA: sha, Branch: "main"})
	git(t, dir, "pack-refs", "--all")
	git(t, dir, "gc", "-q")
	check("packed", Head{SHA: sha, Branch: "main"})
	git(t, dir, "checkout", "-q", "-b", "feature/ü")
	check("slash and umlaut", Head{SHA: sha, Branch: "feature/ü"})
	git(t, dir, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
	git(t, dir, "symbolic-ref", "HEAD", "refs/heads/alias")
	check("alias", Head{SHA: sha, Branch: "main"})
	git(t, dir, "checkout", "-q", "--detach")
	check("detached", Head{SHA: sha, Detached: true})
	git(t, dir, "checkout", "-q", "--orphan", "new")
	check("unborn", Head{Branch: "new", Unborn: true})
}

func TestBusy(t *testing.T) {
	for _, verb := range []string{"merge", "rebase", "cherry-pick", "revert"} {
		t.Run(verb, func(t *testing.T) {
			dir, r := conflicted(t, verb)
			write(t, dir, "c.txt", "c\n")
			before := state(t, r)
			h, err := r.Head()
			if err != nil || h.Busy != verb {
				t.Errorf("Head() = %+v, %v, want busy with %s", h, err, verb)
			}
			if _, err := r.Commit(t.Context(), CommitRequest{[]string{"c.txt"}, "m"}); code(err) != "merge-in-progress" {
				t.Errorf("Commit() = %v, want merge-in-progress", err)
			}
			if _, err := r.RestoreUncommitted(t.Context(), nil); code(err) != "merge-in-progress" {
				t.Errorf("RestoreUncommitted() = %v, want merge-in-progress", err)
			}
			if state(t, r) != before {
				t.Error("a refusal changed HEAD or index")
			}
		})
	}
}

// conflicted is a repository in the middle of an operation that met a conflict in a.txt.
func conflicted(t *testing.T, verb string) (string, *Repo) {
	t.Helper()
	dir, r := newRepo(t)
	git(t, dir, "checkout", "-q", "-b", "side")
	write(t, dir, "a.txt", "side\n")
	commitAll(t, dir, "side")
	git(t, dir, "checkout", "-q", "main")
	write(t, dir, "a.txt", "main\n")
	commitAll(t, dir, "main")
	write(t, dir, "a.txt", "main 2\n")
	commitAll(t, dir, "main 2")
	target := "side"
	if verb == "revert" {
		target = "HEAD~1"
	}
	if out, err := tryGit(dir, verb, target); err == nil {
		t.Fatalf("git %s met no conflict: %s", verb, out)
	}
	return dir, r
}

func TestLayouts(t *testing.T) {
	t.Run("linked work tree", func(t *testing.T) {
		dir, _ := newRepo(t)
		linked := filepath.Join(tempDir(t), "linked tree")
		git(t, dir, "worktree", "add", "-q", "-b", "linked", linked)
		r := open(t, linked)
		if r.CommonDir() != filepath.Join(dir, ".git") || r.GitDir() == r.CommonDir() {
			t.Errorf("git dir %q, common dir %q", r.GitDir(), r.CommonDir())
		}
		works(t, r)
		if git(t, dir, "status", "--porcelain") != "" {
			t.Error("the main work tree changed")
		}
	})
	t.Run("bare with work tree", func(t *testing.T) {
		dir, _ := newRepo(t)
		bare := filepath.Join(tempDir(t), "x.git")
		git(t, dir, "clone", "-q", "--bare", dir, bare)
		linked := filepath.Join(tempDir(t), "w")
		git(t, bare, "worktree", "add", "-q", linked, "main")
		works(t, open(t, linked))
	})
	t.Run("submodule", func(t *testing.T) {
		lib, _ := newRepo(t)
		dir, outer := newRepo(t)
		git(t, dir, "submodule", "add", "-q", lib, "lib")
		commitAll(t, dir, "with lib")
		inner := open(t, filepath.Join(dir, "lib"))
		git(t, inner.Root(), "checkout", "-q", "-B", "main")
		works(t, inner)
		changes, err := outer.Status(t.Context())
		if err != nil || len(changes) != 1 || changes[0].Path != "lib" {
			t.Fatalf("Status() = %+v, %v, want lib alone", changes, err)
		}
		if _, err := outer.Commit(t.Context(), CommitRequest{[]string{"lib"}, "lib moved"}); err != nil {
			t.Errorf("Commit(submodule) = %v", err)
		}
		write(t, dir, "lib/dirt", "x")
		if changes, err := outer.Status(t.Context()); err != nil || len(changes) != 0 {
			t.Errorf("Status() = %+v, %v, want nothing: dirt in a submodule is its own", changes, err)
		}
	})
	t.Run("below the root", func(t *testing.T) {
		dir, _ := newRepo(t)
		write(t, dir, "app/x", "x\n")
		commitAll(t, dir, "app")
		write(t, dir, "a.txt", "user's own\n")
		r := open(t, filepath.Join(dir, "app"))
		works(t, r)
		if got := git(t, dir, "status", "--porcelain"); got != " M a.txt" {
			t.Errorf("git status = %q", got)
		}
	})
	t.Run("sha256", func(t *testing.T) {
		dir := tempDir(t)
		if out, err := tryGit(dir, "init", "-q", "-b", "main", "--object-format=sha256"); err != nil {
			t.Skip(out)
		}
		write(t, dir, "a.txt", "a\n")
		commitAll(t, dir, "first")
		works(t, open(t, dir))
	})
	t.Run("reftable", func(t *testing.T) {
		dir := tempDir(t)
		if out, err := tryGit(dir, "init", "-q", "-b", "main", "--ref-format=reftable"); err != nil {
			t.Skip(out)
		}
		write(t, dir, "a.txt", "a\n")
		commitAll(t, dir, "first")
		works(t, open(t, dir))
	})
	t.Run("shallow", func(t *testing.T) {
		dir, _ := newRepo(t)
		write(t, dir, "a.txt", "2\n")
		commitAll(t, dir, "second")
		clone := filepath.Join(tempDir(t), "c")
		git(t, dir, "clone", "-q", "--depth=1", "file://"+filepath.ToSlash(dir), clone)
		works(t, open(t, clone))
	})
	t.Run("partial clone", func(t *testing.T) {
		dir, _ := newRepo(t)
		write(t, dir, "a.txt", "2\n")
		commitAll(t, dir, "second")
		git(t, dir, "config", "uploadpack.allowFilter", "true")
		clone := filepath.Join(tempDir(t), "c")
		git(t, dir, "clone", "-q", "--filter=blob:none", "file://"+filepath.ToSlash(dir), clone)
		git(t, clone, "config", "extensions.partialClone", "origin")
		works(t, open(t, clone))
	})
	t.Run("alternates", func(t *testing.T) {
		dir, _ := newRepo(t)
		clone := filepath.Join(tempDir(t), "c")
		git(t, dir, "clone", "-q", "--shared", dir, clone)
		again := filepath.Join(tempDir(t), "cc")
		git(t, dir, "clone", "-q", "--shared", clone, again)
		works(t, open(t, again))
	})
	t.Run("sparse", func(t *testing.T) {
		dir, _ := newRepo(t)
		write(t, dir, "in/x", "x\n")
		write(t, dir, "out/x", "x\n")
		commitAll(t, dir, "folders")
		if out, err := tryGit(dir, "sparse-checkout", "set", "--cone", "--sparse-index", "in"); err != nil {
			t.Skip(out)
		}
		r := open(t, dir)
		if r.Tracked("out/x") != true && !r.Tracked("in/x") {
			t.Error("Tracked(in/x) = false")
		}
		works(t, r)
		if git(t, dir, "ls-tree", "--name-only", "HEAD", "out/x") == "" {
			t.Error("the commit lost a file outside the sparse checkout")
		}
	})
	t.Run("split index", func(t *testing.T) {
		dir, _ := newRepo(t)
		git(t, dir, "update-index", "--split-index")
		write(t, dir, "a.txt", "changed\n")
		git(t, dir, "add", "a.txt")
		works(t, open(t, dir))
	})
	t.Run("index versions", func(t *testing.T) {
		for _, version := range []string{"2", "3", "4"} {
			dir, r := newRepo(t)
			write(t, dir, "deep/er/file", "x")
			commitAll(t, dir, "more")
			git(t, dir, "update-index", "--index-version", version)
			if !r.Tracked("deep/er/file") || !r.Tracked("a.txt") || r.Tracked("deep/er") || r.Tracked("no") {
				t.Errorf("version %s: Tracked is wrong", version)
			}
			works(t, r)
		}
	})
	t.Run("odd settings of others", func(t *testing.T) {
		dir, _ := newRepo(t)
		config := read(t, dir, ".git/config")
		write(t, dir, ".git/config", config+"[core] editor = vim\n[branch \"x\"]\n\trebase = merges\n\tmerge = not/full\n"+
			"[remote \"o\"]\n\turl = x\n\tfetch = ^refs/heads/no\n[extensions]\n\tworktreeConfig = true\n")
		works(t, open(t, dir))
	})
}

// works commits a new file and sees it in every way of reading.
func works(t *testing.T, r *Repo) {
	t.Helper()
	dir := r.project()
	write(t, dir, "new file.txt", "one\ntwo\n")
	before, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	added, err := r.AddedLines(t.Context(), before.SHA, []string{"new file.txt"})
	if err != nil || len(added) != 2 || added[1] != (AddedLine{"new file.txt", 2, "two"}) {
		t.Errorf("AddedLines() = %v, %v", added, err)
	}
	got, err := r.Commit(t.Context(), CommitRequest{[]string{"new file.txt"}, "feat: new\n\nHarness-Feature: F001\nHarness-Session: session-001\n"})
	if err != nil {
		t.Fatalf("Commit() = %v", err)
	}
	if got.SHA != git(t, dir, "rev-parse", "HEAD") || got.Subject != "feat: new" || len(got.Files) != 1 || got.Files[0] != "new file.txt" || len(got.Hooks) != 0 {
		t.Errorf("Commit() = %+v", got)
	}
	commits, err := r.Log(10)
	if err != nil || commits[0].SHA != got.SHA || commits[0].Session != "session-001" || commits[0].Features[0] != "F001" {
		t.Errorf("Log() = %+v, %v", commits, err)
	}
	if data, err := r.Show("HEAD", "new file.txt"); err != nil || string(data) != "one\ntwo\n" {
		t.Errorf("Show() = %q, %v", data, err)
	}
	if _, err := r.Show("HEAD", "never"); !errors.Is(err, ErrNotExist) {
		t.Errorf("Show(never) = %v, want ErrNotExist", err)
	}
	if sha, err := r.Resolve("HEAD~0"); err != nil || sha != got.SHA {
		t.Errorf("Resolve(HEAD~0) = %q, %v", sha, err)
	}
	if undone, err := r.Undone(t.Context(), before.SHA); err != nil || len(undone) != 1 || undone[0].SHA != got.SHA {
		t.Errorf("Undone() = %v, %v", undone, err)
	}
	if changed, err := r.Changed(t.Context(), before.SHA, got.SHA); err != nil || len(changed) != 1 || changed[0] != "new file.txt" {
		t.Errorf("Changed() = %v, %v", changed, err)
	}
	seen := 0
	err = r.Versions(t.Context(), []string{"new file.txt"}, "", func(v Version) error {
		seen++
		if v.Commit.SHA != got.SHA || string(v.Data) != "one\ntwo\n" {
			t.Errorf("Versions: %+v", v)
		}
		return nil
	})
	if err != nil || seen != 1 {
		t.Errorf("Versions() = %v, %d seen", err, seen)
	}
	if !r.Tracked("new file.txt") {
		t.Error("Tracked(new file.txt) = false")
	}
	ref, err := r.Backup(t.Context(), "one")
	if err != nil || git(t, dir, "rev-parse", "--verify", ref) == "" {
		t.Errorf("Backup() = %q, %v", ref, err)
	}
	if out, err := tryGit(r.Root(), "fsck", "--strict"); err != nil {
		t.Errorf("git fsck: %s", out)
	}
}

func TestResolve(t *testing.T) {
	dir, r := newRepo(t)
	sha := git(t, dir, "rev-parse", "HEAD")
	git(t, dir, "tag", "-a", "-m", "x", "v1")
	native := open(t, dir)
	native.git = nil
	for _, rev := range []string{"HEAD", "main", "v1", sha, sha[:8]} {
		for _, repo := range []*Repo{r, native} {
			if got, err := repo.Resolve(rev); err != nil || got != sha {
				t.Errorf("Resolve(%q) = %q, %v, want %q", rev, got, err, sha)
			}
		}
	}
	tree := git(t, dir, "rev-parse", "HEAD^{tree}")
	for _, rev := range []string{"", "-x", "--all", "nope", "HEAD..main", "HEAD~5", strings.Repeat("0", 40), tree, "HEAD:a.txt", "a\nb", "\x00", "^", "@{", "HEAD^{/", ":"} {
		for _, repo := range []*Repo{r, native} {
			if got, err := repo.Resolve(rev); code(err) != "bad-argument" {
				t.Errorf("Resolve(%q) = %q, %v, want bad-argument", rev, got, err)
			}
		}
	}
}

func TestShowFollowsLinks(t *testing.T) {
	dir, r := newRepo(t)
	if err := os.Symlink("../a.txt", filepath.Join(dir, "b.txt.tmp")); err != nil {
		t.Skip(err)
	}
	os.Remove(filepath.Join(dir, "b.txt.tmp"))
	os.Mkdir(filepath.Join(dir, "d"), 0o755)
	os.Symlink("../a.txt", filepath.Join(dir, "d", "in"))
	os.Symlink("../../etc/passwd", filepath.Join(dir, "d", "out"))
	os.Symlink("loop", filepath.Join(dir, "loop"))
	commitAll(t, dir, "links")
	if data, err := r.Show("HEAD", "d/in"); err != nil || string(data) != "a\n" {
		t.Errorf("Show(link) = %q, %v", data, err)
	}
	for _, name := range []string{"d/out", "loop", "d"} {
		if _, err := r.Show("HEAD", name); !errors.Is(err, ErrNotExist) {
			t.Errorf("Show(%s) = %v, want ErrNotExist", name, err)
		}
	}
	for _, name := range []string{"../a.txt", "/etc/passwd", "", ".git/config", "a//b", "./a.txt"} {
		if _, err := r.Show("HEAD", name); code(err) != "bad-argument" {
			t.Errorf("Show(%q) = %v, want bad-argument", name, err)
		}
	}
}

func TestForeignOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to give a repository away")
	}
	dir, r := newRepo(t)
	write(t, dir, "c", "c")
	for _, file := range []string{dir, filepath.Join(dir, ".git")} {
		if err := os.Chown(file, 12345, 12345); err != nil {
			t.Skip(err)
		}
	}
	if _, err := r.Status(t.Context()); code(err) != "unsafe-project" || !strings.Contains(err.(*Error).Next, "safe.directory") {
		t.Errorf("Status() = %v, want unsafe-project", err)
	}
	native := open(t, dir)
	native.git = nil
	for _, repo := range []*Repo{r, native} {
		if _, err := repo.Commit(t.Context(), CommitRequest{[]string{"c"}, "m"}); code(err) != "unsafe-project" {
			t.Errorf("Commit() = %v, want unsafe-project", err)
		}
	}
}

func TestInit(t *testing.T) {
	for name, p := range map[string]*program{"git": installed(), "without git": nil} {
		t.Run(name, func(t *testing.T) {
			dir := tempDir(t)
			r, err := initWith(t.Context(), dir, p)
			if err != nil {
				t.Fatal(err)
			}
			r.git = p
			write(t, dir, "x", "x\n")
			if _, err := r.Commit(t.Context(), CommitRequest{[]string{"x"}, "first"}); err != nil {
				t.Fatal(err)
			}
			if got := git(t, dir, "status", "--porcelain", "-b"); got != "## main" {
				t.Errorf("git status = %q", got)
			}
			healthy(t, dir)
		})
	}
	t.Run("inside a repository", func(t *testing.T) {
		dir, _ := newRepo(t)
		sub := filepath.Join(dir, "sub")
		os.Mkdir(sub, 0o755)
		if r, err := Init(context.Background(), sub); err != nil || r.Root() != dir {
			t.Errorf("Init() = %v, %v, want the repository around it", r, err)
		}
	})
}

func TestEnvironment(t *testing.T) {
	got := environment([]string{"PATH=/bin", "GIT_DIR=x", "GIT_INDEX_FILE=y", "GIT_AUTHOR_NAME=me", "LC_ALL=de_DE.UTF-8", "LANGUAGE=de", "GIT_LITERAL_PATHSPECS=1", "GIT_TRACE=1"})
	text := strings.Join(got, " ")
	for _, want := range []string{"PATH=/bin", "GIT_AUTHOR_NAME=me", "LC_CTYPE=de_DE.UTF-8", "LC_MESSAGES=C"} {
		if !strings.Contains(text, want) {
			t.Errorf("environment() lacks %s: %s", want, text)
		}
	}
	for _, not := range []string{"GIT_DIR", "GIT_INDEX_FILE", "LC_ALL", "LANGUAGE", "GIT_LITERAL", "GIT_TRACE"} {
		if strings.Contains(text, not+"=") {
			t.Errorf("environment() keeps %s: %s", not, text)
		}
	}
}

func TestTailWriter(t *testing.T) {
	w := &tailWriter{max: 10}
	for range 100 {
		w.Write([]byte("0123456789ab"))
	}
	if got := w.String(); got != "23456789ab" {
		t.Errorf("String() = %q", got)
	}
	if !bytes.Equal([]byte(w.String()), []byte("23456789ab")) || len(w.data) > 40 {
		t.Errorf("%d bytes are kept", len(w.data))
	}
}
