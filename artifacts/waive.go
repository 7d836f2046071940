package artifacts

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
)

// Waive passes a feature without a proof, on a person's word and with a reason, both recorded. A session that holds
// the feature gives it back.
func (p *Project) Waive(ctx context.Context, id, reason, by string) (*MarkReply, error) {
	if strings.TrimSpace(reason) == "" {
		return nil, refuse("bad-argument", "a waiver needs a reason", "longhaul waive "+id+" --reason TEXT")
	}
	var reply *MarkReply
	err := p.update(ctx, func(v *view) error {
		f, err := v.waivable(id)
		if err != nil {
			return err
		}
		was := v.list.Was(id)
		raw, err := v.list.Pass(id, v.at.UTC().Format(time.RFC3339), v.mineID())
		if err != nil {
			return ruleRefusal(err)
		}
		proof := &ledger.Proof{Kind: waived, By: by}
		if v.repo != nil {
			proof.Head = v.head.SHA
		}
		v.record(ledger.Record{Kind: ledger.Passed, ID: id, Proof: proof, Was: was, Reason: reason})
		v.put(v.listPath, raw)
		for i := range v.book.Sessions {
			if s := &v.book.Sessions[i]; s.Claim == id && s.Scope == v.who().Scope {
				s.Noted = append(s.Noted, id)
				s.Release()
			}
		}
		f.State, v.proven = feature.Passed, id
		reply = &MarkReply{ID: id, Passed: true, Changed: true, Proof: proofReply(&v.records[len(v.records)-1]), Counts: v.counts(),
			Next: "commit, then next_feature or session_end"}
		return nil
	})
	return reply, err
}

// waived is the kind of a proof that a person gave in place of one.
const waived = "waived"

// waivable is the feature if it may pass by waiver.
func (v *view) waivable(id string) (*feature.Feature, error) {
	if err := v.require(needs{adopted: true, list: true, clean: true}); err != nil {
		return nil, err
	}
	f, err := v.find(id)
	if err != nil {
		return nil, err
	}
	if err := problem(f); err != nil {
		return nil, err
	}
	if f.State != feature.Failing {
		return nil, refuse("bad-argument", fmt.Sprintf("%s is %s already", id, v.status(f, v.situation(""))), "longhaul status")
	}
	return f, nil
}

// Explain is one feature in a line, for the question before a waiver.
func (p *Project) Explain(ctx context.Context, id string) (string, error) {
	var text string
	err := p.read(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true}); err != nil {
			return err
		}
		f, err := v.find(id)
		if err == nil {
			text = f.ID + ": " + v.text(id, 200)
		}
		return err
	})
	return text, err
}

// AskWaiver is the question when an agent wants the person at its client to be asked: about the feature that its session
// works on, and once. A waiver that was not given stays so for the session.
func (p *Project) AskWaiver(ctx context.Context, id, why string) (string, error) {
	var text string
	err := p.read(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true, session: true, clean: true}); err != nil {
			return err
		}
		f, err := v.waivable(id)
		if err != nil {
			return err
		}
		if err := v.mayPass(f); err != nil {
			return err
		}
		for _, r := range v.ledger.History(id) {
			if r.Kind == ledger.Attempt && r.Session == v.mine.ID && r.Proof != nil && r.Proof.Kind == waived {
				return notWaived(id)
			}
		}
		text = "The agent asks you to pass a feature without proof.\n" + f.ID + ": " + v.text(id, 200) +
			"\nIt says: " + clip(strings.Join(strings.Fields(why), " "), 300)
		return nil
	})
	return text, err
}

// NotWaived records that the person who was asked gave no waiver, and returns the refusal.
func (p *Project) NotWaived(ctx context.Context, id, why, by string) error {
	err := p.update(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true, session: true}); err != nil {
			return err
		}
		v.record(ledger.Record{Kind: ledger.Attempt, ID: id, Code: "evidence-required", Reason: why, Proof: &ledger.Proof{Kind: waived, By: by}})
		return nil
	})
	if err != nil {
		return err
	}
	return notWaived(id)
}

func notWaived(id string) *Refusal {
	return refuse("evidence-required", "the user was asked in this session and gave no waiver for "+id,
		`prove it, or append_progress {"blockers":[{"id":"`+id+`","note":"…"}]}`)
}
