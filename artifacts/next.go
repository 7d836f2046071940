package artifacts

import (
	"context"
	"fmt"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
)

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

func without(m map[string]string, key string) map[string]string {
	out := map[string]string{}
	for k, val := range m {
		if k != key {
			out[k] = val
		}
	}
	return out
}
