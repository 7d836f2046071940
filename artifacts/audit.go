package artifacts

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/config"
	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/history"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
)

// Violation says whether a finding fails an audit: what came before adoption or was put right later does not.
func (f Finding) Violation() bool { return f.When == "unadopted" || f.When == "after-adoption" }

// Audit walks git history and names every commit that deleted, edited, moved, duplicated, un-passed or passed a feature
// without proof, or left a harness file unreadable. A range is written as for git log; "" is all of history.
func (p *Project) Audit(ctx context.Context, span string) ([]Finding, error) {
	var a *auditor
	err := p.read(ctx, func(v *view) error {
		if v.repo == nil {
			return refuse("no-git", v.root+" is in no git repository", "a person may run: git init")
		}
		a = &auditor{v: v, states: map[string]*auditState{}, bookkeeping: v.conf.Bookkeeping}
		return nil
	})
	if err != nil {
		return nil, err
	}
	a.list = a.v.conf.Files.Features
	a.real, _ = a.v.behind(a.list)
	paths := slices.Concat([]string{a.list}, config.ListNames, []string{ledgerPath, configPath})
	if a.real != "" {
		paths = append(paths, a.real)
	}
	if err := a.v.repo.Versions(ctx, paths, span, a.visit); err != nil {
		return nil, explain(err)
	}
	a.close()
	return a.label(), nil
}

// An auditState is what the harness said in one commit.
type auditState struct {
	path    string
	list    *feature.List // nil: none, or unreadable
	seals   []feature.Seal
	ledger  []byte
	policy  string
	adopted bool
}

// An auditor compares each commit with its parents. It keeps the states of the newest commits only.
type auditor struct {
	v           *view
	bookkeeping []string
	list, real  string // the list's path, and the file behind it when that is a link
	states      map[string]*auditState
	recent      []string

	commit   history.Commit
	from     []string
	touched  map[string]history.Version
	findings []Finding
	last     *auditState
}

// visit gathers the versions of one commit and looks at them when the next commit begins.
func (a *auditor) visit(v history.Version) error {
	if v.Commit.SHA != a.commit.SHA {
		a.close()
		a.commit, a.from, a.touched = v.Commit, v.From, map[string]history.Version{}
	}
	if v.Path == a.real && a.real != "" {
		if v.Deleted {
			return nil // the link is what counts
		}
		v.Path = a.list
	}
	if old, ok := a.touched[v.Path]; ok && !old.Deleted && v.Path == a.list && len(old.Data) > len(v.Data) {
		return nil // both the link and the file behind it
	}
	a.touched[v.Path] = v
	return nil
}

func (a *auditor) close() {
	if a.commit.SHA == "" {
		return
	}
	before := make([]*auditState, 0, len(a.from))
	for _, sha := range a.from {
		before = append(before, a.state(sha))
	}
	if len(before) == 0 {
		before = append(before, &auditState{})
	}
	now := a.apply(before[0])
	var common []Finding
	for i, b := range before {
		found := a.compare(b, now)
		if i == 0 {
			common = found
			continue
		}
		common = slices.DeleteFunc(common, func(f Finding) bool {
			return !slices.ContainsFunc(found, func(g Finding) bool { return g.Kind == f.Kind && g.Feature == f.Feature })
		})
	}
	for i := range common {
		common[i].When = "after-adoption"
		if !before[0].adopted {
			common[i].When = "before-adoption"
		}
	}
	a.findings = append(a.findings, common...)
	a.keep(a.commit.SHA, now)
	a.last = now
	a.commit = history.Commit{}
}

const auditMemory = 64

func (a *auditor) keep(sha string, s *auditState) {
	a.states[sha] = s
	a.recent = append(a.recent, sha)
	if len(a.recent) > auditMemory {
		delete(a.states, a.recent[0])
		a.recent = a.recent[1:]
	}
}

