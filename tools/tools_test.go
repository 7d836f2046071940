package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

// byContract is the order and the arguments that the public contract names.
var byContract = []struct {
	name string
	args []string
	need []string
}{
	{"session_start", []string{"focus", "run_init"}, nil},
	{"next_feature", []string{"id", "focus", "release"}, nil},
	{"mark_feature_passed", []string{"id", "evidence"}, []string{"id"}},
	{"append_progress", []string{"focus", "completed", "in_progress", "blockers", "decisions", "next_steps", "notes"}, nil},
	{"commit", []string{"message", "type", "feature", "paths", "body"}, nil},
	{"harness_init", []string{"project", "type", "description", "stack", "layout", "features", "import", "init_script", "smoke_test", "commit"}, []string{"project", "type"}},
	{"add_features", []string{"features"}, []string{"features"}},
	{"list_features", []string{"ids", "status", "category", "query", "limit", "cursor"}, nil},
	{"verify_features", []string{"ids", "scope", "limit"}, nil},
	{"report_regression", []string{"id", "reason"}, []string{"id", "reason"}},
	{"rollback", []string{"target", "reason"}, []string{"target", "reason"}},
	{"session_end", []string{"focus", "completed", "in_progress", "blockers", "decisions", "next_steps", "notes", "incomplete_reason"}, nil},
	{"status", []string{"audit"}, nil},
}

