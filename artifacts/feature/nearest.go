package feature

import (
	"slices"
	"strings"
)

// Nearest returns up to three ids that look most like id, the nearest first.
func (l *List) Nearest(id string) []string {
	type guess struct {
		id   string
		away int
	}
	var best []guess
	want := []rune(loose(id))
	if len(want) > 64 {
		want = want[:64]
	}
	for i := range l.Features {
		own := l.Features[i].ID
		if int(l.index[own]) != i {
			continue
		}
		have := []rune(loose(own))
		if len(have) > 64 {
			have = have[:64]
		}
		limit := len(want) + len(have)
		if len(best) == 3 {
			limit = best[2].away
		}
		if d := len(want) - len(have); max(d, -d) >= limit && len(best) == 3 {
			continue
		}
		g := guess{own, distance(want, have)}
		if len(best) == 3 && g.away >= limit {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, g, func(a, b guess) int {
			if a.away <= b.away {
				return -1
			}
			return 1
		})
		best = slices.Insert(best, at, g)
		best = best[:min(len(best), 3)]
	}
	ids := make([]string, len(best))
	for i := range best {
		ids[i] = best[i].id
	}
	return ids
}

// loose drops what is easily mistaken in an id: case, separators and the
// zeros that lead a number.
func loose(id string) string {
	var b strings.Builder
	digit := false
	id = strings.ToLower(id)
	for i, r := range id {
		switch {
		case strings.ContainsRune("-_. #", r):
			continue
		case r == '0' && !digit && i+1 < len(id) && id[i+1] >= '0' && id[i+1] <= '9':
			continue
		}
		digit = r >= '0' && r <= '9'
		b.WriteRune(r)
	}
	return b.String()
}

// distance is the number of letters to change, add or drop (Levenshtein).
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
