package feature

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Seal is the definition of one feature: for every key that defines it the
// first 16 hex digits of the SHA-256 of its value, white space outside
// strings ignored. State and bookkeeping keys are no part of it.
type Seal struct {
	ID         string            `json:"id"`
	Positional bool              `json:"pos,omitempty"`
	Keys       map[string]string `json:"keys"`
}

// Change is one way in which a feature differs from its seal. What is
// deleted, edited, moved or duplicated; Detail names the keys of an edit.
type Change struct{ ID, What, Detail string }

// Seals returns the seals of all features in file order. bookkeeping names
// further keys that may change, "*" standing for anything.
func (l *List) Seals(bookkeeping []string) []Seal {
	d := digester{List: l, skip: newSkip(bookkeeping)}
	seals := make([]Seal, len(l.Features))
	for i := range l.Features {
		keys := make(map[string]string, 8)
		d.each(i, func(key string, sum digest) { keys[key] = string(sum[:]) })
		seals[i] = Seal{ID: l.Features[i].ID, Positional: l.Features[i].Positional, Keys: keys}
	}
	return seals
}

// digest is 16 hex digits.
type digest [16]byte

// digester seals the features of one list.
type digester struct {
	*List
	skip skip
	buf  []byte
}

// each calls visit for every key that defines feature i. A key that is there
// twice counts once, with both values.
func (d *digester) each(i int, visit func(key string, sum digest)) {
	rec := &d.records[i]
	if rec.twice {
		d.eachOnce(int(rec.object), visit)
		return
	}
	obj := int(rec.object)
	for k := d.first(obj); k < d.after(obj); k = d.after(k + 1) {
		if key := d.text(k); !d.skip.has(key) {
			d.buf = compact(d.buf[:0], d.raw(k+1))
			visit(key, sum(d.buf))
		}
	}
}

// eachOnce is each for an object with a key that is there twice.
func (d *digester) eachOnce(obj int, visit func(key string, sum digest)) {
	values := map[string][]byte{}
	var keys []string
	d.List.each(obj, func(k, v int) {
		key := d.text(k)
		value, again := values[key]
		if again {
			value = append(value, 0)
		} else if !d.skip.has(key) {
			keys = append(keys, key)
		}
		values[key] = compact(value, d.raw(v))
	})
	for _, key := range keys {
		visit(key, sum(values[key]))
	}
}

func sum(data []byte) (d digest) {
	whole := sha256.Sum256(data)
	hex.Encode(d[:], whole[:8])
	return d
}

// compact appends a JSON value without the white space outside its strings.
func compact(dst []byte, raw string) []byte {
	if raw[0] != '{' && raw[0] != '[' {
		return append(dst, raw...)
	}
	start := 0 // of what is still to be copied
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i)
		case ' ', '\n', '\t', '\r':
			dst = append(dst, raw[start:i]...)
			start = i + 1
		}
	}
	return append(dst, raw[start:]...)
}

// stringEnd returns the place of the quote that closes the string begun at i.
func stringEnd(raw string, i int) int {
	for {
		i += 1 + strings.IndexByte(raw[i+1:], '"')
		slashes := 0
		for raw[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
	}
}

// skip knows the keys that are no part of a definition.
type skip struct {
	patterns []string
	known    map[string]bool
}

var bookkeepingKeys = []string{"evidence*", "notes", "*_at", "*date*", "session*", "commit*", "attempts", "result*", "owner", "assigned*"}

func newSkip(bookkeeping []string) skip {
	return skip{patterns: slices.Concat(bookkeepingKeys, bookkeeping), known: map[string]bool{}}
}

func (s skip) has(key string) bool {
	is, ok := s.known[key]
	if !ok {
		is = isStateKey(key) || slices.ContainsFunc(s.patterns, func(p string) bool {
			return glob(strings.ToLower(p), snake(key)) || glob(p, key)
		})
		s.known[key] = is
	}
	return is
}

// snake turns completedAt into completed_at.
func snake(key string) string {
	var b strings.Builder
	for i, r := range key {
		if r >= 'A' && r <= 'Z' {
			if i > 0 && key[i-1] >= 'a' && key[i-1] <= 'z' {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// glob matches a whole text against a pattern in which "*" is anything.
func glob(pattern, s string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == s
	}
	s, ok := strings.CutPrefix(s, head)
	if !ok {
		return false
	}
	for {
		part, more, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(s, rest)
		}
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s, rest = s[i+len(part):], more
	}
}