type objectSchemaJSON struct {
	Type       string                     `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
	Closed     *bool                      `json:"additionalProperties"`
}

func schemaOf(t *testing.T, raw json.RawMessage) objectSchemaJSON {
	t.Helper()
	var s objectSchemaJSON
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatalf("schema %s: %v", raw, err)
	}
	return s
}

func TestToolsFollowTheContract(t *testing.T) {
	if got, want := len(All()), len(byContract); got != want {
		t.Fatalf("%d tools, want %d", got, want)
	}
	for i, want := range byContract {
		tool := All()[i]
		if tool.Name() != want.name {
			t.Errorf("tool %d is %s, want %s", i, tool.Name(), want.name)
			continue
		}
		s := schemaOf(t, tool.input)
		for _, key := range want.args {
			if s.Properties[key] == nil {
				t.Errorf("%s: no argument %s", want.name, key)
			}
		}
		if len(s.Properties) != len(want.args) {
			t.Errorf("%s: %d arguments, want %d", want.name, len(s.Properties), len(want.args))
		}
		if !slices.Equal(s.Required, want.need) {
			t.Errorf("%s: required %v, want %v", want.name, s.Required, want.need)
		}
		if s.Type != "object" || s.Closed == nil || *s.Closed {
			t.Errorf("%s: the input schema is not a closed object", want.name)
		}
	}
}

func TestToolsKeepConventions(t *testing.T) {
	for i, tool := range All() {
		d := tool.Definition()
		a := d.Annotations
		if a.Title == "" || a.ReadOnlyHint == nil || a.DestructiveHint == nil || a.IdempotentHint == nil || a.OpenWorldHint == nil {
			t.Errorf("%s: annotations %+v, want a title and all four hints", tool.Name(), a)
		}
		if tool.ReadOnly() && *a.DestructiveHint {
			t.Errorf("%s: read-only and destructive", tool.Name())
		}
		if n := strings.Count(strings.TrimSuffix(d.Description, ".")+".", ". ") + 1; d.Description == "" || n > 2 {
			t.Errorf("%s: a description of %d sentences, want one or two", tool.Name(), n)
		}
		out := schemaOf(t, tool.output)
		if !slices.Contains(out.Required, "next") {
			t.Errorf("%s: replies need not say what is next", tool.Name())
		}
		if always := d.Meta != nil && d.Meta.AdditionalFields["anthropic/alwaysLoad"] == true; always != (i < 5) {
			t.Errorf("%s: alwaysLoad %v, want %v", tool.Name(), always, i < 5)
		}
		if found, ok := Find(tool.Name()); !ok || found.Name() != tool.Name() {
			t.Errorf("Find(%s) = %v, %v", tool.Name(), found.Name(), ok)
		}
	}
	if _, ok := Find("nothing"); ok {
		t.Error("Find(nothing) found something")
	}
}

// The definitions are paid for on every request of a model: bytes stand for four times as many tokens.
func TestToolsKeepTheBudget(t *testing.T) {
	var whole []mcp.Tool
	forModel, always := 0, 0
	for i, tool := range All() {
		whole = append(whole, tool.Definition())
		n := len(tool.Name()) + len(tool.Description()) + len(tool.input)
		forModel += n
		if i < 5 {
			always += n
		}
	}
	list, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []struct {
		what      string
		got, most int
	}{
		{"tools/list", len(list), 14_000},
		{"names, descriptions and input schemas", forModel, 8_000},
		{"those of the five that are always loaded", always, 3_600},
	} {
		if b.got > b.most {
			t.Errorf("%s: %d bytes, want at most %d", b.what, b.got, b.most)
		}
	}
}

// conforms holds a reply against an output schema, in a way of its own.
func conforms(schema objectSchemaJSON, reply []byte) error {
	var values map[string]any
	if err := json.Unmarshal(reply, &values); err != nil {
		return err
	}
	for _, key := range schema.Required {
		if _, ok := values[key]; !ok {
			return fmt.Errorf("%s is missing", key)
		}
	}
	for key, value := range values {
		var p struct{ Type string }
		if err := json.Unmarshal(schema.Properties[key], &p); err != nil {
			return fmt.Errorf("%s is not in the schema", key)
		}
		ok := false
		switch v := value.(type) {
		case string:
			ok = p.Type == "string"
		case bool:
			ok = p.Type == "boolean"
		case float64:
			ok = p.Type == "number" || p.Type == "integer" && v == math.Trunc(v)
		case []any:
			ok = p.Type == "array"
		case map[string]any:
			ok = p.Type == "object"
		}
		if !ok {
			return fmt.Errorf("%s is %T, want %s", key, value, p.Type)
		}
	}
	return nil
}

// filled sets every field in reach of v.
func filled(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem(), depth)
	case reflect.Struct:
		for i := range v.NumField() {
			filled(v.Field(i), depth)
		}
	case reflect.Slice:
		if depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			filled(v.Index(0), depth-1)
			filled(v.Index(1), depth-1)
		}
	case reflect.String:
		v.SetString("<a & b>")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(1.5)
	}
}

func replies() map[string]any {
	return map[string]any{
		"session_start":       &artifacts.StartReply{},
		"next_feature":        &artifacts.NextReply{},
		"mark_feature_passed": &artifacts.MarkReply{},
		"append_progress":     &artifacts.AppendReply{},
		"commit":              &artifacts.CommittedReply{},
		"harness_init":        &artifacts.InitializedReply{},
		"add_features":        &artifacts.AddedReply{},
		"list_features":       &artifacts.ListReply{},
		"verify_features":     &artifacts.VerifyReply{},
		"report_regression":   &artifacts.RegressionReply{},
		"rollback":            &artifacts.RollbackReply{},
		"session_end":         &artifacts.EndReply{},
		"status":              &artifacts.StatusReply{},
	}
}

func TestOutputSchemasFitEveryReply(t *testing.T) {
	for name, reply := range replies() {
		tool, _ := Find(name)
		schema := schemaOf(t, tool.output)
		for _, state := range []string{"empty", "full"} {
			if state == "full" {
				filled(reflect.ValueOf(reply).Elem(), 3)
			}
			got, err := compact(reply)
			if err != nil {
				t.Fatal(err)
			}
			if err := conforms(schema, got); err != nil {
				t.Errorf("%s, %s reply: %v\n%s", name, state, err, got)
			}
			if !strings.Contains(string(got), `"next":`) || strings.Contains(string(got), `\u003c`) {
				t.Errorf("%s, %s reply: %s", name, state, got)
			}
			if last := got[strings.LastIndex(string(got), `,"`):]; state == "full" && !strings.HasPrefix(string(last), `,"next"`) {
				t.Errorf("%s: a reply ends with %s, want next", name, last)
			}
		}
	}
}

type plainArgs struct {
	ID string `json:"id" need:"yes"`
}

type plainReply struct {
	List []string `json:"list"`
	Odd  float64  `json:"odd,omitempty"`
	Next string   `json:"next"`
}

func plainTool(run func(ctx context.Context, a plainArgs) (*plainReply, error)) Tool {
	return define(spec{name: "plain", title: "Plain", description: "Does it."},
		func(ctx context.Context, _ *artifacts.Project, a plainArgs) (*plainReply, error) { return run(ctx, a) })
}

