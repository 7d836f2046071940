package feature

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// RuleError says which rule a change of the list breaks: no-delete, no-edit,
// no-reorder, append-only or duplicate-id.
type RuleError struct{ Rule, ID, Detail string }

// Error returns rule, feature and detail.
func (e *RuleError) Error() string {
	if e.ID == "" {
		return e.Rule + ": " + e.Detail
	}
	return e.Rule + ": " + e.ID + ": " + e.Detail
}

// Check holds a list after a change against the one before. A pass or a
// regression may change the state keys and stamps of a feature, and counters;
// new features may follow the last one, not passed. Everything else is
// refused with a *RuleError, and what can't be read with a *SyntaxError.
//
// It reads both anew and compares values, not bytes: nothing of what wrote
// them takes part.
func Check(before, after []byte) error {
	b, err := Parse(before)
	if err != nil {
		return fmt.Errorf("before: %w", err)
	}
	return b.check(after)
}

func (l *List) check(after []byte) error {
	a, err := Parse(after)
	if err != nil {
		return fmt.Errorf("after: %w", err)
	}
	if err := l.same(a); err != nil {
		return err
	}
	for i := len(l.Features); i < len(a.Features); i++ {
		if err := a.welcome(i); err != nil {
			return err
		}
	}
	return nil
}

// checkOld is check without a look at the features that are new.
func (l *List) checkOld(after []byte) error {
	a, err := Parse(after)
	if err != nil {
		return fmt.Errorf("after: %w", err)
	}
	return l.same(a)
}

// same checks that the features of l are all in a, as they were.
func (l *List) same(a *List) error {
	for i := range l.Features {
		if i >= len(a.Features) {
			return l.lost(i)
		}
		if l.object(i) == a.object(i) && l.key(i) == a.key(i) {
			continue
		}
		if err := l.sameFeature(a, i); err != nil {
			return err
		}
	}
	return l.sameFrame(a)
}

func (l *List) object(i int) string { return l.raw(int(l.records[i].object)) }

// key returns the key that a feature has in a map of ids.
func (l *List) key(i int) string {
	if k := l.records[i].key; k >= 0 {
		return l.text(int(k))
	}
	return ""
}

// lost names a feature that is gone.
func (l *List) lost(i int) error {
	return &RuleError{Rule: "no-delete", ID: l.Features[i].ID, Detail: "the feature is gone"}
}

// sameFeature checks that feature i is defined as before.
func (l *List) sameFeature(a *List, i int) error {
	f, g := &l.Features[i], &a.Features[i]
	if f.ID != g.ID || l.key(i) != a.key(i) {
		return l.misplaced(a, i)
	}
	before, after := definitionOf(l.object(i)), definitionOf(a.object(i))
	if key, changed := changedKey(before, after); changed {
		if at := sameObject(a, before, i); at >= 0 {
			return l.misplaced(a, i)
		}
		return &RuleError{Rule: "no-edit", ID: f.ID, Detail: strconv.Quote(key) + " is part of the definition"}
	}
	if g.Problem == "bad-passes" && f.Problem != g.Problem {
		return &RuleError{Rule: "no-edit", ID: f.ID, Detail: g.Why}
	}
	if l.records[i].was != Retired && a.records[i].was == Retired {
		return &RuleError{Rule: "no-delete", ID: f.ID, Detail: "the feature is retired"}
	}
	return nil
}

// misplaced tells apart what can stand in the place of feature i.
func (l *List) misplaced(a *List, i int) error {
	id := l.Features[i].ID
	at := sameObject(a, definitionOf(l.object(i)), i)
	if at < 0 && !l.Features[i].Positional && a.Find(id) != nil && a.Find(id) != &a.Features[i] {
		at = i
	}
	switch {
	case at < 0 && len(a.Features) < len(l.Features):
		return l.lost(i)
	case at < 0 && l.Features[i].Positional == a.Features[i].Positional && l.Find(a.Features[i].ID) == nil:
		return &RuleError{Rule: "no-edit", ID: id, Detail: "id is part of the definition"}
	case at < 0:
		return l.lost(i)
	case len(a.Features) > len(l.Features) && l.Find(a.Features[i].ID) == nil:
		return &RuleError{Rule: "append-only", ID: a.Features[i].ID, Detail: "new features go last"}
	case len(a.Features) < len(l.Features):
		return l.lost(i)
	}
	return &RuleError{Rule: "no-reorder", ID: id, Detail: "the feature stands elsewhere"}
}

