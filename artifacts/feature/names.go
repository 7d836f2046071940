package feature

import (
	"fmt"
	"strconv"
	"strings"
)

// name gives every feature without an id its position as its id.
func (l *List) name() {
	own := make(map[string]bool, len(l.Features))
	positional := 0
	for i := range l.Features {
		if l.Features[i].Positional {
			positional++
			continue
		}
		own[l.Features[i].ID] = true
	}
	if positional > 0 {
		free := freePosition(own)
		for i := range l.Features {
			if l.Features[i].Positional {
				l.Features[i].ID = free(i + 1)
			}
		}
	}
	l.reindex()
}

// freePosition returns a function that names positions, the next free number
// where one is taken. It goes up only, so that a long list is named in one pass.
func freePosition(taken map[string]bool) func(n int) string {
	last := 0
	return func(n int) string {
		n = max(n, last+1)
		for taken[position(n)] {
			n++
		}
		last = n
		return position(n)
	}
}

// position is the id of a feature that has none: F001 for the first.
func position(n int) string { return fmt.Sprintf("F%03d", n) }

// positionNumber is the way back, 0 when the id is no position.
func positionNumber(id string) int {
	digits, ok := strings.CutPrefix(id, "F")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || position(n) != id {
		return 0
	}
	return n
}

// judge blocks features that share an id, and names every problem.
func (l *List) judge() {
	for i := range l.Features {
		f := &l.Features[i]
		if f.Problem == "bad-passes" {
			f.Why = fmt.Sprintf("bad-passes: %s (line %d): %s", f.ID, f.Line, f.Why)
		}
		first := int(l.index[f.ID])
		if first == i {
			continue
		}
		a := &l.Features[first]
		l.duplicate(a, a.Line, f.Line)
		l.duplicate(f, a.Line, f.Line)
	}
}

func (l *List) duplicate(f *Feature, first, second int) {
	if f.Problem == "duplicate-id" {
		return
	}
	f.Problem = "duplicate-id"
	f.Why = fmt.Sprintf("duplicate-id: %s is there twice, on line %d and on line %d", f.ID, first, second)
}
