package history

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// Show is a file of the project as a commit has it; symbolic links inside the commit are followed. ErrNotExist where
// the commit has no such file, and before the first commit.
func (r *Repo) Show(rev, name string) ([]byte, error) {
	full, ok := r.full(name)
	if !ok {
		return nil, &Error{Code: "bad-argument", Text: fmt.Sprintf("%q is no path inside the project", name)}
	}
	if rev == "HEAD" {
		h, err := r.readHead()
		if err != nil {
			return nil, err
		}
		if h.Unborn {
			return nil, ErrNotExist
		}
		rev = h.SHA
	}
	sha, err := r.Resolve(rev)
	if err != nil {
		return nil, err
	}
	o := r.objects()
	defer o.close()
	n, err := o.commit(sha)
	if err != nil {
		return nil, err
	}
	for range 5 {
		e, ok, err := o.find(n.tree, full)
		if err != nil {
			return nil, err
		}
		if !ok || e.isTree() || e.isGitlink() {
			return nil, ErrNotExist
		}
		data, err := o.kind(e.id, "blob")
		if err != nil || !e.isLink() {
			return data, err
		}
		target := path.Join(path.Dir(full), string(data))
		if path.IsAbs(string(data)) || target == ".." || strings.HasPrefix(target, "../") {
			return nil, ErrNotExist
		}
		full = target
	}
	return nil, ErrNotExist
}

// Resolve gives the full id of the commit that rev names; an *Error bad-argument when it names none.
func (r *Repo) Resolve(rev string) (string, error) {
	if r.isID(rev) {
		o := r.objects()
		defer o.close()
		if _, err := o.kind(rev, "commit"); err == nil {
			return rev, nil
		}
	}
	if rev != "" && !strings.HasPrefix(rev, "-") && !strings.ContainsAny(rev, "\n\x00") {
		if sha, err := r.resolve(rev); err == nil && r.isID(sha) {
			return sha, nil
		}
	}
	return "", &Error{Code: "bad-argument", Text: fmt.Sprintf("%q names no commit of this repository", rev),
		Next: "name a commit by its id (git log --oneline shows them), a branch or a tag"}
}

// isID says whether rev is a whole object id.
func (r *Repo) isID(rev string) bool {
	if len(rev) != 2*r.format.idLength() {
		return false
	}
	return strings.Trim(rev, "0123456789abcdef") == ""
}

func (r *Repo) resolve(rev string) (sha string, err error) {
	if p := r.program(); p != nil {
		out, err := p.run(context.Background(), call{dir: r.project(),
			args: []string{"rev-parse", "-q", "--verify", "--end-of-options", rev + "^{commit}"}})
		return strings.TrimSpace(string(out)), err
	}
	defer func() {
		if e := recover(); e != nil { // the revision parser of go-git is not made for any text
			err = fmt.Errorf("revision %q: %v", rev, e)
		}
	}()
	if strings.Contains(rev, ":") { // go-git drops what follows
		return "", fmt.Errorf("revision %q needs git", rev)
	}
	store := r.storage()
	defer store.Close()
	repo, err := gogit.Open(unconfigured{store}, nil)
	if err != nil {
		return "", err
	}
	hash, err := repo.ResolveRevision(plumbing.Revision(rev))
	if err != nil {
		return "", err
	}
	commit, err := repo.CommitObject(*hash)
	if err != nil {
		return "", err
	}
	return commit.Hash.String(), nil
}

// unconfigured is a storage without the user's settings, for git.Open refuses repositories for extensions that do not
// touch what is read here.
type unconfigured struct{ *filesystem.Storage }

// Config is the empty configuration.
func (unconfigured) Config() (*config.Config, error) { return config.NewConfig(), nil }

// sorted sorts in place and drops doubles.
func sorted(paths []string) []string {
	slices.Sort(paths)
	return slices.Compact(paths)
}
