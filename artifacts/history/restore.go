package history

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// RestoreUncommitted puts the project's tracked files back to HEAD, on disk and in the index, except the kept paths
// and what lies below them. A file that was only added to the index stays on disk and is untracked again; untracked
// and ignored files stay, and where one stands in the way of a tracked file everything is refused. It answers with the
// paths that were put back. Make a Backup first.
func (r *Repo) RestoreUncommitted(ctx context.Context, keep []string) (restored []string, err error) {
	p := r.program()
	if p == nil {
		return nil, r.needsProgram("restoring files")
	}
	head, err := r.Head()
	if err != nil || head.Unborn {
		return nil, err
	}
	if err := r.unfinished(ctx, head); err != nil {
		return nil, err
	}
	dirty, err := r.dirty(ctx, keep)
	if err != nil {
		return nil, err
	}
	back, unstage, err := r.split(head.SHA, dirty)
	if err != nil {
		return nil, err
	}
	links, err := r.gitlinks(ctx, back)
	if err != nil {
		return nil, err
	}
	back = slices.DeleteFunc(back, func(full string) bool { return links[full] })
	unstage = append(unstage, slices.Sorted(maps.Keys(links))...)
	if blocked := r.obstacles(back); len(blocked) > 0 {
		return nil, inTheWay(blocked)
	}
	if err := r.unstage(ctx, p, unstage); err != nil {
		return nil, err
	}
	if err := r.writeBack(ctx, p, "HEAD", back); err != nil {
		return nil, err
	}
	return r.projectPaths(append(back, unstage...)), nil
}

// dirty are the tracked paths of the project that differ from HEAD, from the root, without the kept ones.
func (r *Repo) dirty(ctx context.Context, keep []string) ([]string, error) {
	changes, err := r.Status(ctx)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, c := range changes {
		if (c.Staged || c.Unstaged) && !covers(keep, c.Path) {
			paths = append(paths, r.prefix+c.Path)
		}
	}
	return paths, nil
}

// gitlinks are the submodules among the paths. What is checked out in one is its own.
func (r *Repo) gitlinks(ctx context.Context, paths []string) (map[string]bool, error) {
	ix, err := r.readIndex(ctx)
	if err != nil {
		return nil, err
	}
	links := map[string]bool{}
	for _, full := range paths {
		if ix.names[full].gitlink {
			links[full] = true
		}
	}
	return links, nil
}

// covers says whether a path is one of the given ones or below one.
func covers(keep []string, path string) bool {
	return slices.ContainsFunc(keep, func(k string) bool { return path == k || strings.HasPrefix(path, k+"/") })
}

// split tells the paths that a commit has from those it does not.
func (r *Repo) split(sha string, paths []string) (in, out []string, err error) {
	o := r.objects()
	defer o.close()
	n, err := o.commit(sha)
	if err != nil {
		return nil, nil, err
	}
	for _, full := range paths {
		ok, err := o.hasFile(n.tree, full)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			in = append(in, full)
		} else {
			out = append(out, full)
		}
	}
	return in, out, nil
}

func (r *Repo) projectPaths(fulls []string) []string {
	names := make([]string, 0, len(fulls))
	for _, full := range fulls {
		if name, ok := r.within(full); ok {
			names = append(names, name)
		}
	}
	return sorted(names)
}

// writeBack takes paths from a commit into index and files. Those the commit does not have are removed from both.
func (r *Repo) writeBack(ctx context.Context, p *program, from string, paths []string) error {
	return r.onIndex(ctx, p, paths, "restore", "-q", "--source="+from, "--staged", "--worktree", "--no-overlay")
}

// unstage makes the index entries of paths those of HEAD; files are not touched.
func (r *Repo) unstage(ctx context.Context, p *program, paths []string) error {
	return r.onIndex(ctx, p, paths, "reset", "-q")
}

func (r *Repo) onIndex(ctx context.Context, p *program, paths []string, args ...string) error {
	if len(paths) == 0 {
		return nil
	}
	args = append(args, "--pathspec-from-file=-", "--pathspec-file-nul")
	return r.patiently(ctx, func() error {
		_, err := p.run(ctx, call{dir: r.root, write: true, stdin: nulled(paths), args: args})
		return failure(r, err)
	})
}

// RestoreCommit makes a new commit on the branch whose project folder is the one of rev, except the kept paths, which
// go in as they are on disk now, and puts index and files in that state; uncommitted changes of tracked files go, so
// make a Backup first. Untracked and ignored files are never deleted or overwritten: where one stands in the way
// everything is refused and nothing changed. The commit is signed when the user's settings say so; hooks are not run,
// for they judge new work. It answers with the paths that changed on disk, and nothing-to-commit when there are none.
func (r *Repo) RestoreCommit(ctx context.Context, rev string, keep []string, message string) (restored []string, sha string, err error) {
	p := r.program()
	if p == nil {
		return nil, "", r.needsProgram("going back to a commit")
	}
	head, err := r.Head()
	if err != nil {
		return nil, "", err
	}
	if err := head.ready(); err != nil {
		return nil, "", err
	}
	if err := r.unfinished(ctx, head); err != nil {
		return nil, "", err
	}
	if head.Unborn {
		return nil, "", &Error{Code: "bad-argument", Text: "there is no commit yet to go back to"}
	}
	target, err := r.Resolve(rev)
	if err != nil {
		return nil, "", err
	}
	dir, err := os.MkdirTemp("", "longhaul-restore-")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	g := &goBack{scratch: scratch{repo: r, program: p, dir: dir}, head: head, target: target, keep: keep, files: map[string]bool{}}
	if err := g.plan(ctx); err != nil {
		return nil, "", err
	}
	if err := g.act(ctx, message); err != nil {
		return nil, "", err
	}
	return r.projectPaths(g.write), g.made, nil
}

