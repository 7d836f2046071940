package history

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCommitTakesOnlyWhatIsNamed(t *testing.T) {
	dir, r := newRepo(t)
	write(t, dir, "gone.txt", "g\n")
	write(t, dir, "user.txt", "u\n")
	commitAll(t, dir, "more")
	write(t, dir, "user.txt", "staged by the user\n")
	write(t, dir, "user-new.txt", "new, staged by the user\n")
	git(t, dir, "add", "user.txt", "user-new.txt")
	write(t, dir, "user.txt", "staged by the user\nand half done\n")
	git(t, dir, "rm", "-q", "--cached", "b.txt")
	write(t, dir, "untracked.txt", "x\n")
	write(t, dir, "intent.txt", "i\n")
	git(t, dir, "add", "-N", "intent.txt")

	write(t, dir, "a.txt", "a\nmore\n")
	write(t, dir, "new.txt", "n\n")
	os.Remove(filepath.Join(dir, "gone.txt"))
	got, err := r.Commit(t.Context(), CommitRequest{[]string{"new.txt", "a.txt", "gone.txt", "a.txt"}, "feat: x (F001)\n\nHarness-Feature: F001\n"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a.txt", "gone.txt", "new.txt"}; !slices.Equal(got.Files, want) {
		t.Errorf("Files = %v, want %v", got.Files, want)
	}
	if want := "A\tnew.txt"; !strings.Contains(git(t, dir, "show", "--name-status", "--format=", "HEAD"), want) {
		t.Errorf("git show lacks %q", want)
	}
	want := strings.Join([]string{"D  b.txt", " A intent.txt", "A  user-new.txt", "MM user.txt", "?? b.txt", "?? untracked.txt"}, "\n")
	if got := git(t, dir, "status", "--porcelain"); got != want {
		t.Errorf("git status = \n%s\nwant\n%s", got, want)
	}
	if got := git(t, dir, "show", ":user.txt"); got != "staged by the user" {
		t.Errorf("the user's staged text is %q", got)
	}
	if got := git(t, dir, "log", "-1", "--format=%s|%(trailers:key=Harness-Feature,valueonly)%an"); got != "feat: x (F001)|F001\nTest Ümläut" {
		t.Errorf("git log = %q", got)
	}
	healthy(t, dir)

	if _, err := r.Commit(t.Context(), CommitRequest{[]string{"b.txt", "intent.txt"}, "take back what was unstaged"}); code(err) != "nothing-to-commit" && err != nil {
		t.Errorf("Commit(b.txt, intent.txt) = %v", err)
	}
	if got := git(t, dir, "status", "--porcelain", "b.txt", "intent.txt"); got != "" {
		t.Errorf("git status = %q, want both committed", got)
	}
}

func TestCommitNames(t *testing.T) {
	names := []string{"a b.txt", "ü.txt", "-n", "--all", ":(top)x", ":!x", "*.txt", "[id].ts", "#hash", "quote\"s", "dir/ä ö/日本.md", "@x", "~x", "HEAD"}
	if runtime.GOOS == "linux" {
		names = append(names, "new\nline", "tab\there", "back\\slash", "trailing ", "\xff\xfe", "aux", "a:b", "\x7f")
	}
	for _, native := range []bool{false, true} {
		dir, r := newRepo(t)
		if native {
			r.git = nil
		}
		write(t, dir, "x", "not named\n")
		write(t, dir, "other.txt", "not named\n")
		for _, name := range names {
			write(t, dir, name, name+"\n")
		}
		got, err := r.Commit(t.Context(), CommitRequest{names, "names"})
		if err != nil {
			t.Fatal(err)
		}
		if want := sorted(slices.Clone(names)); !slices.Equal(got.Files, want) {
			t.Errorf("Files = %q, want %q", got.Files, want)
		}
		if got := git(t, dir, "status", "--porcelain"); got != "?? other.txt\n?? x" {
			t.Errorf("git status = %q", got)
		}
		for _, name := range names {
			if data, err := r.Show("HEAD", name); err != nil || string(data) != name+"\n" {
				t.Errorf("Show(%q) = %q, %v", name, data, err)
			}
			if !r.Tracked(name) {
				t.Errorf("Tracked(%q) = false", name)
			}
			os.Remove(filepath.Join(dir, name))
		}
		if _, err := r.Commit(t.Context(), CommitRequest{names, "gone"}); err != nil {
			t.Errorf("Commit(deleted) = %v", err)
		}
		if got := git(t, dir, "status", "--porcelain"); got != "?? other.txt\n?? x" {
			t.Errorf("after the deletion git status = %q", got)
		}
		healthy(t, dir)
	}
}

func TestCommitMessages(t *testing.T) {
	for _, native := range []bool{false, true} {
		dir, r := newRepo(t)
		if native {
			r.git = nil
		}
		for _, c := range []struct{ message, want string }{
			{"#12 fixes it\n\n# not a comment\n", "#12 fixes it\n\n# not a comment\n"},
			{"\n\n  ü\t\n\n\n\nbody  \n# x\n\n", "  ü\n\nbody\n# x\n"},
			{"# ------------------------ >8 ------------------------\n\nkept\n", "# ------------------------ >8 ------------------------\n\nkept\n"},
			{"-m x", "-m x\n"},
		} {
			write(t, dir, "a.txt", c.message)
			if _, err := r.Commit(t.Context(), CommitRequest{[]string{"a.txt"}, c.message}); err != nil {
				t.Fatal(err)
			}
			if got := git(t, dir, "log", "-1", "--format=%B"); strings.TrimRight(got, "\n")+"\n" != c.want {
				t.Errorf("message %q became %q, want %q", c.message, got, c.want)
			}
		}
		write(t, dir, "a.txt", "last")
		if _, err := r.Commit(t.Context(), CommitRequest{[]string{"a.txt"}, " \n"}); code(err) != "bad-argument" {
			t.Errorf("Commit(empty message) = %v, want bad-argument", err)
		}
	}
}

func TestFirstCommit(t *testing.T) {
	for _, native := range []bool{false, true} {
		dir := tempDir(t)
		git(t, dir, "init", "-q", "-b", "main")
		r := open(t, dir)
		if native {
			r.git = nil
		}
		write(t, dir, "a", "a\n")
		write(t, dir, "staged", "s\n")
		if !native {
			git(t, dir, "add", "staged")
		}
		if commits, err := r.Log(5); err != nil || len(commits) != 0 {
			t.Errorf("Log() = %v, %v", commits, err)
		}
		if _, err := r.Show("HEAD", "a"); !errors.Is(err, ErrNotExist) {
			t.Errorf("Show() = %v, want ErrNotExist", err)
		}
		got, err := r.Commit(t.Context(), CommitRequest{[]string{"a"}, "first"})
		if err != nil || !slices.Equal(got.Files, []string{"a"}) {
			t.Fatalf("Commit() = %+v, %v", got, err)
		}
		want := "A  staged"
		if native {
			want = "?? staged"
		}
		if got := git(t, dir, "status", "--porcelain"); got != want {
			t.Errorf("git status = %q, want %q", got, want)
		}
		healthy(t, dir)
	}
}

// Every refusal leaves HEAD, refs and the bytes of the index alone.
func TestCommitRefusals(t *testing.T) {
	all := []string{"a.txt", "new.txt"}
	cases := []struct {
		name  string
		paths []string
		want  string
		says  string
		set   func(t *testing.T, dir string)
	}{
		{"pre-commit hook", all, "hook-failed", "lint: bad ü", func(t *testing.T, dir string) {
			hook(t, dir+"/.git/hooks", "pre-commit", "echo 'lint: bad ü' >&2; exit 1")
		}},
		{"commit-msg hook on standard output", all, "hook-failed", "say why", func(t *testing.T, dir string) {
			hook(t, dir+"/.git/hooks", "commit-msg", "echo 'say why'; exit 7")
		}},
		{"hook that says nothing", all, "hook-failed", "prepare-commit-msg", func(t *testing.T, dir string) {
			hook(t, dir+"/.git/hooks", "prepare-commit-msg", "exit 1")
		}},
		{"hook that talks like git", all, "hook-failed", "nothing to commit", func(t *testing.T, dir string) {
			hook(t, dir+"/.git/hooks", "pre-commit", "echo \"fatal: Unable to create '.git/index.lock': File exists. nothing to commit\" >&2; exit 1")
		}},
		{"husky", all, "hook-failed", "husky says no", func(t *testing.T, dir string) {
			git(t, dir, "config", "core.hooksPath", ".husky")
			hook(t, dir+"/.husky", "pre-commit", "echo 'husky says no'; exit 1")
		}},
		{"hook that stages and refuses", all, "hook-failed", "", func(t *testing.T, dir string) {
			hook(t, dir+"/.git/hooks", "pre-commit", "echo x > hooked; git add hooked a.txt; exit 1")
		}},
		{"gpg", all, "signing-failed", "", func(t *testing.T, dir string) {
			git(t, dir, "config", "commit.gpgsign", "true")
			git(t, dir, "config", "user.signingkey", "0000000000000000")
		}},
		{"ssh", all, "signing-failed", "", func(t *testing.T, dir string) {
			git(t, dir, "config", "commit.gpgsign", "true")
			git(t, dir, "config", "gpg.format", "ssh")
			git(t, dir, "config", "user.signingkey", "/no/such/key")
		}},
		{"signing program that is not there", all, "signing-failed", "", func(t *testing.T, dir string) {
			git(t, dir, "config", "commit.gpgsign", "true")
			git(t, dir, "config", "gpg.program", "/no/such/gpg")
		}},
		{"no identity", all, "no-identity", "user.name", func(t *testing.T, dir string) {
			t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
		}},
		{"no mail", all, "no-identity", "", func(t *testing.T, dir string) {
			t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			git(t, dir, "config", "user.name", "x")
		}},
		{"index.lock", all, "index-locked", "index.lock", func(t *testing.T, dir string) { write(t, dir, ".git/index.lock", "") }},
		{"index.lock, tracked file", []string{"a.txt"}, "index-locked", "index.lock", func(t *testing.T, dir string) { write(t, dir, ".git/index.lock", "") }},
		{"branch lock", all, "index-locked", "", func(t *testing.T, dir string) { write(t, dir, ".git/refs/heads/main.lock", "") }},
		{"detached", all, "detached-head", "", func(t *testing.T, dir string) { git(t, dir, "checkout", "-q", "--detach") }},
		{"nothing changed", []string{"b.txt"}, "nothing-to-commit", "", func(t *testing.T, dir string) {}},
		{"nothing changed, hook passes", []string{"b.txt"}, "nothing-to-commit", "", func(t *testing.T, dir string) {
			hook(t, dir+"/.git/hooks", "pre-commit", "echo fine")
		}},
		{"touched only", []string{"b.txt"}, "nothing-to-commit", "", func(t *testing.T, dir string) {
			old := time.Now().Add(-time.Hour)
			os.Chtimes(filepath.Join(dir, "b.txt"), old, old)
		}},
		{"no paths", nil, "nothing-to-commit", "", func(t *testing.T, dir string) {}},
		{"ignored", []string{"a.txt", "x.log"}, "ignored-file", "x.log", func(t *testing.T, dir string) {
			write(t, dir, ".git/info/exclude", "*.log\n")
			write(t, dir, "x.log", "x")
		}},
		{"names that are none", []string{"a.txt", "no.txt", "a.py - expanded", "../x", "/etc/passwd", ".git/config", "sub"}, "bad-argument", `"a.py - expanded"`, func(t *testing.T, dir string) {
			write(t, dir, "sub/x", "x")
		}},
		{"unmerged index without a merge", []string{"a.txt", "b.txt"}, "merge-in-progress", "", func(t *testing.T, dir string) {
			write(t, dir, "b.txt", "stashed\n")
			git(t, dir, "stash", "-q", "--", "b.txt")
			write(t, dir, "b.txt", "committed\n")
			git(t, dir, "commit", "-q", "-m", "x", "b.txt")
			if _, err := tryGit(dir, "stash", "pop"); err == nil {
				t.Fatal("no conflict")
			}
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			refuses(t, c.paths, c.want, c.says, c.set)
		})
	}
}

func refuses(t *testing.T, paths []string, want, says string, set func(*testing.T, string)) {
	t.Helper()
	dir, r := newRepo(t)
	write(t, dir, "b.txt", "b\nstaged\n")
	git(t, dir, "add", "b.txt")
	git(t, dir, "commit", "-q", "-m", "b")
	write(t, dir, "a.txt", "changed\n")
	write(t, dir, "new.txt", "new\n")
	write(t, dir, "mine.txt", "the user's\n")
	git(t, dir, "add", "mine.txt")
	set(t, dir)
	lock := exists(dir, ".git/index.lock")
	before := state(t, r)
	info, _ := os.Stat(r.indexFile())
	_, err := r.Commit(t.Context(), CommitRequest{paths, "message"})
	if code(err) != want || !strings.Contains(err.Error(), says) {
		t.Errorf("Commit() = %v (%s), want %s saying %q", err, code(err), want, says)
	}
	if state(t, r) != before {
		t.Errorf("HEAD, refs or index changed\n%s", git(t, dir, "status", "--porcelain"))
	}
	if now, _ := os.Stat(r.indexFile()); !now.ModTime().Equal(info.ModTime()) {
		t.Error("the time of the index changed")
	}
	if exists(dir, ".git/index.lock") != lock {
		t.Error("index.lock came or went")
	}
}

func TestHooksAreHonoured(t *testing.T) {
	dir, r := newRepo(t)
	hooks := dir + "/.git/hooks"
	hook(t, hooks, "pre-commit", "printf 'formatted\\n' > a.txt; git add a.txt; echo log > hook.log; git add hook.log; echo 'ran ü'\n"+
		"test -n \"$(git diff --cached --name-only -- '*.txt')\" || { echo 'patterns do not work'; exit 1; }")
	hook(t, hooks, "commit-msg", "printf '\\nChange-Id: I123\\n' >> \"$1\"")
	hook(t, hooks, "post-commit", "exit 3")
	write(t, dir, "a.txt", "unformatted\n")
	got, err := r.Commit(t.Context(), CommitRequest{[]string{"a.txt"}, "feat: x\n\nHarness-Feature: F009\nHarness-Session: session-002"})
	if err != nil {
		t.Fatal(err)
	}
	if text := git(t, dir, "show", "HEAD:a.txt"); text != "formatted" {
		t.Errorf("committed text is %q", text)
	}
	for _, want := range []string{"added to the commit: hook.log", "changed on disk: a.txt", "post-commit failed after the commit was made", "said: ran ü"} {
		if !slices.Contains(got.Hooks, want) {
			t.Errorf("Hooks = %q, lacks %q", got.Hooks, want)
		}
	}
	commits, err := r.Log(1)
	if err != nil || !slices.Equal(commits[0].Features, []string{"F009"}) || commits[0].Session != "session-002" {
		t.Errorf("Log() = %+v, %v: trailers are lost behind the hook's", commits, err)
	}
	if got := git(t, dir, "status", "--porcelain"); got != "" {
		t.Errorf("git status = %q", got)
	}
}

func TestHookLeavesProcess(t *testing.T) {
	dir, r := newRepo(t)
	hook(t, dir+"/.git/hooks", "pre-commit", "sleep 30 &\necho $! > "+filepath.Join(dir, ".git", "pid"))
	write(t, dir, "a.txt", "x\n")
	if _, err := r.Commit(t.Context(), CommitRequest{[]string{"a.txt"}, "m"}); err != nil {
		t.Errorf("Commit() = %v", err)
	}
	tryGit(dir, "-c", "alias.k=!kill $(cat .git/pid)", "k")
}

func TestCancel(t *testing.T) {
	dir, r := newRepo(t)
	started := filepath.Join(dir, ".git", "started")
	hook(t, dir+"/.git/hooks", "pre-commit", "touch "+started+"; sleep 60")
	write(t, dir, "a.txt", "x\n")
	write(t, dir, "new.txt", "x\n")
	before := state(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for !exists(dir, ".git/started") {
			runtime.Gosched()
		}
		cancel()
	}()
	if _, err := r.Commit(ctx, CommitRequest{[]string{"a.txt", "new.txt"}, "m"}); !errors.Is(err, context.Canceled) {
		t.Errorf("Commit() = %v, want canceled", err)
	}
	if state(t, r) != before || exists(dir, ".git/index.lock") {
		t.Error("a cancelled commit left something")
	}
}

func TestLockThatIsReleased(t *testing.T) {
	dir, r := newRepo(t)
	write(t, dir, "a.txt", "x\n")
	write(t, dir, ".git/index.lock", "")
	go func() {
		time.Sleep(200 * time.Millisecond)
		os.Remove(filepath.Join(dir, ".git", "index.lock"))
	}()
	if _, err := r.Commit(t.Context(), CommitRequest{[]string{"a.txt"}, "m"}); err != nil {
		t.Errorf("Commit() = %v, want it to wait for the lock", err)
	}
}

func TestIdentity(t *testing.T) {
	t.Run("environment", func(t *testing.T) {
		t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
		for _, who := range []string{"AUTHOR", "COMMITTER"} {
			t.Setenv("GIT_"+who+"_NAME", "env")
			t.Setenv("GIT_"+who+"_EMAIL", "env@x")
		}
		commitsAs(t, "env", func(string) {})
	})
	t.Run("includeIf", func(t *testing.T) {
		home := tempDir(t)
		write(t, home, "work", "[user]\n\tname = At Work\n\temail = w@x\n")
		write(t, home, "config", "[includeIf \"gitdir:/**\"]\n\tpath = "+filepath.ToSlash(home)+"/work\n")
		t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "config"))
		commitsAs(t, "At Work", func(string) {})
	})
	t.Run("repository", func(t *testing.T) {
		commitsAs(t, "Local", func(dir string) { git(t, dir, "config", "user.name", "Local") })
	})
}

