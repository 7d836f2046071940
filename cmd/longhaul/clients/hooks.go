package clients

import (
	"strings"

	"github.com/tailscale/hujson"
)

// A Hook is one event of Claude Code that runs a command.
// Source: https://code.claude.com/docs/en/hooks
type Hook struct {
	Event   string // as Claude Code names it
	Verb    string // as `longhaul hook` names it
	Matcher string // the tools it is for; empty for all
	Seconds int
}

// Hooks lists the events Longhaul listens to.
func Hooks() []Hook {
	const files = "Edit|Write|MultiEdit|NotebookEdit|Bash"
	return []Hook{
		{"SessionStart", "session-start", "", 30},
		{"UserPromptSubmit", "user-prompt-submit", "", 10},
		{"PreToolUse", "pre-tool-use", files, 10},
		{"PostToolUse", "post-tool-use", files, 10},
		{"Stop", "stop", "", 30},
		{"SubagentStop", "subagent-stop", "", 30},
		{"PreCompact", "pre-compact", "", 30},
		{"SessionEnd", "session-end", "", 1},
	}
}

// AddHooks adds to Claude Code's settings the hooks that are missing; binary is how a shell names Longhaul.
func AddHooks(src []byte, binary string) ([]byte, error) {
	return editJSON(src, func(text []byte) ([]byte, error) {
		for _, h := range Hooks() {
			var err error
			if text, err = appendItem(text, []string{"hooks", h.Event}, h.entry(binary), h.ours); err != nil {
				return nil, err
			}
		}
		return text, nil
	})
}

// DropHooks takes Longhaul's hooks out of Claude Code's settings.
func DropHooks(src []byte) ([]byte, error) {
	return editJSON(src, func(text []byte) ([]byte, error) {
		for _, h := range Hooks() {
			var err error
			if text, err = dropElements(text, []string{"hooks", h.Event}, h.ours); err != nil {
				return nil, err
			}
		}
		return text, nil
	})
}

func (h Hook) entry(binary string) []Field {
	command := []Field{
		{Key: "type", Value: "command"},
		{Key: "command", Value: binary + " hook " + h.Verb},
		{Key: "timeout", Value: h.Seconds},
	}
	var entry []Field
	if h.Matcher != "" {
		entry = append(entry, Field{Key: "matcher", Value: h.Matcher})
	}
	return append(entry, Field{Key: "hooks", Value: []any{command}})
}

// ours reports whether a hook entry runs this one command and nothing else.
func (h Hook) ours(v hujson.Value) bool {
	list, ok := member(v, "hooks").(*hujson.Array)
	if !ok || len(list.Elements) != 1 {
		return false
	}
	command, ok := member(list.Elements[0], "command").(hujson.Literal)
	return ok && command.Kind() == '"' && strings.Contains(command.String(), "longhaul") && strings.HasSuffix(command.String(), " hook "+h.Verb)
}

func member(v hujson.Value, key string) hujson.ValueTrimmed {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	for _, m := range o.Members {
		if m.Name.Value.(hujson.Literal).String() == key {
			return m.Value.Value
		}
	}
	return nil
}
