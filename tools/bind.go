package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

const (
	mostProblems = 20      // named in one refusal
	mostDepth    = 64      // of values inside values
	mostValues   = 100_000 // in one call: each costs far more memory than its bytes
)

// A document is a text that may also come as the JSON it stands for.
type document string

// bind puts raw arguments into the struct that in points to. Clients send odd types; what is plain is
// taken: "3" for 3, "false" for false, JSON text for a list, null for absent, one value for a list of one.
// The *artifacts.Refusal it returns names every problem of the call.
func bind(tool string, raw json.RawMessage, in any) error {
	b := binder{tool: tool}
	b.arguments(raw, reflect.ValueOf(in).Elem())
	return b.refusal()
}

type binder struct {
	tool     string
	problems []string // the first ones
	count    int      // of all
}

func (b *binder) problem(path, format string, args ...any) {
	if b.count++; b.count > mostProblems {
		return
	}
	text := fmt.Sprintf(format, args...)
	if path != "" {
		text = path + " " + text
	}
	b.problems = append(b.problems, text)
}

func (b *binder) refusal() error {
	if len(b.problems) == 0 {
		return nil
	}
	r := &artifacts.Refusal{
		Code: "bad-argument",
		What: b.problems[0],
		Next: "call " + b.tool + " again with that put right",
	}
	if b.count == 1 {
		return r
	}
	r.What = fmt.Sprintf("%d problems", b.count)
	r.Missing = b.problems
	if over := b.count - len(b.problems); over > 0 {
		r.Missing = append(slices.Clone(b.problems), fmt.Sprintf("and %d more", over))
	}
	return r
}

func (b *binder) arguments(raw json.RawMessage, v reflect.Value) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if inner, ok := jsonInText(raw, '{'); ok {
		raw = inner
	}
	depth, values := extent(raw)
	switch {
	case raw[0] != '{':
		b.problem("arguments", "must be an object; its keys are %s", names(fieldsOf(v.Type())))
	case depth > mostDepth:
		b.problem("arguments", "are nested more than %d deep", mostDepth)
	case values > mostValues:
		b.problem("arguments", "hold more than %d values; send them in several calls", mostValues)
	default:
		b.object("", raw, v)
	}
}

// object binds the keys of raw to the fields of v.
func (b *binder) object(path string, raw json.RawMessage, v reflect.Value) {
	members, err := split(raw)
	if err != nil {
		b.problem(or(path, "arguments"), "can't be read as JSON: %v", err)
		return
	}
	fields := fieldsOf(v.Type())
	given := map[string]bool{}
	for _, m := range members {
		at := join(path, m.key)
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == m.key })
		if i < 0 {
			b.unknown(at, m.key, fields)
			continue
		}
		if given[m.key] {
			b.problem(at, "is given twice")
			continue
		}
		given[m.key] = true
		if absent(m.value, fields[i].kind) {
			continue
		}
		fields[i].set = true
		b.field(at, m.value, fields[i], v.Field(fields[i].index))
	}
	for _, f := range fields {
		switch {
		case f.set:
		case f.need:
			b.problem(join(path, f.name), "is missing: %s", f.takes())
		case f.fallback != "":
			b.field(f.name, json.RawMessage(f.fallback), f, v.Field(f.index))
		}
	}
}

func (b *binder) unknown(at, key string, fields []field) {
	hint := "; there is " + names(fields)
	if near := nearest(key, fields); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	b.problem(shown(at), "is not a key that %s knows%s", b.tool, hint)
}

// absent reports whether the client left the argument out in its own way.
func absent(raw json.RawMessage, t reflect.Type) bool {
	if string(raw) == "null" {
		return true
	}
	return string(raw) == `""` && t.Kind() != reflect.String
}

func (b *binder) field(at string, raw json.RawMessage, f field, v reflect.Value) {
	if !utf8.Valid(raw) {
		b.problem(at, "is not valid UTF-8")
		return
	}
	if !b.value(at, raw, v) {
		b.problem(at, "is %s, but %s", kindOf(raw), f.takes())
		return
	}
	if v.Kind() == reflect.String {
		b.text(at, f, v)
	}
	if f.min != "" && fmt.Sprint(v.Int()) != f.min && v.Int() < int64(f.least()) {
		b.problem(at, "is %d, but %s", v.Int(), f.takes())
	}
}

// text checks a string that was bound.
func (b *binder) text(at string, f field, v reflect.Value) {
	if f.need && strings.TrimSpace(v.String()) == "" {
		b.problem(at, "is empty: %s", f.takes())
		return
	}
	if len(f.enum) == 0 || v.String() == "" {
		return
	}
	i := slices.IndexFunc(f.enum, func(word string) bool { return folded(word) == folded(v.String()) })
	if i < 0 {
		b.problem(at, "is %s, but %s", shown(strconv.Quote(v.String())), f.takes())
		return
	}
	v.SetString(f.enum[i])
}

// value binds raw to v and reports whether it could. Problems inside a list or an object are noted where
// they are, and count as bound.
func (b *binder) value(at string, raw json.RawMessage, v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Bool:
		return bindBool(raw, v)
	case reflect.Int:
		return bindInt(raw, v)
	case reflect.String:
		return b.bindString(at, raw, v)
	case reflect.Slice:
		return b.list(at, raw, v)
	case reflect.Struct:
		return b.item(at, raw, v)
	}
	return false
}

