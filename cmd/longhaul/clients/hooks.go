package clients

import (
	"encoding/json"
	"slices"

	"github.com/tailscale/hujson"
)

// A Hook is a command that Claude Code runs at an event. An empty Matcher stands for all.
type Hook struct {
	Event, Matcher, Command string
	Seconds                 int
}

// SetHooks adds hooks to the lists below "hooks". A command that is mine and stands at the event already is only brought up to date:
// its place, its matcher and its time limit are the user's.
func SetHooks(src []byte, hooks []Hook, mine func(command string) bool) ([]byte, error) {
	return editJSON(src, func(text []byte) ([]byte, error) {
		for _, h := range hooks {
			var err error
			if text, err = setHook(text, h, mine); err != nil {
				return nil, err
			}
		}
		return text, nil
	})
}

// DropHooks takes the commands that are mine out of the lists below "hooks", and what is empty then.
func DropHooks(src []byte, mine func(command string) bool) ([]byte, error) {
	return editJSON(src, func(text []byte) ([]byte, error) {
		for {
			out, err := dropHook(text, mine)
			if err != nil || out == nil {
				return text, err
			}
			text = out
		}
	})
}

func setHook(text []byte, h Hook, mine func(string) bool) ([]byte, error) {
	d, err := read(text)
	if err != nil {
		return nil, err
	}
	keys := []string{"hooks", h.Event}
	list, err := d.at(keys...)
	if err != nil {
		return nil, err
	}
	for _, group := range elements(list) {
		for _, inner := range elements(member(&group, "hooks")) {
			command := member(&inner, "command")
			if command == nil || !mine(textOf(command)) {
				continue
			}
			if textOf(command) == h.Command {
				return text, nil
			}
			return splice(text, command.StartOffset, command.EndOffset, quote(h.Command)), nil
		}
	}
	group := []Field{{Key: "hooks", Value: []any{[]Field{
		{Key: "type", Value: "command"}, {Key: "command", Value: h.Command}, {Key: "timeout", Value: h.Seconds},
	}}}}
	if h.Matcher != "" {
		group = slices.Insert(group, 0, Field{Key: "matcher", Value: h.Matcher})
	}
	return appendItem(text, keys, group, func(hujson.Value) bool { return false })
}

// dropHook takes the first command that is mine out; nil when there is none.
func dropHook(text []byte, mine func(string) bool) ([]byte, error) {
	d, err := read(text)
	if err != nil {
		return nil, err
	}
	all, err := d.at("hooks")
	if err != nil || all == nil {
		return nil, err
	}
	events, ok := all.Value.(*hujson.Object)
	if !ok {
		return nil, nil
	}
	for _, event := range events.Members {
		groups := elements(&event.Value)
		for n, group := range groups {
			list := member(&group, "hooks")
			inner := elements(list)
			i := slices.IndexFunc(inner, func(v hujson.Value) bool { return mine(textOf(member(&v, "command"))) })
			switch {
			case i < 0:
				continue
			case len(inner) > 1:
				return d.remove(*list, spans(inner), i, nil)
			}
			return d.remove(event.Value, spans(groups), n, []string{"hooks", event.Name.Value.(hujson.Literal).String()})
		}
	}
	return nil, nil
}

func spans(values []hujson.Value) (out []span) {
	for _, v := range values {
		out = append(out, span{v.StartOffset, v.EndOffset})
	}
	return out
}

// elements are the items of a list, none when v is none.
func elements(v *hujson.Value) []hujson.Value {
	if v == nil {
		return nil
	}
	a, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil
	}
	return a.Elements
}

// member is the value of a key of an object, nil when there is none.
func member(v *hujson.Value, key string) *hujson.Value {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	for i := range o.Members {
		if o.Members[i].Name.Value.(hujson.Literal).String() == key {
			return &o.Members[i].Value
		}
	}
	return nil
}

// textOf is the text that a value is, "" for another value.
func textOf(v *hujson.Value) (text string) {
	if v == nil {
		return ""
	}
	if l, ok := v.Value.(hujson.Literal); ok {
		_ = json.Unmarshal(l, &text)
	}
	return text
}
