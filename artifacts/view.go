package artifacts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	write bool // the call holds the lock alone

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
		Lease: 2 * time.Duration(v.conf.Policy.SessionMinutes) * time.Minute,
		Alive: func(s session.Session) bool { return s.Host != host || runner.Born(s.PID) == s.Born && s.Born != "" },
	}
}

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

func (v *view) warn(text string) { v.warnings = append(v.warnings, text) }

// needs are what a call asks of the project before it acts, in the order in which they are refused.
type needs struct{ adopted, list, session, clean bool }

func (v *view) require(n needs) error {
	if v.broken != nil {
		return v.broken
	}
	if n.adopted && !v.adopted {
		what := "there is no harness in " + v.root
		if v.listPath != "" {
			what = v.listPath + " has not been adopted yet"
		}
		return refuse("not-initialized", what, `harness_init {"project":"NAME","type":"web-app|api|cli|library|mobile|other"}`)
	}
	if n.list && v.listErr != nil {
		return v.listErr
	}
	if n.list && v.list == nil {
		return refuse("not-initialized", "there is no feature list in "+v.root, `harness_init {"project":"NAME","type":"…"}`)
	}
	if n.session && v.mine == nil {
		return refuse("no-session", "no session is open here", "session_start")
	}
	if n.clean && len(v.tampered) > 0 {
		return v.refuseTampered()
	}
	return nil
}

func (v *view) refuseTampered() *Refusal {
	lines := make([]string, 0, len(v.tampered))
	for i, t := range v.tampered {
		if i == 20 {
			lines = append(lines, fmt.Sprintf("… and %d more", len(v.tampered)-i))
			break
		}
		lines = append(lines, strings.TrimSpace(t.ID+" "+t.What+" "+t.Detail))
	}
	return refuse("tampered", "the harness was changed outside the tools", `rollback {"target":"feature_list","reason":"…"} puts back the sealed state; a person may run: longhaul accept`, lines...)
}

// find looks a feature up by its exact id.
func (v *view) find(id string) (*feature.Feature, error) {
	if f := v.list.Find(id); f != nil {
		return f, nil
	}
	what := "there is no feature " + quote(id)
	if near := v.list.Nearest(id); len(near) > 0 {
		what += "; nearest: " + strings.Join(near, ", ")
	}
	return nil, refuse("unknown-feature", what, "list_features shows the ids")
}

// problem refuses a feature that can't be worked on as it stands in the file.
func problem(f *feature.Feature) error {
	if f.Problem == "" {
		return nil
	}
	return refuse(f.Problem, strings.TrimPrefix(f.Why, f.Problem+": "), "a person must put this right in the list; take another feature: next_feature")
}

func (v *view) situation(focus string) feature.Situation {
	s := feature.Situation{Focus: focus, Parked: without(v.ledger.Parked, v.proven), Regressed: map[string]bool{}, Held: map[string]bool{}}
	for id := range v.ledger.Regressed {
		s.Regressed[id] = true
	}
	for _, h := range v.held() {
		s.Held[h.ID] = true
	}
	return s
}

// held are the claims of other sessions.
func (v *view) held() []Held {
	var held []Held
	world := v.world()
	for _, s := range v.book.Sessions {
		if s.Claim == "" || (v.mine != nil && s.ID == v.mine.ID) {
			continue
		}
		if h := v.book.Holder(s.Claim, v.mineID(), v.who().Scope, world); h != nil && h.ID == s.ID {
			held = append(held, Held{ID: s.Claim, By: holder(h), Since: stamp(h.ClaimAt)})
		}
	}
	return held
}

func holder(s *session.Session) string {
	host, _, _ := strings.Cut(s.Host, " ")
	return s.ID + " on " + host + " in " + s.Worktree
}

func (v *view) mineID() string {
	if v.mine == nil {
		return ""
	}
	return v.mine.ID
}

// unproven says whether a feature passes only because it did so before Longhaul came.
func (v *view) unproven(f *feature.Feature) bool {
	return f.State == feature.Passed && f.ID != v.proven && (!v.adopted || v.ledger.Unproven(f.ID) || v.ledger.Standing[f.ID] == nil)
}