func bindBool(raw json.RawMessage, v reflect.Value) bool {
	switch strings.ToLower(strings.TrimSpace(unquoted(raw))) {
	case "true":
		v.SetBool(true)
	case "false":
		v.SetBool(false)
	default:
		return false
	}
	return true
}

// bindInt takes a whole number however it is written: 3, 3.0, 3e0, "3".
func bindInt(raw json.RawMessage, v reflect.Value) bool {
	text := strings.TrimSpace(unquoted(raw))
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		v.SetInt(n)
		return true
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
		return false
	}
	v.SetInt(int64(n))
	return true
}

// bindString takes a string, a number as its text, and for a document any JSON.
func (b *binder) bindString(at string, raw json.RawMessage, v reflect.Value) bool {
	text := string(raw)
	switch {
	case raw[0] == '"':
		text = unquoted(raw)
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
	case v.Type() == reflect.TypeFor[document]() && (raw[0] == '{' || raw[0] == '['):
	default:
		return false
	}
	if strings.ContainsRune(text, 0) {
		b.problem(at, "holds a NUL character")
		return true
	}
	if v.Type() == reflect.TypeFor[document]() && !fits([]byte(text)) {
		b.problem(at, "holds more than %d values or is nested more than %d deep; write it to a file and give its path", mostValues, mostDepth)
		return true
	}
	v.SetString(text)
	return true
}

// list takes a list, JSON text of one, or one item alone.
func (b *binder) list(at string, raw json.RawMessage, v reflect.Value) bool {
	if inner, ok := jsonInText(raw, '['); ok {
		raw = inner
	}
	if raw[0] != '[' {
		one := reflect.New(v.Type().Elem()).Elem()
		if !b.value(at, raw, one) {
			return false
		}
		v.Set(reflect.Append(reflect.MakeSlice(v.Type(), 0, 1), one))
		return true
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return false
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		if path := fmt.Sprintf("%s[%d]", at, i); !b.value(path, item, v.Index(i)) {
			b.problem(path, "is %s, but takes %s", kindOf(item), kindWanted(v.Type().Elem()))
		}
	}
	return true
}

// item takes an object, JSON text of one, or, where a text alone is plain, the text.
func (b *binder) item(at string, raw json.RawMessage, v reflect.Value) bool {
	if inner, ok := jsonInText(raw, '{'); ok {
		raw = inner
	}
	if raw[0] == '{' {
		b.object(at, raw, v)
		return true
	}
	switch to := v.Addr().Interface().(type) {
	case *artifacts.NoteItem:
		return b.bindString(at, raw, reflect.ValueOf(&to.Note).Elem())
	case *observation:
		return b.bindString(at, raw, reflect.ValueOf(&to.Observed).Elem())
	}
	return false
}

// A member is a key of an object with its value, as written.
type member struct {
	key   string
	value json.RawMessage
}

// split returns the members of an object in their order, a key given twice included.
func split(raw json.RawMessage) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var members []member
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: fmt.Sprint(key)}
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("more after the object")
	}
	return members, nil
}

// jsonInText returns the JSON that a string holds, when it begins with open and is valid.
func jsonInText(raw json.RawMessage, open byte) (json.RawMessage, bool) {
	if raw[0] != '"' {
		return nil, false
	}
	inner := bytes.TrimSpace([]byte(unquoted(raw)))
	if len(inner) == 0 || inner[0] != open || !json.Valid(inner) || !fits(inner) {
		return nil, false
	}
	return inner, true
}

// unquoted is the text of a JSON string, or raw itself when it is none.
func unquoted(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// extent is how deep the values of raw lie inside each other, and how many there are.
func extent(raw []byte) (depth, values int) {
	level, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			level++
			values++
			depth = max(depth, level)
		case c == '}' || c == ']':
			level--
		case c == ',':
			values++
		}
	}
	return depth, values
}

// fits reports whether raw is small enough to be taken apart.
func fits(raw []byte) bool {
	depth, values := extent(raw)
	return depth <= mostDepth && values <= mostValues
}

func (f field) least() int {
	n, _ := strconv.Atoi(f.min) // tags are written by hand and tested
	return n
}

// takes says what the argument wants, for the model.
func (f field) takes() string {
	b := "takes " + kindWanted(f.kind)
	if len(f.enum) > 0 {
		b = "takes one of " + strings.Join(f.enum, ", ")
	}
	if f.min != "" {
		b += " from " + f.min
	}
	if f.about != "" {
		b += " (" + f.about + ")"
	}
	return b
}

func kindWanted(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[artifacts.NoteItem]():
		return `a string or {"id", "note"}`
	case reflect.TypeFor[observation]():
		return `a string or {"step", "observed", "artifact"}`
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Slice:
		return "a list, each " + kindWanted(t.Elem())
	case reflect.Struct:
		return "an object with " + names(fieldsOf(t))
	default:
		return "a string"
	}
}

func kindOf(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "the string " + shown(string(raw))
	default:
		return shown(string(raw))
	}
}

func names(fields []field) string {
	if len(fields) == 0 {
		return "no keys"
	}
	var all []string
	for _, f := range fields {
		if !f.hide {
			all = append(all, f.name)
		}
	}
	return strings.Join(all, ", ")
}

// shown is text from outside as it may stand in a refusal: one line, not too long.
func shown(s string) string {
	s = strings.ToValidUTF8(s, "?")
	s = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, s)
	return firstBytes(s, 80)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func or(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

// folded is s without case and with one kind of hyphen.
func folded(s string) string {
	return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(strings.TrimSpace(s)))
}
