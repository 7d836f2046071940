package artifacts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/history"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
	"github.com/longhaul-mcp/longhaul/artifacts/progress"
	"github.com/longhaul-mcp/longhaul/artifacts/runner"
	"github.com/longhaul-mcp/longhaul/artifacts/session"
)

// startBudget is what the answer of session_start may cost, in bytes of JSON, however large the project is.
const startBudget = 2400

// SessionStart runs the start checklist: it opens a session or resumes the one that was open, runs init.sh and the smoke
// test when runInit is true, and claims one feature. It resumes also after a crash, with the claim as it was.
func (p *Project) SessionStart(ctx context.Context, focus string, runInit bool) (*StartReply, error) {
	reply := &StartReply{}
	var script scriptRun
	err := p.update(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true}); err != nil {
			return err
		}
		if err := v.enter(ctx, reply); err != nil {
			return err
		}
		reply.Warnings = v.allWarnings()
		script = v.initRun()
		if script.missing != "" {
			reply.Warnings = append(reply.Warnings, script.missing)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if runInit {
		reply.Init = p.runInit(ctx, script)
		if reply.Init.OK || !reply.Init.Ran && reply.Init.Code == "" {
			if err := p.sweep(ctx, reply); err != nil {
				return nil, err
			}
		}
	}
	err = p.update(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true, session: true}); err != nil {
			return err
		}
		return v.orient(focus, reply)
	})
	if err != nil {
		return nil, err
	}
	p.warnGreen(ctx, reply.Feature, &reply.Warnings)
	shrink(reply)
	return reply, nil
}

// enter opens or resumes the session. The state of the work tree is taken before the session writes its own line.
func (v *view) enter(ctx context.Context, reply *StartReply) error {
	if err := v.gitReply(ctx, &reply.Git); err != nil {
		return err
	}
	for _, s := range v.book.Reap(v.world()) {
		v.record(ledger.Record{Kind: ledger.End, Session: s.ID, IDs: s.Passed, Claimed: s.Claimed, Focus: s.Focus, Open: true,
			Reason: "the process was gone and the lease ran out"})
	}
	v.mine = v.book.Resume(v.who(), v.world())
	if v.mine != nil {
		reply.Resumed = true
		v.mine.Call = v.p.who.Call
		return nil
	}
	return v.openSession(ctx)
}

// openSession begins a new session, with what is changed already as its baseline.
func (v *view) openSession(ctx context.Context) error {
	known := v.ledger.Highest()
	if known == 0 {
		if log, err := readMaybe(v.path(v.conf.Files.Progress)); err == nil {
			known = progress.Highest(log)
		}
	}
	v.mine = v.book.Open(v.who(), known, v.at)
	if v.repo != nil {
		dirty, err := v.dirty(ctx)
		if err != nil {
			return err
		}
		v.mine.Head, v.mine.Dirty = v.head.SHA, dirty
	}
	v.record(ledger.Record{Kind: ledger.Start})
	return nil
}

// dirty fingerprints what HEAD does not hold, harness files apart.
func (v *view) dirty(ctx context.Context) (map[string]string, error) {
	changes, err := v.gitStatus(ctx)
	if err != nil {
		return nil, err
	}
	if v.prints != nil {
		return v.prints, nil
	}
	v.prints = map[string]string{}
	for _, c := range changes {
		if !v.isHarness(c.Path) {
			v.prints[c.Path] = v.repo.Fingerprint(c.Path)
		}
	}
	return v.prints, nil
}

// gitStatus asks git once a call.
func (v *view) gitStatus(ctx context.Context) ([]history.Change, error) {
	if v.asked {
		return v.changed, nil
	}
	changed, err := v.repo.Status(ctx)
	v.changed, v.asked = changed, err == nil
	return changed, err
}

func (v *view) isHarness(rel string) bool {
	return rel == v.conf.Files.InitScript || slices.Contains(v.harnessFiles(false), rel) || strings.HasPrefix(rel, harnessDir+"/")
}

