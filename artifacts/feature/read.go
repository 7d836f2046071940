package feature

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// read takes the features out of their containers, in file order.
func (l *List) read() error {
	r := reader{List: l, line: 1}
	total := 0
	for _, c := range l.containers {
		total += l.size(c.node)
	}
	l.Features, l.records = make([]Feature, 0, total), make([]record, 0, total)
	for c := range l.containers {
		in := &l.containers[c]
		in.from = len(l.Features)
		if l.nodes[in.node].kind == array && !l.isList(in.node) {
			return l.misfit(strings.TrimPrefix(l.shape, "object"), in.node)
		}
		l.each(in.node, func(k, v int) {
			if l.nodes[v].kind != object || k >= 0 && in.node == 0 && meta(l.text(k)) {
				return
			}
			r.feature(in, k, v)
		})
		in.to = len(l.Features)
	}
	return nil
}

// reader fills in features one after the other.
type reader struct {
	*List
	at, line int      // the line of the offset at
	keys     []string // of the feature at hand
	values   values   // of the same
}

func (r *reader) feature(in *container, key, obj int) {
	start := int(r.nodes[obj].start)
	r.line += strings.Count(r.src[r.at:start], "\n")
	r.at = start
	f := Feature{Line: r.line, Category: in.name}
	rec := record{object: int32(obj), key: int32(key), passes: -1, status: -1, state: -1}
	v := &r.values
	*v = newValues()
	r.keys = r.keys[:0]
	for k := r.first(obj); k < r.after(obj); k = r.after(k + 1) {
		name := r.text(k)
		r.keys = append(r.keys, name)
		v.take(r.List, name, k+1)
	}
	f.ID = r.ownID(v.id, in, key)
	f.Positional = f.ID == ""
	r.describe(&f, v)
	f.Check, f.Cwd = r.oneString(v.check), r.oneString(v.cwd)
	if v.files >= 0 {
		f.Files = r.strings(v.files)
	}
	for _, d := range v.depends {
		if d >= 0 {
			f.DependsOn = r.ids(f.DependsOn, d)
		}
	}
	if v.priority >= 0 {
		f.Priority = strings.TrimSpace(r.scalar(v.priority))
	}
	f.Rank = rank(f.Priority)
	f.Why = r.state(&rec, v, r.keys)
	if f.Why != "" {
		f.Problem = "bad-passes"
	}
	f.State, f.Status = rec.was, rec.word
	if rec.passes >= 0 && f.Problem == "" {
		f.Status = r.raw(int(rec.passes))
	} else if rec.passes >= 0 {
		f.Status = strings.Trim(r.raw(int(rec.passes)), `"`)
	}
	r.Features = append(r.Features, f)
	r.records = append(r.records, rec)
}

// ownID returns the id that the file gives, "" for none.
func (l *List) ownID(id int, in *container, key int) string {
	if id >= 0 {
		if own := l.scalar(id); strings.TrimSpace(own) != "" {
			return own
		}
	}
	if in.keyed && key >= 0 && strings.TrimSpace(l.text(key)) != "" {
		return l.text(key)
	}
	return ""
}

// values are the nodes of a feature's values by what they mean, -1 for none.
type values struct {
	id, priority, check, cwd, files int
	passes, status, state           int
	deprecated, spelled             int
	text                            [8]int
	steps                           [10]int
	depends                         [7]int
	category                        [5]int
	checkRank                       int
}

func newValues() values {
	v := values{id: -1, priority: -1, check: -1, cwd: -1, files: -1, passes: -1, status: -1, state: -1, deprecated: -1, checkRank: len(checkKeys)}
	for i := range v.text {
		v.text[i] = -1
	}
	for i := range v.steps {
		v.steps[i] = -1
	}
	for i := range v.depends {
		v.depends[i] = -1
	}
	for i := range v.category {
		v.category[i] = -1
	}
	return v
}