// counts are the totals by the seals: what was deleted from the list still counts.
func (v *view) counts() feature.Counts {
	c := v.list.Counts(v.situation(""))
	for i := range v.list.Features {
		f := &v.list.Features[i]
		if v.unproven(f) {
			c.Unproven++
		}
	}
	v.discount(&c)
	for _, id := range v.lost {
		c.Total++
		if v.ledger.Standing[id] != nil {
			c.Passed++
			continue
		}
		c.Failing++
	}
	return c
}

// discount takes out the copies of sealed features that were put in by hand.
func (v *view) discount(c *feature.Counts) {
	for _, t := range v.tampered {
		if t.What != "duplicated" {
			continue
		}
		extra := -1
		for i := range v.list.Features {
			if v.list.Features[i].ID == t.ID {
				extra++
			}
		}
		extra = max(extra, 0)
		c.Total, c.Failing, c.Blocked = c.Total-extra, c.Failing-extra, c.Blocked-extra
		if v.ledger.Standing[t.ID] != nil {
			c.Passed, c.Failing, c.Blocked = c.Passed+1, c.Failing-1, c.Blocked-1
		}
	}
}

// nextStep is what an open session does next.
func (v *view) nextStep() string {
	switch {
	case len(v.tampered) > 0:
		return `rollback {"target":"feature_list","reason":"…"}: the harness was changed outside the tools`
	case v.mine == nil:
		return "session_start"
	case v.late() && v.mine.Claim != "":
		return fmt.Sprintf("the session's %d minutes are over: commit what works, session_end with an in_progress item for %s", v.conf.Policy.SessionMinutes, v.mine.Claim)
	case v.mine.Claim != "":
		return "go on with " + v.mine.Claim
	case v.mine.Init:
		return nextInit
	case v.mine.Full(v.conf.Policy.MaxFeaturesPerSession), v.late():
		return "commit what is left, then " + v.endCall()
	}
	return "next_feature, or " + v.endCall()
}

// endCall is session_end with what it will ask for.
func (v *view) endCall() string {
	if v.mine.NextDone && !v.untold() {
		return "session_end"
	}
	return `session_end {"next_steps":["…"]}`
}

// late says whether the session has had its time.
func (v *view) late() bool {
	return v.at.Sub(v.mine.Started) > time.Duration(v.conf.Policy.SessionMinutes)*time.Minute
}

// put has a file replaced when the call succeeds.
func (v *view) put(rel string, data []byte) { v.putMode(rel, data, 0) }

func (v *view) putMode(rel string, data []byte, mode fs.FileMode) {
	c := change{Path: v.path(rel), data: data, Mode: mode}
	if rel == v.listPath {
		c.Before = known(v.listRaw)
	}
	v.changes = append(v.changes, c)
}

// record has a line written to the ledger when the call succeeds.
func (v *view) record(r ledger.Record) {
	r.At = v.at.Format(time.RFC3339)
	if r.Session == "" {
		r.Session = v.mineID()
	}
	v.records = append(v.records, r)
}

// flush writes everything that the step wanted, as one act: the ledger first.
func (v *view) flush() error {
	sweep(v.harnessFiles(true))
	const fresh = time.Minute // a lease is renewed in steps: asking alone need not write
	if v.mine != nil && (len(v.changes)+len(v.records) > 0 || v.at.Sub(v.mine.Seen) >= fresh) {
		v.mine.Seen = v.at
	}
	if v.adopted && v.list != nil && v.listErr == nil {
		v.sealFresh()
	}
	all, err := v.appendRecords()
	if err != nil {
		return err
	}
	all = append(all, v.changes...)
	if book := v.book.Bytes(); !bytes.Equal(book, v.bookRaw) && (v.bookRaw != nil || len(v.book.Sessions) > 0) {
		all = append(all, change{Path: v.bookPath(), Mode: 0o644, data: book})
	}
	for i := range all {
		if err := all[i].settle(); err != nil {
			return err
		}
	}
	if err := act(v.state, all); err != nil {
		return err
	}
	if len(v.changes)+len(v.records) > 0 {
		v.keepCopy()
	}
	if len(all) > 0 {
		v.told()
	}
	return nil
}