func commitsAs(t *testing.T, want string, set func(dir string)) {
	t.Helper()
	dir, r := newRepo(t)
	set(dir)
	write(t, dir, "a.txt", "x\n")
	if _, err := r.Commit(t.Context(), CommitRequest{[]string{"a.txt"}, "m"}); err != nil {
		t.Fatal(err)
	}
	if got := git(t, dir, "log", "-1", "--format=%an"); got != want {
		t.Errorf("author = %q, want %q", got, want)
	}
	if commits, err := r.Log(1); err != nil || commits[0].Author != want {
		t.Errorf("Log() = %+v, %v", commits, err)
	}
}

func TestFiltersAndLineEnds(t *testing.T) {
	dir, r := newRepo(t)
	git(t, dir, "config", "core.autocrlf", "true")
	git(t, dir, "config", "filter.scrub.clean", "sed s/SECRET/xxx/")
	git(t, dir, "config", "filter.scrub.smudge", "cat")
	write(t, dir, ".gitattributes", "*.env filter=scrub\n")
	write(t, dir, "crlf.txt", "one\r\ntwo\r\n")
	write(t, dir, "x.env", "k=SECRET\n")
	got, err := r.Commit(t.Context(), CommitRequest{[]string{".gitattributes", "crlf.txt", "x.env"}, "m"})
	if err != nil || len(got.Hooks) != 0 {
		t.Fatalf("Commit() = %+v, %v: git's remarks are no hook's", got, err)
	}
	for name, want := range map[string]string{"crlf.txt": "one\ntwo\n", "x.env": "k=xxx\n"} {
		if data, err := r.Show("HEAD", name); err != nil || string(data) != want {
			t.Errorf("Show(%s) = %q, %v, want %q", name, data, err, want)
		}
	}
	old := time.Now().Add(-time.Hour)
	os.Chtimes(filepath.Join(dir, "crlf.txt"), old, old)
	if changes, err := r.Status(t.Context()); err != nil || len(changes) != 0 {
		t.Errorf("Status() = %+v, %v, want clean", changes, err)
	}
	if _, err := r.Commit(t.Context(), CommitRequest{[]string{"crlf.txt"}, "m"}); code(err) != "nothing-to-commit" {
		t.Errorf("Commit(clean CRLF file) = %v", err)
	}
}