// orient fills in the answer and claims a feature.
func (v *view) orient(focus string, reply *StartReply) error {
	reply.Session = v.mine.ID
	reply.Project = v.project()
	reply.Tampered = v.tampered
	for _, w := range v.allWarnings() {
		if !slices.Contains(reply.Warnings, w) {
			reply.Warnings = append(reply.Warnings, w)
		}
	}
	if log, err := readMaybe(v.path(v.conf.Files.Progress)); err == nil && len(log) > 0 {
		text, id, _ := progress.Last(log, 900)
		if whole, ok := progress.Find(log, id, 900); ok && id != "" {
			text = whole
		}
		reply.Progress = &ProgressReply{Session: id, Text: text}
	}
	if focus != "" {
		v.mine.Focus = focus
	}
	warned := len(v.warnings)
	v.choose(focus, reply)
	reply.Warnings = append(reply.Warnings, v.warnings[warned:]...)
	reply.Counts = v.counts()
	policy := v.conf.Policy
	reply.Limits = Limits{Features: policy.MaxFeaturesPerSession, Minutes: policy.SessionMinutes, Used: int(v.at.Sub(v.mine.Started).Minutes()), ContextPercent: policy.ContextResetPercent}
	return nil
}

// sweep checks a few passed features again, where the policy asks for it: first the most important, then the cheapest.
func (p *Project) sweep(ctx context.Context, reply *StartReply) error {
	var jobs []*markJob
	err := p.read(ctx, func(v *view) error {
		n := v.conf.Policy.SweepOnStart
		if n <= 0 || len(v.tampered) > 0 || v.list == nil {
			return nil
		}
		var core []*feature.Feature
		for i := range v.list.Features {
			f := &v.list.Features[i]
			if f.State == feature.Passed && f.Problem == "" && f.Check != "" && feature.Masked(f.Check) == "" {
				core = append(core, f)
			}
		}
		slices.SortStableFunc(core, func(a, b *feature.Feature) int {
			return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(v.cost(a.ID), v.cost(b.ID)))
		})
		for _, f := range core[:min(n, len(core))] {
			job, err := v.job(f)
			if err != nil {
				return err
			}
			jobs = append(jobs, job)
		}
		return nil
	})
	if err != nil || len(jobs) == 0 {
		return err
	}
	var swept VerifyReply
	if err := p.verify(ctx, jobs, &swept); err != nil {
		return err
	}
	for _, r := range swept.Results {
		r.Tail = clipFront(r.Tail, 300)
		reply.Swept = append(reply.Swept, r)
	}
	return nil
}

