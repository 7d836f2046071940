package artifacts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/longhaul-mcp/longhaul/artifacts/config"
	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
)

// loadList finds the list in use. What is wrong with its contents is kept in listErr: some calls go on without it.
func (v *view) loadList() error {
	named := v.conf.Files.Features
	if v.adopted && v.ledger.List != "" {
		named = v.ledger.List // the config is changed by hand more easily
	}
	if v.confRaw != nil && named != "" && (v.adopted || exists(v.path(named))) {
		v.listPath = named
	}
	for _, name := range config.ListNames {
		if name == v.listPath || !exists(v.path(name)) {
			continue
		}
		if v.listPath == "" {
			v.listPath = name
			continue
		}
		if !v.same(name, v.listPath) {
			v.others = append(v.others, name)
		}
	}
	if v.listPath == "" {
		return nil
	}
	return v.readList(v.listPath == named && v.confRaw != nil)
}

func (v *view) same(a, b string) bool {
	x, errX := os.Stat(v.path(a))
	y, errY := os.Stat(v.path(b))
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func (v *view) readList(named bool) error {
	path := v.path(v.listPath)
	if !named && !v.contains(path) {
		return refuse("outside-project", v.listPath+" is a link to a place outside the project",
			`name it under "files" in `+configPath+" if that is meant")
	}
	raw, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		v.listErr = refuse("unreadable", v.listPath+" is gone", v.mend(v.listPath))
		return nil
	}
	if err != nil {
		v.locked = true
		v.listErr = refuse("unreadable", cause(err), "make "+v.listPath+" a readable file, then call again")
		return nil
	}
	v.listRaw = raw
	err = v.parseList()
	var syntax *feature.SyntaxError
	if errors.As(err, &syntax) {
		what := fmt.Sprintf("%s line %d, column %d: %s", v.listPath, syntax.Line, syntax.Column, syntax.Cause)
		v.listErr = refuse(syntax.Code, what+v.lastReadable(), v.mendCode(syntax.Code, v.listPath))
		return nil
	}
	if err != nil {
		v.listErr = refuse("unreadable", v.listPath+": "+err.Error(), v.mend(v.listPath))
		return nil
	}
	return nil
}

// compared is a list held against the seals, good while its bytes and the ledger stay the same.
type compared struct {
	root        string
	bookkeeping []string
	seals       int
	ledger      *ledger.State
	list        *feature.List // never changed: each call has a clone
	changes     []feature.Change
	added       []string
}

// parseList parses the list and holds it against the seals, anew only where one of them is not as at the last call.
func (v *view) parseList() error {
	v.p.mu.Lock()
	last := v.p.cache.list
	v.p.mu.Unlock()
	if last == nil || !last.good(v) {
		list, err := feature.Parse(v.listRaw)
		if err != nil {
			return err
		}
		last = &compared{root: v.root, bookkeeping: v.conf.Bookkeeping, ledger: v.ledger, seals: v.ledger.Changes, list: list}
		list.Align(v.ledger.Seals, v.conf.Bookkeeping)
		if v.adopted {
			last.changes, last.added = list.Compare(v.ledger.Seals, v.conf.Bookkeeping)
		}
		v.p.mu.Lock()
		v.p.cache.list = last
		v.p.mu.Unlock()
	}
	v.list, v.compared = last.list.Clone(), last
	return nil
}

func (c *compared) good(v *view) bool {
	return c.root == v.root && c.ledger == v.ledger && c.seals == v.ledger.Changes && slices.Equal(c.bookkeeping, v.conf.Bookkeeping) &&
		c.list.Holds(v.listRaw)
}

// lastReadable says where git holds the newest version of the list that parses.
func (v *view) lastReadable() string {
	if v.repo == nil {
		return ""
	}
	commits, err := v.repo.Log(30)
	if err != nil {
		return ""
	}
	for _, c := range commits {
		data, err := v.repo.Show(c.SHA, v.listPath)
		if err != nil {
			continue
		}
		if _, err := feature.Parse(data); err == nil {
			return fmt.Sprintf("; the last readable version is in commit %.7s", c.SHA)
		}
	}
	return "; git holds no readable version in the last 30 commits"
}
