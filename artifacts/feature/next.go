package feature

import (
	"fmt"
	"slices"
	"strings"
)

// Situation is what the choice of the next feature depends on beside the list.
type Situation struct {
	Focus     string            // words to look for in category, title, description and id
	Parked    map[string]string // id to note: not offered until it is asked for
	Held      map[string]bool   // claimed by somebody else
	Regressed map[string]bool   // offered first
}

// Next returns the feature to work on, nil when there is none: regressed
// ones first, then by focus, priority and file order; only what is not
// passed, not parked, not held, and has its dependencies met. blocked explains
// every failing feature that can't be had.
func (l *List) Next(s Situation) (f *Feature, blocked []Block) {
	g := l.graph()
	focus := l.focus(s.Focus)
	best := -1
	for i := range l.Features {
		f := &l.Features[i]
		if f.State != Failing {
			continue
		}
		why := l.why(i, s, g)
		if why == "" && s.Held[f.ID] {
			why = "claimed by another session"
		}
		if why != "" {
			blocked = append(blocked, Block{ID: f.ID, Why: why})
			continue
		}
		if best < 0 || l.sooner(i, best, s, focus) {
			best = i
		}
	}
	if best < 0 {
		return nil, blocked
	}
	return &l.Features[best], blocked
}

// sooner reports that feature i, which stands later in the file, goes before b.
func (l *List) sooner(i, b int, s Situation, focus func(*Feature) int) bool {
	f, g := &l.Features[i], &l.Features[b]
	if s.Regressed[f.ID] != s.Regressed[g.ID] {
		return s.Regressed[f.ID]
	}
	if x, y := focus(f), focus(g); x != y {
		return x > y
	}
	return f.Rank < g.Rank
}

// focus returns how well a feature fits the words: 2 all of them, 1 any, 0 none.
func (l *List) focus(text string) func(*Feature) int {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return func(*Feature) int { return 0 }
	}
	return func(f *Feature) int {
		hay := strings.ToLower(f.ID + "\n" + f.Category + "\n" + f.Title + "\n" + f.Description)
		hits := 0
		for _, w := range words {
			if strings.Contains(hay, w) {
				hits++
			}
		}
		switch hits {
		case len(words):
			return 2
		case 0:
			return 0
		}
		return 1
	}
}

// Matches reports whether the feature with this id has at least one word of the
// focus, as Next looks for it. Every feature matches a focus without words.
func (l *List) Matches(id, focus string) bool {
	f := l.Find(id)
	return f != nil && (strings.TrimSpace(focus) == "" || l.focus(focus)(f) > 0)
}

// Blocked says why a feature can't be worked on, "" when it can: a problem of
// its own, parked, or a dependency that is not met. Who holds it is no matter.
func (l *List) Blocked(id string, s Situation) string {
	i, ok := l.index[id]
	if !ok {
		return "unknown feature " + id
	}
	return l.why(int(i), s, l.graph())
}

func (l *List) why(i int, s Situation, g *graph) string {
	f := &l.Features[i]
	if f.Problem != "" {
		return f.Why
	}
	if note, parked := s.Parked[f.ID]; parked {
		if note == "" {
			return "parked"
		}
		return "parked: " + note
	}
	if g == nil || len(f.DependsOn) == 0 {
		return ""
	}
	if cycle := g.cycle(i); cycle != "" {
		return "dependency cycle: " + cycle
	}
	var unmet []string
	for _, id := range f.DependsOn {
		if !l.met(id, g) {
			unmet = append(unmet, id)
		}
	}
	if len(unmet) == 0 {
		return ""
	}
	return "waits for " + strings.Join(unmet, ", ")
}

// met reports a dependency that blocks nothing: unknown, passed or retired.
func (l *List) met(id string, g *graph) bool {
	return !slices.ContainsFunc(g.named(id), func(i int) bool { return l.Features[i].State == Failing })
}

// Warnings returns one short line for each problem that the list itself has:
// ids twice, bad states, no text, unknown dependencies and cycles.
func (l *List) Warnings() (lines []string) {
	seen := map[string]bool{}
	for i := range l.Features {
		if f := &l.Features[i]; f.Problem != "" && !seen[f.Why] {
			seen[f.Why] = true
			lines = append(lines, f.Why)
		}
	}
	lines = append(lines, l.wordless()...)
	g := l.graph()
	if g == nil {
		return lines
	}
	for i := range l.Features {
		f := &l.Features[i]
		var unknown []string
		for _, id := range f.DependsOn {
			if len(g.named(id)) == 0 {
				unknown = append(unknown, clip(id, 40))
			}
		}
		if len(unknown) > 0 {
			lines = append(lines, fmt.Sprintf("%s depends on unknown %s: ignored", f.ID, strings.Join(unknown, ", ")))
		}
	}
	for _, cycle := range g.cycles() {
		lines = append(lines, "dependency cycle: "+cycle)
	}
	return lines
}

// wordless names features that say neither what is wanted nor how to verify it,
// the first ones of many.
func (l *List) wordless() (lines []string) {
	const most = 10
	more := 0
	for i := range l.Features {
		f := &l.Features[i]
		switch {
		case f.State == Retired || slices.ContainsFunc(f.Steps, func(s string) bool { return strings.TrimSpace(s) != "" }):
		case len(lines) < most:
			lines = append(lines, f.ID+" has no description")
		default:
			more++
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("%d more features have no description", more))
	}
	return lines
}

// Counts adds up the list. Blocked are failing features that can't be worked
// on whoever asks; Unproven is left to the caller.
func (l *List) Counts(s Situation) Counts {
	c := Counts{Total: len(l.Features)}
	g := l.graph()
	for i := range l.Features {
		switch l.Features[i].State {
		case Passed:
			c.Passed++
		case Retired:
			c.Retired++
		default:
			c.Failing++
			if l.why(i, s, g) != "" {
				c.Blocked++
			}
		}
	}
	return c
}
