package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/longhaul-mcp/longhaul/tools"
)

var update = flag.Bool("update", false, "rewrite docs/tools.md and the generated part of README.md")

const (
	tableBegins = "<!-- tools: generated, see TestReadmeTools -->\n"
	tableEnds   = "<!-- /tools -->"
)

// TestReadmeTools holds the README's table against the tools that are served.
func TestReadmeTools(t *testing.T) {
	readme := readRoot(t, "README.md")
	before, rest, ok := strings.Cut(readme, tableBegins)
	got, after, ended := strings.Cut(rest, tableEnds)
	if !ok || !ended {
		t.Fatal("README.md has no place for the table of tools")
	}
	want := toolTable(t)
	if *update {
		text := before + tableBegins + want + tableEnds + after
		if err := os.WriteFile(filepath.Join("..", "..", "README.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want {
		t.Errorf("the table of tools is out of date: run go test ./cmd/longhaul -run TestReadmeTools -update\ngot:\n%swant:\n%s", got, want)
	}
}

// toolTable is a row a tool: name, arguments with the required ones in bold, description.
func toolTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| tool | arguments | does |\n|---|---|---|\n")
	for _, tool := range tools.All() {
		text := strings.ReplaceAll(tool.Description(), "|", `\|`)
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", tool.Name(), toolArguments(t, tool), text)
	}
	return b.String()
}

func toolArguments(t *testing.T, tool tools.Tool) string {
	t.Helper()
	definition, err := json.Marshal(tool.Definition())
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		InputSchema struct {
			Properties json.RawMessage
			Required   []string
		}
	}
	if err := json.Unmarshal(definition, &d); err != nil {
		t.Fatal(err)
	}
	return strings.Join(marked(keys(t, d.InputSchema.Properties), d.InputSchema.Required), ", ")
}

// keys are the keys of a JSON object in their order.
func keys(t *testing.T, object json.RawMessage) []string {
	t.Helper()
	if len(object) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, fmt.Sprint(key))
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// TestReadmeCommands wants every command that the README shows to be run by a script as it stands.
func TestReadmeCommands(t *testing.T) {
	run := readRoot(t, ".ci/run") + readRoot(t, "testdata/script/readme.txtar")
	commands := shown(readRoot(t, "README.md"))
	if len(commands) < 10 {
		t.Fatalf("found %d commands in README.md, want at least 10", len(commands))
	}
	for _, command := range commands {
		if !strings.Contains(run, command) {
			t.Errorf("no script runs %q", command)
		}
	}
}

// shown are the commands of the README: lines of sh blocks, and those behind a prompt in console blocks.
func shown(readme string) []string {
	var commands []string
	for _, block := range regexp.MustCompile("(?ms)^```(sh|console)\n(.*?)^```").FindAllStringSubmatch(readme, -1) {
		for line := range strings.Lines(block[2]) {
			line = strings.TrimSuffix(line, "\n")
			command, prompted := strings.CutPrefix(line, "$ ")
			if prompted || block[1] == "sh" {
				commands = append(commands, command)
			}
		}
	}
	return commands
}

// TestReadmeExample wants the configuration in the README to be the one in mcp.json.example.
func TestReadmeExample(t *testing.T) {
	if example := readRoot(t, "mcp.json.example"); !strings.Contains(readRoot(t, "README.md"), "```json\n"+example+"```") {
		t.Error("README.md does not show mcp.json.example as it is")
	}
}

// TestReadmeRules wants every rule to have a line of its own.
func TestReadmeRules(t *testing.T) {
	readme := readRoot(t, "README.md")
	for _, rule := range []string{"no-delete", "no-edit", "no-reorder", "append-only", "tampered", "no-session", "session-limit", "not-claimed", "claimed-by",
		"evidence-required", "evidence-incomplete", "artifact-missing", "check-required", "check-failed", "check-masked", "check-timeout", "no-tests-ran",
		"independent-verification", "end-checklist"} {
		if !regexp.MustCompile("(?m)^\\|.*`" + rule + "`.*\\|.*\\|$").MatchString(readme) {
			t.Errorf("README.md has no line for the rule %s", rule)
		}
	}
}

func readRoot(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
