package tools

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

// A field is an argument as its struct tags tell it:
//
//	json:"name"  about:"for the model"  need:"yes"  enum:"a b c"  default:"true"  min:"1"  hide:"yes"
type field struct {
	index         int
	kind          reflect.Type
	name, about   string
	need          bool
	hide          bool // not in the schema
	enum          []string
	fallback, min string
	set           bool // while binding: the client gave it
}

func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, field{
			index:    i,
			kind:     f.Type,
			name:     name,
			about:    f.Tag.Get("about"),
			need:     f.Tag.Get("need") == "yes",
			hide:     f.Tag.Get("hide") == "yes",
			enum:     strings.Fields(f.Tag.Get("enum")),
			fallback: f.Tag.Get("default"),
			min:      f.Tag.Get("min"),
		})
	}
	return fields
}

// inputSchema is the JSON Schema of the arguments struct t, as short as it can be: a client sends it
// to its model on every request.
func inputSchema(t reflect.Type) json.RawMessage {
	return json.RawMessage(objectSchema(t, true))
}

func objectSchema(t reflect.Type, closed bool) string {
	var properties, required []string
	for _, f := range fieldsOf(t) {
		if f.hide {
			continue
		}
		properties = append(properties, strconv.Quote(f.name)+":"+f.schema())
		if f.need {
			required = append(required, strconv.Quote(f.name))
		}
	}
	b := `{"type":"object"`
	if len(properties) > 0 {
		b += `,"properties":{` + strings.Join(properties, ",") + `}`
	}
	if len(required) > 0 {
		b += `,"required":[` + strings.Join(required, ",") + `]`
	}
	if closed {
		b += `,"additionalProperties":false`
	}
	return b + "}"
}

func (f field) schema() string {
	b := typeSchema(f.kind)
	var more string
	if f.about != "" {
		more += `,"description":` + quote(f.about)
	}
	if len(f.enum) > 0 {
		more += `,"enum":` + quote(f.enum)
	}
	if f.fallback != "" {
		more += `,"default":` + f.fallback
	}
	if f.min != "" {
		more += `,"minimum":` + f.min
	}
	return strings.TrimSuffix(b, "}") + more + "}"
}

func typeSchema(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[artifacts.NoteItem](), reflect.TypeFor[observation]():
		return `{"anyOf":[{"type":"string"},{"type":"object"}]}`
	case reflect.TypeFor[priority]():
		return `{"anyOf":[{"type":"number"},{"type":"string"}]}`
	}
	switch t.Kind() {
	case reflect.Bool:
		return `{"type":"boolean"}`
	case reflect.Int:
		return `{"type":"integer"}`
	case reflect.Slice:
		return `{"type":"array","items":` + typeSchema(t.Elem()) + `}`
	case reflect.Struct:
		return objectSchema(t, false)
	default:
		return `{"type":"string"}`
	}
}

// outputSchema names the keys of the reply struct t with their types. What lies inside an object or a
// list is left open: more keys may be added there.
func outputSchema(t reflect.Type) json.RawMessage {
	var properties, required []string
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		properties = append(properties, strconv.Quote(name)+`:{"type":"`+jsonType(t.Field(i).Type)+`"}`)
		if !strings.Contains(options, "omitempty") {
			required = append(required, strconv.Quote(name))
		}
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") +
		`},"required":[` + strings.Join(required, ",") + `]}`)
}

func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return jsonType(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Float32, reflect.Float64:
		return "number"
	default:
		return "integer"
	}
}

func quote(v any) string {
	b, _ := json.Marshal(v) // strings and lists of strings always marshal
	return string(b)
}
