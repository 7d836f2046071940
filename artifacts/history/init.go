package history

import (
	"context"
	"errors"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
)

// Init opens the repository of a project folder and makes one there, with the branch main, where there is none.
func Init(ctx context.Context, project string) (*Repo, error) {
	return initWith(ctx, project, installed())
}

func initWith(ctx context.Context, project string, p *program) (*Repo, error) {
	r, err := Open(project)
	if !errors.Is(err, ErrNoGit) {
		return r, err
	}
	if p != nil && p.usable() {
		if _, err := p.run(ctx, call{dir: project, write: true, args: []string{"init", "-q", "-b", "main"}}); err != nil {
			return nil, failure(&Repo{root: project}, err)
		}
		return Open(project)
	}
	_, err = gogit.PlainInitWithOptions(project, &gogit.PlainInitOptions{
		InitOptions: gogit.InitOptions{DefaultBranch: plumbing.NewBranchReferenceName("main")},
	})
	if err != nil {
		return nil, err
	}
	return Open(project)
}
