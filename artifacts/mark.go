package artifacts

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
	"github.com/longhaul-mcp/longhaul/artifacts/runner"
)

// MarkPassed is the gate: it runs the feature's check, or weighs the evidence for each step where there is none, writes the
// proof and then the pass. A refusal writes nothing but the record of the attempt. A feature that has passed stays as it is.
func (p *Project) MarkPassed(ctx context.Context, id string, evidence []Evidence) (*MarkReply, error) {
	if strings.TrimSpace(id) == "" {
		return nil, refuse("bad-argument", "id is empty", "give the id of the claimed feature")
	}
	var reply *MarkReply
	var job *markJob
	err := p.read(ctx, func(v *view) (err error) {
		reply, job, err = v.gate(id, evidence)
		return err
	})
	if err != nil || reply != nil {
		return reply, err
	}
	proof, attempt, failed := p.prove(ctx, job)
	if failed != nil {
		return nil, p.recordAttempt(ctx, id, attempt, failed)
	}
	err = p.update(ctx, func(v *view) error {
		var again *markJob
		reply, again, err = v.gate(id, evidence)
		if err != nil || reply != nil {
			return err
		}
		if again.command.Line != job.command.Line || again.command.Dir != job.command.Dir {
			return refuse("tampered", "the check of "+id+" changed while it ran", "mark_feature_passed again")
		}
		reply, err = v.pass(ctx, job, proof)
		return err
	})
	return reply, err
}

// A markJob is what the gate found to do.
type markJob struct {
	id       string
	command  runner.Command // no line: there is no check
	cwd      string
	evidence []ledger.Evidence
}

// gate asks everything that can be asked before a check runs. A reply means there is nothing to do.
func (v *view) gate(id string, evidence []Evidence) (*MarkReply, *markJob, error) {
	if err := v.require(needs{adopted: true, list: true, session: true, clean: true}); err != nil {
		var named []string
		for _, e := range evidence {
			if e.Artifact != "" {
				named = append(named, e.Artifact)
			}
		}
		return nil, nil, cmp.Or(v.outside(named), err)
	}
	f, err := v.find(id)
	if err != nil {
		return nil, nil, err
	}
	if f.State == feature.Passed && f.Problem == "" {
		proof := proofReply(v.ledger.Standing[id])
		if proof != nil {
			proof.Evidence, proof.Tail = nil, clipFront(proof.Tail, 300)
		}
		return &MarkReply{ID: id, Passed: true, Proof: proof, Counts: v.counts(),
			Next: "it has passed before; nothing was changed. commit what is left, then session_end"}, nil, nil
	}
	if err := v.mayPass(f); err != nil {
		return nil, nil, err
	}
	job, err := v.job(f)
	if err != nil {
		return nil, nil, err
	}
	if code, why := unprovable(f.Check); why != "" {
		return nil, nil, refuse(code, "the check of "+id+" proves nothing: "+why, "a person must change it in the list, then run: longhaul accept")
	}
	if f.Check == "" && v.conf.Policy.RequireCheck {
		return nil, nil, refuse("check-required", id+" has no check and the policy asks for one", "a person may add a check to the list and run: longhaul accept")
	}
	job.evidence, err = v.weigh(f, evidence)
	return nil, job, err
}

// mayPass asks whether this session may pass the feature.
func (v *view) mayPass(f *feature.Feature) error {
	if h := v.book.Holder(f.ID, v.mine.ID, v.who().Scope, v.world()); h != nil {
		return refuse("claimed-by", f.ID+" is held by "+holder(h)+" since "+stamp(h.ClaimAt), "next_feature")
	}
	if v.mine.Claim != f.ID {
		if err := v.limit(); err != nil {
			return err
		}
		if err := problem(f); err != nil {
			return err
		}
		held := "this session holds no claim"
		next := `next_feature {"id":"` + f.ID + `"} claims it`
		if v.mine.Claim != "" {
			held = "this session works on " + v.mine.Claim
			next = "finish " + v.mine.Claim + `, or give it back: next_feature {"release":"REASON","id":"` + f.ID + `"}`
		}
		return refuse("not-claimed", f.ID+" is not claimed: "+held, next)
	}
	if err := problem(f); err != nil {
		return err
	}
	if f.State == feature.Retired {
		return refuse("blocked", f.ID+" is retired", "next_feature")
	}
	s := v.situation("")
	s.Parked = without(s.Parked, f.ID)
	if why := v.list.Blocked(f.ID, s); why != "" {
		return refuse("blocked", f.ID+": "+why, "next_feature offers what can be worked on")
	}
	if v.conf.Policy.IndependentVerification && !v.ledger.ClaimedBefore(f.ID, v.mine.ID) {
		return refuse("independent-verification", "the session that built "+f.ID+" may not mark it",
			`append_progress with an in_progress item for it, commit, session_end; the next session verifies and marks it`)
	}
	return nil
}

