// Package clients edits the configuration files of MCP clients: bytes in, bytes out.
// Outside Longhaul's own entries no byte changes. It performs no I/O.
package clients

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// bom may begin a file that was written on Windows.
var bom = []byte("\xef\xbb\xbf")

// A Field is one key of an entry. Its value is text, a list of texts, a number, a bool or Fields.
type Field struct {
	Key   string
	Value any
	Once  bool // written with the entry; later the user's own value is kept
}

// A document is JSON, with or without comments, and where its values stand.
type document struct {
	text []byte
	root hujson.Value
}

func read(src []byte) (document, error) {
	text := bytes.TrimPrefix(src, bom)
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return document{}, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return document{}, errors.New("the file does not hold an object")
	}
	return document{text, root}, nil
}

// at finds the value below keys. It is nil where there is none.
func (d document) at(keys ...string) (*hujson.Value, error) {
	v := &d.root
	for i, key := range keys {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("%s is not an object", strings.Join(keys[:i], "."))
		}
		n := -1
		for j, m := range o.Members {
			if m.Name.Value.(hujson.Literal).String() != key {
				continue
			}
			if n >= 0 {
				return nil, fmt.Errorf("key %q twice", strings.Join(keys[:i+1], "."))
			}
			n = j
		}
		if n < 0 {
			return nil, nil
		}
		v = &o.Members[n].Value
	}
	return v, nil
}

// SetJSON writes fields to the object below keys, which is made where it is missing.
// A key that is there already keeps its place, and keys that fields do not name stay.
func SetJSON(src []byte, keys []string, fields []Field) ([]byte, error) {
	return editJSON(src, func(text []byte) ([]byte, error) { return setFields(text, keys, fields) })
}

// AppendJSON adds texts to the list below keys where it lacks them.
func AppendJSON(src []byte, keys []string, texts []string) ([]byte, error) {
	return editJSON(src, func(text []byte) ([]byte, error) {
		for _, item := range texts {
			same := func(v hujson.Value) bool { return sameJSON(v, item) }
			var err error
			if text, err = appendItem(text, keys, item, same); err != nil {
				return nil, err
			}
		}
		return text, nil
	})
}

// DropJSON takes out what is below keys, and the objects above it that are empty then.
func DropJSON(src []byte, keys []string) ([]byte, error) {
	return editJSON(src, func(text []byte) ([]byte, error) { return drop(text, keys) })
}

// DropTexts takes texts out of the list below keys, and the list where nothing is left in it.
func DropTexts(src []byte, keys []string, texts []string) ([]byte, error) {
	return editJSON(src, func(text []byte) ([]byte, error) {
		return dropElements(text, keys, func(v hujson.Value) bool {
			l, ok := v.Value.(hujson.Literal)
			return ok && slices.Contains(texts, l.String())
		})
	})
}

// editJSON runs edit without a byte order mark and in the file's own line ends, and proves the result.
func editJSON(src []byte, edit func([]byte) ([]byte, error)) ([]byte, error) {
	d, err := read(src)
	if err != nil {
		return nil, err
	}
	out, err := edit(d.text)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(out, d.text) {
		return src, nil
	}
	if _, err := hujson.Parse(out); err != nil {
		return nil, fmt.Errorf("the edit would break the file: %w", err)
	}
	if bytes.HasPrefix(src, bom) {
		out = slices.Concat(bom, out)
	}
	return out, nil
}

func setFields(text []byte, keys []string, fields []Field) ([]byte, error) {
	d, err := read(text)
	if err != nil {
		return nil, err
	}
	entry, err := d.at(keys...)
	if err != nil {
		return nil, err
	}
	if entry == nil {
		return d.grow(keys, fields)
	}
	if _, ok := entry.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("%s is not an object", strings.Join(keys, "."))
	}
	for _, f := range fields {
		if text, err = setField(text, keys, f); err != nil {
			return nil, err
		}
	}
	return text, nil
}

func setField(text []byte, keys []string, f Field) ([]byte, error) {
	d, err := read(text)
	if err != nil {
		return nil, err
	}
	path := append(slices.Clone(keys), f.Key)
	old, err := d.at(path...)
	switch {
	case err != nil:
		return nil, err
	case old == nil && f.Once:
		return text, nil
	case old == nil:
		return d.grow(path, f.Value)
	case f.Once || sameJSON(*old, f.Value):
		return text, nil
	}
	value := print(f.Value, d.style(), d.depth(old.StartOffset))
	return splice(text, old.StartOffset, old.EndOffset, value), nil
}

// grow puts value below keys, with the objects on the way there.
func (d document) grow(keys []string, value any) ([]byte, error) {
	for n := len(keys) - 1; n >= 0; n-- {
		parent, err := d.at(keys[:n]...)
		if err != nil {
			return nil, err
		}
		if parent == nil {
			value = []Field{{Key: keys[n], Value: value}}
			continue
		}
		o, ok := parent.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("%s is not an object", strings.Join(keys[:n], "."))
		}
		var ends []int
		for _, m := range o.Members {
			ends = append(ends, m.Value.EndOffset)
		}
		return d.insert(*parent, ends, keys[n], value), nil
	}
	return nil, errors.New("no key")
}

