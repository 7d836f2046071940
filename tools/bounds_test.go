package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

// lineOf is the reply as it is sent, under a long id and with all that revision 2026-07-28 adds.
func lineOf(t *testing.T, r *mcp.CallToolResult) []byte {
	t.Helper()
	result, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	around := `{"jsonrpc":"2.0","id":"` + strings.Repeat("i", 36) + `","result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"longhaul","version":"1.0.0-rc.1","title":"Longhaul","description":"Keeps a coding agent honest over many sessions"}},"resultType":"complete",}}`
	return append([]byte(around), result...)
}

func many(n int, text string) *artifacts.ListReply {
	r := &artifacts.ListReply{Total: n, Matched: n, Next: "session_start"}
	for i := range n {
		r.Features = append(r.Features, artifacts.FeatureReply{ID: fmt.Sprint(i), Description: text})
	}
	return r
}

func answer(reply any) *mcp.CallToolResult {
	return define(spec{name: "plain"}, func(context.Context, *artifacts.Project, struct{}) (*artifacts.ListReply, error) {
		return reply.(*artifacts.ListReply), nil
	}).Call(context.Background(), nil, nil)
}

func TestNoAnswerIsLargerThanALineMayBe(t *testing.T) {
	schema := schemaOf(t, outputSchema(reflect.TypeFor[artifacts.ListReply]()))
	schema.Properties["cut"] = json.RawMessage(`{"type":"string"}`)
	tests := []struct {
		name       string
		reply      *artifacts.ListReply
		text       string // what the text begins with
		structured string // what the structured content holds
	}{
		{"small", many(3, "a"), `{"features":`, `"total":3`},
		{"both together too large", many(100, strings.Repeat("x", 70)), "The rest is in structuredContent.\nNext: session_start", `"id":"99"`},
		{"structured alone too large", many(2000, strings.Repeat("x", 70)), "The rest is in", `"cut":"features cut to fit`},
		{"one huge text", many(1, strings.Repeat("é", 50_000)), "The rest is in", `"cut":"features cut to fit`},
		{"all escapes", many(1, strings.Repeat("<\x01", 20_000)), "The rest is in", `"total":1`},
		{"a huge next step", &artifacts.ListReply{Next: strings.Repeat("日", 20_000)}, "The rest is in", `"cut":"next cut`},
		{"warnings without end", &artifacts.ListReply{Warnings: strings.Split(strings.Repeat("w,", 30_000), ","), Next: "n"}, "The rest is in", `"next":"n"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := answer(tt.reply)
			if n := len(lineOf(t, r)); n > 16_000 {
				t.Errorf("a line of %d bytes, want at most 16,000", n)
			}
			text, structured := textOf(t, r), r.StructuredContent.(json.RawMessage)
			if r.IsError || !strings.HasPrefix(text, tt.text) || !utf8.ValidString(text) {
				t.Errorf("isError %v, text %.200q, want it to begin with %q", r.IsError, text, tt.text)
			}
			if !strings.Contains(string(structured), tt.structured) {
				t.Errorf("structured content %.300s, want it to hold %s", structured, tt.structured)
			}
			if err := conforms(schema, structured); err != nil {
				t.Errorf("%v: %.300s", err, structured)
			}
		})
	}
}

func TestNoRefusalIsLargerThanALineMayBe(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"short", "a"},
		{"long", strings.Repeat("x", 50_000)},
		{"of wide characters", strings.Repeat("日本語", 20_000)},
		{"all escapes", strings.Repeat("<\x01\n", 20_000)},
		{"not UTF-8", strings.Repeat("x\xff", 30_000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := refused(&artifacts.Refusal{Code: "check-failed", What: "F1", Missing: []string{tt.text}, Next: "mend it"})
			if n := len(lineOf(t, r)); n > 16_000 {
				t.Errorf("a line of %d bytes, want at most 16,000", n)
			}
			text := textOf(t, r)
			if !strings.HasPrefix(text, "check-failed: F1\n- ") || !strings.HasSuffix(text, "\nNext: mend it") || !utf8.ValidString(text) {
				t.Errorf("text = %.100q … %q, want beginning and end", text, text[max(0, len(text)-100):])
			}
			if cut := strings.Contains(text, "left out …]"); cut != (len(tt.text) > 1) || len(text) > mostRefusal+50 {
				t.Errorf("%d bytes, cut %v", len(text), cut)
			}
		})
	}
}

func TestAnotherErrorIsBoundedToo(t *testing.T) {
	r := refused(errors.New(strings.Repeat("deep ", 10_000)))
	if text := textOf(t, r); len(text) > mostRefusal+50 || !strings.HasPrefix(text, "busy: deep") || !strings.HasSuffix(text, "tell the user") {
		t.Errorf("%d bytes: %.60s", len(text), text)
	}
}

// A client's inspector warns of lists of types.
func TestSchemasNameSingleTypes(t *testing.T) {
	for _, tool := range All() {
		for _, schema := range []json.RawMessage{tool.input, tool.output} {
			if strings.Contains(string(schema), `"type":[`) {
				t.Errorf("%s: %s", tool.Name(), schema)
			}
		}
	}
}

func TestFeaturesAreDescribedWhereTheyAreTaken(t *testing.T) {
	for _, name := range []string{"harness_init", "add_features"} {
		tool, _ := Find(name)
		var s struct {
			Properties struct {
				Features struct{ Items objectSchemaJSON }
			}
		}
		if err := json.Unmarshal(tool.input, &s); err != nil {
			t.Fatal(err)
		}
		items := s.Properties.Features.Items
		for _, key := range []string{"description", "category", "priority", "steps", "check", "cwd", "files", "depends_on"} {
			if items.Properties[key] == nil {
				t.Errorf("%s: no key %s of a feature", name, key)
			}
		}
		if strings.Contains(string(items.Properties["priority"]), `"type":"string","`) || len(items.Required) != 1 {
			t.Errorf("%s: priority %s, required %v", name, items.Properties["priority"], items.Required)
		}
	}
}
