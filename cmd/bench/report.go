package main

import (
	"fmt"
	"strings"
	"time"
)

// A report gathers what was measured.
type report struct {
	began         time.Time
	took          time.Duration
	size          size
	machine, load string
	targets       []target
	tables        []*table
}

// A target is a line of what must be reached.
type target struct{ what, floor, got, must, met string }

// A table is one of the page.
type table struct {
	title, about string
	header       []string
	rows         [][]string
}

func (r *report) table(title, about string, header ...string) *table {
	t := &table{title: title, about: about, header: header}
	r.tables = append(r.tables, t)
	return t
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// target notes that a figure of value must be at most most.
func (r *report) target(what, floor, got string, value, most float64, unit string) {
	met := "yes"
	if value > most {
		met = "**no**"
	}
	r.targets = append(r.targets, target{what, floor, got, fmt.Sprintf("<= %g %s", most, unit), met})
}

// within notes that the median of got must be at most most times that of a floor.
func (r *report) within(what, name string, floor, got series, most float64) {
	value := ratio(got.median(), floor.median())
	r.target(what, fmt.Sprintf("%s %s; best %s", name, ms(floor.median()), ms(floor.best())),
		fmt.Sprintf("%s, %.2f x; best %s, %.2f x", ms(got.median()), value, ms(got.best()), ratio(got.best(), floor.best())), value, most, "x the floor")
}

// count is target for tokens.
func (r *report) count(what, floor string, got, most int) {
	r.target(what, floor, fmt.Sprintf("%d tokens", got), float64(got), float64(most), "tokens")
}

// targetTable is the targets with what was reached.
func (r *report) targetTable() string {
	t := table{header: []string{"what", "floor, same run", "Longhaul", "must reach", "reached"}}
	for _, g := range r.targets {
		t.row(g.what, g.floor, g.got, g.must, g.met)
	}
	return t.markdown()
}

func (t *table) markdown() string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(t.header)
	line(strings.Split(strings.Repeat("---|", len(t.header)-1)+"---", "|"))
	for _, cells := range t.rows {
		line(cells)
	}
	return b.String()
}

// page is docs/benchmarks.md.
func (r *report) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Benchmarks\n\nMade by the program: `go run ./cmd/bench` (`-quick` for a small run of less than a minute). %s; load %s at the start; %s, %.0f minutes.\n\n",
		r.machine, r.load, r.began.UTC().Format(time.DateOnly), r.took.Minutes())
	fmt.Fprintf(&b, "The real binary is driven over standard input and output; the floor is measured in the same run, turn by turn, because absolute times drift with the machine and with who else uses it. Times are medians of %d starts and of at least %d calls. Tokens are exact.\n\n", r.size.starts, max(r.size.rounds/2, 2))
	fmt.Fprintf(&b, "## Targets\n\n%s\n", r.targetTable())
	for _, t := range r.tables {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n%s\n", t.title, t.about, t.markdown())
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// mib is bytes in MiB.
func mib(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