// sameObject finds the definition of a feature elsewhere in a list, -1 when it is nowhere.
func sameObject(a *List, feature defining, not int) int {
	for i := range a.Features {
		if i == not {
			continue
		}
		if _, changed := changedKey(feature, definitionOf(a.object(i))); !changed {
			return i
		}
	}
	return -1
}

// defining is what defines a feature: the values of each key, without white
// space. Order says nothing.
type defining map[string][]byte

// changedKey returns the first key that two definitions differ in.
func changedKey(was, is defining) (key string, changed bool) {
	note := func(k string) {
		if !changed || k < key {
			key, changed = k, true
		}
	}
	for k, v := range was {
		if other, ok := is[k]; !ok || !bytes.Equal(other, v) {
			note(k)
		}
	}
	for k := range is {
		if _, ok := was[k]; !ok {
			note(k)
		}
	}
	return key, changed
}

func definitionOf(object string) defining {
	keys := defining{}
	gjson.Parse(object).ForEach(func(k, v gjson.Result) bool {
		if key := k.String(); !isStateKey(key) && stampKey(key) == "" {
			// \x00 keeps apart the values of a key that is there twice.
			keys[key] = append(append(keys[key], 0), v.Get("@ugly").Raw...)
		}
		return true
	})
	return keys
}

// welcome checks a feature that is new.
func (l *List) welcome(i int) error {
	f := &l.Features[i]
	switch {
	case f.Problem == "duplicate-id":
		return &RuleError{Rule: "duplicate-id", ID: f.ID, Detail: f.Why}
	case f.Problem != "":
		return &RuleError{Rule: "append-only", ID: f.ID, Detail: f.Why}
	case f.State == Passed:
		return &RuleError{Rule: "append-only", ID: f.ID, Detail: "a new feature can't be passed"}
	}
	return nil
}

// sameFrame checks what lies around the features, token by token.
func (l *List) sameFrame(a *List) error {
	before, after := l.frame(len(l.Features)), a.frame(len(l.Features))
	if len(l.Features) == 0 && len(a.Features) > 0 && strings.Join(before, "") == "{}" {
		before = []string{"{", `"features"`, ":", "[", "]", "}"}
	}
	for i := range before {
		if i < len(after) && (before[i] == after[i] || recounted(before, after, i, len(a.Features))) {
			continue
		}
		return &RuleError{Rule: "no-edit", Detail: "the list changed outside its features: " + clip(nearby(before, i), 60)}
	}
	if len(after) > len(before) {
		return &RuleError{Rule: "no-edit", Detail: "the list changed outside its features: " + clip(nearby(after, len(before)), 60)}
	}
	return nil
}

func nearby(tokens []string, i int) string { return strings.Join(tokens[max(0, i-2):i+1], "") }

// recounted reports that token i is a counter that may change.
func recounted(before, after []string, i, features int) bool {
	if i < 2 || before[i-1] != ":" || before[i-2] != after[i-2] || before[i-2][0] != '"' {
		return false
	}
	_, err := strconv.ParseUint(before[i], 10, 32)
	n, err2 := strconv.ParseUint(after[i], 10, 32)
	return err == nil && err2 == nil && int(n) <= max(features, 100) && isCounter(fold(gjson.Parse(before[i-2]).String()))
}

// frame returns the tokens of the list around its features; a feature from
// number old on leaves no trace, and neither does what joins it to the rest.
func (l *List) frame(old int) []string {
	var tokens []string
	at := len(l.src) - len(strings.TrimPrefix(l.src, bom))
	for i := range l.records {
		n := l.nodes[l.records[i].object]
		tokens = lex(tokens, l.src[at:n.start])
		at = int(n.end)
		if i < old {
			tokens = append(tokens, "•")
			continue
		}
		if end := len(tokens) - 1; tokens[end] == ":" {
			tokens = tokens[:end-1]
		}
		if end := len(tokens) - 1; tokens[end] == "," {
			tokens = tokens[:end]
		}
	}
	return lex(tokens, l.src[at:])
}

// lex splits JSON text into strings, words and signs.
func lex(tokens []string, s string) []string {
	for i := 0; i < len(s); {
		start := i
		switch c := s[i]; c {
		case ' ', '\t', '\r', '\n':
			i++
			continue
		case '{', '}', '[', ']', ',', ':':
			i++
		case '"':
			for i++; s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
			i++
		default:
			for i < len(s) && !strings.ContainsRune(" \t\r\n{}[],:\"", rune(s[i])) {
				i++
			}
		}
		tokens = append(tokens, s[start:i])
	}
	return tokens
}
