package feature

import (
	"slices"
	"strings"

	"github.com/tidwall/sjson"
)

// edit replaces the bytes from:to of a text.
type edit struct {
	from, to int
	with     string
}

// apply makes the edits; those at the same place stay in the order given.
func apply(src string, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	size := len(src)
	for _, e := range edits {
		size += len(e.with) - (e.to - e.from)
	}
	out, at := make([]byte, 0, size), 0
	for _, e := range edits {
		out = append(out, src[at:e.from]...)
		out = append(out, e.with...)
		at = e.to
	}
	return append(out, src[at:]...)
}

// body is one feature's object while it is changed.
type body struct {
	raw string
	err error
}

// members returns the spans of the members of the object.
func (b *body) members() []member {
	nodes, fault := scan(b.raw, 0)
	if fault != nil {
		return nil
	}
	l := &List{src: b.raw, nodes: nodes}
	var list []member
	l.each(0, func(k, v int) {
		list = append(list, member{
			key:  l.text(k),
			from: int(nodes[k].start), colon: int(nodes[k].end),
			value: int(nodes[v].start), to: int(nodes[v].end),
		})
	})
	return list
}

// member is a key and its value: from:colon is the key, value:to the value.
type member struct {
	key                    string
	from, colon, value, to int
}

func find(list []member, key string) int {
	return slices.IndexFunc(list, func(m member) bool { return m.key == key })
}

// set writes a value as raw JSON: in place of the old one, or as a new member
// after the one named, at the end when that is "".
func (b *body) set(key, raw, after string) {
	list := b.members()
	if i := find(list, key); i >= 0 {
		if b.raw[list[i].value:list[i].to] == raw {
			return
		}
		// The path is one key of ours, free of the characters that sjson
		// reads as a query; it keeps every other byte of the object.
		changed, err := sjson.SetRaw(b.raw, key, raw)
		if err != nil {
			b.err = err
			return
		}
		b.raw = changed
		return
	}
	b.insert(list, key, raw, after)
}

func (b *body) insert(list []member, key, raw, after string) {
	if len(list) == 0 {
		b.raw = "{" + quote(key, false) + ": " + raw + b.raw[1:]
		return
	}
	at := len(list) - 1
	if i := find(list, after); i >= 0 {
		at = i
	}
	gap := b.raw[1:list[0].from]
	if at > 0 {
		gap = afterComma(b.raw[list[at-1].to:list[at].from])
	} else if len(list) > 1 {
		gap = afterComma(b.raw[list[0].to:list[1].from])
	}
	colon := b.raw[list[at].colon:list[at].value]
	pos := list[at].to
	b.raw = b.raw[:pos] + "," + gap + quote(key, false) + colon + raw + b.raw[pos:]
}

// afterComma returns the white space of a gap between two members.
func afterComma(gap string) string {
	return gap[strings.IndexByte(gap, ',')+1:]
}

// remove takes a member out with the comma before it: what insert put in.
func (b *body) remove(key string) {
	list := b.members()
	i := find(list, key)
	switch {
	case i < 0:
	case i > 0:
		b.raw = b.raw[:list[i-1].to] + b.raw[list[i].to:]
	case len(list) > 1:
		b.raw = b.raw[:list[0].from] + b.raw[list[1].from:]
	default:
		b.raw = b.raw[:list[0].from] + b.raw[list[0].to:]
	}
}
