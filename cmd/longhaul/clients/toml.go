package clients

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// SetTOML writes fields to the table named by keys, which is appended where it is missing.
// A table that is there keeps its place, its comments and the user's own keys.
func SetTOML(src []byte, keys []string, fields []Field) ([]byte, error) {
	before, err := parseTOML(src)
	if err != nil {
		return nil, err
	}
	table := "[" + strings.Join(keys, ".") + "]"
	newline := "\n"
	if bytes.Contains(src, []byte("\r\n")) {
		newline = "\r\n"
	}
	out := src
	start, end, found := findTable(src, table)
	if !found {
		if dig(before, keys) != nil {
			return nil, fmt.Errorf("%s is written in another form than %s; edit it by hand", strings.Join(keys, "."), table)
		}
		out = appendTable(src, table, fields, newline)
	}
	for _, f := range fields {
		if !found || f.Once && hasKey(out[start:end], f.Key) {
			continue
		}
		if f.Once || sameTOML(dig(before, append(keys[:len(keys):len(keys)], f.Key)), f.Value) {
			continue
		}
		out = setLine(out, start, end, f, newline)
		_, end, _ = findTable(out, table)
	}
	return proveTOML(src, out, keys)
}

// DropTOML takes out the table named by keys and the tables below it.
func DropTOML(src []byte, keys []string) ([]byte, error) {
	before, err := parseTOML(src)
	if err != nil {
		return nil, err
	}
	name := strings.Join(keys, ".")
	if dig(before, keys) == nil {
		return src, nil
	}
	out := src
	for {
		start, end, found := findTable(out, "["+name+"]", "["+name+".")
		if !found {
			break
		}
		for start > 0 && blankBefore(out, start) > 0 {
			start -= blankBefore(out, start)
		}
		out = splice(out, start, end, "")
	}
	return proveTOML(src, out, keys)
}

func parseTOML(src []byte) (map[string]any, error) {
	whole := map[string]any{}
	err := toml.Unmarshal(bytes.TrimPrefix(src, bom), &whole)
	var at *toml.DecodeError
	if errors.As(err, &at) {
		row, column := at.Position()
		return nil, fmt.Errorf("line %d, column %d: %s", row, column, strings.TrimPrefix(at.Error(), "toml: "))
	}
	return whole, err
}

// proveTOML holds that out says what src said, but for the table named by keys.
func proveTOML(src, out []byte, keys []string) ([]byte, error) {
	before, err := parseTOML(src)
	if err != nil {
		return nil, err
	}
	after, err := parseTOML(out)
	if err != nil {
		return nil, fmt.Errorf("the edit would break the file: %w", err)
	}
	forget(before, keys)
	forget(after, keys)
	if !reflect.DeepEqual(before, after) {
		return nil, errors.New("the file is written in a form that can't be edited safely; edit it by hand")
	}
	return out, nil
}

// forget takes out what is below keys, and the tables above it that are empty then.
func forget(whole map[string]any, keys []string) {
	if len(keys) > 1 {
		inner, ok := whole[keys[0]].(map[string]any)
		if !ok {
			return
		}
		forget(inner, keys[1:])
		if len(inner) > 0 {
			return
		}
	}
	delete(whole, keys[0])
}

func dig(whole map[string]any, keys []string) any {
	var v any = whole
	for _, key := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// findTable finds the lines of the first table whose header is, or begins with, one of headers.
// Comments right above the next header belong to that one.
func findTable(src []byte, headers ...string) (start, end int, found bool) {
	start, end = -1, 0
	for at := 0; at < len(src); {
		next := len(src)
		if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
			next = at + n + 1
		}
		line := strings.TrimSpace(string(src[at:next]))
		switch {
		case start < 0 && isHeader(line, headers):
			start, end = at, next
		case start >= 0 && strings.HasPrefix(line, "["):
			return start, end, true
		case start >= 0 && line != "" && !strings.HasPrefix(line, "#"):
			end = next
		}
		at = next
	}
	return start, end, start >= 0
}

func isHeader(line string, headers []string) bool {
	for _, h := range headers {
		if strings.HasPrefix(line, h) {
			return true
		}
	}
	return false
}

// blankBefore is the length of the empty line that ends at offset, or 0.
func blankBefore(src []byte, offset int) int {
	head := src[:offset]
	for _, end := range []string{"\r\n\r\n", "\n\n"} {
		if bytes.HasSuffix(head, []byte(end)) {
			return len(end) / 2
		}
	}
	return 0
}

func appendTable(src []byte, table string, fields []Field, newline string) []byte {
	var b strings.Builder
	if len(src) > 0 {
		if !bytes.HasSuffix(src, []byte("\n")) {
			b.WriteString(newline)
		}
		b.WriteString(newline)
	}
	b.WriteString(table + newline)
	for _, f := range fields {
		b.WriteString(f.Key + " = " + print(f.Value, style{}, 0) + newline)
	}
	return splice(src, len(src), len(src), b.String())
}

func hasKey(lines []byte, key string) bool {
	_, _, found := findLine(lines, key)
	return found
}

func findLine(lines []byte, key string) (start, end int, found bool) {
	for at := 0; at < len(lines); {
		next := len(lines)
		if n := bytes.IndexByte(lines[at:], '\n'); n >= 0 {
			next = at + n + 1
		}
		name, _, _ := strings.Cut(string(lines[at:next]), "=")
		if strings.TrimSpace(name) == key {
			return at, next, true
		}
		at = next
	}
	return 0, 0, false
}

// setLine writes a key's line within start and end; a value over several lines is left to proveTOML.
func setLine(src []byte, start, end int, f Field, newline string) []byte {
	line := f.Key + " = " + print(f.Value, style{}, 0) + newline
	if from, to, found := findLine(src[start:end], f.Key); found {
		return splice(src, start+from, start+to, line)
	}
	if !bytes.HasSuffix(src[:end], []byte("\n")) {
		line = newline + line
	}
	return splice(src, end, end, line)
}

func sameTOML(got, want any) bool {
	list, ok := got.([]any)
	texts, both := want.([]string)
	if !ok || !both {
		return reflect.DeepEqual(got, want)
	}
	if len(list) != len(texts) {
		return false
	}
	for i := range list {
		if list[i] != texts[i] {
			return false
		}
	}
	return true
}
