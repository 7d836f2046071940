package history

import (
	"context"
	"os"
	"strings"
)

// linked says whether a path lies behind a link, or is a link where HEAD has a folder. git commit --only follows such a
// link, and commits what lies behind it under the old names.
func (r *Repo) linked(head Head, files named) (bool, error) {
	o := r.objects()
	defer o.close()
	for _, full := range files.all {
		info := files.stats[full]
		if info == nil {
			if _, err := os.Lstat(r.disk(full)); err == nil {
				return true, nil
			}
			continue
		}
		if info.Mode()&os.ModeSymlink == 0 || head.Unborn {
			continue
		}
		n, err := o.commit(head.SHA)
		if err != nil {
			return false, err
		}
		if e, found, err := o.find(n.tree, full); err != nil || found && e.isTree() {
			return true, err
		}
	}
	return false, nil
}

// commitBeside commits the named files by way of an index of its own, made of HEAD and them. The real one is not touched.
func (r *Repo) commitBeside(ctx context.Context, dir, watch string, head Head, files named, message string) (said string, err error) {
	var fresh, gone, there []string
	for _, full := range files.fresh {
		fresh = append(fresh, strings.TrimPrefix(full, r.prefix))
	}
	ignored, err := r.Ignored(ctx, fresh)
	if err != nil {
		return "", err
	}
	for name := range ignored {
		return "", &Error{Code: "ignored-file", Text: "git ignores: " + name, Next: "leave it out, or change .gitignore"}
	}
	for _, full := range files.all {
		if files.stats[full] == nil {
			gone = append(gone, full)
		} else {
			there = append(there, full)
		}
	}
	w := &scratch{repo: r, program: r.program(), dir: dir}
	index, err := w.copyIndex("index")
	if err != nil {
		return "", err
	}
	base := []string{"read-tree", "--empty"}
	if !head.Unborn {
		base = []string{"read-tree", "-i", "-m", head.SHA}
	}
	for _, step := range []struct {
		stdin []string
		args  []string
	}{
		{nil, base},
		{gone, []string{"update-index", "-z", "--force-remove", "--stdin"}},
		{there, []string{"update-index", "-z", "--add", "--replace", "--stdin"}},
	} {
		if _, err := w.git(ctx, index, nulled(step.stdin), step.args...); err != nil {
			return "", failure(r, err)
		}
	}
	return r.gitCommit(ctx, watch, message, []string{"GIT_INDEX_FILE=" + index})
}

func parentOf(n node) string {
	if len(n.Parents) == 0 {
		return ""
	}
	return n.Parents[0]
}

// takeOff takes a commit off the branch that was made of an older HEAD than it stands on: it would undo what another process
// has committed in between.
func (r *Repo) takeOff(ctx context.Context, n node) error {
	_, err := r.program().run(ctx, call{dir: r.root, write: true,
		args: []string{"update-ref", "-m", "longhaul: made of an older commit", "HEAD", parentOf(n), n.SHA}})
	if err != nil {
		return failure(r, err)
	}
	return errNameLost
}