// job is the check of a feature, to be run without the lock.
func (v *view) job(f *feature.Feature) (job *markJob, err error) {
	job = &markJob{id: f.ID, command: v.check(f), cwd: f.Cwd}
	if f.Cwd != "" {
		job.command.Dir, err = v.inside(f.Cwd)
	}
	return job, err
}

func (v *view) check(f *feature.Feature) runner.Command {
	return runner.Command{Line: f.Check, Dir: v.root, Timeout: time.Duration(v.conf.Policy.CheckTimeout) * time.Second}
}

// prove runs the check, without the lock. failed is the refusal when it proves nothing; attempt is what to record of it.
func (p *Project) prove(ctx context.Context, job *markJob) (proof *ledger.Proof, attempt *ledger.Proof, failed *Refusal) {
	if job.command.Line == "" {
		return &ledger.Proof{Kind: "attested", Evidence: job.evidence}, nil, nil
	}
	proof, failed = p.observe(ctx, job)
	if failed != nil {
		return nil, proof, failed
	}
	proof.Evidence = job.evidence
	return proof, nil, nil
}

// recordAttempt keeps what a refused mark showed and answers the refusal.
func (p *Project) recordAttempt(ctx context.Context, id string, attempt *ledger.Proof, failed *Refusal) error {
	if failed.Code == "busy" {
		return failed
	}
	attempt.Tail = clipFront(attempt.Tail, 1000)
	err := p.update(context.WithoutCancel(ctx), func(v *view) error {
		if err := v.require(needs{adopted: true, list: true, session: true}); err != nil {
			return err
		}
		v.record(ledger.Record{Kind: ledger.Attempt, ID: id, Code: failed.Code, Proof: attempt})
		return nil
	})
	if err != nil {
		p.options.Log.Warn("record of a failed attempt", "err", err)
	}
	return failed
}

// pass writes the proof and the pass.
func (v *view) pass(ctx context.Context, job *markJob, proof *ledger.Proof) (*MarkReply, error) {
	f := v.list.Find(job.id)
	if err := v.situate(ctx, f, proof); err != nil {
		return nil, err
	}
	was := v.list.Was(job.id)
	raw, err := v.list.Pass(job.id, v.at.UTC().Format(time.RFC3339), v.mine.ID)
	if err != nil {
		return nil, ruleRefusal(err)
	}
	r := ledger.Record{Kind: ledger.Passed, ID: job.id, Proof: proof, Was: was}
	v.record(r)
	v.put(v.listPath, raw)
	v.mine.Pass(job.id)
	f.State, v.proven = feature.Passed, job.id
	reply := &MarkReply{ID: job.id, Passed: true, Changed: true, Counts: v.counts()}
	reply.Proof = proofReply(&v.records[len(v.records)-1])
	reply.Proof.Evidence, reply.Proof.Tail = nil, clipFront(reply.Proof.Tail, 300)
	reply.Next = `append_progress {"next_steps":["…"]}, commit, then session_end`
	if v.repo == nil {
		reply.Next = `append_progress {"next_steps":["…"]}, then session_end`
	}
	if !v.mine.Full(v.conf.Policy.MaxFeaturesPerSession) && !v.late() {
		reply.Next = `append_progress {"next_steps":["…"]}, commit, then next_feature or session_end`
	}
	return reply, nil
}

// ruleRefusal turns the word of the list's own rules into a refusal; it means that a writer went wrong, so nothing is written.
func ruleRefusal(err error) error {
	var rule *feature.RuleError
	if errors.As(err, &rule) {
		return refuse(rule.Rule, strings.TrimSpace(rule.ID+" "+rule.Detail), "nothing was written; call status")
	}
	return err
}