// broken are the passed features that a sweep found failing.
func (r *StartReply) broken() []string {
	var ids []string
	for _, c := range r.Swept {
		if !c.OK {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func (v *view) choose(focus string, reply *StartReply) {
	if f := v.claimed(); f != nil {
		reply.State, reply.Feature = "feature", v.show(f, true)
		reply.Todos = todos(f.ID)
		reply.Next = "work on " + f.ID + ` until each step is verified, then mark_feature_passed {"id":"` + f.ID + `"}`
		v.nextOverride(reply)
		return
	}
	if v.mine.Full(v.conf.Policy.MaxFeaturesPerSession) {
		reply.State, reply.Next = "session_done", v.nextStep()
		v.nextOverride(reply)
		return
	}
	if reply.Init.Ran && !reply.Init.OK || reply.Init.Code != "" {
		reply.State = "repair"
		reply.Next = "repair what init.tail shows, then session_start again; next_feature claims a feature all the same"
		v.nextOverride(reply)
		return
	}
	state, f, blocked := v.pick(focus)
	reply.State, reply.Blocked = state, blocked
	if f != nil {
		v.book.Claim(v.mine, f.ID, v.head.SHA, v.at)
		reply.Feature, reply.Todos = v.show(f, true), todos(f.ID)
	}
	reply.Next = nextFor(state, f)
	v.nextOverride(reply)
}

func (v *view) nextOverride(reply *StartReply) {
	if ids := reply.broken(); len(ids) > 0 {
		reply.Next = `report_regression {"id":"` + ids[0] + `","reason":"…"} first: ` + some(ids) + " passed before and fail now"
	}
	if len(v.tampered) > 0 {
		reply.Next = v.nextStep()
	}
}

// claimed is the feature of the session's claim, nil when there is none that can go on.
func (v *view) claimed() *feature.Feature {
	if v.mine.Claim == "" {
		return nil
	}
	f := v.list.Find(v.mine.Claim)
	if f == nil || f.State != feature.Failing || f.Problem != "" {
		v.mine.Release()
		return nil
	}
	if h := v.book.Holder(f.ID, v.mine.ID, v.who().Scope, v.world()); h != nil {
		v.mine.Release()
		v.warn(f.ID + " was taken over by " + holder(h))
		return nil
	}
	return f
}

// pick chooses the next feature and says why there is none.
func (v *view) pick(focus string) (state string, f *feature.Feature, blocked []feature.Block) {
	if focus == "" {
		focus = v.mine.Focus
	}
	s := v.situation(focus)
	f, blocked = v.list.Next(s)
	if f != nil && focus != "" && !v.list.Matches(f.ID, focus) {
		v.warn("nothing open matches the focus " + quote(focus) + ": " + f.ID + " is the next of all")
	}
	switch c := v.counts(); {
	case f != nil:
		return "feature", f, nil
	case c.Total == 0:
		return "none_defined", nil, nil
	case c.Failing == 0 && len(blocked) == 0:
		return "all_passed", nil, nil
	}
	if len(blocked) > 10 {
		blocked = append(blocked[:10:10], feature.Block{ID: "…", Why: fmt.Sprintf("%d more: list_features {\"status\":\"blocked\"}", len(blocked)-10)})
	}
	return "blocked", nil, blocked
}

func nextFor(state string, f *feature.Feature) string {
	switch state {
	case "feature":
		return "work on " + f.ID + ` only; verify each step, then mark_feature_passed {"id":"` + f.ID + `"}`
	case "all_passed":
		return "every feature has passed: verify_features {\"scope\":\"passed\"} or session_end; add nothing that nobody asked for"
	case "none_defined":
		return "add_features: break the project into small features, each testable from end to end"
	}
	return "unblock one of these, or session_end with what is in the way"
}

func todos(id string) []string {
	return []string{"verify " + id + " step by step", "mark_feature_passed " + id, "append_progress", "commit", "session_end"}
}

func (v *view) project() ProjectReply {
	branch := v.head.Branch
	if v.head.Detached {
		branch = "detached at " + short(v.head.SHA)
	}
	if v.head.Busy != "" {
		branch += " (" + v.head.Busy + " under way)"
	}
	r := ProjectReply{Root: v.root, Branch: branch, Layout: v.conf.Layout, List: v.listPath}
	if v.list != nil {
		r.Name = v.list.Project
	}
	return r
}

func short(sha string) string { return sha[:min(7, len(sha))] }

func (v *view) gitReply(ctx context.Context, reply *GitReply) error {
	if v.repo == nil {
		return nil
	}
	changes, err := v.gitStatus(ctx)
	if err != nil {
		return err
	}
	reply.Clean = len(changes) == 0
	const shown = 5
	for i, c := range changes {
		if i == shown {
			reply.Changed = append(reply.Changed, fmt.Sprintf("… %d more", len(changes)-shown))
			break
		}
		reply.Changed = append(reply.Changed, c.Path)
	}
	commits, err := v.repo.Log(5)
	if err != nil && !v.head.Unborn {
		return err
	}
	for _, c := range commits {
		reply.Commits = append(reply.Commits, CommitReply{SHA: short(c.SHA), Subject: clip(c.Subject, 72)})
	}
	return nil
}

// allWarnings are the things to know that stop nothing.
func (v *view) allWarnings() []string {
	w := slices.Clone(v.warnings)
	if len(v.others) > 0 {
		w = append(w, v.listPath+" is used; not used: "+strings.Join(v.others, ", "))
	}
	if len(v.fresh) > 0 {
		w = append(w, "appended by hand: "+some(v.fresh))
	}
	if v.list == nil {
		return w
	}
	if gone := v.retired(); len(gone) > 0 {
		w = append(w, "retired by hand since they were sealed: "+some(gone))
	}
	return append(w, firsts(v.list.Warnings(), 5)...)
}

// retired are the features whose state word was changed to a retired one: allowed, but nobody should miss it.
func (v *view) retired() []string {
	var gone []string
	for i := range v.list.Features {
		f := &v.list.Features[i]
		if v.adopted && f.State == feature.Retired && !v.ledger.Retired[f.ID] {
			gone = append(gone, f.ID)
		}
	}
	return gone
}

func firsts(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	return append(slices.Clone(list[:n]), fmt.Sprintf("… and %d more", len(list)-n))
}

func some(list []string) string { return strings.Join(firsts(list, 8), ", ") }

// shrink keeps the answer inside its budget: the feature stays longest.
func shrink(r *StartReply) {
	size := func() int { return jsonSize(r) }
	for len(r.Warnings) > 3 && size() > startBudget {
		r.Warnings = firsts(r.Warnings, 2)
	}
	for len(r.Tampered) > 4 && size() > startBudget {
		r.Tampered = append(r.Tampered[:3:3], Tampering{ID: fmt.Sprintf("… %d more", len(r.Tampered)-3), What: "see status"})
	}
	if over := size() - startBudget; over > 0 && r.Progress != nil {
		r.Progress.Text = clip(r.Progress.Text, max(len(r.Progress.Text)-over-8, 240))
	}
	if over := size() - startBudget; over > 0 {
		r.Init.Tail = clipFront(r.Init.Tail, max(len(r.Init.Tail)-over-8, 400))
	}
	if over := size() - startBudget; over > 0 && r.Feature != nil {
		r.Feature.Steps = cutSteps(r.Feature, max(300, stepsSize(r.Feature)-over-90))
	}
	if over := size() - startBudget; over > 0 && r.Feature != nil {
		r.Feature.Description = clip(r.Feature.Description, max(200, len(r.Feature.Description)-over-8))
	}
	if over := size() - startBudget; over > 0 && len(r.Git.Commits) > 2 {
		r.Git.Commits = r.Git.Commits[:2]
	}
	for i := range r.Warnings {
		if size() <= startBudget {
			return
		}
		r.Warnings[i] = clip(r.Warnings[i], 160)
	}
	if over := size() - startBudget; over > 0 && r.Feature != nil && r.Feature.Check != "" {
		r.Feature.Check = clip(r.Feature.Check, max(100, len(r.Feature.Check)-over-8))
	}
}

func stepsSize(f *FeatureReply) int { return jsonSize(f.Steps) }

// cutSteps shows the first steps and says how to read on.
func cutSteps(f *FeatureReply, budget int) []string {
	var kept []string
	for i, s := range f.Steps {
		budget -= len(s) + 3
		if budget < 0 && i > 0 {
			return append(kept, fmt.Sprintf(`… %d more: list_features {"ids":["%s"]}`, len(f.Steps)-i, f.ID))
		}
		kept = append(kept, clip(s, 400))
	}
	return kept
}

func clipFront(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := len(s) - n + len("…")
	for cut < len(s) && !isStart(s[cut]) {
		cut++
	}
	return "…" + s[cut:]
}

// NextFeature answers the claimed feature or claims one.
func (p *Project) NextFeature(ctx context.Context, r NextRequest) (*NextReply, error) {
	reply := &NextReply{}
	fresh := false
	err := p.update(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true, session: true}); err != nil {
			return err
		}
		before := v.mine.Claim
		if err := v.next(r, reply); err != nil {
			return err
		}
		fresh = v.mine.Claim != before
		reply.Held = v.held()
		reply.Held = reply.Held[:min(len(reply.Held), 20)]
		reply.Counts = v.counts()
		reply.Tampered = firstTampered(v.tampered)
		reply.Warnings = v.warnings
		return nil
	})
	if err != nil {
		return nil, err
	}
	if fresh {
		p.warnGreen(ctx, reply.Feature, &reply.Warnings)
	}
	return reply, nil
}

