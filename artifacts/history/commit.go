package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Commit commits the named files as they are on disk, new and deleted ones too, and nothing else: what the user has
// staged stays staged and out of the commit. The user's hooks, signing and filters are git's own business and happen.
// When it answers an error HEAD and index are as they were. Errors are *Error with nothing-to-commit, hook-failed,
// signing-failed, no-identity, index-locked, merge-in-progress, detached-head, ignored-file, bad-argument, read-only
// or disk-full; what git says beyond these comes back in its own words.
func (r *Repo) Commit(ctx context.Context, q CommitRequest) (CommitResult, error) {
	const tries = 20
	for range tries {
		result, err := r.commit(ctx, q)
		if !errors.Is(err, errNameLost) {
			return result, err
		}
	}
	return CommitResult{}, busyIndex()
}

// errNameLost says that another process dropped our new names from the index: git reads the index of a commit before
// it locks it, and writes what it read.
var errNameLost = errors.New("another process wrote an index without the new files")

func (r *Repo) commit(ctx context.Context, q CommitRequest) (CommitResult, error) {
	head, err := r.Head()
	if err != nil {
		return CommitResult{}, err
	}
	if err := head.ready(); err != nil {
		return CommitResult{}, err
	}
	if strings.TrimSpace(q.Message) == "" {
		return CommitResult{}, &Error{Code: "bad-argument", Text: "the commit message is empty"}
	}
	files, err := r.named(ctx, head, q.Paths)
	if err != nil {
		return CommitResult{}, err
	}
	if len(files.all) == 0 {
		return CommitResult{}, nothingToCommit()
	}
	if r.program() == nil {
		return r.commitNatively(head, files, q.Message)
	}
	return r.commitWithGit(ctx, head, files, q.Message)
}

func nothingToCommit() error {
	return &Error{Code: "nothing-to-commit", Text: "there is nothing to commit: the named files are as HEAD has them",
		Next: "change something first, or name the files you changed"}
}

// named are the files of a commit, seen from the root.
type named struct {
	all   []string
	fresh []string // not in the index
	stats map[string]os.FileInfo
}

// named checks each path by itself, so that one answer tells all that is wrong.
func (r *Repo) named(ctx context.Context, head Head, paths []string) (named, error) {
	ix, err := r.readIndex(ctx)
	if err != nil {
		return named{}, err
	}
	o := r.objects()
	defer o.close()
	files := named{stats: map[string]os.FileInfo{}}
	var wrong []string
	for _, name := range sorted(slices.Clone(paths)) {
		full, ok := r.full(name)
		if !ok {
			wrong = append(wrong, fmt.Sprintf("%q is no path inside the project", name))
			continue
		}
		entry, tracked := ix.names[full]
		info, err := r.lstat(full)
		known := tracked || o.has(head.SHA, full)
		folder := err == nil && info.IsDir() && !entry.gitlink
		switch {
		case entry.conflict:
			return named{}, unmerged()
		case folder && known && slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(p, name+"/") }):
			continue // the file gave way to a folder: it goes when the files in there come
		case folder:
			wrong = append(wrong, fmt.Sprintf("%q is a folder", name))
			continue
		case err != nil && !known:
			wrong = append(wrong, fmt.Sprintf("%q does not exist and is not tracked", name))
			continue
		case err == nil && !info.IsDir() && !info.Mode().IsRegular() && info.Mode()&os.ModeSymlink == 0:
			wrong = append(wrong, fmt.Sprintf("%q is neither a file nor a link", name))
			continue
		case err == nil && !tracked:
			files.fresh = append(files.fresh, full)
		}
		files.stats[full] = info
		files.all = append(files.all, full)
	}
	if len(wrong) > 0 {
		return named{}, &Error{Code: "bad-argument", Text: strings.Join(wrong, "; "), Next: "name files by their exact path"}
	}
	return files, nil
}

// has says whether a commit has a file at the path.
func (o *objects) has(sha, full string) bool {
	if sha == "" {
		return false
	}
	n, err := o.commit(sha)
	if err != nil {
		return false
	}
	ok, _ := o.hasFile(n.tree, full)
	return ok
}

func (r *Repo) commitWithGit(ctx context.Context, head Head, files named, message string) (CommitResult, error) {
	dir, err := os.MkdirTemp("", "longhaul-commit-")
	if err != nil {
		return CommitResult{}, err
	}
	defer os.RemoveAll(dir)
	watch := filepath.Join(dir, "trace")
	linked, err := r.linked(head, files)
	if err != nil {
		return CommitResult{}, err
	}
	var said string
	undo := func() error { return nil }
	if linked {
		said, err = r.commitBeside(ctx, dir, watch, head, files, message)
	} else {
		if undo, err = r.introduce(ctx, files.fresh); err != nil {
			return CommitResult{}, err
		}
		said, err = r.commitOnly(ctx, dir, watch, files.all, message)
	}
	t := readTrace(watch)
	n, found, findErr := r.find(head, files, subject(message), err == nil)
	if findErr != nil {
		return CommitResult{}, findErr
	}
	if !found {
		return CommitResult{}, alsoIf(r.whyNot(err, t), undo())
	}
	if linked && parentOf(n) != head.SHA {
		return CommitResult{}, r.takeOff(ctx, n)
	}
	result, err := r.made(n, files, message, said, t)
	if err != nil || !t.ran["pre-commit"] && !linked {
		return result, err
	}
	return result, r.catchUp(ctx, result.Files)
}

