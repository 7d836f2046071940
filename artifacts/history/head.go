package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Head reads HEAD and whether an operation of several steps is under way.
func (r *Repo) Head() (Head, error) {
	h, err := r.readHead()
	if err != nil {
		return Head{}, err
	}
	h.Busy = r.busy()
	return h, nil
}

func (r *Repo) readHead() (Head, error) {
	if !r.format.native() {
		return r.askHead()
	}
	store := r.storage()
	defer store.Close()
	name := plumbing.HEAD
	for range 6 { // git follows five links
		ref, err := store.Reference(name)
		if errors.Is(err, plumbing.ErrReferenceNotFound) && name != plumbing.HEAD {
			return Head{Branch: name.Short(), Unborn: true}, nil
		}
		if err != nil {
			return Head{}, fmt.Errorf("%s: %w", name, err)
		}
		if ref.Type() == plumbing.HashReference {
			if name == plumbing.HEAD {
				return Head{SHA: ref.Hash().String(), Detached: true}, nil
			}
			return Head{SHA: ref.Hash().String(), Branch: name.Short()}, nil
		}
		name = ref.Target()
	}
	return Head{}, fmt.Errorf("HEAD: links in a circle")
}

// askHead is readHead for the formats that go-git can't read.
func (r *Repo) askHead() (Head, error) {
	p := r.program()
	if p == nil {
		return Head{}, r.needsProgram("its storage format")
	}
	ctx := context.Background()
	var h Head
	name, err := p.run(ctx, call{dir: r.root, args: []string{"symbolic-ref", "-q", "HEAD"}})
	switch {
	case exitCode(err) == 1:
		h.Detached = true
	case err != nil:
		return Head{}, failure(r, err)
	}
	h.Branch = strings.TrimPrefix(strings.TrimSpace(string(name)), "refs/heads/")
	sha, err := p.run(ctx, call{dir: r.root, args: []string{"rev-parse", "-q", "--verify", "HEAD"}})
	switch {
	case exitCode(err) == 1:
		h.Unborn = true
	case err != nil:
		return Head{}, failure(r, err)
	}
	h.SHA = strings.TrimSpace(string(sha))
	return h, nil
}

// busy names the operation under way, by the files that git keeps for it.
func (r *Repo) busy() string {
	for _, sign := range []struct{ file, name string }{
		{"rebase-merge", "rebase"},
		{"rebase-apply/applying", "am"},
		{"rebase-apply", "rebase"},
		{"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"},
		{"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(r.gitDir, filepath.FromSlash(sign.file))); err == nil {
			return sign.name
		}
	}
	return ""
}

// ready refuses where no commit may be made.
func (h Head) ready() error {
	switch {
	case h.Busy != "" && h.Busy != "bisect":
		return &Error{Code: "merge-in-progress", Text: "a " + h.Busy + " is under way",
			Next: fmt.Sprintf("finish it (git %s --continue) or end it (git %s --abort), then try again", h.Busy, h.Busy)}
	case h.Detached:
		return &Error{Code: "detached-head", Text: fmt.Sprintf("HEAD is detached at %.12s: a commit would be on no branch", h.SHA),
			Next: "git switch BRANCH, or git switch -c NEW-BRANCH to keep working from here"}
	}
	return nil
}