// appendRecords has the new lines written to the ledger and to the copy that it is held against.
func (v *view) appendRecords() ([]change, error) {
	if len(v.records) == 0 {
		return nil, nil
	}
	lines := bytes.Buffer{}
	if n := len(v.ledgerRaw); n > 0 && v.ledgerRaw[n-1] != '\n' {
		lines.WriteByte('\n')
	}
	for _, r := range v.records {
		lines.Write(r.Bytes())
	}
	before := v.ledgerRaw
	v.ledgerRaw = append(slices.Clip(before), lines.Bytes()...)
	own, err := v.copyLedger(before, lines.Bytes())
	if err != nil {
		return nil, err
	}
	for i := range v.changes {
		if c := &v.changes[i]; c.Path == v.path(ledgerPath) { // the whole ledger is written anew
			c.data = v.ledgerRaw
			return []change{own}, nil
		}
	}
	return []change{{Path: v.path(ledgerPath), Append: lines.Bytes(), Offset: int64(len(before))}, own}, nil
}

// sealFresh seals the features that were appended by hand.
func (v *view) sealFresh() {
	if len(v.fresh) == 0 {
		return
	}
	foreign := func(t Tampering) bool { return t.What != "passed" }
	if slices.ContainsFunc(v.tampered, foreign) {
		return // what is in disorder is not sealed
	}
	seals := v.list.Seals(v.conf.Bookkeeping)
	before := ""
	for i := len(seals) - 1; i >= 0; i-- {
		s := seals[i]
		if slices.Contains(v.fresh, s.ID) {
			v.record(ledger.Record{Kind: ledger.Seal, ID: s.ID, Pos: s.Positional, Keys: s.Keys, Before: before, Reason: "appended by hand"})
		}
		before = s.ID
	}
}

func (v *view) told() {
	v.p.mu.Lock()
	told := v.p.onChange
	v.p.mu.Unlock()
	if told == nil {
		return
	}
	uris := []string{"harness://status", "harness://features"} // claims show in both
	for _, c := range v.changes {
		switch c.Path {
		case v.path(v.conf.Files.Progress):
			uris = append(uris, "harness://progress")
		case v.path(v.conf.Files.Architecture):
			uris = append(uris, "harness://architecture")
		}
	}
	told(uris)
}

// harnessFiles are the files of the harness, relative or absolute.
func (v *view) harnessFiles(absolute bool) []string {
	f := v.conf.Files
	var files []string
	for _, rel := range []string{configPath, ledgerPath, v.listPath, f.Progress, f.Architecture, f.Plan} {
		if rel == "" || slices.Contains(files, rel) {
			continue
		}
		files = append(files, rel)
	}
	if real, ok := v.behind(v.listPath); ok && !slices.Contains(files, real) {
		files = append(files, real)
	}
	if absolute {
		for i, rel := range files {
			files[i] = v.path(rel)
		}
		files = append(files, v.bookPath(), filepath.Join(v.state, "journal.json"))
	}
	return files
}

// behind is the file of the project that a link stands for.
func (v *view) behind(rel string) (string, bool) {
	if rel == "" {
		return "", false
	}
	real, err := target(v.path(rel))
	if err != nil || real == v.path(rel) || !within(v.root, real) {
		return "", false
	}
	inside, err := filepath.Rel(v.root, real)
	return filepath.ToSlash(inside), err == nil
}

func stamp(t time.Time) string { return t.Format("2006-01-02 15:04 -07:00") }

func quote(s string) string { return strconv.Quote(clip(s, 120)) }

// clip cuts a text to n bytes, whole characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := n - len("…")
	for cut > 0 && !isStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

func isStart(b byte) bool { return b&0xC0 != 0x80 }

func contextValue[T any](ctx context.Context, key contextKey) (T, bool) {
	f, ok := ctx.Value(key).(T)
	return f, ok
}