func (v *view) next(r NextRequest, reply *NextReply) error {
	if r.Release != "" {
		if v.mine.Claim == "" {
			return refuse("not-claimed", "this session holds no claim to give back", "next_feature")
		}
		v.warn(v.mine.Claim + " was given back: " + clip(r.Release, 200))
		v.mine.Note(v.mine.Claim)
		v.mine.Release()
		if r.ID == "" {
			reply.State, reply.Next = "released", "next_feature, or session_end"
			return nil
		}
	}
	if r.ID != "" {
		return v.claimID(r.ID, reply)
	}
	if f := v.claimed(); f != nil {
		reply.State, reply.Feature, reply.Next = "feature", v.show(f, true), nextFor("feature", f)
		if r.Focus != "" {
			v.warn("the focus counts for the next feature: " + f.ID + " is claimed")
		}
		return nil
	}
	if err := v.limit(); err != nil {
		return err
	}
	state, f, blocked := v.pick(r.Focus)
	reply.State, reply.Blocked, reply.Next = state, blocked, nextFor(state, f)
	if r.Focus != "" {
		v.mine.Focus = r.Focus
	}
	if f != nil {
		v.book.Claim(v.mine, f.ID, v.head.SHA, v.at)
		reply.Feature = v.show(f, true)
	}
	return nil
}

