// Package config is the letter of .harness/config.json: layout, file names and
// policy. It performs no I/O and knows nothing of what the settings are for.
package config

import (
	"encoding/json"
	"reflect"
)

// version is the only format this package reads and writes.
const version = 1

// Config is what a project's config file says, with defaults for what it does not.
type Config struct {
	Version     int
	Layout      string // claude, root or plan
	Files       Files
	Policy      Policy
	Bookkeeping []string // keys of a feature that are not part of its definition
}

// Files are the harness files, relative to the project, with slashes. A file
// that the layout does not have is "".
type Files struct {
	Features     string
	Progress     string
	Architecture string
	InitScript   string
	Plan         string
}

// Default returns the settings of a new project. A layout that is not known is
// the default one, claude.
func Default(layout string) Config {
	if !knownLayout(layout) {
		layout = "claude"
	}
	return Config{Version: version, Layout: layout, Files: Paths(layout), Policy: defaultPolicy()}
}

// Bytes returns a new config file: version, layout and files, and of the rest
// only what differs from the defaults. Parse of it gives c again.
func (c Config) Bytes() []byte {
	usual := Default(c.Layout)
	groups := map[string]*object{"files": {}, "policy": {}}
	top := &object{}
	top.set("version", c.Version)
	top.set("layout", c.Layout)
	was := settings(&usual)
	for i, s := range settings(&c) {
		now, before := s.value(), was[i].value()
		switch {
		case s.group == "files":
			if now != "" || now != before {
				groups["files"].set(s.name, now)
			}
		case same(now, before):
		case s.group == "":
			top.set(s.name, now)
		default:
			groups[s.group].set(s.name, now)
		}
	}
	top.put("files", groups["files"])
	if len(groups["policy"].names) > 0 {
		top.put("policy", groups["policy"])
	}
	return append(top.indented(""), '\n')
}

// same compares two values of settings; no list and an empty list are one.
func same(a, b any) bool {
	x, isList := a.([]string)
	if !isList {
		return a == b
	}
	y := b.([]string)
	return len(x) == 0 && len(y) == 0 || reflect.DeepEqual(x, y)
}

// object is a JSON object on its way out, with its keys in order.
type object struct {
	names  []string
	values []any
}

func (o *object) set(name string, value any) { o.put(name, literal(value)) }

func (o *object) put(name string, value any) {
	o.names, o.values = append(o.names, name), append(o.values, value)
}

func (o *object) indented(indent string) []byte {
	if len(o.names) == 0 {
		return []byte("{}")
	}
	out := []byte("{")
	for i, name := range o.names {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, "\n"+indent+"  "...)
		out = append(out, literal(name)...)
		out = append(out, ": "...)
		switch v := o.values[i].(type) {
		case *object:
			out = append(out, v.indented(indent+"  ")...)
		case json.RawMessage:
			out = append(out, v...)
		}
	}
	return append(out, "\n"+indent+"}"...)
}
