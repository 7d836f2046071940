package history

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestRandomTrees changes, stages, renames and deletes files of odd names at random, and holds what the two ways of writing say
// and do against the git program: the same status before; after a commit of some paths, HEAD has those as they are on disk and
// nothing else new, what else was staged is staged as it was, and no file on disk is another. LONGHAUL_TREES says how many.
func TestRandomTrees(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names and links that Windows does not have")
	}
	trees := 6
	if wish, err := strconv.Atoi(os.Getenv("LONGHAUL_TREES")); err == nil && wish > 0 {
		trees = wish
	}
	for name, p := range map[string]*program{"git": installed(), "without git": nil} {
		t.Run(name, func(t *testing.T) {
			committed := 0
			for range trees {
				seed := uint64(time.Now().UnixNano())
				tree := newRandomTree(t, seed)
				tree.r.git = p
				for round := range 3 {
					for range 1 + tree.chance.IntN(12) {
						tree.change()
					}
					tree.sameStatus()
					if tree.commit(fmt.Sprint("round ", round)) {
						committed++
					}
					tree.sameStatus()
					if t.Failed() {
						t.Fatalf("seed %d, round %d:\n%s", seed, round, strings.Join(tree.did, "\n"))
					}
				}
			}
			if committed < trees {
				t.Errorf("only %d commits were made", committed)
			}
		})
	}
}

type randomTree struct {
	*testing.T
	dir    string
	r      *Repo
	chance *rand.Rand
	did    []string
}

var oddNames = []string{"a.txt", "b.txt", "two words", "ü/ñ.txt", "d/e/f", "d/g", "new\nline", "tab\tin it", `quo"te`, "-n", "*.txt", "[a].txt", ":(top)x", "back\\slash", "x.ignored", "e\u0301", " ", "d.txt", "A.TXT"}

func newRandomTree(t *testing.T, seed uint64) *randomTree {
	t.Helper()
	dir, r := newRepo(t)
	write(t, dir, ".gitignore", "*.ignored\n")
	for _, name := range oddNames[2:8] {
		write(t, dir, name, name+"\n")
	}
	commitAll(t, dir, "odd names")
	return &randomTree{T: t, dir: dir, r: r, chance: rand.New(rand.NewPCG(seed, 1))}
}

func (x *randomTree) name() string { return oddNames[x.chance.IntN(len(oddNames))] }

// change does one thing that a person might do; what git refuses was not done.
func (x *randomTree) change() {
	x.Helper()
	name := x.name()
	file := filepath.Join(x.dir, name)
	git := func(args ...string) {
		x.did = append(x.did, fmt.Sprintf("git %q", args))
		_, _ = tryGit(x.dir, append([]string{"--literal-pathspecs"}, args...)...)
	}
	note := func(what string) { x.did = append(x.did, fmt.Sprintf("%s %q", what, name)) }
	switch x.chance.IntN(12) {
	case 0, 1, 2:
		note("write")
		if os.MkdirAll(filepath.Dir(file), 0o755) == nil {
			_ = os.WriteFile(file, []byte(fmt.Sprintln("text", x.chance.IntN(1000))), 0o644)
		}
	case 3:
		note("delete")
		_ = os.Remove(file)
	case 4:
		to := x.name()
		note("rename to " + to)
		if os.MkdirAll(filepath.Dir(filepath.Join(x.dir, to)), 0o755) == nil {
			_ = os.Rename(file, filepath.Join(x.dir, to))
		}
	case 5:
		note("chmod")
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
			_ = os.Chmod(file, info.Mode().Perm()^0o111)
		}
	case 6:
		note("link")
		if os.Remove(file) == nil {
			_ = os.Symlink("a.txt", file)
		}
	case 7:
		note("folder in place of")
		if os.RemoveAll(file) == nil {
			_ = os.MkdirAll(filepath.Dir(file), 0o755)
			_ = os.Mkdir(file, 0o755)
			_ = os.WriteFile(filepath.Join(file, "in it"), []byte("x\n"), 0o644)
		}
	case 8, 9:
		git("add", "--", name)
	case 10:
		git("rm", "-q", "--cached", "--", name)
	case 11:
		git("add", "-N", "--", name)
	}
}

// sameStatus holds Status against git status.
func (x *randomTree) sameStatus() {
	x.Helper()
	changes, err := x.r.Status(x.Context())
	if err != nil {
		x.Fatalf("Status() = %v", err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, fmt.Sprintf("%q staged %v unstaged %v untracked %v deleted %v", c.Path, c.Staged, c.Unstaged, c.Untracked, c.Deleted))
	}
	type one struct{ staged, unstaged, untracked, deleted bool }
	want := map[string]one{}
	for record := range strings.SplitSeq(x.git("status", "--porcelain", "-z", "-uall", "--no-renames"), "\x00") {
		if record == "" {
			continue
		}
		code, name := record[:2], record[3:]
		o, twice := want[name]
		before := o.deleted
		o.untracked = o.untracked || code == "??"
		o.staged = o.staged || code != "??" && code[0] != ' '
		o.unstaged = o.unstaged || code != "??" && code[1] != ' '
		o.deleted = code[1] == 'D' || code[0] == 'D' && code[1] == ' '
		if twice {
			o.deleted = o.deleted && before
		}
		want[name] = o
	}
	var wanted []string
	for name, o := range want {
		wanted = append(wanted, fmt.Sprintf("%q staged %v unstaged %v untracked %v deleted %v", name, o.staged, o.unstaged, o.untracked, o.deleted))
	}
	slices.Sort(got)
	slices.Sort(wanted)
	if !slices.Equal(got, wanted) {
		x.Errorf("Status() says\n%s\ngit says\n%s", strings.Join(got, "\n"), strings.Join(wanted, "\n"))
	}
}