func textOf(t *testing.T, r *mcp.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d blocks of content, want one", len(r.Content))
	}
	text, ok := r.Content[0].(mcp.TextContent)
	if !ok {
		t.Fatalf("content is %T, want text", r.Content[0])
	}
	return text.Text
}

func TestCallAnswers(t *testing.T) {
	tool := plainTool(func(_ context.Context, a plainArgs) (*plainReply, error) {
		return &plainReply{Next: "<" + a.ID + ">"}, nil
	})
	r := tool.Call(t.Context(), nil, json.RawMessage(`{"id":7}`))
	const want = `{"list":[],"next":"<7>"}`
	if got := textOf(t, r); r.IsError || got != want {
		t.Errorf("text = %s, want %s", got, want)
	}
	if got := string(r.StructuredContent.(json.RawMessage)); got != want {
		t.Errorf("structured content = %s, want %s", got, want)
	}
}

func TestCallNeverFailsTheProtocol(t *testing.T) {
	refusal := &artifacts.Refusal{Code: "claimed-by", What: "F1 is taken", Missing: []string{"a"}, Next: "wait"}
	tests := []struct {
		name string
		run  func(context.Context, plainArgs) (*plainReply, error)
		want string
	}{
		{"a refusal", func(context.Context, plainArgs) (*plainReply, error) { return nil, refusal }, "claimed-by: F1 is taken\n- a\nNext: wait"},
		{"a wrapped refusal", func(context.Context, plainArgs) (*plainReply, error) { return nil, fmt.Errorf("x: %w", refusal) }, "claimed-by: F1 is taken"},
		{"another error", func(context.Context, plainArgs) (*plainReply, error) { return nil, errors.New("disk on fire") }, "busy: disk on fire\nNext: status"},
		{"a cancel", func(context.Context, plainArgs) (*plainReply, error) { return nil, context.Canceled }, "busy: the call was cancelled"},
		{"a panic", func(context.Context, plainArgs) (*plainReply, error) { panic("ouch") }, "busy: plain broke off, nothing is known to be half done: ouch"},
		{"no answer", func(context.Context, plainArgs) (*plainReply, error) { return nil, nil }, "busy: no answer"},
		{"an answer that is no JSON", func(context.Context, plainArgs) (*plainReply, error) { return &plainReply{Odd: math.NaN()}, nil }, "busy: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := plainTool(tt.run).Call(t.Context(), nil, json.RawMessage(`{"id":"a"}`))
			if got := textOf(t, r); !r.IsError || !strings.HasPrefix(got, tt.want) {
				t.Errorf("isError %v, text %q, want %q", r.IsError, got, tt.want)
			}
			if r.StructuredContent != nil {
				t.Errorf("structured content beside a refusal: %v", r.StructuredContent)
			}
		})
	}
}

func TestCallWithBadArgumentsOrCancelledRunsNothing(t *testing.T) {
	ran := false
	tool := plainTool(func(context.Context, plainArgs) (*plainReply, error) { ran = true; return &plainReply{}, nil })
	if r := tool.Call(t.Context(), nil, json.RawMessage(`{"idd":1}`)); !r.IsError {
		t.Error("bad arguments were taken")
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if r := tool.Call(cancelled, nil, json.RawMessage(`{"id":"a"}`)); !r.IsError {
		t.Error("a cancelled call was answered")
	}
	if ran {
		t.Error("the tool was run")
	}
}

func TestProgressOnlyGrowsAndEnds(t *testing.T) {
	var sent []float64
	b := &beat{send: func(progress float64, message string) {
		sent = append(sent, progress)
		if len(message) > 220 {
			t.Errorf("a message of %d bytes", len(message))
		}
	}}
	for _, s := range []float64{0, 0, 5, 5, 3, 10} {
		b.report(time.Duration(s*float64(time.Second)), strings.Repeat("é", 500))
	}
	b.end()
	b.report(time.Hour, "late")
	if len(sent) != 6 || sent[0] <= 0 || !slices.IsSorted(sent) || len(slices.Compact(slices.Clone(sent))) != 6 {
		t.Errorf("sent %v, want six that grow", sent)
	}
}