// alsoIf adds a second error where there is one.
func alsoIf(err, also error) error {
	if also == nil {
		return err
	}
	return errors.Join(err, also)
}

// find looks for our commit between HEAD as it was and as it is: another process may have committed too. The exit code
// alone does not tell, for git may die after the commit. A changed subject is ours only when git said it went well.
func (r *Repo) find(before Head, files named, subject string, well bool) (ours node, found bool, err error) {
	after, err := r.readHead()
	if err != nil {
		return node{}, false, err
	}
	o := r.objects()
	defer o.close()
	const most = 100
	for sha, i := after.SHA, 0; sha != before.SHA && sha != "" && i < most; i++ {
		n, err := o.commit(sha)
		if err != nil {
			return node{}, false, err
		}
		changed, err := o.files(n)
		if err != nil {
			return node{}, false, err
		}
		if slices.ContainsFunc(changed, func(full string) bool { return slices.Contains(files.all, full) }) {
			if n.Subject == subject {
				return n, true, nil
			}
			ours, found = n, well
		}
		if sha = ""; len(n.Parents) > 0 {
			sha = n.Parents[0]
		}
	}
	return ours, found, nil
}

// catchUp makes the index entries of committed files those of the commit. What a pre-commit hook added went into the
// index of git commit --only, which is thrown away: the real one would show it as staged backwards.
func (r *Repo) catchUp(ctx context.Context, files []string) error {
	fulls := make([]string, len(files))
	for i, name := range files {
		fulls[i] = r.prefix + name
	}
	return r.unstage(ctx, r.program(), fulls)
}

// commitOnly runs git commit --only. The literal paths go in through a file and by their own magic word, not by
// GIT_LITERAL_PATHSPECS, which the hooks would inherit.
func (r *Repo) commitOnly(ctx context.Context, dir, watch string, paths []string, message string) (said string, err error) {
	list := filepath.Join(dir, "paths")
	if err := os.WriteFile(list, nulled(literal(paths)), 0o600); err != nil {
		return "", err
	}
	return r.gitCommit(ctx, watch, message, nil, "--only", "--pathspec-from-file="+list, "--pathspec-file-nul")
}

// gitCommit runs git commit as the user would: with hooks, signing and identity as they have them.
func (r *Repo) gitCommit(ctx context.Context, watch, message string, env []string, args ...string) (said string, err error) {
	p := r.program()
	err = r.patiently(ctx, func() error {
		_ = os.Remove(watch)
		_, said, err = p.output(ctx, call{
			dir: r.root, write: true, user: true, stdin: []byte(message), env: append(env, "GIT_TRACE2_EVENT="+watch),
			args: append([]string{"-c", "user.useConfigOnly=true", "commit", "-q", "--cleanup=whitespace", "-F", "-"}, args...),
		})
		if err != nil && readTrace(watch).failed() == "" {
			if refused := failure(r, err); refused != err {
				return refused
			}
		}
		return err
	})
	return said, err
}

// literal writes paths as pathspecs that match them alone, from the root.
func literal(paths []string) []string {
	specs := make([]string, len(paths))
	for i, p := range paths {
		specs[i] = ":(top,literal)" + p
	}
	return specs
}

// introduce makes new files known to the index, as names without content, for git commit --only takes known ones
// alone. undo takes the names out again. What it puts in place is made of exactly the index that it replaces: an index
// that somebody else writes meanwhile is neither overwritten now nor put back to an older one by undo.
func (r *Repo) introduce(ctx context.Context, fresh []string) (undo func() error, err error) {
	nothing := func() error { return nil }
	if len(fresh) == 0 {
		return nothing, nil
	}
	dir, err := os.MkdirTemp("", "longhaul-index-")
	if err != nil {
		return nothing, err
	}
	defer os.RemoveAll(dir)
	const tries = 50
	for range tries {
		var before, left savedIndex
		err = r.patiently(ctx, func() error {
			before, left, err = r.addNames(ctx, filepath.Join(dir, "index"), fresh)
			return err
		})
		if err == nil {
			return func() error { return r.forget(before, left, fresh) }, nil
		}
		if !errors.Is(err, errIndexMoved) {
			return nothing, err
		}
	}
	return nothing, busyIndex()
}

func busyIndex() error {
	return &Error{Code: "index-locked", Text: "other git processes write the index all the time", Next: "call again"}
}

