package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longhaul-mcp/longhaul/tools"
)

// TestDocsTools holds docs/tools.md, which is made from the tools that are served, against them.
func TestDocsTools(t *testing.T) {
	want := toolPages(t)
	if *update {
		if err := os.WriteFile(filepath.Join("..", "..", "docs", "tools.md"), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := readRoot(t, "docs/tools.md"); got != want {
		t.Error("docs/tools.md is out of date: run go test ./cmd/longhaul -run TestDocsTools -update")
	}
}

// toolPages is a section a tool: what it does, its arguments, the keys of its reply.
func toolPages(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Tools\n\nMade from the program: `go test ./cmd/longhaul -run TestDocsTools -update`. " +
		"Required arguments are bold; a reply leaves out keys that are empty, but for the bold ones. Refusals: [codes](codes.md).\n")
	for _, tool := range tools.All() {
		var d struct {
			InputSchema, OutputSchema struct {
				Properties json.RawMessage
				Required   []string
			}
			Annotations struct{ ReadOnlyHint, DestructiveHint bool }
		}
		definition, err := json.Marshal(tool.Definition())
		if err == nil {
			err = json.Unmarshal(definition, &d)
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s%s\n\n", tool.Name(), tool.Description(), nature(d.Annotations.ReadOnlyHint, d.Annotations.DestructiveHint))
		if rows := argumentRows(t, d.InputSchema.Properties, d.InputSchema.Required); rows != "" {
			b.WriteString("| argument | takes | |\n|---|---|---|\n" + rows + "\n")
		}
		fmt.Fprintf(&b, "Reply: %s.\n", strings.Join(marked(keys(t, d.OutputSchema.Properties), d.OutputSchema.Required), ", "))
	}
	return b.String()
}

func nature(readOnly, destructive bool) string {
	switch {
	case readOnly:
		return " It changes nothing."
	case destructive:
		return " It may undo work; a backup ref is made first."
	}
	return ""
}

// marked puts names into code, the required ones in bold.
func marked(names, required []string) []string {
	var shown []string
	for _, name := range names {
		text := "`" + name + "`"
		if slices.Contains(required, name) {
			text = "**" + text + "**"
		}
		shown = append(shown, text)
	}
	return shown
}

func argumentRows(t *testing.T, properties json.RawMessage, required []string) string {
	t.Helper()
	var schemas map[string]argumentSchema
	if len(properties) == 0 {
		return ""
	}
	if err := json.Unmarshal(properties, &schemas); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range keys(t, properties) {
		s := schemas[name]
		about := s.Description
		if s.Default != nil {
			about = strings.TrimSpace(about + fmt.Sprintf(" default %v", s.Default))
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", marked([]string{name}, required)[0], s.takes(), about)
	}
	return b.String()
}

// An argumentSchema is what a tool's input schema says of one argument.
type argumentSchema struct {
	Type, Description string
	Enum              []string
	Default           any
	AnyOf             []argumentSchema
	Items             *argumentSchema
}

// takes says in words what the argument may be.
func (s argumentSchema) takes() string {
	switch {
	case len(s.Enum) > 0:
		return strings.Join(s.Enum, ", ")
	case s.Type == "array" && s.Items != nil:
		return "list of " + s.Items.takes()
	case len(s.AnyOf) > 0:
		var all []string
		for _, one := range s.AnyOf {
			all = append(all, one.takes())
		}
		return strings.Join(all, " or ")
	}
	return s.Type
}