// appendItem adds item to the list below keys unless one that is ours is there.
func appendItem(text []byte, keys []string, item any, ours func(hujson.Value) bool) ([]byte, error) {
	d, err := read(text)
	if err != nil {
		return nil, err
	}
	list, err := d.at(keys...)
	if err != nil {
		return nil, err
	}
	if list == nil {
		return d.grow(keys, []any{item})
	}
	a, ok := list.Value.(*hujson.Array)
	if !ok {
		return nil, fmt.Errorf("%s is not a list", strings.Join(keys, "."))
	}
	var ends []int
	for _, e := range a.Elements {
		if ours(e) {
			return text, nil
		}
		ends = append(ends, e.EndOffset)
	}
	return d.insert(*list, ends, "", item), nil
}

// insert adds a last item to an object or, without a key, to a list, whose items end at ends.
func (d document) insert(in hujson.Value, ends []int, key string, value any) []byte {
	s := d.style()
	inner := d.text[in.StartOffset+1 : in.EndOffset-1]
	p := in.StartOffset + 1 + len(bytes.TrimRight(inner, " \t\r\n"))
	depth := d.depth(in.StartOffset)
	gap, tail := s.line(depth+1), ""
	switch {
	case !bytes.Contains(inner, []byte("\n")) && !onlySpace(inner):
		gap = " "
		if s.tight {
			gap = ""
		}
		s.flat = true
	case onlySpace(inner) && !bytes.Contains(inner, []byte("\n")):
		tail = s.line(depth)
	}
	item := print(value, s, depth+1)
	if key != "" {
		item = quote(key) + s.colon() + item
	}
	out := d.text
	if len(ends) > 0 {
		last := ends[len(ends)-1]
		if trailing(in) {
			return splice(out, p, p, gap+item+","+tail)
		}
		if last == p {
			return splice(out, p, p, ","+gap+item+tail)
		}
		out = splice(out, p, p, gap+item+tail)
		return splice(out, last, last, ",")
	}
	return splice(out, p, p, gap+item+tail)
}

func trailing(v hujson.Value) bool {
	switch c := v.Value.(type) {
	case *hujson.Object:
		return len(c.Members) > 0 && c.Members[len(c.Members)-1].Value.AfterExtra != nil
	case *hujson.Array:
		return len(c.Elements) > 0 && c.Elements[len(c.Elements)-1].AfterExtra != nil
	}
	return false
}

func drop(text []byte, keys []string) ([]byte, error) {
	d, err := read(text)
	if err != nil {
		return nil, err
	}
	if v, err := d.at(keys...); err != nil || v == nil {
		return text, err
	}
	parent, err := d.at(keys[:len(keys)-1]...)
	if err != nil {
		return nil, err
	}
	var spans []span
	n := 0
	for i, m := range parent.Value.(*hujson.Object).Members {
		if m.Name.Value.(hujson.Literal).String() == keys[len(keys)-1] {
			n = i
		}
		spans = append(spans, span{m.Name.StartOffset, m.Value.EndOffset})
	}
	return d.remove(*parent, spans, n, keys[:len(keys)-1])
}

// dropElements takes out of the list below keys what is ours, and the list when it is empty then.
func dropElements(text []byte, keys []string, ours func(hujson.Value) bool) ([]byte, error) {
	for {
		d, err := read(text)
		if err != nil {
			return nil, err
		}
		list, err := d.at(keys...)
		if err != nil || list == nil {
			return text, err
		}
		a, ok := list.Value.(*hujson.Array)
		if !ok {
			return text, nil
		}
		n := slices.IndexFunc(a.Elements, ours)
		if n < 0 {
			return text, nil
		}
		var spans []span
		for _, e := range a.Elements {
			spans = append(spans, span{e.StartOffset, e.EndOffset})
		}
		if text, err = d.remove(*list, spans, n, keys); err != nil {
			return nil, err
		}
	}
}

type span struct{ start, end int }

// remove takes item n out of the object or list that stands below keys.
func (d document) remove(in hujson.Value, items []span, n int, keys []string) ([]byte, error) {
	if len(items) == 1 && onlySpace(d.text[in.StartOffset+1:items[0].start]) && onlySpace(bytes.TrimLeft(d.text[items[0].end:in.EndOffset-1], ", \t\r\n")) {
		if len(keys) > 0 {
			return drop(d.text, keys)
		}
		return splice(d.text, in.StartOffset+1, in.EndOffset-1, ""), nil
	}
	from := len(bytes.TrimRight(d.text[:items[n].start], " \t\r\n"))
	to := items[n].end
	last := n == len(items)-1
	if !last || trailing(in) {
		limit := in.EndOffset - 1
		if !last {
			limit = items[n+1].start
		}
		comma, err := findComma(d.text[to:limit])
		if err != nil {
			return nil, err
		}
		return splice(d.text, from, to+comma+1, ""), nil
	}
	out := splice(d.text, from, to, "")
	if n == 0 {
		return out, nil
	}
	before := items[n-1].end
	comma, err := findComma(d.text[before:items[n].start])
	if err != nil {
		return nil, err
	}
	return splice(out, before+comma, before+comma+1, ""), nil
}

// findComma finds the comma between two items, past comments.
func findComma(text []byte) (int, error) {
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case rest[0] == ',':
			return i, nil
		case bytes.HasPrefix(rest, []byte("//")):
			i += max(bytes.IndexByte(rest, '\n'), 0)
		case bytes.HasPrefix(rest, []byte("/*")):
			i += max(bytes.Index(rest, []byte("*/")), 0) + 1
		}
	}
	return 0, errors.New("no comma behind an entry")
}

func onlySpace(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

func splice(text []byte, from, to int, with string) []byte {
	return slices.Concat(text[:from], []byte(with), text[to:])
}
