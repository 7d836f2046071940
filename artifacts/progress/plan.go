package progress

import (
	"fmt"
	"strings"
)

// Milestone is one part of a plan.
type Milestone struct {
	Title string
	Steps []string
	Done  bool // ticked off in the plan
}

// NewPlan returns a plan. It is written once: what is done is told by the
// board, so the plan has nothing to tick. Milestones of it gives them again.
func NewPlan(h Header, milestones []Milestone) []byte {
	var out strings.Builder
	out.WriteString(h.render("Plan"))
	for i, m := range milestones {
		fmt.Fprintf(&out, "\n## Milestone %d: %s\n", i+1, inline(m.Title))
		for _, step := range m.Steps {
			if step = inline(step); step != "" {
				out.WriteString("- " + escaped(step) + "\n")
			}
		}
	}
	return []byte(out.String())
}