// goBack is one way back to a commit.
type goBack struct {
	scratch
	head   Head
	target string
	keep   []string

	tree  string          // of the new commit
	same  bool            // the tree is HEAD's
	write []string        // paths to be written or removed
	drop  []string        // paths to be dropped from the index alone
	files map[string]bool // the paths of write that the new commit has
	kept  []string        // kept paths whose index entry follows the new commit
	made  string          // the new commit
}

// plan finds out everything and changes nothing.
func (g *goBack) plan(ctx context.Context) error {
	if err := g.buildTree(ctx); err != nil {
		return failure(g.repo, err)
	}
	o := g.repo.objects()
	defer o.close()
	now, err := o.commit(g.head.SHA)
	if err != nil {
		return err
	}
	g.same = now.tree == g.tree
	var missing []string
	paths := map[string]bool{}
	err = o.diff(now.tree, g.tree, "", func(full string, _, b entry) {
		if name, _ := g.repo.within(full); covers(g.keep, name) {
			g.kept = append(g.kept, full)
			return
		}
		paths[full] = true
		if b.id != "" && !b.isGitlink() && !o.holds(b.id) {
			missing = append(missing, full)
		}
	})
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return &Error{Code: "bad-argument", Text: "a partial clone does not hold all of that commit: " + strings.Join(missing, ", "),
			Next: "git fetch what is missing (git checkout of the commit in another work tree does), then try again"}
	}
	dirty, err := g.repo.dirty(ctx, g.keep)
	if err != nil {
		return err
	}
	for _, full := range dirty {
		paths[full] = true
	}
	return g.sortOut(ctx, o, paths)
}

// sortOut tells what happens to each path, and refuses where an untracked file would be lost.
func (g *goBack) sortOut(ctx context.Context, o *objects, paths map[string]bool) error {
	ix, err := g.repo.readIndex(ctx)
	if err != nil {
		return err
	}
	now, err := o.commit(g.head.SHA)
	if err != nil {
		return err
	}
	var blocked, arriving []string
	for full := range paths {
		inNew, err := o.hasFile(g.tree, full)
		if err != nil {
			return err
		}
		inHead, err := o.hasFile(now.tree, full)
		if err != nil {
			return err
		}
		entry, indexed := ix.names[full]
		info, statErr := g.repo.lstat(full)
		switch {
		case !inNew && !inHead:
			g.drop = append(g.drop, full) // only staged: it stays on disk
		case !inNew && !indexed:
			// git rm --cached: what is on disk is untracked, and the index is right already
		case !inNew:
			g.write = append(g.write, full)
		case statErr == nil && !info.IsDir() && (!indexed || !inHead):
			blocked = append(blocked, full)
		default:
			g.write = append(g.write, full)
			g.files[full] = true
			if !entry.gitlink {
				arriving = append(arriving, full)
			}
		}
	}
	leaving := map[string]bool{}
	for _, full := range g.write {
		leaving[full] = true
	}
	for _, full := range arriving {
		delete(leaving, full)
	}
	for _, full := range g.repo.obstacles(arriving) {
		if !leaving[full] && !g.allLeaving(full, leaving) {
			blocked = append(blocked, full)
		}
	}
	if len(blocked) > 0 {
		return inTheWay(g.repo.projectPaths(blocked))
	}
	if g.same && len(g.write) == 0 && len(g.drop) == 0 {
		return nothingToCommit()
	}
	return nil
}

// allLeaving says whether a folder holds nothing but files that are removed on the way.
func (g *goBack) allLeaving(full string, leaving map[string]bool) bool {
	dir := g.repo.disk(full)
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	err = filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		below, err := filepath.Rel(dir, file)
		if err == nil && !leaving[full+"/"+filepath.ToSlash(below)] {
			return errEnough
		}
		return err
	})
	return err == nil
}

// holds says whether the repository has an object, without asking a remote for it.
func (o *objects) holds(id string) bool {
	_, _, err := o.read(id)
	return err == nil
}

