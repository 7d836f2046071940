package artifacts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
)

// ReportRegression is the one way back from passed to not passed.
func (p *Project) ReportRegression(ctx context.Context, id, reason string) (*RegressionReply, error) {
	if strings.TrimSpace(reason) == "" {
		return nil, refuse("bad-argument", "reason is blank: say what broke and how you saw it", `report_regression {"id":"…","reason":"…"}`)
	}
	var reply *RegressionReply
	err := p.update(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true, session: true, clean: true}); err != nil {
			return err
		}
		f, err := v.find(id)
		if err != nil {
			return err
		}
		if err := problem(f); err != nil {
			return err
		}
		if f.State != feature.Passed {
			return refuse("not-passed", id+" is not passed", "next_feature")
		}
		if err := v.reopen([]string{id}); err != nil {
			return err
		}
		v.record(ledger.Record{Kind: ledger.Regression, ID: id, Reason: clip(reason, 2000)})
		v.mine.Passed = slices.DeleteFunc(v.mine.Passed, func(s string) bool { return s == id })
		next := v.nextStep()
		if next == nextInit { // who has passed a feature here may mend it here
			next = "next_feature, or " + v.endCall()
		}
		reply = &RegressionReply{ID: id, Changed: true, Counts: v.counts(), Next: next + "; " + id + " is offered first"}
		return nil
	})
	return reply, err
}

// reopen takes passes back in the list, each to the state it had before.
func (v *view) reopen(ids []string) error {
	for i, id := range ids {
		var was feature.Was
		if r := v.ledger.Standing[id]; r != nil {
			was = r.Was
		}
		raw, err := v.list.Fail(id, was)
		if err != nil {
			return ruleRefusal(err)
		}
		if err := v.relist(raw, ids[:i+1]...); err != nil {
			return err
		}
	}
	v.put(v.listPath, v.list.Bytes())
	return nil
}

// relist goes on with new bytes of the list: what is proven passes, but for the features just reopened.
func (v *view) relist(raw []byte, reopened ...string) error {
	old := v.list.Seals(v.conf.Bookkeeping)
	list, err := feature.Parse(raw)
	if err != nil {
		return fmt.Errorf("%s would not parse: %w", v.listPath, err)
	}
	list.Align(old, v.conf.Bookkeeping)
	for i := range list.Features {
		f := &list.Features[i]
		if f.Problem != "" || f.State == feature.Retired {
			continue
		}
		f.State = feature.Failing
		if v.ledger.Standing[f.ID] != nil && !slices.Contains(reopened, f.ID) {
			f.State = feature.Passed
		}
	}
	v.list = list
	return nil
}