func (v *view) limit() error {
	n := v.conf.Policy.MaxFeaturesPerSession
	if !v.mine.Full(n) {
		return nil
	}
	return refuse("session-limit", fmt.Sprintf("%s has passed %s; the limit is %d a session", v.mine.ID, strings.Join(v.mine.Passed, ", "), n),
		v.nextStep())
}

func (v *view) claimID(id string, reply *NextReply) error {
	f, err := v.find(id)
	if err != nil {
		return err
	}
	switch {
	case f.Problem != "":
		return refuse("blocked", strings.TrimPrefix(f.Why, f.Problem+": "), "a person must put this right in the list; take another feature: next_feature")
	case f.State == feature.Passed:
		return refuse("bad-argument", id+" has passed", `report_regression {"id":"`+id+`","reason":"…"} if it broke, else next_feature`)
	case f.State == feature.Retired:
		return refuse("bad-argument", id+" is retired", "next_feature")
	}
	if v.mine.Claim != id {
		if err := v.limit(); err != nil {
			return err
		}
	}
	if h := v.book.Holder(id, v.mine.ID, v.who().Scope, v.world()); h != nil {
		return refuse("claimed-by", id+" is held by "+holder(h)+" since "+stamp(h.ClaimAt), "next_feature takes another one")
	}
	s := v.situation("")
	delete(s.Held, id)
	s.Parked = without(s.Parked, id)
	if why := v.list.Blocked(id, s); why != "" {
		return refuse("blocked", id+": "+why, "next_feature offers what can be worked on")
	}
	if old := v.mine.Claim; old != "" && old != id {
		v.warn(old + " was given back for " + id)
		v.mine.Note(old)
	}
	if _, ok := v.ledger.Parked[id]; ok {
		v.record(ledger.Record{Kind: ledger.Unpark, ID: id})
	}
	v.book.Claim(v.mine, id, v.head.SHA, v.at)
	reply.State, reply.Feature, reply.Next = "feature", v.show(f, true), nextFor("feature", f)
	return nil
}

func without(m map[string]string, key string) map[string]string {
	out := map[string]string{}
	for k, val := range m {
		if k != key {
			out[k] = val
		}
	}
	return out
}

