package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Set returns the file with one setting changed and every other byte as it
// was. The key is written as "policy.session_minutes" or "session_minutes"; a
// setting that the file does not name yet is added to its object. An error
// names the key and what it takes; a file that would not parse is refused.
func Set(data []byte, key, value string) ([]byte, error) {
	s, err := settingOf(key)
	if err != nil {
		return nil, err
	}
	token, err := s.token(value)
	if err != nil {
		return nil, err
	}
	if err := s.assign(token); err != nil {
		return nil, err
	}
	whole, err := root(data)
	if err != nil {
		return nil, err
	}
	out, err := edit(data, whole, s, token)
	if err != nil {
		return nil, err
	}
	if _, err := Parse(out); err != nil {
		return nil, err
	}
	return out, nil
}

func settingOf(key string) (setting, error) {
	var c Config
	var names []string
	for _, s := range settings(&c) {
		if key == s.key() || s.group == "policy" && key == s.name {
			return s, nil
		}
		names = append(names, s.key())
	}
	return setting{}, fmt.Errorf("%q is no setting; settings: %s", key, strings.Join(names, ", "))
}

func edit(data []byte, whole span, s setting, token []byte) ([]byte, error) {
	top, err := members(data, whole, "")
	if err != nil {
		return nil, err
	}
	if s.group == "" {
		return put(data, whole, top, s.name, token), nil
	}
	inside, err := group(data, top, s.group)
	if err != nil {
		return nil, err
	}
	m, ok := find(top, s.group)
	if !ok || data[m.value] != '{' {
		return put(data, whole, top, s.group, enclosed(data, whole, top, s.name, token)), nil
	}
	return put(data, span{m.value, m.stop - 1}, inside, s.name, token), nil
}

// put sets a member of the object: in its place, or after the last one in the
// object's own style.
func put(data []byte, o span, list []member, name string, token []byte) []byte {
	if m, ok := find(list, name); ok {
		return replace(data, m.value, m.stop, token)
	}
	style := styleOf(data, o, list)
	text := slices.Concat(literal(name), []byte(style.colon), token)
	if len(list) > 0 {
		last := list[len(list)-1].stop
		return replace(data, last, last, slices.Concat([]byte(","), []byte(style.before), text))
	}
	return replace(data, o.open+1, o.close, slices.Concat([]byte(style.before), text, []byte(style.after)))
}

// enclosed is a new object with one member, as it stands inside o.
func enclosed(data []byte, o span, list []member, name string, token []byte) []byte {
	style := styleOf(data, o, list)
	inner, outer := style.before, style.before
	if strings.Contains(style.before, "\n") {
		inner += style.unit
	} else {
		inner, outer = "", ""
	}
	return slices.Concat([]byte("{"+inner), literal(name), []byte(style.colon), token, []byte(outer+"}"))
}

func replace(data []byte, from, to int, with []byte) []byte {
	return slices.Concat(data[:from], with, data[to:])
}

// style is how an object is written: the white space before a key, before the
// closing brace, what stands between key and value, and one step of indentation.
type style struct{ before, after, colon, unit string }

func styleOf(data []byte, o span, list []member) style {
	if len(list) == 0 {
		return emptyStyle(data, o)
	}
	last := list[len(list)-1]
	from := o.open + 1
	if len(list) > 1 {
		from = skipSpace(data, list[len(list)-2].stop) + 1
	}
	key := last.start + len(data[last.start:skipString(data, last.start)])
	s := style{before: string(data[from:last.start]), colon: string(data[key:last.value])}
	s.unit = strings.TrimPrefix(indentOf(s.before), lineIndent(data, o.open))
	return s
}

// emptyStyle writes the first member of an object: on a line of its own where
// the rest of the file does so.
func emptyStyle(data []byte, o span) style {
	end := bytes.IndexByte(data, '\n')
	if end < 0 || end >= len(bytes.TrimSpace(data)) {
		return style{colon: ":"}
	}
	newline := "\n"
	if end > 0 && data[end-1] == '\r' {
		newline = "\r\n"
	}
	indent := lineIndent(data, o.open)
	unit := firstIndent(data[end+1:])
	return style{before: newline + indent + unit, after: newline + indent, colon: ": ", unit: unit}
}

// lineIndent is the white space at the beginning of the line that holds at.
func lineIndent(data []byte, at int) string {
	line := data[bytes.LastIndexByte(data[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

func firstIndent(data []byte) string {
	if indent := string(data[:len(data)-len(bytes.TrimLeft(data, " \t"))]); indent != "" {
		return indent
	}
	return "  "
}

func indentOf(space string) string {
	return space[strings.LastIndexByte(space, '\n')+1:]
}
