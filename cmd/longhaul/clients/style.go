package clients

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// style is how a file is laid out.
type style struct {
	indent  string
	newline string
	flat    bool // on one line
	tight   bool // without a space behind a colon or comma
}

// style reads the file's own layout; two spaces where it shows none.
func (d document) style() style {
	s := style{indent: "  ", newline: "\n"}
	if bytes.Contains(d.text, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	s.tight = bytes.Contains(d.text, []byte(`":`)) && !bytes.Contains(d.text, []byte(`": `)) && !bytes.Contains(d.text, []byte("\n "))
	o := d.root.Value.(*hujson.Object)
	for _, m := range o.Members {
		if margin, own := d.margin(m.Name.StartOffset); own && margin != "" {
			s.indent = margin
			break
		}
	}
	return s
}

// margin is the space that begins the line of offset, and whether nothing else stands before offset.
func (d document) margin(offset int) (space string, own bool) {
	start := bytes.LastIndexByte(d.text[:offset], '\n') + 1
	line := d.text[start:offset]
	space = string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
	return space, start > 0 && len(space) == len(line)
}

// depth counts the indents that begin the line of offset.
func (d document) depth(offset int) int {
	space, _ := d.margin(offset)
	return strings.Count(space, d.style().indent)
}

func (s style) line(depth int) string { return s.newline + strings.Repeat(s.indent, depth) }

func (s style) colon() string {
	if s.tight {
		return ":"
	}
	return ": "
}

// print writes a value: objects over several lines, lists of texts on one.
func print(value any, s style, depth int) string {
	switch v := value.(type) {
	case []Field:
		var b strings.Builder
		for i, f := range v {
			if i > 0 {
				b.WriteString(",")
			}
			switch {
			case !s.flat:
				b.WriteString(s.line(depth + 1))
			case i > 0 && !s.tight:
				b.WriteString(" ")
			}
			b.WriteString(quote(f.Key) + s.colon() + print(f.Value, s, depth+1))
		}
		if s.flat {
			return "{" + b.String() + "}"
		}
		return "{" + b.String() + s.line(depth) + "}"
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, print(item, s, depth+1))
		}
		return printList(items, s, depth)
	case []string:
		var items []string
		for _, item := range v {
			items = append(items, quote(item))
		}
		comma := ", "
		if s.tight {
			comma = ","
		}
		return "[" + strings.Join(items, comma) + "]"
	}
	return quote(value)
}

func printList(items []string, s style, depth int) string {
	if s.flat {
		comma := ", "
		if s.tight {
			comma = ","
		}
		return "[" + strings.Join(items, comma) + "]"
	}
	gap := s.line(depth + 1)
	return "[" + gap + strings.Join(items, ","+gap) + s.line(depth) + "]"
}

// quote prints a text, number or bool as JSON, with < and & as they are.
func quote(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // only texts, numbers and bools come here
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// sameJSON reports whether v holds value.
func sameJSON(v hujson.Value, value any) bool {
	c := v.Clone()
	c.Standardize()
	var got, want any
	if json.Unmarshal(c.Pack(), &got) != nil {
		return false
	}
	flat := style{flat: true, tight: true}
	return json.Unmarshal([]byte(print(value, flat, 0)), &want) == nil && reflect.DeepEqual(got, want)
}
