package main

import (
	"fmt"
	"time"
)

// growth tells how the time of each call grows from 200 features to the longest list.
func (r *report) growth(sizes []int, days map[int]*day) {
	sizes = sizes[1:] // there is nothing to divide by in an empty list
	last := sizes[len(sizes)-1]
	t := r.table("Growth with the list", fmt.Sprintf("Time against that at %d features: %s", sizes[0], growthLegend), append([]string{"call"}, append(headers(sizes[1:], "features"), "a feature more", "grows")...)...)
	for _, name := range order {
		cells := []string{quoted(name)}
		base, top := days[sizes[0]].took[name].median(), days[last].took[name].median()
		for _, n := range sizes[1:] {
			cells = append(cells, times(days[n].took[name].median(), base))
		}
		t.row(append(cells, slope(base, top, last-sizes[0]), grows(base, top, last/sizes[0]))...)
	}
}

const growthLegend = "`flat` is less than twice, `slowly` is less than half of the growth of the size, `as the size` is the rest."

// past tells how the time of each call grows with the sessions behind it.
func (r *report) past(sizes []int, days map[int]*day) {
	first, last := sizes[0], sizes[len(sizes)-1]
	t := r.table("Growth with the sessions", "200 features. "+growthLegend, append([]string{"call"}, append(headers(sizes, "sessions"), "a session more", "grows")...)...)
	for _, name := range order {
		cells := []string{quoted(name)}
		for _, n := range sizes {
			cells = append(cells, ms(days[n].took[name].median()))
		}
		base, top := days[first].took[name].median(), days[last].took[name].median()
		t.row(append(cells, slope(base, top, last-first), grows(base, top, last/first))...)
	}
}

// times is a as a multiple of b.
func times(a, b time.Duration) string {
	if a == 0 || b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f x", ratio(a, b))
}

// slope is what one more costs.
func slope(base, top time.Duration, more int) string {
	if base == 0 || top == 0 || more <= 0 || top <= base {
		return "-"
	}
	return fmt.Sprintf("%.2f µs", float64((top-base).Nanoseconds())/1000/float64(more))
}

// grows names the growth from base to top while the size grew by factor.
func grows(base, top time.Duration, factor int) string {
	switch grown := ratio(top, base); {
	case grown == 0:
		return "-"
	case grown < 2:
		return "flat"
	case grown < float64(factor)/2:
		return "slowly"
	default:
		return "as the size"
	}
}
