package artifacts

import (
	"slices"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
)

// allWarnings are the things to know that stop nothing.
func (v *view) allWarnings() []string {
	w := slices.Clone(v.warnings)
	if len(v.others) > 0 {
		w = append(w, v.listPath+" is used; not used: "+strings.Join(v.others, ", "))
	}
	if len(v.fresh) > 0 {
		w = append(w, "appended by hand: "+some(v.fresh))
	}
	if v.list == nil {
		return w
	}
	if gone := v.retired(); len(gone) > 0 {
		w = append(w, "retired by hand since they were sealed: "+some(gone))
	}
	return append(w, firsts(v.list.Warnings(), 5)...)
}

// retired are the features whose state word was changed to a retired one: allowed, but nobody should miss it.
func (v *view) retired() []string {
	var gone []string
	for i := range v.list.Features {
		f := &v.list.Features[i]
		if v.adopted && f.State == feature.Retired && !v.ledger.Retired[f.ID] {
			gone = append(gone, f.ID)
		}
	}
	return gone
}

func (v *view) warn(text string) { v.warnings = append(v.warnings, text) }
