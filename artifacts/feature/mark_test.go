package feature

import (
	"strings"
	"testing"
)

// status builds a list of features with these status words; ids are S1, S2, …
func statusList(head string, words ...string) string {
	var b strings.Builder
	b.WriteString("{" + head + `"features": [`)
	for i, w := range words {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(`{"id": "S` + string(rune('1'+i)) + `", "name": "n", "status": "` + w + `"}`)
	}
	return b.String() + "]}"
}

func TestPassedWord(t *testing.T) {
	tests := []struct{ name, list, want string }{
		{"partner failing", statusList("", "failing"), "passing"},
		{"partner pending", statusList("", "pending"), "completed"},
		{"partner not_started", statusList("", "not_started"), "passing"},
		{"partner not-started", statusList("", "not-started"), "done"},
		{"partner fail", statusList("", "fail"), "pass"},
		{"partner planned", statusList("", "planned"), "done"},
		{"partner todo", statusList("", "todo"), "done"},
		{"upper", statusList("", "FAILING"), "PASSING"},
		{"title", statusList("", "Pending"), "Completed"},
		{"most used", statusList("", "pending", "done", "completed", "done"), "done"},
		{"own case", statusList("", "pending", "Passing"), "Passing"},
		{"legend", statusList(`"status_legend": {"pending": "", "shipped": ""}, `, "pending", "done"), "shipped"},
		{"values", statusList(`"status_values": ["planned", "in_progress", "done"], `, "planned"), "done"},
		{"rules", statusList(`"rules": {"valid_status": ["open", "verified"]}, `, "open"), "verified"},
		{"definitions", statusList(`"statusDefinitions": {"pending": 1, "completed": 2}, `, "pending"), "completed"},
		{"in metadata", statusList(`"_meta": {"status_values": ["failing", "passing"]}, `, "in_progress"), "passing"},
		{"list spelling of a declared word", statusList(`"statuses": ["todo", "done"], `, "todo", "Done", "Done"), "Done"},
		{"underway", statusList("", "in_progress", "pending", "pending"), "completed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := parse(t, tt.list).Pass("S1", at, session)
			if err != nil {
				t.Fatal(err)
			}
			if got := parse(t, string(out)).Find("S1").Status; got != tt.want {
				t.Errorf("Pass() wrote %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOpenWord(t *testing.T) {
	tests := []struct{ name, list, want string }{
		{"most used", statusList("", "done", "planned", "pending", "planned"), "planned"},
		{"not underway", statusList("", "done", "in_progress", "in_progress", "pending"), "pending"},
		{"partner", statusList("", "passing"), "failing"},
		{"partner upper", statusList("", "COMPLETED"), "PENDING"},
		{"legend", statusList(`"status_legend": {"blocked": "", "not_started": "", "done": ""}, `, "done"), "not_started"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := parse(t, tt.list).Fail("S1", nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := parse(t, string(out)).Find("S1").Status; got != tt.want {
				t.Errorf("Fail() wrote %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPass(t *testing.T) {
	tests := []struct{ name, before, after string }{
		{"passes", `[{"id":"A","passes":false}]`, `[{"id":"A","passes":true}]`},
		{"odd space", "[ {\"id\" : \"A\" ,\"passes\" :\tfalse } ]", "[ {\"id\" : \"A\" ,\"passes\" :\ttrue } ]"},
		{"no state key", `[{"id": "A", "name": "n"}]`, `[{"id": "A", "name": "n", "passes": true}]`},
		{"no state key on lines", "[\n  {\n    \"id\": \"A\"\n  }\n]", "[\n  {\n    \"id\": \"A\",\n    \"passes\": true\n  }\n]"},
		{"in step", `[{"id":"A","status":"pending","passes":false}]`, `[{"id":"A","status":"completed","passes":true}]`},
		{"already passed", `[{"id":"A","status":"pending","passes":true}]`, `[{"id":"A","status":"pending","passes":true}]`},
		{"status null", `[{"id":"A","status":null}]`, `[{"id":"A","status":"done"}]`},
		{"state", `[{"id":"A","state":"todo"}]`, `[{"id":"A","state":"done"}]`},
		{"status and state", `[{"id":"A","status":"failing","state":"failing"}]`, `[{"id":"A","status":"passing","state":"passing"}]`},
		{"a state of the union", `[{"id":"A","status":"failing","state":"Ohio"}]`, `[{"id":"A","status":"passing","state":"Ohio"}]`},
		{"spelled Passes", `[{"id":"A","Passes":false}]`, `[{"id":"A","Passes":true}]`},
		{"escaped key", `[{"id":"A","p\u0061sses":false}]`, `[{"id":"A","p\u0061sses":true}]`},
		{"stamps", `[{"id":"A","passes":false,"completed_at":null,"session_id":null}]`,
			`[{"id":"A","passes":true,"completed_at":"` + at + `","session_id":"` + session + `"}]`},
		{"stamps of others", `[{"id":"A","passes":false,"n":1},{"id":"B","passes":true,"completedAt":"2026-01-01"}]`,
			`[{"id":"A","passes":true,"completedAt":"2026-01-31","n":1},{"id":"B","passes":true,"completedAt":"2026-01-01"}]`},
		{"counters", `{"completed":0,"total_features":1,"features":[{"id":"A","passes":false}]}`, `{"completed":1,"total_features":1,"features":[{"id":"A","passes":true}]}`},
		{"a counter that was wrong", `{"completed":7,"features":[{"id":"A","passes":false}]}`, `{"completed":7,"features":[{"id":"A","passes":true}]}`},
		{"summary", `{"summary":{"passing":0,"failing":1,"percent":0},"features":[{"id":"A","passes":false}]}`,
			`{"summary":{"passing":1,"failing":0,"percent":100},"features":[{"id":"A","passes":true}]}`},
		{"words counted", `{"stats":{"done":0,"pending":1,"in_progress":1},"features":[{"id":"A","status":"pending"},{"id":"B","status":"in_progress"}]}`,
			`{"stats":{"done":1,"pending":0,"in_progress":1},"features":[{"id":"A","status":"completed"},{"id":"B","status":"in_progress"}]}`},
		{"numbers", `[{"id":1,"n":9007199254740993,"e":1.0E+2,"passes":false}]`, `[{"id":1,"n":9007199254740993,"e":1.0E+2,"passes":true}]`},
		{"dotted keys beside", `[{"id":"A","a.passes":{"passes":false},"passes":false}]`, `[{"id":"A","a.passes":{"passes":false},"passes":true}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := parse(t, tt.before)
			f := l.Features[0]
			was := l.Was(f.ID)
			out, err := l.Pass(f.ID, at, session)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(out); got != tt.after {
				t.Errorf("Pass() =\n%s, want\n%s", got, tt.after)
			}
			if f.State == Passed {
				return
			}
			back, err := parse(t, string(out)).Fail(f.ID, was)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(back); got != tt.before {
				t.Errorf("Fail() =\n%s, want\n%s", got, tt.before)
			}
		})
	}
}

func TestFail(t *testing.T) {
	tests := []struct{ name, before, after string }{
		{"stamps emptied", `[{"id":"A","passes":true,"completed_at":"x","session_id":"y"}]`, `[{"id":"A","passes":false,"completed_at":null,"session_id":null}]`},
		{"stamps gone where others have none", `[{"id":"A","passes":true,"completed_at":"x"},{"id":"B","passes":false}]`, `[{"id":"A","passes":false},{"id":"B","passes":false}]`},
		{"in step", `[{"id":"A","status":"completed","passes":true},{"id":"B","status":"planned","passes":false}]`, `[{"id":"A","status":"planned","passes":false},{"id":"B","status":"planned","passes":false}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := parse(t, tt.before).Fail("A", nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(out); got != tt.after {
				t.Errorf("Fail() = %s, want %s", got, tt.after)
			}
		})
	}
}

func TestFailRefuses(t *testing.T) {
	l := parse(t, `[{"id":"A","description":"d","passes":true}]`)
	for name, was := range map[string]Was{
		"a key of the definition": {"description": `"x"`},
		"no JSON":                 {"passes": "fal"},
		"a state that is none":    {"passes": `"true"`},
	} {
		if out, err := l.Fail("A", was); err == nil {
			t.Errorf("%s: Fail() = %s, want a refusal", name, out)
		}
	}
	if _, err := l.Pass("B", at, session); err == nil {
		t.Error("Pass() of an unknown id worked")
	}
}