// buildTree makes the tree of the new commit in a scratch index: HEAD outside the project, the target inside, the kept
// paths as they are on disk.
func (g *goBack) buildTree(ctx context.Context) error {
	index := filepath.Join(g.dir, "index")
	if err := g.readTarget(ctx, index); err != nil {
		return err
	}
	var there []string
	for _, name := range g.keep {
		full, ok := g.repo.full(name)
		if !ok {
			return &Error{Code: "bad-argument", Text: fmt.Sprintf("%q is no path inside the project", name)}
		}
		if _, err := g.git(ctx, index, nil, "rm", "-r", "-f", "-q", "--cached", "--ignore-unmatch", "--", full); err != nil {
			return err
		}
		info, err := g.repo.lstat(full)
		if err != nil {
			continue
		}
		if !info.IsDir() {
			there = append(there, full)
			continue
		}
		out, err := g.program.run(ctx, call{dir: g.repo.root, args: []string{"ls-files", "-z", "-c", "-o", "--exclude-standard", "--", full}})
		if err != nil {
			return err
		}
		for _, below := range records(out) {
			if _, err := g.repo.lstat(below); err == nil {
				there = append(there, below)
			}
		}
	}
	there, err := g.withoutIgnored(ctx, sorted(there))
	if err != nil {
		return err
	}
	if err := g.addAll(ctx, index, there); err != nil {
		return err
	}
	g.tree, err = g.git(ctx, index, nil, "write-tree")
	return err
}

func (g *goBack) readTarget(ctx context.Context, index string) error {
	if g.repo.prefix == "" {
		_, err := g.git(ctx, index, nil, "read-tree", g.target)
		return err
	}
	if _, err := g.git(ctx, index, nil, "read-tree", g.head.SHA); err != nil {
		return err
	}
	if _, err := g.git(ctx, index, nil, "rm", "-r", "-f", "-q", "--cached", "--ignore-unmatch", "--", strings.TrimSuffix(g.repo.prefix, "/")); err != nil {
		return err
	}
	o := g.repo.objects()
	defer o.close()
	n, err := o.commit(g.target)
	if err != nil {
		return err
	}
	sub, err := o.subtree(n.tree)
	if err != nil || sub == "" {
		return err
	}
	_, err = g.git(ctx, index, nil, "read-tree", "--prefix="+g.repo.prefix, sub)
	return err
}

// withoutIgnored drops what git ignores: a kept file is never forced in.
func (g *goBack) withoutIgnored(ctx context.Context, fulls []string) ([]string, error) {
	ignored, err := g.repo.Ignored(ctx, g.repo.projectPaths(fulls))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(fulls, func(full string) bool {
		name, _ := g.repo.within(full)
		return ignored[name]
	}), nil
}

// act makes the commit, writes the files, and moves the branch last. What fails before that is taken back.
func (g *goBack) act(ctx context.Context, message string) error {
	r, p := g.repo, g.program
	sha := g.head.SHA
	var err error
	if !g.same {
		if sha, err = g.commitTree(ctx, message); err != nil {
			return failure(r, err)
		}
	}
	before, err := r.saveIndex()
	if err != nil {
		return err
	}
	if err := r.writeBack(ctx, p, sha, g.named()); err != nil {
		return alsoIf(err, g.takeBack(before))
	}
	if err := r.unstage(ctx, p, g.drop); err != nil {
		return alsoIf(err, g.takeBack(before))
	}
	if !g.same {
		err := r.patiently(ctx, func() error {
			_, err := g.git(ctx, "", nil, "update-ref", "-m", "longhaul: "+subject(message), "HEAD", sha, g.head.SHA)
			return failure(r, err)
		})
		if err != nil {
			return alsoIf(err, g.takeBack(before))
		}
	}
	g.made = sha
	return r.unstage(ctx, p, g.kept)
}

// named are the paths to write without those that go by themselves, when a file comes where their folder is: git
// restore refuses names that its source has no place for.
func (g *goBack) named() []string {
	all := map[string]bool{}
	for _, full := range g.write {
		all[full] = true
	}
	return slices.DeleteFunc(slices.Clone(g.write), func(full string) bool {
		for i, c := range full {
			if c == '/' && all[full[:i]] && g.files[full[:i]] {
				return true
			}
		}
		return false
	})
}

// takeBack puts index and written files back to how HEAD has them; uncommitted changes are in the backup.
func (g *goBack) takeBack(before savedIndex) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // also after a cancel
	defer cancel()
	back, _, err := g.repo.split(g.head.SHA, g.write)
	if err != nil {
		return err
	}
	err = g.repo.writeBack(ctx, g.program, g.head.SHA, back)
	left, saveErr := g.repo.saveIndex()
	return errors.Join(err, saveErr, g.repo.putBack(before, left))
}

// commitTree writes the commit, signed when the user's settings ask for it: git commit-tree does not look at them.
func (g *goBack) commitTree(ctx context.Context, message string) (string, error) {
	args := []string{"-c", "user.useConfigOnly=true", "commit-tree", "-p", g.head.SHA}
	sign, err := g.git(ctx, "", nil, "config", "--type=bool", "--default=false", "--get", "commit.gpgsign")
	if err != nil {
		return "", err
	}
	if sign == "true" {
		args = append(args, "-S")
	}
	return g.git(ctx, "", []byte(strings.TrimRight(message, "\n")+"\n"), append(args, g.tree)...)
}
