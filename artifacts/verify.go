package artifacts

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
)

// Verify runs checks again. It records what they show and changes no pass.
func (p *Project) Verify(ctx context.Context, ids []string, scope string, limit int) (*VerifyReply, error) {
	if limit < 0 {
		return nil, refuse("bad-argument", "limit takes a number from 1", "verify_features without limit")
	}
	if limit == 0 {
		limit = 10
	}
	reply := &VerifyReply{Results: []CheckResult{}}
	var jobs []*markJob
	err := p.read(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true, session: true}); err != nil {
			return err
		}
		reply.Tampered = firstTampered(v.tampered)
		chosen, err := v.toVerify(ctx, ids, scope)
		if err != nil {
			return err
		}
		for _, f := range chosen {
			code, _ := unprovable(f.Check)
			switch {
			case v.isTampered(f.ID):
				reply.Results = append(reply.Results, CheckResult{ID: f.ID, Code: "tampered", Tail: "its definition is not as sealed; the check was not run"})
			case f.Check == "" || code != "":
				reply.NoCheck = append(reply.NoCheck, f.ID)
			case len(jobs) == limit:
				reply.Left = append(reply.Left, f.ID)
			default:
				job, err := v.job(f)
				if err != nil {
					return err
				}
				jobs = append(jobs, job)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	reply.NoCheck, reply.Left = firsts(reply.NoCheck, 50), firsts(reply.Left, 50)
	return reply, p.verify(ctx, jobs, reply)
}

func (p *Project) verify(ctx context.Context, jobs []*markJob, reply *VerifyReply) error {
	var records []ledger.Record
	var broken []string
	passed := map[string]bool{}
	for _, job := range jobs {
		proof, failed := p.observe(ctx, job)
		if failed != nil && failed.Code == "busy" {
			return failed
		}
		result := CheckResult{ID: job.id, OK: failed == nil, ExitCode: proof.ExitCode, Seconds: proof.Seconds}
		r := ledger.Record{Kind: ledger.Verified, ID: job.id, Proof: proof}
		if failed != nil {
			result.Code, result.Tail = failed.Code, clipFront(proof.Tail, 1200)
			r.Code = failed.Code
			broken = append(broken, job.id)
		}
		proof.Tail = clipFront(proof.Tail, 500)
		reply.Results = append(reply.Results, result)
		records = append(records, r)
	}
	err := p.update(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true, session: true}); err != nil {
			return err
		}
		for _, r := range records {
			f := v.list.Find(r.ID)
			if f == nil {
				continue
			}
			passed[r.ID] = f.State == feature.Passed
			if err := v.situate(ctx, f, r.Proof); err != nil {
				return err
			}
			v.record(r)
		}
		reply.Next = v.nextStep()
		return nil
	})
	reply.Next = cmp.Or(verifyNext(broken, passed), reply.Next)
	if len(reply.Results) == 0 {
		reply.Next = "no check was to be run: " + reply.Next
	}
	for jsonSize(reply) > 7200 {
		for i := range reply.Results {
			reply.Results[i].Tail = clipFront(reply.Results[i].Tail, len(reply.Results[i].Tail)/2)
		}
	}
	return err
}

// verifyNext is the next step where something broke.
func verifyNext(broken []string, passed map[string]bool) string {
	for _, id := range broken {
		if passed[id] {
			return `report_regression {"id":"` + id + `","reason":"…"} for each passed feature that broke`
		}
	}
	if len(broken) > 0 {
		return "mend " + some(broken)
	}
	return ""
}

// toVerify chooses the features of a scope, the cheapest check first.
func (v *view) toVerify(ctx context.Context, ids []string, scope string) ([]*feature.Feature, error) {
	if len(ids) > 0 {
		return v.named(ids)
	}
	var chosen []*feature.Feature
	for i := range v.list.Features {
		f := &v.list.Features[i]
		in := false
		switch scope {
		case "", "claimed":
			in = f.ID == v.mine.Claim || slices.Contains(v.mine.Passed, f.ID)
		case "passed":
			in = f.State == feature.Passed
		case "stale":
			in = f.State == feature.Passed && v.stale(ctx, f.ID)
		default:
			return nil, refuse("bad-argument", "scope "+quote(scope)+" is unknown: it takes claimed, stale or passed", "verify_features")
		}
		if in {
			chosen = append(chosen, f)
		}
	}
	sort.SliceStable(chosen, func(i, j int) bool { return v.cost(chosen[i].ID) < v.cost(chosen[j].ID) })
	return chosen, nil
}

// cost is how long the check took last.
func (v *view) cost(id string) float64 {
	h := v.ledger.History(id)
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].Proof != nil && h[i].Proof.Seconds > 0 {
			return h[i].Proof.Seconds
		}
	}
	return 0
}

func (v *view) named(ids []string) ([]*feature.Feature, error) {
	var found []*feature.Feature
	for _, id := range ids {
		f, err := v.find(id)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	return found, nil
}