// take files the value n under what its key means.
func (v *values) take(l *List, key string, n int) {
	switch key {
	case "id":
		v.id = n
		return
	case "priority":
		v.priority = n
		return
	case "cwd":
		v.cwd = n
		return
	case "files":
		v.files = n
		return
	case "deprecated":
		v.deprecated = n
		return
	}
	if i := rankOf(key, textKeys); i >= 0 {
		v.text[i] = n
	}
	if i := rankOf(key, stepsKeys); i >= 0 {
		v.steps[i] = n
	}
	if i := rankOf(key, dependsKeys); i >= 0 {
		v.depends[i] = n
	}
	if i := rankOf(key, categoryKeys); i >= 0 {
		v.category[i] = n
	}
	if i := rankOf(key, checkKeys); i >= 0 && i < v.checkRank && l.oneString(n) != "" {
		v.check, v.checkRank = n, i
	}
	switch {
	case isKey(key, "passes"):
		v.spelled += again(&v.passes, n)
	case isKey(key, "status"):
		v.spelled += again(&v.status, n)
	case isKey(key, "state"):
		v.spelled += again(&v.state, n)
	}
}

// again keeps the first node and counts a second one.
func again(at *int, n int) int {
	if *at >= 0 {
		return 1
	}
	*at = n
	return 0
}

// describe fills in category, description, title and steps.
func (l *List) describe(f *Feature, v *values) {
	for i, n := range v.category {
		if n < 0 {
			continue
		}
		name := l.scalar(n)
		if l.nodes[n].kind == number {
			name = categoryKeys[i] + " " + name
		}
		if strings.TrimSpace(name) != "" {
			f.Category = name
			break
		}
	}
	from := -1
	for i, n := range v.text {
		if n < 0 {
			continue
		}
		if said := strings.Join(l.strings(n), " "); strings.TrimSpace(said) != "" {
			f.Description, from = said, i
			break
		}
	}
	for _, key := range titleKeys {
		i := rankOf(key, textKeys)
		if n := v.text[i]; i != from && n >= 0 && strings.TrimSpace(l.scalar(n)) != "" {
			f.Title = l.scalar(n)
			break
		}
	}
	for _, n := range v.steps {
		if n < 0 {
			continue
		}
		if f.Steps = l.strings(n); len(f.Steps) > 0 {
			return
		}
	}
	f.Steps = []string{f.Description}
}

// oneString returns a string that is not blank, "" for everything else.
func (l *List) oneString(n int) string {
	if n < 0 || l.nodes[n].kind != text || strings.TrimSpace(l.text(n)) == "" {
		return ""
	}
	return l.text(n)
}