// addNames adds the names to a copy of the index and puts it in the index's place.
func (r *Repo) addNames(ctx context.Context, scratch string, fresh []string) (before, left savedIndex, err error) {
	if before, err = r.saveIndex(); err != nil {
		return before, left, err
	}
	if err := os.RemoveAll(scratch); err != nil {
		return before, left, err
	}
	if before.data != nil {
		if err := before.writeTo(scratch, before.info.Mode().Perm()); err != nil {
			return before, left, err
		}
	}
	_, err = r.program().run(ctx, call{dir: r.root, write: true, stdin: nulled(fresh), env: []string{"GIT_INDEX_FILE=" + scratch},
		args: []string{"add", "-N", "--pathspec-from-file=-", "--pathspec-file-nul"}})
	if err = failure(r, err); err != nil {
		return before, left, err
	}
	if left.info, err = os.Stat(scratch); err != nil {
		return before, left, err
	}
	if left.data, err = os.ReadFile(scratch); err != nil {
		return before, left, err
	}
	return before, left, r.putBack(left, before)
}

// forget undoes introduce: byte for byte, or name by name when somebody else has written the index since.
func (r *Repo) forget(before, left savedIndex, fresh []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second) // also after a cancel
	defer cancel()
	err := r.patiently(ctx, func() error { return r.putBack(before, left) })
	if !errors.Is(err, errIndexMoved) {
		return err
	}
	ix, err := r.readIndex(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, full := range fresh {
		if ix.names[full].intent {
			names = append(names, full)
		}
	}
	return r.patiently(ctx, func() error {
		_, err := r.program().run(ctx, call{dir: r.root, write: true, stdin: nulled(names), args: []string{"update-index", "-z", "--force-remove", "--stdin"}})
		return failure(r, err)
	})
}

// whyNot finds the code of a commit that git refused.
func (r *Repo) whyNot(err error, t trace) error {
	var exit *exitError
	if err == nil {
		return errors.New("git commit: the branch does not have the commit that git made")
	}
	if !errors.As(err, &exit) {
		return err
	}
	if hook := t.failed(); hook != "" {
		return &Error{Code: "hook-failed", Text: fmt.Sprintf("the %s hook refused the commit:\n%s", hook, ending(exit.stderr, 3000)),
			Next: "mend what the hook names, then commit again"}
	}
	if t.signer {
		return signingFailed(exit.stderr)
	}
	if strings.Contains(exit.stderr, "did not match any file(s) known to git") {
		return errNameLost
	}
	if exit.code == 1 && (t.seen || strings.TrimSpace(exit.stderr) == "") {
		return nothingToCommit()
	}
	return err
}

// made tells what a commit holds and what hooks did to it.
func (r *Repo) made(n node, files named, message, said string, t trace) (CommitResult, error) {
	o := r.objects()
	defer o.close()
	changed, err := o.files(n)
	if err != nil {
		return CommitResult{}, err
	}
	result := CommitResult{SHA: n.SHA, Subject: n.Subject}
	for _, full := range changed {
		name, inside := r.within(full)
		if inside {
			result.Files = append(result.Files, name)
		}
		if !files.asked(full) {
			result.Hooks = append(result.Hooks, "added to the commit: "+full)
		}
	}
	for _, full := range files.all {
		if now, err := r.lstat(full); !sameFile(files.stats[full], now, err) {
			result.Hooks = append(result.Hooks, "changed on disk: "+full)
		}
	}
	if n.Subject != subject(message) {
		result.Hooks = append(result.Hooks, "changed the message")
	}
	if hook := t.failed(); hook != "" {
		result.Hooks = append(result.Hooks, hook+" failed after the commit was made")
	}
	if said = hookTalk(said); said != "" {
		result.Hooks = append(result.Hooks, "said: "+ending(said, 500))
	}
	return result, nil
}

// asked says whether a path was named, or had to go for one that was: a folder for a file, or a file for a folder.
func (f named) asked(full string) bool {
	return slices.ContainsFunc(f.all, func(name string) bool {
		return name == full || strings.HasPrefix(full, name+"/") || strings.HasPrefix(name, full+"/")
	})
}

// files are the paths that a commit changes against its first parent, sorted.
func (o *objects) files(n node) ([]string, error) {
	tree := ""
	if len(n.Parents) > 0 {
		parent, err := o.commit(n.Parents[0])
		if err != nil {
			return nil, err
		}
		tree = parent.tree
	}
	var paths []string
	err := o.diff(tree, n.tree, "", func(path string, _, _ entry) { paths = append(paths, path) })
	return sorted(paths), err
}

func sameFile(before, now os.FileInfo, err error) bool {
	if before == nil || err != nil { // gone, or a folder in its place
		return before == nil && (err != nil || now.IsDir())
	}
	if now.IsDir() || before.IsDir() {
		return now.IsDir() && before.IsDir()
	}
	return before.ModTime().Equal(now.ModTime()) && before.Size() == now.Size() && before.Mode() == now.Mode()
}

// hookTalk is what was printed, without git's own remarks.
func hookTalk(said string) string {
	var lines []string
	for _, line := range strings.Split(said, "\n") {
		own := strings.HasPrefix(line, "warning: in the working copy of ") || strings.HasPrefix(line, "warning: LF will be ") ||
			strings.HasPrefix(line, "warning: CRLF will be ") || strings.HasPrefix(line, "The file will have its original line endings")
		if !own {
			lines = append(lines, line)
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
