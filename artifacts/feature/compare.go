package feature

import (
	"slices"
	"strings"
)

// Compare holds the list against its seals. changes names every sealed
// feature that is deleted, edited, moved or duplicated, and added the ids
// that no seal knows. Positional ids must have been aligned before.
func (l *List) Compare(seals []Seal, bookkeeping []string) (changes []Change, added []string) {
	sealed := make(map[string][]int, len(seals)) // the seals of an id that are still to be found
	for i := range seals {
		sealed[seals[i].ID] = append(sealed[seals[i].ID], i)
	}
	d := digester{List: l, skip: newSkip(bookkeeping)}
	found := make([]int, 0, len(seals)) // the seals in the order of the disk
	known := make([]bool, len(seals))
	for i := range l.Features {
		id := l.Features[i].ID
		waiting, ours := sealed[id]
		switch {
		case !ours:
			added = append(added, id)
			continue
		case len(waiting) == 0:
			changes = append(changes, Change{ID: id, What: "duplicated"})
			continue
		}
		at := waiting[0]
		sealed[id] = waiting[1:]
		found = append(found, at)
		known[at] = true
		if keys := d.edited(i, seals[at].Keys); len(keys) > 0 {
			changes = append(changes, Change{ID: id, What: "edited", Detail: strings.Join(keys, ", ")})
		}
	}
	for i := range seals {
		if !known[i] {
			changes = append(changes, Change{ID: seals[i].ID, What: "deleted"})
		}
	}
	for _, at := range moved(found) {
		changes = append(changes, Change{ID: seals[at].ID, What: "moved"})
	}
	return changes, added
}

// edited names the keys of feature i that differ from its seal.
func (d *digester) edited(i int, keys map[string]string) (names []string) {
	same := 0
	d.each(i, func(key string, sum digest) {
		was, ok := keys[key]
		switch {
		case !ok:
			names = append(names, key+" (added)")
		case was != string(sum[:]):
			names = append(names, key)
			same++
		default:
			same++
		}
	})
	if same == len(keys) {
		return names
	}
	present := map[string]bool{}
	d.each(i, func(key string, _ digest) { present[key] = true })
	var gone []string
	for key := range keys {
		if !present[key] && !d.skip.has(key) {
			gone = append(gone, key+" (removed)")
		}
	}
	slices.Sort(gone)
	return append(names, gone...)
}

// moved returns the fewest members of order that must move to bring it into
// ascending order: those outside a longest ascending run.
func moved(order []int) (out []int) {
	if slices.IsSorted(order) {
		return nil
	}
	var tails []int // indexes into order of the smallest end of a run of each length
	before := make([]int, len(order))
	for i, v := range order {
		at, _ := slices.BinarySearchFunc(tails, v, func(t, v int) int { return order[t] - v })
		before[i] = -1
		if at > 0 {
			before[i] = tails[at-1]
		}
		if at == len(tails) {
			tails = append(tails, i)
		} else {
			tails[at] = i
		}
	}
	stays := make([]bool, len(order))
	for i := tails[len(tails)-1]; i >= 0; i = before[i] {
		stays[i] = true
	}
	for i, v := range order {
		if !stays[i] {
			out = append(out, v)
		}
	}
	return out
}