// strings reads a list of strings, one string, or objects with a text.
func (l *List) strings(n int) []string {
	switch l.nodes[n].kind {
	case text:
		if strings.TrimSpace(l.text(n)) == "" {
			return nil
		}
		return []string{l.text(n)}
	case number, boolean:
		return []string{l.raw(n)}
	case object:
		return l.stepsIn(n)
	case array:
	default:
		return nil
	}
	list := make([]string, 0, 8)
	for e := l.first(n); e < l.after(n); e = l.after(e) {
		switch l.nodes[e].kind {
		case text:
			if strings.TrimSpace(l.text(e)) != "" {
				list = append(list, l.text(e))
			}
		case object:
			if said := sentence(l.raw(e)); said != "" {
				list = append(list, said)
			}
		case null:
		default:
			list = append(list, l.raw(e))
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[:len(list):len(list)]
}

// stepsIn finds the list of steps in an object that holds more than that.
func (l *List) stepsIn(obj int) []string {
	for _, key := range []string{"steps", "checks", "criteria", "tests", "acceptance", "items", "text", "description"} {
		v := l.member(obj, key)
		if v < 0 || l.nodes[v].kind != array && l.nodes[v].kind != text {
			continue
		}
		if list := l.strings(v); len(list) > 0 {
			return list
		}
	}
	return nil
}

// sentence returns the text of an object that stands for a step: the key that
// names it, else all its strings.
func sentence(raw string) string {
	step := gjson.Parse(raw)
	for _, key := range []string{"text", "description", "desc", "step", "criterion", "criteria", "action", "title", "name"} {
		if v := step.Get(key); v.Type == gjson.String && strings.TrimSpace(v.String()) != "" {
			if expected := step.Get("expected"); expected.Type == gjson.String && expected.String() != "" {
				return v.String() + ": " + expected.String()
			}
			return v.String()
		}
	}
	var all []string
	step.ForEach(func(_, v gjson.Result) bool {
		if v.Type == gjson.String && strings.TrimSpace(v.String()) != "" {
			all = append(all, v.String())
		}
		return true
	})
	return strings.Join(all, " ")
}

// ids adds the ids that a dependency key holds to those already known.
func (l *List) ids(known []string, n int) []string {
	var seen map[string]bool // only for a long list
	add := func(id string) {
		id = strings.TrimSpace(id)
		if len(known) > 32 && seen == nil {
			seen = make(map[string]bool, len(known))
			for _, k := range known {
				seen[k] = true
			}
		}
		if id == "" || seen[id] || seen == nil && rankOf(id, known) >= 0 {
			return
		}
		if seen != nil {
			seen[id] = true
		}
		known = append(known, id)
	}
	switch l.nodes[n].kind {
	case text, number:
		for id := range strings.SplitSeq(l.scalar(n), ",") {
			add(id)
		}
	case array:
		for e := l.first(n); e < l.after(n); e = l.after(e) {
			if l.nodes[e].kind != object {
				add(l.scalar(e))
			} else if id := l.member(e, "id"); id >= 0 {
				add(l.scalar(id))
			}
		}
	}
	return known
}

// twice returns a key that occurs more than once, "" when none does.
func twice(keys []string) string {
	if len(keys) > 32 {
		seen := make(map[string]bool, len(keys))
		for _, key := range keys {
			if seen[key] {
				return key
			}
			seen[key] = true
		}
		return ""
	}
	for i, key := range keys {
		for _, other := range keys[:i] {
			if key == other {
				return key
			}
		}
	}
	return ""
}

// state fills in what the file says about the state; why says what is wrong
// with it. passes decides, else status, else state.
func (l *List) state(rec *record, v *values, keys []string) (why string) {
	rec.passes, rec.status = int32(v.passes), int32(v.status)
	switch {
	case rec.status < 0:
		rec.status = int32(v.state)
	case v.state >= 0 && l.nodes[v.state].kind == text && agree(l.scalar(v.status), l.text(v.state)):
		rec.state = int32(v.state)
	}
	if rec.status >= 0 && l.nodes[rec.status].kind == text {
		rec.word = l.text(int(rec.status))
	}
	retired := isRetired(rec.word) || v.deprecated >= 0 && l.raw(v.deprecated) == "true"
	switch {
	case rec.passes >= 0:
		why = l.badPasses(v.passes)
		if l.raw(v.passes) == "true" {
			rec.was = Passed
		}
	case rec.status >= 0:
		why = l.badStatus(int(rec.status))
		if isPassed(rec.word) {
			rec.was = Passed
		}
	}
	if v.spelled > 0 {
		why = "its state key is there in two spellings"
	}
	if key := twice(keys); key != "" {
		rec.twice = true
		why = fmt.Sprintf("key %q is there twice", key)
	}
	rec.bad = why
	if why != "" {
		rec.was = Failing
	}
	if retired {
		rec.was = Retired
	}
	return why
}

func (l *List) badPasses(n int) string {
	if l.nodes[n].kind == boolean {
		return ""
	}
	return fmt.Sprintf("passes is %s (%s), not true or false", clip(l.raw(n), 40), l.nodes[n].kind)
}

func (l *List) badStatus(n int) string {
	switch l.nodes[n].kind {
	case text, null:
		return ""
	}
	return fmt.Sprintf("its status is %s (%s), not a word", clip(l.raw(n), 40), l.nodes[n].kind)
}

// clip shortens a text for a message to at most n characters.
func clip(s string, n int) string {
	count := 0
	for i := range s {
		if count == n {
			return s[:i] + "…"
		}
		count++
	}
	return s
}