// state is what a commit said, read again when it is no longer kept.
func (a *auditor) state(sha string) *auditState {
	if sha == "" {
		return &auditState{}
	}
	if s, ok := a.states[sha]; ok {
		return s
	}
	s := &auditState{}
	show := func(name string) []byte {
		data, err := a.v.repo.Show(sha, name)
		if err != nil {
			return nil
		}
		return data
	}
	s.ledger = show(ledgerPath)
	conf := show(configPath)
	s.adopted = s.ledger != nil || conf != nil
	s.policy = config.PolicyHash(conf)
	for _, name := range slices.Concat([]string{a.v.conf.Files.Features}, config.ListNames) {
		if data := show(name); data != nil {
			a.setList(s, sha, name, data)
			break
		}
	}
	return s
}

// setList reads the list of a commit. The blob of a link holds the path of the file behind it.
func (a *auditor) setList(s *auditState, sha, name string, data []byte) {
	s.path, s.list, s.seals = name, nil, nil
	if text := string(data); len(text) < 1000 && !strings.ContainsAny(text, "{[\n") {
		if behind, err := a.v.repo.Show(sha, path.Join(path.Dir(name), text)); err == nil {
			data = behind
		}
	}
	list, err := feature.Parse(data)
	if err != nil {
		return
	}
	s.list, s.seals = list, list.Seals(a.bookkeeping)
}

// apply is the state after a commit.
func (a *auditor) apply(before *auditState) *auditState {
	now := *before
	for name, v := range a.touched {
		switch name {
		case ledgerPath:
			now.ledger = v.Data
			now.adopted = now.adopted || !v.Deleted
		case configPath:
			now.policy = config.PolicyHash(v.Data)
			now.adopted = now.adopted || !v.Deleted
		}
	}
	a.applyList(&now)
	return &now
}

// applyList chooses among the touched paths the one that is the list: the one in use, else one that is there.
func (a *auditor) applyList(now *auditState) {
	var gone bool
	var best string
	for path, v := range a.touched {
		if path == ledgerPath || path == configPath {
			continue
		}
		switch {
		case v.Deleted:
			gone = gone || path == now.path
		case path == now.path || best == "" && (now.path == "" || a.replaced(now.path)):
			best = path
		}
	}
	if best != "" {
		a.setList(now, a.commit.SHA, best, a.touched[best].Data)
		if now.list != nil {
			now.list.Align(now.seals, a.bookkeeping)
		}
		return
	}
	if gone {
		now.path, now.list, now.seals = "", nil, nil
	}
}

func (a *auditor) replaced(path string) bool {
	v, ok := a.touched[path]
	return ok && v.Deleted
}

// compare names what a commit did to the state before it.
func (a *auditor) compare(before, now *auditState) []Finding {
	var found []Finding
	add := func(id, kind, detail string) {
		found = append(found, Finding{Commit: a.commit.SHA, Feature: id, Kind: kind, Detail: detail})
	}
	if n := ledger.Missing(now.ledger, before.ledger); n > 0 {
		add("", "ledger", "lines are missing")
	}
	if before.policy != "" && now.policy != before.policy && !bytes.Contains(now.ledger, []byte(now.policy)) {
		add("", "policy", "changed without longhaul config set")
	}
	if now.path != "" && now.list == nil {
		if before.list != nil || before.path == "" {
			add("", "unreadable", now.path)
		}
		return found
	}
	known := before.list
	if known == nil {
		return found
	}
	if now.list == nil {
		for i := range known.Features {
			add(known.Features[i].ID, "deleted", "the list is gone")
		}
		return found
	}
	if !slices.EqualFunc(before.seals, now.seals, sameSeal) {
		now.list.Align(before.seals, a.bookkeeping)
		changes, _ := now.list.Compare(before.seals, a.bookkeeping)
		for _, c := range changes {
			add(c.ID, c.What, c.Detail)
		}
	}
	return append(found, a.compareStates(before, now)...)
}

