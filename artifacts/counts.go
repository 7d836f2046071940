package artifacts

import (
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/session"
)

func (v *view) situation(focus string) feature.Situation {
	s := feature.Situation{Focus: focus, Parked: without(v.ledger.Parked, v.proven), Regressed: map[string]bool{}, Held: map[string]bool{}}
	for id := range v.ledger.Regressed {
		s.Regressed[id] = true
	}
	for _, h := range v.held() {
		s.Held[h.ID] = true
	}
	return s
}

// held are the claims of other sessions.
func (v *view) held() []Held {
	var held []Held
	world := v.world()
	for _, s := range v.book.Sessions {
		if s.Claim == "" || (v.mine != nil && s.ID == v.mine.ID) {
			continue
		}
		if h := v.book.Holder(s.Claim, v.mineID(), v.who().Scope, world); h != nil && h.ID == s.ID {
			held = append(held, Held{ID: s.Claim, By: holder(h), Since: stamp(h.ClaimAt)})
		}
	}
	return held
}

func holder(s *session.Session) string {
	host, _, _ := strings.Cut(s.Host, " ")
	return s.ID + " on " + host + " in " + s.Worktree
}

// unproven says whether a feature passes only because it did so before Longhaul came.
func (v *view) unproven(f *feature.Feature) bool {
	return f.State == feature.Passed && f.ID != v.proven && (!v.adopted || v.ledger.Unproven(f.ID) || v.ledger.Standing[f.ID] == nil)
}

// counts are the totals by the seals: what was deleted from the list still counts.
func (v *view) counts() feature.Counts {
	c := v.list.Counts(v.situation(""))
	for i := range v.list.Features {
		f := &v.list.Features[i]
		if v.unproven(f) {
			c.Unproven++
		}
	}
	v.discount(&c)
	for _, id := range v.lost {
		c.Total++
		if v.ledger.Standing[id] != nil {
			c.Passed++
			continue
		}
		c.Failing++
	}
	return c
}

// discount takes out the copies of sealed features that were put in by hand.
func (v *view) discount(c *feature.Counts) {
	for _, t := range v.tampered {
		if t.What != "duplicated" {
			continue
		}
		extra := -1
		for i := range v.list.Features {
			if v.list.Features[i].ID == t.ID {
				extra++
			}
		}
		extra = max(extra, 0)
		c.Total, c.Failing, c.Blocked = c.Total-extra, c.Failing-extra, c.Blocked-extra
		if v.ledger.Standing[t.ID] != nil {
			c.Passed, c.Failing, c.Blocked = c.Passed+1, c.Failing-1, c.Blocked-1
		}
	}
}