func TestLinksModesAndTypes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs links and modes")
	}
	for _, native := range []bool{false, true} {
		dir, r := newRepo(t)
		if native {
			r.git = nil
		}
		write(t, dir, "d/x", "x\n")
		write(t, dir, "f", "f\n")
		commitAll(t, dir, "more")
		os.Symlink("a.txt", filepath.Join(dir, "link"))
		os.Chmod(filepath.Join(dir, "b.txt"), 0o755)
		os.Remove(filepath.Join(dir, "a.txt"))
		os.Symlink("nowhere", filepath.Join(dir, "a.txt"))
		os.RemoveAll(filepath.Join(dir, "d"))
		write(t, dir, "d", "now a file\n")
		os.Remove(filepath.Join(dir, "f"))
		write(t, dir, "f/in", "now a folder\n")
		paths := []string{"link", "b.txt", "a.txt", "d", "d/x", "f", "f/in"}
		changes, err := r.Status(t.Context())
		if err != nil || len(changes) != len(paths) {
			t.Errorf("Status() = %+v, %v", changes, err)
		}
		if _, err := r.Commit(t.Context(), CommitRequest{[]string{"f"}, "m"}); code(err) != "bad-argument" {
			t.Errorf("Commit(f without its files) = %v, want bad-argument", err)
		}
		if _, err := r.Commit(t.Context(), CommitRequest{paths, "types"}); err != nil {
			t.Fatal(err)
		}
		if got := git(t, dir, "status", "--porcelain"); got != "" {
			t.Errorf("git status = %q", got)
		}
		tree := git(t, dir, "ls-tree", "-r", "--format=%(objectmode) %(path)", "HEAD")
		if want := "120000 a.txt\n100755 b.txt\n100644 d\n100644 f/in\n120000 link"; tree != want {
			t.Errorf("tree = %q, want %q", tree, want)
		}
		healthy(t, dir)
	}
}
