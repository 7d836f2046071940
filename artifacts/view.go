package artifacts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/config"
	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/history"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
	"github.com/longhaul-mcp/longhaul/artifacts/runner"
	"github.com/longhaul-mcp/longhaul/artifacts/session"
)

// A view is the harness as one call finds it, and what the call wants changed.
type view struct {
	p     *Project
	root  string
	state string // the folder of claims, sessions and locks
	at    time.Time
	write bool        // the call holds the lock alone
	holds func() bool // the lock file is still the one that was locked

	repo    *history.Repo // nil without git
	head    history.Head
	changed []history.Change // what git status says, when asked
	asked   bool
	prints  map[string]string // of what differs from HEAD, when asked

	adopted bool // the harness is set up: there is a ledger, or there was one
	conf    config.Config
	confRaw []byte

	listPath string // relative, "" when there is none
	listRaw  []byte
	list     *feature.List // nil with listErr, or when there is none
	listErr  error
	locked   bool // the list can't be opened
	compared *compared
	others   []string // further known lists that are not used

	ledgerRaw []byte
	ledger    *ledger.State

	book session.Book
	mine *session.Session // nil: no open session

	broken   error // config or ledger can't be read
	tampered []Tampering
	proven   string   // the feature that this call passes
	lost     []string // features that the seals know and the list does not hold
	fresh    []string // appended by hand, not sealed yet
	warnings []string
	cut      *intent // a rollback that did not end

	changes []change
	records []ledger.Record
	bookRaw []byte
}

func (v *view) path(rel string) string { return filepath.Join(v.root, filepath.FromSlash(rel)) }

func (v *view) load() (err error) {
	if err := v.loadHead(); err != nil {
		return err
	}
	if v.adopted, err = v.isSetUp(); err != nil {
		return err
	}
	v.broken = v.loadConfig()
	if err := v.loadLedger(); err != nil && v.broken == nil {
		v.broken = err
	}
	if err := v.loadBook(); err != nil {
		return err
	}
	if err := v.loadList(); err != nil {
		return err
	}
	v.noteCutRollback()
	return v.examine()
}

func (v *view) loadHead() (err error) {
	if v.repo != nil {
		v.head, err = v.repo.Head()
	}
	return err
}

// isSetUp says whether harness_init has been here. A config file alone is a policy chosen beforehand.
func (v *view) isSetUp() (bool, error) {
	if exists(v.path(ledgerPath)) || exists(filepath.Join(v.copyDir(), "ledger")) {
		return true, nil
	}
	committed, err := v.headLedger()
	return committed != nil, err
}

func (v *view) loadConfig() error {
	raw, err := readMaybe(v.path(configPath))
	v.confRaw = raw
	if err != nil {
		v.conf = config.Default(v.guessLayout())
		return explain(err)
	}
	if raw == nil {
		v.conf = config.Default(v.guessLayout())
		return nil
	}
	v.conf, err = config.Parse(raw)
	if err != nil {
		v.conf = config.Default(v.guessLayout())
		return refuse("unreadable", configPath+": "+err.Error(), v.mend(configPath))
	}
	return nil
}

func (v *view) mend(path string) string {
	if v.adopted {
		return `rollback {"target":"feature_list","reason":"` + path + ` can't be read"} brings back the last sealed state, or mend the file by hand`
	}
	return "mend the file by hand, then call again"
}

func (v *view) mendCode(code, path string) string {
	if code == "merge-conflict" {
		return "resolve the markers in " + path + " by hand, keeping the lines of both sides, git add it, then call again"
	}
	return v.mend(path)
}

func (v *view) loadLedger() error {
	v.ledger = &ledger.State{}
	raw, err := readMaybe(v.path(ledgerPath))
	if err != nil {
		return explain(err)
	}
	v.ledgerRaw = raw
	state, err := v.p.fold(raw, v.write)
	if err == nil {
		v.ledger = state
	}
	var line *ledger.LineError
	if errors.As(err, &line) {
		code := "unreadable"
		if line.Conflict {
			code = "merge-conflict"
		}
		return refuse(code, fmt.Sprintf("%s line %d: %s", ledgerPath, line.Line, line.Cause), v.mendCode(code, ledgerPath))
	}
	return err
}

// fold reads the ledger anew only where it is not the one of the last call. Lines appended since are added to the state of
// that call when alone is true: no other call looks at it then.
func (p *Project) fold(raw []byte, alone bool) (*ledger.State, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := &p.cache
	if c.ledger != nil && bytes.Equal(raw, c.ledgerRaw) {
		return c.ledger, nil
	}
	state, rest := &ledger.State{}, raw
	if alone && c.ledger != nil && bytes.HasPrefix(raw, c.ledgerRaw) && bytes.HasSuffix(c.ledgerRaw, []byte("\n")) {
		state, rest = c.ledger, raw[len(c.ledgerRaw):]
	}
	c.ledger = nil
	if err := state.Add(rest); err != nil {
		return nil, err
	}
	c.ledger, c.ledgerRaw = state, raw
	return state, nil
}

func (v *view) bookPath() string { return filepath.Join(v.state, "sessions.json") }

func (v *view) loadBook() error {
	raw, err := readMaybe(v.bookPath())
	if err != nil {
		return err
	}
	v.book, err = session.Read(raw)
	if err != nil {
		// Only claims and open sessions are lost, which a lease would have ended too.
		v.warn("the record of open sessions could not be read and was begun anew: " + cause(err))
		v.book = session.Book{Version: 1}
	}
	v.bookRaw = raw
	v.mine = v.book.Mine(v.who(), v.world())
	return nil
}

func (v *view) who() session.Who {
	who := v.p.who
	who.Worktree = v.root
	if v.repo != nil {
		who.Scope = v.repo.Prefix()
	}
	return who
}

func (v *view) world() session.World {
	host := v.p.who.Host
	return session.World{
		Now:   v.at,
		Host:  host,
		Lease: 2 * time.Duration(v.conf.Policy.SessionMinutes) * time.Minute,
		Alive: func(s session.Session) bool { return s.Host != host || runner.Born(s.PID) == s.Born && s.Born != "" },
	}
}

func (v *view) mineID() string {
	if v.mine == nil {
		return ""
	}
	return v.mine.ID
}

func contextValue[T any](ctx context.Context, key contextKey) (T, bool) {
	f, ok := ctx.Value(key).(T)
	return f, ok
}
