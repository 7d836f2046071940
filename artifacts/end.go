package artifacts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/history"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
	"github.com/longhaul-mcp/longhaul/artifacts/session"
)

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
	if errors.As(err, &git) && git.Code != "unreadable" {
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