func sameSeal(a, b feature.Seal) bool {
	return a.ID == b.ID && a.Positional == b.Positional && maps.Equal(a.Keys, b.Keys)
}

func (a *auditor) compareStates(before, now *auditState) []Finding {
	var found []Finding
	for i := range now.list.Features {
		f := &now.list.Features[i]
		old := before.list.Find(f.ID)
		passed, was := f.State == feature.Passed, old != nil && old.State == feature.Passed
		switch {
		case was && !passed && f.State != feature.Retired && believed(before, f.ID) && !recorded(now.ledger, f.ID, ledger.Regression, ledger.Rollback):
			found = append(found, Finding{Commit: a.commit.SHA, Feature: f.ID, Kind: "unpassed"})
		case passed && !was && before.adopted && !recorded(now.ledger, f.ID, ledger.Passed, ledger.Accept):
			found = append(found, Finding{Commit: a.commit.SHA, Feature: f.ID, Kind: "passed", Detail: "without a proof"})
		}
	}
	return found
}

// believed says whether a pass was one: before the adoption each is, after it those that the ledger knows.
func believed(s *auditState, id string) bool {
	return !s.adopted || recorded(s.ledger, id, ledger.Passed, ledger.Seal, ledger.Accept)
}

// recorded says whether a ledger has a record of one of the kinds about the feature.
func recorded(raw []byte, id string, kinds ...string) bool {
	for line := range bytes.Lines(raw) {
		if !bytes.Contains(line, []byte(id)) && !bytes.Contains(line, []byte(`\`)) {
			continue
		}
		state, err := ledger.Read(line)
		if state.Kind == ledger.Seal && !state.Adopted {
			continue
		}
		if err == nil && slices.Contains(kinds, state.Kind) && (state.ID == id || slices.Contains(state.IDs, id)) {
			return true
		}
	}
	return false
}

// label says of each finding when it was, and whether it was put right since.
func (a *auditor) label() []Finding {
	for i := range a.findings {
		f := &a.findings[i]
		switch {
		case !a.v.adopted:
			f.When = "unadopted"
		case f.When == "before-adoption":
		case a.repaired(*f):
			f.When = "repaired"
		}
	}
	return a.findings
}

func (a *auditor) repaired(f Finding) bool {
	if a.last == nil {
		return false
	}
	switch f.Kind {
	case "ledger":
		return !errors.Is(a.ledgerWhole(f.Commit), errMissing)
	case "policy":
		return bytes.Contains(a.last.ledger, []byte(a.last.policy))
	case "unreadable":
		return a.last.list != nil
	}
	if a.last.list == nil {
		return false
	}
	now := a.last.list.Find(f.Feature)
	switch f.Kind {
	case "deleted":
		state, err := ledger.Fold(a.last.ledger)
		return now != nil || err == nil && accepted(state, f.Feature)
	case "passed":
		return now == nil || now.State != feature.Passed || recorded(a.last.ledger, f.Feature, ledger.Passed, ledger.Accept)
	case "unpassed":
		return now != nil && now.State == feature.Passed
	case "duplicated":
		return now == nil || now.Problem != "duplicate-id"
	}
	return a.asSealed(f.Feature)
}

var errMissing = errors.New("lines are missing")

// ledgerWhole says whether the lines that a commit lost are there at the end.
func (a *auditor) ledgerWhole(commit string) error {
	parents, err := a.v.repo.Show(commit+"^", ledgerPath)
	if err == nil && ledger.Missing(a.last.ledger, parents) > 0 {
		return errMissing
	}
	return nil
}

// asSealed says whether a feature is at the end as the ledger seals it.
func (a *auditor) asSealed(id string) bool {
	state, err := ledger.Fold(a.last.ledger)
	if err != nil {
		return false
	}
	changes, _ := a.last.list.Compare(state.Seals, a.bookkeeping)
	return !slices.ContainsFunc(changes, func(c feature.Change) bool { return c.ID == id })
}