// SessionEnd runs the end checklist. It closes the session when nothing is missing, or as incomplete with a reason.
func (p *Project) SessionEnd(ctx context.Context, n Note, incompleteReason string) (*EndReply, error) {
	if incompleteReason != "" && strings.TrimSpace(incompleteReason) == "" {
		return nil, refuse("bad-argument", "incomplete_reason is blank", "say why the session ends with items open")
	}
	var smoke scriptRun
	err := p.read(ctx, func(v *view) error {
		if err := v.requireEnd(incompleteReason); err != nil {
			return err
		}
		smoke = v.smokeRun()
		return v.checkNote(n)
	})
	if err != nil {
		return nil, err
	}
	facts := session.Facts{Smoke: smoke.command.Line != ""}
	if facts.Smoke {
		result := p.runScript(ctx, smoke)
		facts.SmokeOK, facts.SmokeNote = result.OK, smoke.command.Line+": "+smokeNote(result)
	}
	reply := &EndReply{}
	var commit func() error
	err = p.update(ctx, func(v *view) error {
		if err := v.requireEnd(incompleteReason); err != nil {
			return err
		}
		if err := v.facts(ctx, &facts, n); err != nil {
			return err
		}
		return v.closeSession(ctx, n, facts, incompleteReason, reply, &commit)
	})
	if err != nil {
		return nil, err
	}
	p.Close()
	if err := commit(); err != nil {
		reply.Warnings = append(reply.Warnings, "the harness files are not committed: "+strings.SplitN(err.Error(), "\nNext:", 2)[0])
	}
	return reply, nil
}

func (v *view) requireEnd(incompleteReason string) error {
	n := needs{adopted: true, list: true, session: true, clean: incompleteReason == ""}
	return v.require(n)
}

func smokeNote(r InitReply) string {
	note := r.Code
	if r.ExitCode != nil {
		note = fmt.Sprintf("exit code %d", *r.ExitCode)
	}
	if r.Tail == "" {
		return note + ", it printed nothing"
	}
	return note + ": " + clipFront(r.Tail, 600)
}

// facts looks at the work tree for the end checklist.
func (v *view) facts(ctx context.Context, f *session.Facts, n Note) (err error) {
	f.Entry = !n.empty()
	f.NextSteps = len(n.NextSteps) > 0
	state, _, _ := v.pick("")
	f.AllPassed = state == "all_passed"
	for _, id := range v.mine.Passed {
		if x := v.list.Find(id); x != nil && x.State != feature.Passed {
			f.Regressed = append(f.Regressed, id)
		}
	}
	if v.repo == nil {
		return nil
	}
	f.Git = true
	f.Uncommitted, f.LeftOut, err = v.toCommit(ctx)
	if err != nil {
		return err
	}
	f.Todos, err = v.todos(ctx)
	return err
}

