package feature

import (
	"strconv"
	"strings"
)

// counter is a number in the list that counts its features.
type counter struct {
	node  int
	path  string // "/summary/completed"
	name  string // folded: "completedfeatures"
	scope int    // index of a container, -1 for the whole list
	alone bool   // no other counter beside it counts what is not passed
	l     *List
}

// tally is what can be counted in a scope.
type tally struct {
	total, passed, retired int
	words                  map[string]int // of the features that are not passed
	bools                  bool           // passes decides
}

// amend is a change to be counted: a feature that gets another record, or
// features that are added to the last container.
type amend struct {
	index  int // -1 for none
	record record
	added  []record
}

var counterHolders = []string{"summary", "stats", "statistics", "metadata", "meta", "_meta", "counts", "totals", "progress"}

// counters returns the numbers at the top, in its summaries and in groups
// whose names say that they count features.
func (l *List) counters() (list []counter) {
	if l.nodes[0].kind != object {
		return nil
	}
	list = l.countersIn(0, "", -1, list)
	for _, key := range counterHolders {
		if v := l.member(0, key); v >= 0 && l.nodes[v].kind == object {
			list = l.countersIn(v, "/"+key, -1, list)
		}
	}
	for i, c := range l.containers {
		if c.group < 0 {
			continue
		}
		list = l.countersIn(c.group, "/"+strconv.Itoa(i), i, list)
		for _, key := range counterHolders {
			if v := l.member(c.group, key); v >= 0 && l.nodes[v].kind == object {
				list = l.countersIn(v, "/"+strconv.Itoa(i)+"/"+key, i, list)
			}
		}
	}
	return list
}

func (l *List) countersIn(obj int, path string, scope int, list []counter) []counter {
	from, open := len(list), 0
	l.each(obj, func(k, v int) {
		name := fold(l.text(k))
		if l.nodes[v].kind != number || !isCounter(name) {
			return
		}
		for _, c := range list[from:] {
			if c.path == path+"/"+l.text(k) {
				return // a key given twice counts nothing for sure
			}
		}
		if counts(name) == counted.open {
			open++
		}
		list = append(list, counter{node: v, path: path + "/" + l.text(k), name: name, scope: scope, l: l})
	})
	for i := range list[from:] {
		list[from+i].alone = open == 1
	}
	return list
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

// fold drops case and separators from a key.
func fold(key string) string { return separators.Replace(strings.ToLower(key)) }

type what int

// counted are the things that a counter may count.
var counted = struct{ nothing, total, passed, rest, open, percent what }{0, 1, 2, 3, 4, 5}

func isCounter(name string) bool { return counts(name) != counted.nothing }

// counts tells by its folded name what a counter counts.
func counts(name string) what {
	switch name {
	case "percent", "percentage", "percentcomplete", "completionpercentage", "completionpercent", "progresspercent", "passrate":
		return counted.percent
	}
	name = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(name, "features"), "features"), "total"), "count")
	switch name {
	case "", "total", "all", "feature":
		return counted.total
	case "completed", "complete", "passed", "passing", "pass", "done", "verified":
		return counted.passed
	case "remaining", "notpassed", "incomplete", "outstanding", "notdone", "left":
		return counted.rest
	case "failing", "failed", "fail", "pending", "todo", "notstarted", "planned", "open", "inprogress", "blocked":
		return counted.open
	}
	return counted.nothing
}

// tally counts the features of a scope as the file states them.
func (l *List) tally(scope int, a *amend) tally {
	t := tally{words: map[string]int{}}
	from, to := 0, len(l.records)
	if scope >= 0 {
		from, to = l.containers[scope].from, l.containers[scope].to
	}
	for i := from; i < to; i++ {
		rec := &l.records[i]
		if a != nil && a.index == i {
			rec = &a.record
		}
		t.add(rec)
	}
	if a != nil && (scope < 0 || scope == len(l.containers)-1) {
		for i := range a.added {
			t.add(&a.added[i])
		}
	}
	return t
}

func (t *tally) add(rec *record) {
	t.total++
	t.bools = t.bools || rec.passes >= 0
	switch rec.was {
	case Passed:
		t.passed++
	case Retired:
		t.retired++
	default:
		if rec.word != "" {
			t.words[rec.word]++
		}
	}
}

// numbers returns what a counter may hold to agree: the first that it does
// hold is the one that is kept right.
func (c *counter) numbers(t tally) []int {
	live := t.total - t.retired
	switch counts(c.name) {
	case counted.total:
		return []int{t.total, live}
	case counted.passed:
		return []int{t.passed}
	case counted.rest:
		return []int{live - t.passed, t.total - t.passed}
	case counted.percent:
		return []int{percent(t.passed, t.total), percent(t.passed, live)}
	}
	if n, ok := t.open(strings.TrimSuffix(strings.TrimPrefix(c.name, "features"), "features")); ok || !t.bools {
		return []int{n}
	}
	if c.alone || c.name == "pending" || c.name == "failing" {
		if c.name == "inprogress" || c.name == "blocked" {
			return nil
		}
		return []int{live - t.passed}
	}
	return nil
}

// open counts the features that are not passed and have this word, folded.
func (t *tally) open(name string) (n int, found bool) {
	for word, count := range t.words {
		if fold(word) == name {
			n, found = n+count, true
		}
	}
	return n, found
}

func percent(part, whole int) int {
	if whole == 0 {
		return 0
	}
	return (200*part + whole) / (2 * whole)
}

// agrees reports a counter that holds what it should.
func (c *counter) agrees(t tally) bool { return c.which(t) >= 0 }

func (c *counter) which(t tally) int {
	held := c.l.raw(c.node)
	for i, n := range c.numbers(t) {
		if strconv.Itoa(n) == held {
			return i
		}
	}
	return -1
}

// recount returns the edits that keep the counters right that were, except
// those that was says to leave alone.
func (l *List) recount(a *amend, was Was) (edits []edit) {
	before, after := map[int]tally{}, map[int]tally{}
	for _, c := range l.counters() {
		if kept, ok := was[c.path]; ok && kept == l.raw(c.node) {
			continue
		}
		if _, ok := before[c.scope]; !ok {
			old, changed := l.tally(c.scope, nil), l.tally(c.scope, a)
			changed.bools = old.bools || old.total == 0 && changed.bools
			before[c.scope], after[c.scope] = old, changed
		}
		which, numbers := c.which(before[c.scope]), c.numbers(after[c.scope])
		if which < 0 || which >= len(numbers) || strconv.Itoa(numbers[which]) == l.raw(c.node) {
			continue
		}
		n := l.nodes[c.node]
		edits = append(edits, edit{from: int(n.start), to: int(n.end), with: strconv.Itoa(numbers[which])})
	}
	return edits
}
