package artifacts

import (
	"bytes"
	"context"
	"slices"

	"github.com/longhaul-mcp/longhaul/artifacts/config"
	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
)

// The acts of this file are a person's, who is asked at a terminal before each. No tool reaches them.

// A Showing is what a person is shown before Accept, and the bytes that it is about.
type Showing struct {
	Changes []Tampering
	bytes   string // a hash of list, policy and ledger
}

// Tampered is what Accept would take.
func (p *Project) Tampered(ctx context.Context) (Showing, error) {
	var s Showing
	err := p.read(ctx, func(v *view) error {
		s = v.showing()
		return v.require(needs{adopted: true, list: true})
	})
	return s, err
}

func (v *view) showing() Showing {
	return Showing{v.tampered, hash([]byte(hash(v.listRaw) + hash(v.confRaw) + hash(v.ledgerRaw)))}
}

// Accept seals the list and the policy as they stand now, because a person wants them so. What passes in the list without a
// proof counts from then on as adopted, unproven. It takes what the person was shown and nothing that came since. Lines of the ledger are never given up: those that are gone come back.
func (p *Project) Accept(ctx context.Context, by string, shown Showing) ([]Tampering, error) {
	var taken []Tampering
	err := p.update(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true}); err != nil {
			return err
		}
		taken = v.tampered
		if v.showing().bytes != shown.bytes {
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

// accepted says whether a person took the list without the feature.
func accepted(state *ledger.State, id string) bool {
	return !slices.ContainsFunc(state.Seals, func(s feature.Seal) bool { return s.ID == id })
}
