package feature

import (
	"slices"
	"strings"
)

// Align gives features without an id the ids under which they were sealed:
// they follow the sealed order, so that a deletion in the middle renames
// nothing. What no seal fits goes on from the highest sealed number.
func (l *List) Align(seals []Seal, bookkeeping []string) {
	var wanted, here []int // the positional seals and features
	for i := range seals {
		if seals[i].Positional {
			wanted = append(wanted, i)
		}
	}
	for i := range l.Features {
		if l.Features[i].Positional {
			here = append(here, i)
		}
	}
	if len(wanted) == 0 || len(here) == 0 {
		return
	}
	a := aligner{digester: digester{List: l, skip: newSkip(bookkeeping)}, seals: seals, wanted: wanted, here: here}
	a.run()
	l.rename(seals, wanted, here, a.match)
}

// aligner pairs positional features with positional seals.
type aligner struct {
	digester
	seals        []Seal
	wanted, here []int
	match        []int // for each of here the index in wanted, -1 for none
	used         []bool
}

func (a *aligner) run() {
	a.match = slices.Repeat([]int{-1}, len(a.here))
	a.used = make([]bool, len(a.wanted))
	a.sameContent()
	for start := 0; start < len(a.here); {
		end := start
		for end < len(a.here) && a.match[end] < 0 {
			end++
		}
		if end > start {
			a.gap(start, end)
		}
		start = end + 1
	}
}

// sameContent pairs what is unchanged, wherever it stands.
func (a *aligner) sameContent() {
	waiting := make(map[string][]int, len(a.wanted))
	for w, s := range a.wanted {
		mark := signature(a.seals[s].Keys)
		waiting[mark] = append(waiting[mark], w)
	}
	for h, i := range a.here {
		keys := map[string]string{}
		a.each(i, func(key string, sum digest) { keys[key] = string(sum[:]) })
		mark := signature(keys)
		if queue := waiting[mark]; len(queue) > 0 {
			a.pair(h, queue[0])
			waiting[mark] = queue[1:]
		}
	}
}

func (a *aligner) pair(h, w int) { a.match[h], a.used[w] = w, true }

// gap pairs the changed features between two unchanged ones with the seals
// between theirs: first by a value they share, then one by one if they are as many.
func (a *aligner) gap(start, end int) {
	from, to := 0, len(a.wanted)
	if start > 0 {
		from = a.match[start-1] + 1
	}
	if end < len(a.here) {
		to = a.match[end]
	}
	var free []int
	for w := from; w < to; w++ {
		if !a.used[w] {
			free = append(free, w)
		}
	}
	next := 0
	for h := start; h < end; h++ {
		for f := next; f < min(len(free), next+64); f++ {
			if a.related(a.here[h], a.seals[a.wanted[free[f]]].Keys) {
				a.pair(h, free[f])
				next = f + 1
				break
			}
		}
	}
	if len(free) != end-start {
		return
	}
	for h, w := start, 0; h < end; h, w = h+1, w+1 {
		if a.match[h] < 0 && !a.used[free[w]] {
			a.pair(h, free[w])
		}
	}
}

// related reports that a feature still has a telling value of a seal: a text
// or its steps, but no category or priority, which many share.
func (a *aligner) related(i int, keys map[string]string) (found bool) {
	a.each(i, func(key string, sum digest) {
		telling := rankOf(key, textKeys) >= 0 || rankOf(key, stepsKeys) >= 0 || rankOf(key, checkKeys) >= 0
		found = found || telling && keys[key] == string(sum[:])
	})
	return found
}

func signature(keys map[string]string) string {
	parts := make([]string, 0, len(keys))
	for key, sum := range keys {
		parts = append(parts, key+"="+sum)
	}
	slices.Sort(parts)
	return strings.Join(parts, "\n")
}

// rename writes the paired ids, and free ones above all that were sealed.
func (l *List) rename(seals []Seal, wanted, here, match []int) {
	taken, highest := map[string]bool{}, 0
	for i := range l.Features {
		if !l.Features[i].Positional {
			taken[l.Features[i].ID] = true
		}
	}
	for _, s := range wanted {
		highest = max(highest, positionNumber(seals[s].ID))
	}
	free := freePosition(taken)
	for h, i := range here {
		if match[h] >= 0 {
			l.Features[i].ID = seals[wanted[match[h]]].ID
		} else {
			l.Features[i].ID = free(max(highest+1, i+1))
		}
	}
	for i := range l.Features {
		f := &l.Features[i]
		if f.Problem == "duplicate-id" {
			f.Problem, f.Why = "", ""
			if l.records[i].bad != "" {
				f.Problem, f.Why = "bad-passes", l.records[i].bad
			}
		} else if f.Problem == "bad-passes" {
			f.Why = l.records[i].bad
		}
	}
	l.reindex()
	l.judge()
}
