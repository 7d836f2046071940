package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// RestoreCommit makes a new commit on the branch whose project folder is the one of a commit, except the kept paths, which
// go in as they are on disk now, and puts index and files in that state; uncommitted changes of tracked files go, so
// make a Backup first. Untracked and ignored files are never deleted or overwritten: where one stands in the way
// everything is refused and nothing changed. The user's hooks run, on the files as they are after it, and the commit is
// signed when their settings say so; where one refuses, index and files are as they were. It answers nothing-to-commit
// when there is nothing to change.
func (r *Repo) RestoreCommit(ctx context.Context, q RestoreRequest) (RestoreResult, error) {
	p := r.program()
	if p == nil {
		return RestoreResult{}, r.needsProgram("going back to a commit")
	}
	head, err := r.Head()
	if err != nil {
		return RestoreResult{}, err
	}
	if err := head.ready(); err != nil {
		return RestoreResult{}, err
	}
	if err := r.unfinished(ctx, head); err != nil {
		return RestoreResult{}, err
	}
	if head.Unborn {
		return RestoreResult{}, &Error{Code: "bad-argument", Text: "there is no commit yet to go back to"}
	}
	if q.Head != "" && q.Head != head.SHA {
		return RestoreResult{}, headMoved()
	}
	target, err := r.Resolve(q.Rev)
	if err != nil {
		return RestoreResult{}, err
	}
	dir, err := os.MkdirTemp("", "longhaul-restore-")
	if err != nil {
		return RestoreResult{}, err
	}
	defer os.RemoveAll(dir)
	g := &goBack{scratch: scratch{repo: r, program: p, dir: dir}, head: head, target: target, keep: q.Keep, files: map[string]bool{}}
	if err := g.plan(ctx); err != nil {
		return RestoreResult{}, err
	}
	return g.act(ctx, q.Message)
}

func headMoved() error {
	return &Error{Code: "index-locked", Text: "HEAD was moved by another process meanwhile", Next: "try again"}
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

	changed []string // what the new commit changes
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
		g.changed = append(g.changed, full)
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

// act writes the files and makes the commit, which moves the branch last. What fails before that is taken back.
func (g *goBack) act(ctx context.Context, message string) (RestoreResult, error) {
	r := g.repo
	index, err := r.saveIndex()
	if err != nil {
		return RestoreResult{}, err
	}
	kept, err := g.keepFiles()
	if err != nil {
		return RestoreResult{}, err
	}
	result := RestoreResult{SHA: g.head.SHA, Restored: r.projectPaths(g.write)}
	if err := r.writeBack(ctx, g.program, g.tree, g.named()); err != nil {
		return RestoreResult{}, alsoIf(err, g.takeBack(kept, index))
	}
	if err := r.unstage(ctx, g.program, g.drop); err != nil {
		return RestoreResult{}, alsoIf(err, g.takeBack(kept, index))
	}
	follow := g.kept
	if !g.same {
		made, err := g.commitTree(ctx, message)
		if err != nil {
			return RestoreResult{}, alsoIf(err, g.takeBack(kept, index))
		}
		result.SHA, result.Hooks = made.SHA, made.Hooks
		follow = append(follow, made.Files...)
	}
	return result, r.unstage(ctx, g.program, follow)
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

// commitTree has git commit the tree, from a scratch index: what else is staged stays out. The files that it names are those
// that hooks made different from the tree.
func (g *goBack) commitTree(ctx context.Context, message string) (CommitResult, error) {
	r := g.repo
	index, err := g.copyIndex("commit")
	if err != nil {
		return CommitResult{}, err
	}
	if _, err := g.git(ctx, index, nil, "read-tree", "-i", "-m", g.tree); err != nil {
		return CommitResult{}, failure(r, err)
	}
	files := named{all: g.changed, stats: map[string]os.FileInfo{}}
	for _, full := range files.all {
		files.stats[full], _ = r.lstat(full) // nil: not there
	}
	watch := filepath.Join(g.dir, "trace")
	if now, err := r.readHead(); err != nil || now.SHA != g.head.SHA {
		return CommitResult{}, cmp.Or(err, headMoved())
	}
	said, err := r.gitCommit(ctx, watch, message, []string{"GIT_INDEX_FILE=" + index})
	t := readTrace(watch)
	n, found, findErr := r.find(g.head, files, subject(message), err == nil)
	if findErr != nil {
		return CommitResult{}, findErr
	}
	if !found {
		return CommitResult{}, r.whyNot(err, t)
	}
	if parentOf(n) != g.head.SHA {
		if err := r.takeOff(ctx, n); !errors.Is(err, errNameLost) {
			return CommitResult{}, err
		}
		return CommitResult{}, headMoved()
	}
	made, err := r.made(n, files, message, said, t)
	if err != nil {
		return made, err
	}
	o := r.objects()
	defer o.close()
	made.Files = nil
	err = o.diff(g.tree, n.tree, "", func(full string, _, _ entry) { made.Files = append(made.Files, full) })
	return made, err
}
