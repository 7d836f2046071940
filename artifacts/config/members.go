package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

var bom = []byte("\xef\xbb\xbf")

// member is one key of an object, as offsets into the file.
type member struct {
	name               string
	start, value, stop int // of the key's quote, of the value, after the value
}

// span is one object of the file: the offsets of its braces.
type span struct{ open, close int }

// root checks that data is one JSON object and returns it.
func root(data []byte) (span, error) {
	body := bytes.TrimPrefix(data, bom)
	shift := len(data) - len(body)
	if len(bytes.TrimSpace(body)) == 0 {
		return span{}, errors.New("the file is empty")
	}
	if !utf8.Valid(body) {
		return span{}, errors.New("the file is not UTF-8")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return span{}, broken(body, err)
	}
	open := shift + skipSpace(body, 0)
	if data[open] != '{' {
		return span{}, errors.New("the file takes a JSON object")
	}
	return span{open, skipValue(data, open) - 1}, nil
}

func broken(body []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	at := min(max(int(syntax.Offset)-1, 0), len(body))
	line := 1 + bytes.Count(body[:at], []byte("\n"))
	column := 1 + utf8.RuneCount(body[bytes.LastIndexByte(body[:at], '\n')+1:at])
	return fmt.Errorf("line %d, column %d: %w", line, column, err)
}

// members lists the keys of an object of a file that root has checked. A key
// that stands twice is refused: readers do not agree on which one counts.
func members(data []byte, o span, where string) ([]member, error) {
	var list []member
	seen := map[string]bool{}
	for at := skipSpace(data, o.open+1); at < o.close; {
		m := member{start: at}
		at = skipValue(data, at)
		m.name = unquote(data[m.start:at])
		m.value = skipSpace(data, skipSpace(data, at)+1)
		m.stop = skipValue(data, m.value)
		if seen[m.name] {
			return nil, fmt.Errorf("%s%s: the key stands twice", where, m.name)
		}
		seen[m.name] = true
		list = append(list, m)
		at = skipSpace(data, m.stop)
		if at < o.close { // a comma
			at = skipSpace(data, at+1)
		}
	}
	return list, nil
}

func find(list []member, name string) (member, bool) {
	for _, m := range list {
		if m.name == name {
			return m, true
		}
	}
	return member{}, false
}

func skipSpace(data []byte, at int) int {
	for at < len(data) && bytes.IndexByte([]byte(" \t\r\n"), data[at]) >= 0 {
		at++
	}
	return at
}

// skipValue returns the offset after the value that begins at at, in JSON that
// is known to be valid.
func skipValue(data []byte, at int) int {
	switch data[at] {
	case '"':
		return skipString(data, at)
	case '{', '[':
		return skipNested(data, at)
	}
	for at < len(data) && bytes.IndexByte([]byte(" \t\r\n,]}"), data[at]) < 0 {
		at++
	}
	return at
}

func skipString(data []byte, at int) int {
	for at++; data[at] != '"'; at++ {
		if data[at] == '\\' {
			at++
		}
	}
	return at + 1
}

func skipNested(data []byte, at int) int {
	for depth := 0; ; at++ {
		switch data[at] {
		case '"':
			at = skipString(data, at) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
}