// toCommit are the changes that a commit would take or a person must name, apart from those that no commit may take.
func (v *view) toCommit(ctx context.Context) (open, leftOut []string, err error) {
	changed, err := v.changedSince(ctx)
	if err != nil {
		return nil, nil, err
	}
	changes, err := v.gitStatus(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range changes {
		if !slices.Contains(changed, c.Path) {
			continue
		}
		if _, before := v.mine.Dirty[c.Path]; !before && v.leaveOut(c) != "" {
			leftOut = append(leftOut, c.Path+" "+v.leaveOut(c))
			continue
		}
		open = append(open, c.Path)
	}
	return open, leftOut, nil
}

// changedSince are the paths that differ from HEAD and were not so, or not so far, when the session began.
func (v *view) changedSince(ctx context.Context) ([]string, error) {
	dirty, err := v.dirty(ctx)
	if err != nil {
		return nil, err
	}
	var changed []string
	for path, print := range dirty {
		if before, ok := v.mine.Dirty[path]; !ok || before != print {
			changed = append(changed, path)
		}
	}
	slices.Sort(changed)
	return changed, nil
}

// todos are the TODO comments that the session added.
func (v *view) todos(ctx context.Context) ([]string, error) {
	if v.conf.Policy.TodoPattern == "" {
		return nil, nil
	}
	pattern, err := regexp.Compile(v.conf.Policy.TodoPattern)
	if err != nil {
		return nil, refuse("bad-argument", "policy.todo_pattern is not a regular expression: "+err.Error(), "a person may run: longhaul config set policy.todo_pattern PATTERN")
	}
	lines, err := v.repo.AddedLines(ctx, v.mine.Head, nil)
	var git *history.Error
	if errors.As(err, &git) {
		return nil, nil // the commit it began at is gone: nothing to compare with
	}
	if err != nil {
		return nil, err
	}
	var found []string
	for _, l := range lines {
		if v.isHarness(l.Path) {
			continue
		}
		if before, ok := v.mine.Dirty[l.Path]; ok && before == v.repo.Fingerprint(l.Path) {
			continue
		}
		if pattern.MatchString(l.Text) {
			found = append(found, fmt.Sprintf("%s:%d: %s", l.Path, l.Line, clip(strings.TrimSpace(l.Text), 80)))
		}
	}
	return found, nil
}

func (v *view) closeSession(ctx context.Context, n Note, facts session.Facts, reason string, reply *EndReply, commit *func() error) error {
	for _, id := range n.ids() {
		v.mine.Note(id)
	}
	complete := true
	reply.Tampered = firstTampered(v.tampered)
	var missing []string
	for _, item := range v.mine.End(facts) {
		reply.Checklist = append(reply.Checklist, ChecklistItem{Item: item.Item, OK: item.OK, Note: item.Note})
		if !item.OK {
			complete = false
			missing = append(missing, item.Item+": "+item.Note)
		}
	}
	if len(v.tampered) > 0 {
		complete = false
	}
	if !complete && reason == "" {
		return refuse("end-checklist", v.mine.ID+" can't close as complete", `mend these, or session_end {"incomplete_reason":"…"}`, missing...)
	}
	if reason != "" && !complete {
		n.Notes = append(slices.Clone(n.Notes), "Closed as incomplete: "+reason)
	}
	v.mine.Claim = "" // the log speaks of what is open after the session
	if err := v.writeEntry(n, !n.empty() || v.untold()); err != nil {
		return err
	}
	v.record(ledger.Record{Kind: ledger.End, IDs: v.mine.Passed, Claimed: v.mine.Claimed, Focus: v.mine.Focus, Open: !complete, Reason: reason})
	reply.Session, reply.Closed, reply.Complete = v.mine.ID, true, complete
	reply.Next = "this session is over: start a new one with session_start, in a fresh context"
	*commit = v.p.closingCommit(ctx, v.mine.ID, v.untampered(), v.repo, reply)
	v.book.Close(v.mine.ID)
	v.mine = nil
	return nil
}

// untold says whether the log lacks something that the session did.
func (v *view) untold() bool {
	return v.mine.Entries == 0 || len(v.mine.Passed) > v.mine.ToldPassed || len(v.mine.Commits) > v.mine.ToldCommits
}

// untampered are the harness files that hold nothing but what the tools and people may have written.
func (v *view) untampered() []string {
	files := v.harnessFiles(false)
	if info, err := os.Lstat(v.path(v.conf.Files.InitScript)); err == nil && !info.IsDir() {
		files = append(files, v.conf.Files.InitScript)
	}
	return slices.DeleteFunc(files, func(rel string) bool {
		switch rel {
		case ledgerPath:
			return v.hasTampered("ledger")
		case configPath:
			return v.hasTampered("policy")
		case v.listPath:
			return slices.ContainsFunc(v.tampered, func(t Tampering) bool { return t.What != "ledger" && t.What != "policy" })
		}
		return false
	})
}

// closingCommit commits the harness files once the lock is free: hooks may ask Longhaul.
func (p *Project) closingCommit(ctx context.Context, id string, files []string, repo *history.Repo, reply *EndReply) func() error {
	return func() error {
		if repo == nil {
			return nil
		}
		paths, _, err := changedHarness(ctx, repo, files)
		if err != nil || len(paths) == 0 {
			return err
		}
		done, err := repo.Commit(ctx, history.CommitRequest{Paths: paths, Message: "chore: close " + id + "\n\nHarness-Session: " + id + "\n"})
		if err != nil {
			return err
		}
		reply.Commit = short(done.SHA)
		return nil
	}
}

// changedHarness sorts the harness files that differ from HEAD into those to commit and those that are ignored.
func changedHarness(ctx context.Context, repo *history.Repo, files []string) (paths, ignored []string, err error) {
	changes, err := repo.Status(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range changes {
		if slices.Contains(files, c.Path) {
			paths = append(paths, c.Path)
		}
	}
	skip, err := repo.Ignored(ctx, files)
	for _, f := range files {
		if skip[f] && !repo.Tracked(f) {
			ignored = append(ignored, f)
		}
	}
	return paths, ignored, err
}

// A scriptRun is what to run, found under the lock and run without it.
type scriptRun struct {
	command runner.Command
	missing string // a warning instead
	smoke   string
	dir     string
	timeout time.Duration
}

func (v *view) initRun() scriptRun {
	policy := v.conf.Policy
	run := scriptRun{smoke: policy.SmokeTest, dir: v.root, timeout: time.Duration(policy.InitTimeout) * time.Second}
	script := v.conf.Files.InitScript
	if script == "" {
		return run
	}
	if _, err := os.Stat(v.path(script)); err != nil {
		run.missing = "there is no " + script
		return run
	}
	run.command = runner.Command{Script: v.path(script), Dir: v.root, Timeout: run.timeout, Keep: true}
	return run
}

func (v *view) smokeRun() scriptRun {
	policy := v.conf.Policy
	return scriptRun{command: runner.Command{Line: policy.SmokeTest, Dir: v.root, Timeout: time.Duration(policy.CheckTimeout) * time.Second}}
}

// runInit runs init.sh and then the smoke test.
func (p *Project) runInit(ctx context.Context, run scriptRun) InitReply {
	p.Close() // what an earlier run left would stand in the way of its successor
	var reply InitReply
	if run.command.Script != "" {
		reply = p.runScript(ctx, run)
		if !reply.OK {
			return reply
		}
	}
	if run.smoke == "" {
		return reply
	}
	smoke := p.runScript(ctx, scriptRun{command: runner.Command{Line: run.smoke, Dir: run.dir, Timeout: run.timeout}})
	if !smoke.OK {
		smoke.Tail = "smoke test: " + run.smoke + "\n" + smoke.Tail
		smoke.Background = reply.Background
		return smoke
	}
	if !reply.Ran {
		return smoke
	}
	reply.Seconds += smoke.Seconds
	return reply
}

func (p *Project) runScript(ctx context.Context, run scriptRun) InitReply {
	result, err := p.run(ctx, run.command)
	var failed *runner.Error
	if errors.As(err, &failed) {
		return InitReply{Code: failed.Code, Tail: failed.Text}
	}
	if err != nil {
		return InitReply{Code: "init-failed", Tail: cause(err)}
	}
	reply := InitReply{Ran: true, OK: result.OK, ExitCode: &result.ExitCode, Seconds: seconds(result)}
	for _, b := range result.Background {
		reply.Background = append(reply.Background, Process{PID: b.PID, Command: clip(b.Command, 100)})
	}
	if result.OK {
		reply.Tail = clipFront(result.Tail, 200)
		return reply
	}
	reply.Tail = clipFront(result.Tail, 1200)
	reply.Code = "init-failed"
	if result.TimedOut {
		reply.Code = "init-timeout"
	}
	return reply
}

// run runs a command without the lock and keeps what it leaves running.
func (p *Project) run(ctx context.Context, c runner.Command) (runner.Result, error) {
	c.Progress, _ = contextValue[func(time.Duration, string)](ctx, progressKey)
	if tell, ok := contextValue[func(bool)](ctx, longKey); ok {
		tell(true)
		defer tell(false)
	}
	if leaving, ok := contextValue[context.Context](ctx, leavingKey); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(leaving, cancel)()
	}
	result, err := runner.Run(ctx, c)
	if result.Leftover != nil {
		p.mu.Lock()
		p.trees = append(p.trees, result.Leftover)
		p.mu.Unlock()
	}
	return result, err
}