func (x *randomTree) git(args ...string) string {
	x.Helper()
	command := exec.Command("git", args...)
	command.Dir, command.Env = x.dir, append(environment(os.Environ()), "LC_ALL=C")
	out, err := command.Output()
	if err != nil {
		x.Fatalf("git %q: %v", args, err)
	}
	return string(out)
}

// entries are the records of ls-tree or ls-files -s by path.
func entries(out string) map[string]string {
	found := map[string]string{}
	for record := range strings.SplitSeq(out, "\x00") {
		if what, name, ok := strings.Cut(record, "\t"); ok {
			found[name] = what
		}
	}
	return found
}

// commit commits some of what differs and holds the outcome against git; false when it was refused, with nothing changed.
func (x *randomTree) commit(message string) bool {
	x.Helper()
	changes, err := x.r.Status(x.Context())
	if err != nil {
		x.Fatal(err)
	}
	var paths []string
	for _, c := range changes {
		if x.chance.IntN(2) == 0 {
			paths = append(paths, c.Path)
		}
	}
	if len(paths) == 0 {
		return false
	}
	x.did = append(x.did, fmt.Sprintf("commit %q", paths))
	head, disk := x.git("rev-parse", "HEAD"), x.files()
	index, tree := entries(x.git("ls-files", "-s", "-z")), entries(x.git("ls-tree", "-r", "-z", "HEAD"))
	_, err = x.r.Commit(x.Context(), CommitRequest{Paths: paths, Message: message})
	nowIndex, nowTree := entries(x.git("ls-files", "-s", "-z")), entries(x.git("ls-tree", "-r", "-z", "HEAD"))
	if after := x.files(); after != disk {
		x.Errorf("a file on disk is another:\n%s\nwas\n%s", after, disk)
	}
	healthy(x.T, x.dir)
	if err != nil {
		if code(err) == "" {
			x.Errorf("Commit() = %v", err)
		}
		if x.git("rev-parse", "HEAD") != head || fmt.Sprint(nowIndex) != fmt.Sprint(index) {
			x.Errorf("Commit() = %v, and HEAD or index is another:\n%v\nwas\n%v", err, nowIndex, index)
		}
		x.did = append(x.did, fmt.Sprintf("  refused: %v", err))
		return false
	}
	if x.git("rev-parse", "HEAD^") != head {
		x.Error("the commit is no child of what was HEAD")
	}
	for _, name := range unionOf(index, nowIndex, tree, nowTree) {
		if slices.Contains(paths, name) {
			if want := x.onDisk(name); nowTree[name] != want {
				x.Errorf("HEAD has %q for %q, on disk is %q", nowTree[name], name, want)
			}
			continue
		}
		if slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(p, name+"/") || strings.HasPrefix(name, p+"/") }) {
			continue // one can't be there beside the other
		}
		if nowTree[name] != tree[name] {
			x.Errorf("HEAD has %q for %q, which was not to be committed and was %q", nowTree[name], name, tree[name])
		}
		if nowIndex[name] != index[name] {
			x.Errorf("the index has %q for %q, which was not to be committed and was %q", nowIndex[name], name, index[name])
		}
	}
	return true
}

// files tells every file on disk.
func (x *randomTree) files() string {
	x.Helper()
	var b strings.Builder
	err := filepath.WalkDir(x.dir, func(file string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil || d.IsDir() {
			return err
		}
		text, to := "", ""
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			text = string(data)
		} else if to, err = os.Readlink(file); err != nil {
			return err
		}
		fmt.Fprintf(&b, "%q %v %q %q\n", file, info.Mode(), text, to)
		return nil
	})
	if err != nil {
		x.Fatal(err)
	}
	return b.String()
}

func unionOf(all ...map[string]string) (names []string) {
	for _, m := range all {
		for name := range m {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// onDisk is the record of ls-tree that a file would have, "" when none is there.
func (x *randomTree) onDisk(name string) string {
	x.Helper()
	file := filepath.Join(x.dir, name)
	info, err := os.Lstat(file)
	switch {
	case err != nil || info.IsDir():
		return ""
	case info.Mode()&os.ModeSymlink != 0:
		to, _ := os.Readlink(file)
		command := exec.Command("git", "hash-object", "--stdin")
		command.Dir, command.Stdin = x.dir, strings.NewReader(to)
		out, err := command.Output()
		if err != nil {
			x.Fatal(err)
		}
		return "120000 blob " + strings.TrimSpace(string(out))
	}
	mode := "100644 blob "
	if info.Mode().Perm()&0o100 != 0 {
		mode = "100755 blob "
	}
	return mode + strings.TrimSpace(x.git("hash-object", "--", name))
}
