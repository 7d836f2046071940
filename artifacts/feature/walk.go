package feature

import (
	"strings"

	"github.com/tidwall/gjson"
)

// first returns the first child of a container node: a key of an object, an
// element of an array. Its end is end(n).
func (l *List) first(n int) int { return n + 1 }

// after returns the node that follows n and all below it.
func (l *List) after(n int) int { return int(l.nodes[n].next) }

// raw returns the bytes of a value as written.
func (l *List) raw(n int) string { return l.src[l.nodes[n].start:l.nodes[n].end] }

// text returns a string's value. Only tokens that passed the scan get here:
// gjson itself accepts malformed input.
func (l *List) text(n int) string {
	if l.nodes[n].escaped {
		return gjson.Parse(l.raw(n)).String()
	}
	return l.src[l.nodes[n].start+1 : l.nodes[n].end-1]
}

// scalar returns a string's value or a number's decimal text, "" for all else.
func (l *List) scalar(n int) string {
	switch l.nodes[n].kind {
	case text:
		return l.text(n)
	case number:
		return l.raw(n)
	}
	return ""
}

// member returns the value under key, -1 when there is none.
func (l *List) member(obj int, key string) int {
	if l.nodes[obj].kind != object {
		return -1
	}
	for k := l.first(obj); k < l.after(obj); k = l.after(k + 1) {
		if l.text(k) == key {
			return k + 1
		}
	}
	return -1
}

// word returns the first non-blank string under one of the keys.
func (l *List) word(obj int, keys ...string) string {
	for _, key := range keys {
		v := l.member(obj, key)
		if v >= 0 && l.nodes[v].kind == text && strings.TrimSpace(l.text(v)) != "" {
			return l.text(v)
		}
	}
	return ""
}

// each calls visit for every member of an object or element of an array; for
// an element key is -1.
func (l *List) each(n int, visit func(key, value int)) {
	switch l.nodes[n].kind {
	case object:
		for k := l.first(n); k < l.after(n); k = l.after(k + 1) {
			visit(k, k+1)
		}
	case array:
		for v := l.first(n); v < l.after(n); v = l.after(v) {
			visit(-1, v)
		}
	}
}

// size returns how many members or elements a container has.
func (l *List) size(n int) (size int) {
	l.each(n, func(int, int) { size++ })
	return size
}
