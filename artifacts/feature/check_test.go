package feature

import (
	"errors"
	"strings"
	"testing"
)

const ruled = `{
  "project": "p",
  "completed": 1,
  "features": [
    {"id": "A", "description": "one", "steps": ["a", "b"], "passes": false},
    {"id": "B", "description": "two", "status": "failing", "passes": false},
    {"id": "C", "description": "three", "passes": true, "notes": "n"}
  ]
}`

func TestCheck(t *testing.T) {
	const b = "    {\"id\": \"B\", \"description\": \"two\", \"status\": \"failing\", \"passes\": false},\n"
	tests := []struct{ name, old, new, rule string }{
		{"nothing", "", "", ""},
		{"passed", `["a", "b"], "passes": false`, `["a", "b"], "passes": true`, ""},
		{"status", `"status": "failing"`, `"status": "passing"`, ""},
		{"stamp", `["a", "b"], "passes": false`, `["a", "b"], "passes": true, "completed_at": "x"`, ""},
		{"counter", `"completed": 1`, `"completed": 2`, ""},
		{"appended", `"notes": "n"}`, `"notes": "n"}, {"id": "D", "description": "four", "passes": false}`, ""},
		{"white space", `"project": "p"`, `"project" :	"p"`, ""},
		{"key order", `"id": "A", "description": "one"`, `"description": "one", "id": "A"`, ""},
		{"deleted", b, "", "no-delete"},
		{"last deleted", ",\n    {\"id\": \"C\", \"description\": \"three\", \"passes\": true, \"notes\": \"n\"}", "", "no-delete"},
		{"edited", `"two"`, `"2"`, "no-edit"},
		{"step gone", `["a", "b"]`, `["a"]`, "no-edit"},
		{"step split", `["a", "b"]`, `["a", "", "b"]`, "no-edit"},
		{"key added", `"three"`, `"three", "check": "true"`, "no-edit"},
		{"key removed", `, "notes": "n"`, ``, "no-edit"},
		{"key twice", `"description": "one"`, `"description": "one", "description": "one"`, "no-edit"},
		{"id changed", `"id": "B"`, `"id": "X"`, "no-edit"},
		{"passes a word", `["a", "b"], "passes": false`, `["a", "b"], "passes": "true"`, "no-edit"},
		{"retired", `"status": "failing"`, `"status": "wontfix"`, "no-delete"},
		{"inserted", b, b + `{"id": "D", "description": "four", "passes": false},`, "append-only"},
		{"replaced", b, `{"id": "D", "description": "four", "passes": false},`, "no-edit"},
		{"appended passed", `"notes": "n"}`, `"notes": "n"}, {"id": "D", "description": "four", "passes": true}`, "append-only"},
		{"appended twin", `"notes": "n"}`, `"notes": "n"}, {"id": "A", "description": "four", "passes": false}`, "duplicate-id"},
		{"header", `"project": "p"`, `"project": "q"`, "no-edit"},
		{"header key", `"project": "p"`, `"project": "p", "x": 1`, "no-edit"},
		{"counter a word", `"completed": 1`, `"completed": "1"`, "no-edit"},
		{"counter absurd", `"completed": 1`, `"completed": 123456`, "no-edit"},
		{"tail", "  ]\n}", "  ], \"z\": 1\n}", "no-edit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(ruled, tt.old) {
				t.Fatal("the case changes nothing")
			}
			err := Check([]byte(ruled), []byte(strings.Replace(ruled, tt.old, tt.new, 1)))
			var broken *RuleError
			errors.As(err, &broken)
			switch {
			case tt.rule == "" && err != nil:
				t.Errorf("Check() = %v, want nil", err)
			case tt.rule != "" && (broken == nil || broken.Rule != tt.rule):
				t.Errorf("Check() = %v, want %s", err, tt.rule)
			}
		})
	}
}

func TestCheckOrder(t *testing.T) {
	before := `[{"id":"A","name":"a"},{"id":"B","name":"b"},{"id":"C","name":"c"}]`
	after := `[{"id":"B","name":"b"},{"id":"A","name":"a"},{"id":"C","name":"c"}]`
	var broken *RuleError
	if err := Check([]byte(before), []byte(after)); !errors.As(err, &broken) || broken.Rule != "no-reorder" {
		t.Errorf("Check() = %v, want no-reorder", err)
	}
	before, after = plain("a", "b", "c"), plain("b", "a", "c")
	if err := Check([]byte(before), []byte(after)); !errors.As(err, &broken) || broken.Rule != "no-reorder" {
		t.Errorf("Check() = %v, want no-reorder", err)
	}
	var unread *SyntaxError
	if err := Check([]byte(before), []byte(after[:20])); !errors.As(err, &unread) {
		t.Errorf("Check() = %v, want a SyntaxError", err)
	}
}
