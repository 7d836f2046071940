package artifacts

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
	"github.com/longhaul-mcp/longhaul/artifacts/progress"
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
			if f.State == feature.Passed && f.Problem == "" && f.Check != "" {
				core = append(core, f)
			}
		}
		slices.SortStableFunc(core, func(a, b *feature.Feature) int {
			return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(v.cost(a.ID), v.cost(b.ID)))
		})
		for _, f := range core {
			if len(jobs) == n {
				break
			}
			if code, _ := unprovable(f.Check); code != "" {
				continue
			}
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

func todos(id string) []string {
	return []string{"verify " + id + " step by step", "mark_feature_passed " + id, "append_progress", "commit", "session_end"}
}

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
