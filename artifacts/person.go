package artifacts

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/config"
	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
)

// The acts of this file are a person's, who is asked at a terminal before each. No tool reaches them.

// Tampered is what Accept would take.
func (p *Project) Tampered(ctx context.Context) ([]Tampering, error) {
	var list []Tampering
	err := p.read(ctx, func(v *view) error {
		list = v.tampered
		return v.require(needs{adopted: true, list: true})
	})
	return list, err
}

// Accept seals the list and the policy as they stand now, because a person wants them so. What passes in the list without a
// proof counts from then on as adopted, unproven. It takes what the person was shown and nothing that came since. Lines of the ledger are never given up: those that are gone come back.
func (p *Project) Accept(ctx context.Context, by string, shown []Tampering) ([]Tampering, error) {
	var taken []Tampering
	err := p.update(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true}); err != nil {
			return err
		}
		taken = v.tampered
		if !slices.Equal(taken, shown) {
			return refuse("busy", "the harness was changed again since you were asked; nothing was accepted", "longhaul accept shows what it is now")
		}
		if len(taken) == 0 {
			return nil
		}
		if err := v.restoreLedger(&RollbackReply{}); err != nil {
			return err
		}
		v.tampered, v.fresh = nil, nil
		return v.acceptList(by)
	})
	return taken, err
}

// acceptList records the new seals. What each feature's state is comes from the file.
func (v *view) acceptList(by string) error {
	list, err := v.parseSealed(v.listRaw)
	if err != nil {
		return err
	}
	var passed []string
	for i := range list.Features {
		if f := &list.Features[i]; f.State == feature.Passed && f.Problem == "" {
			passed = append(passed, f.ID)
		}
	}
	v.record(ledger.Record{Kind: ledger.Accept, IDs: passed, By: by})
	for i, s := range list.Seals(v.conf.Bookkeeping) {
		f := &list.Features[i]
		v.record(ledger.Record{Kind: ledger.Seal, ID: s.ID, Pos: s.Positional, Keys: s.Keys, Broken: f.Problem != "", Retired: f.State == feature.Retired})
	}
	if v.confRaw != nil {
		v.record(ledger.Record{Kind: ledger.Policy, Hash: config.PolicyHash(v.confRaw), List: v.conf.Files.Features, By: by})
	}
	v.list = list
	return nil
}

// SetPolicy changes one setting of the config file and records the new policy.
func (p *Project) SetPolicy(ctx context.Context, key, value, by string) error {
	return p.update(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true}); err != nil {
			return err
		}
		if v.hasTampered("policy") {
			return v.refuseTampered()
		}
		raw, err := config.Set(v.confRaw, key, value)
		if err != nil {
			return refuse("bad-argument", err.Error(), "longhaul config set KEY VALUE")
		}
		if bytes.Equal(raw, v.confRaw) {
			return nil
		}
		v.put(configPath, raw)
		conf, err := config.Parse(raw)
		if err != nil {
			return err
		}
		v.record(ledger.Record{Kind: ledger.Policy, Hash: config.PolicyHash(raw), List: conf.Files.Features, Reason: key + " = " + clip(value, 200), By: by})
		return nil
	})
}

// Waive passes a feature without a proof, on a person's word and with a reason, both recorded.
func (p *Project) Waive(ctx context.Context, id, reason, by string) error {
	if strings.TrimSpace(reason) == "" {
		return refuse("bad-argument", "a waiver needs a reason", "longhaul waive "+id+" --reason TEXT")
	}
	return p.update(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true, clean: true}); err != nil {
			return err
		}
		f, err := v.find(id)
		if err != nil {
			return err
		}
		if err := problem(f); err != nil {
			return err
		}
		if f.State != feature.Failing {
			return refuse("bad-argument", fmt.Sprintf("%s is %s already", id, v.status(f, v.situation(""))), "longhaul status")
		}
		was := v.list.Was(id)
		raw, err := v.list.Pass(id, v.at.UTC().Format(time.RFC3339), v.mineID())
		if err != nil {
			return ruleRefusal(err)
		}
		proof := &ledger.Proof{Kind: "waived", By: by}
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
		return nil
	})
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

// accepted says whether a person took the list without the feature.
func accepted(state *ledger.State, id string) bool {
	return !slices.ContainsFunc(state.Seals, func(s feature.Seal) bool { return s.ID == id })
}
