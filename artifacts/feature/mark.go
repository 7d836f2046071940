package feature

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Was is what the state and stamp keys of one feature held, as raw JSON; ""
// says the key was absent. A name that starts with "/" is a counter that did
// not agree with the list, with the number it held.
type Was map[string]string

// Was returns what Pass may change in a feature, so that Fail can bring it
// back; nil when there is no such feature.
func (l *List) Was(id string) Was {
	i, ok := l.index[id]
	if !ok {
		return nil
	}
	was := Was{}
	b := l.body(int(i))
	list := b.members()
	for _, m := range list {
		if isStateKey(m.key) || stampKey(m.key) != "" {
			was[m.key] = b.raw[m.value:m.to]
		}
	}
	if rec := l.records[i]; rec.passes < 0 && rec.status < 0 {
		was["passes"] = ""
	}
	for _, key := range l.stamps() {
		if find(list, key) < 0 {
			was[key] = ""
		}
	}
	for _, c := range l.counters() {
		if !c.agrees(l.tally(c.scope, nil)) {
			was[c.path] = l.raw(c.node)
		}
	}
	return was
}

func (l *List) body(i int) *body { return &body{raw: l.raw(int(l.records[i].object))} }

// Pass returns the list with a feature passed: its state keys in the list's
// own words, completed_at and session_id where the list uses them, and the
// counters that agreed before. A passed feature stays as it is.
func (l *List) Pass(id, at, session string) ([]byte, error) {
	i, ok := l.index[id]
	if !ok {
		return nil, fmt.Errorf("pass %s: no such feature", id)
	}
	if l.records[i].was == Passed {
		return l.Bytes(), nil
	}
	rec, b := &l.records[i], l.body(int(i))
	last := l.mark(b, rec, true)
	for _, key := range l.stamps() {
		b.set(key, l.stamp(key, at, session), last)
		last = key
	}
	return l.rewrite(int(i), b, nil)
}

// Fail returns the list with a feature not passed. With was exactly those
// values come back, and keys that were absent go; without it the list's own
// word for not passed is written and the stamps are emptied.
func (l *List) Fail(id string, was Was) ([]byte, error) {
	i, ok := l.index[id]
	if !ok {
		return nil, fmt.Errorf("fail %s: no such feature", id)
	}
	b := l.body(int(i))
	if was == nil {
		l.mark(b, &l.records[i], false)
		l.unstamp(b)
		return l.rewrite(int(i), b, nil)
	}
	for _, key := range keysOf(was) {
		raw := was[key]
		switch {
		case strings.HasPrefix(key, "/"):
		case !isStateKey(key) && stampKey(key) == "":
			return nil, fmt.Errorf("fail %s: %q is no state key", id, key)
		case raw == "":
			b.remove(key)
		case !gjson.Valid(raw):
			return nil, fmt.Errorf("fail %s: %q held no JSON value: %s", id, key, raw)
		default:
			b.set(key, raw, "")
		}
	}
	return l.rewrite(int(i), b, was)
}

func keysOf(was Was) []string {
	keys := make([]string, 0, len(was))
	for key := range was {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// mark writes the state keys and returns the last of them.
func (l *List) mark(b *body, rec *record, passed bool) (last string) {
	if rec.passes >= 0 || rec.status < 0 {
		last = l.keyOf(rec.passes, "passes")
		b.set(last, fmt.Sprint(passed), "")
	}
	for _, n := range []int32{rec.status, rec.state} {
		if n < 0 || l.nodes[n].kind != text && l.nodes[n].kind != null {
			continue
		}
		key, own := l.keyOf(n, "status"), l.scalar(int(n))
		if last == "" {
			last = key
		}
		if own == "" && rec.passes >= 0 {
			continue // passes decides, and there is no word to keep in step
		}
		switch {
		case passed && !isPassed(own):
			b.set(key, quote(l.passedWord(own), l.asciiOnly()), "")
		case !passed && isPassed(own):
			b.set(key, quote(l.openWord(own), l.asciiOnly()), "")
		}
	}
	return last
}

// keyOf returns the key of a value's node as the file spells it.
func (l *List) keyOf(value int32, without string) string {
	if value < 0 {
		return without
	}
	return l.text(int(value) - 1)
}

// stamps returns the stamp keys that the list uses, in file order.
func (l *List) stamps() (keys []string) {
	for i := range l.records {
		obj := int(l.records[i].object)
		l.each(obj, func(k, _ int) {
			if key := l.text(k); stampKey(key) != "" && rankOf(key, keys) < 0 && !sameStamp(keys, key) {
				keys = append(keys, key)
			}
		})
		if len(keys) == 2 {
			break
		}
	}
	return keys
}

func sameStamp(keys []string, key string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return stampKey(k) == stampKey(key) })
}

// stamp returns the value of a stamp; a list that stamps with days gets a day.
func (l *List) stamp(key, at, session string) string {
	if stampKey(key) == "session_id" {
		if session == "" {
			return "null"
		}
		return quote(session, l.asciiOnly())
	}
	if at == "" {
		return "null"
	}
	days, others := 0, 0
	for i := range l.records {
		v := l.member(int(l.records[i].object), key)
		if v < 0 || l.nodes[v].kind != text {
			continue
		}
		if len(l.text(v)) == len("2006-01-02") {
			days++
		} else {
			others++
		}
	}
	if days > others && len(at) > len("2006-01-02") {
		at = at[:len("2006-01-02")]
	}
	return quote(at, false)
}

// unstamp empties the stamps of a feature, as they are in one that never
// passed: null, or gone where those have none.
func (l *List) unstamp(b *body) {
	for _, key := range l.stamps() {
		list := b.members()
		i := find(list, key)
		if i < 0 || b.raw[list[i].value:list[i].to] == "null" {
			continue
		}
		if l.openWithout(key) {
			b.remove(key)
		} else {
			b.set(key, "null", "")
		}
	}
}

// openWithout reports that the features that are not passed lack a stamp.
func (l *List) openWithout(key string) bool {
	without := false
	for i := range l.records {
		if l.records[i].was != Failing {
			continue
		}
		if l.member(int(l.records[i].object), key) >= 0 {
			return false
		}
		without = true
	}
	return without
}

// rewrite puts the changed object in its place, sets the counters and checks
// the whole.
func (l *List) rewrite(i int, b *body, was Was) ([]byte, error) {
	if b.err != nil {
		return nil, b.err
	}
	obj := l.nodes[l.records[i].object]
	changed, err := restate(b.raw)
	if err != nil {
		return nil, err
	}
	edits := []edit{{from: int(obj.start), to: int(obj.end), with: b.raw}}
	edits = append(edits, l.recount(&amend{index: i, record: changed}, was)...)
	out := apply(l.src, edits)
	if err := l.check(out); err != nil {
		return nil, err
	}
	return out, nil
}

// restate reads the state of a feature's object by itself.
func restate(raw string) (record, error) {
	nodes, fault := scan(raw, 0)
	if fault != nil {
		return record{}, explain(raw, fault)
	}
	one := &List{src: raw, nodes: nodes}
	r := reader{List: one, line: 1}
	r.feature(&container{}, -1, 0)
	return one.records[0], nil
}

func (l *List) asciiOnly() bool { return allASCII(l.src) }
