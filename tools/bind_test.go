package tools

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

type everything struct {
	Text     string               `json:"text"`
	Must     string               `json:"must" need:"yes" about:"the id"`
	Word     string               `json:"word" enum:"web-app api all"`
	Flag     bool                 `json:"flag" default:"true"`
	Count    int                  `json:"count" default:"50" min:"1"`
	List     []string             `json:"list"`
	Notes    []artifacts.NoteItem `json:"notes"`
	Evidence []observation        `json:"evidence"`
	Features []incoming           `json:"features"`
	Import   document             `json:"import"`
}

func bound(t *testing.T, args string) everything {
	t.Helper()
	var in everything
	if err := bind("x", json.RawMessage(args), &in); err != nil {
		t.Fatalf("bind(%s) = %v", args, err)
	}
	return in
}

func TestBindForgives(t *testing.T) {
	note := func(texts ...string) (n []artifacts.NoteItem) {
		for _, text := range texts {
			n = append(n, artifacts.NoteItem{Note: text})
		}
		return n
	}
	tests := []struct {
		name, key, value string
		want             any
	}{
		{"a string", "text", `"a <b> & c"`, "a <b> & c"},
		{"a number for a string", "text", `3`, "3"},
		{"a large number for a string", "text", `9007199254740993`, "9007199254740993"},
		{"null for absent", "text", `null`, ""},
		{"an escaped string", "text", `"\u00e9\ud83d\ude00\n"`, "é😀\n"},
		{"a word in another spelling", "word", `" Web_App "`, "web-app"},
		{"no word", "word", `""`, ""},
		{"true", "flag", `true`, true},
		{"false in a string", "flag", `"false"`, false},
		{"False in a string", "flag", `"False"`, false},
		{"null for a default", "flag", `null`, true},
		{"an empty string for a default", "flag", `""`, true},
		{"an integer", "count", `3`, 3},
		{"an integer in a string", "count", `"3"`, 3},
		{"an integer with spaces", "count", `" 3 "`, 3},
		{"an integer as a float", "count", `3.0`, 3},
		{"an integer with an exponent", "count", `1e3`, 1000},
		{"null for a default integer", "count", `null`, 50},
		{"a list", "list", `["a","b"]`, []string{"a", "b"}},
		{"an empty list", "list", `[]`, []string{}},
		{"one string for a list", "list", `"a"`, []string{"a"}},
		{"an empty string for a list", "list", `""`, []string(nil)},
		{"JSON text for a list", "list", `"[\"a\", \"b\"]"`, []string{"a", "b"}},
		{"text that only looks like JSON", "list", `"[x] a"`, []string{"[x] a"}},
		{"numbers in a list of strings", "list", `[1, "b"]`, []string{"1", "b"}},
		{"strings for notes", "notes", `["a","b"]`, note("a", "b")},
		{"one string for notes", "notes", `"a"`, note("a")},
		{"objects for notes", "notes", `[{"id":"F1","note":"a"}, "b"]`, []artifacts.NoteItem{{ID: "F1", Note: "a"}, {Note: "b"}}},
		{"one object for notes", "notes", `{"id":7,"note":"a"}`, []artifacts.NoteItem{{ID: "7", Note: "a"}}},
		{"JSON text of objects for notes", "notes", `"[{\"id\":\"F1\",\"note\":\"a\"}]"`, []artifacts.NoteItem{{ID: "F1", Note: "a"}}},
		{"strings for evidence", "evidence", `["a"]`, []observation{{Observed: "a"}}},
		{"objects for evidence", "evidence", `[{"step":"2","observed":"a","artifact":"b.png"}]`, []observation{{Step: 2, Observed: "a", Artifact: "b.png"}}},
		{"JSON text of an object inside a list", "evidence", `["{\"step\":1,\"observed\":\"a\"}"]`, []observation{{Step: 1, Observed: "a"}}},
		{"a feature", "features", `{"description":"d","steps":"s","priority":1,"passes":"true","depends_on":null}`, []incoming{{Description: "d", Steps: []string{"s"}, Priority: "1", Passes: true}}},
		{"a priority in a string", "features", `{"description":"d","priority":"1"}`, []incoming{{Description: "d", Priority: "1"}}},
		{"a word for a priority", "features", `{"description":"d","priority":"high"}`, []incoming{{Description: "d", Priority: "high"}}},
		{"a fraction for a priority", "features", `{"description":"d","priority":1.5}`, []incoming{{Description: "d", Priority: "1.5"}}},
		{"an absent step beside one", "evidence", `[{"observed":"a"},{"step":2,"observed":"b"}]`, []observation{{Observed: "a"}, {Step: 2, Observed: "b"}}},
		{"JSON for a text to import", "import", `[{"id":1}]`, document(`[{"id":1}]`)},
		{"a path to import", "import", `"a.json"`, document("a.json")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := bound(t, `{"must":"m","`+tt.key+`":`+tt.value+`}`)
			v := reflect.ValueOf(in)
			for _, f := range fieldsOf(v.Type()) {
				if f.name != tt.key {
					continue
				}
				if got := v.Field(f.index).Interface(); !reflect.DeepEqual(got, tt.want) {
					t.Errorf("%s = %#v, want %#v", tt.key, got, tt.want)
				}
			}
		})
	}
}

func TestBindRefuses(t *testing.T) {
	deep := strings.Repeat("[", mostDepth+1) + strings.Repeat("]", mostDepth+1)
	tests := []struct{ name, args, want string }{
		{"a list for the arguments", `[]`, "arguments must be an object"},
		{"a string for the arguments", `"x"`, "arguments must be an object"},
		{"a number for the arguments", `3`, "arguments must be an object"},
		{"a missing key", `{}`, "must is missing: takes a string (the id)"},
		{"null for a needed key", `{"must":null}`, "must is missing"},
		{"an empty needed key", `{"must":" "}`, "must is empty"},
		{"an unknown key near a known one", `{"must":"m","txt":1}`, `txt is not a key that x knows; did you mean "text"?`},
		{"a known key in another case", `{"must":"m","Text":"a"}`, `did you mean "text"?`},
		{"a known key inside another word", `{"must":"m","features":[{"description":"d","verification_steps":[]}]}`, `did you mean "steps"?`},
		{"an unknown key that holds a short one", `{"must":"m","evidnce":1}`, `did you mean "evidence"?`},
		{"an unknown key far from all", `{"must":"m","zzzzzzzz":1}`, "there is text, must"},
		{"a key twice", `{"must":"m","text":"a","text":"b"}`, "text is given twice"},
		{"an object for a string", `{"must":{}}`, "must is an object, but takes a string"},
		{"a bool for a string", `{"must":true}`, "must is true, but takes a string"},
		{"a word for a bool", `{"must":"m","flag":"maybe"}`, `flag is the string "maybe", but takes true or false`},
		{"a number for a bool", `{"must":"m","flag":2}`, "takes true or false"},
		{"a fraction for an integer", `{"must":"m","count":1.5}`, "takes a whole number"},
		{"a huge integer", `{"must":"m","count":99999999999999999999}`, "takes a whole number"},
		{"a huge exponent", `{"must":"m","count":1e999}`, "takes a whole number"},
		{"a word for an integer", `{"must":"m","count":"many"}`, "takes a whole number"},
		{"zero", `{"must":"m","count":0}`, "count is 0, but takes a whole number from 1"},
		{"a word that is none of the list", `{"must":"m","word":"web"}`, "takes one of web-app, api, all"},
		{"an object for a list of strings", `{"must":"m","list":{}}`, "list is an object, but takes a list"},
		{"null in a list", `{"must":"m","list":["a",null]}`, "list[1] is null, but takes a string"},
		{"an unknown key inside", `{"must":"m","evidence":[{"observd":"a"}]}`, `evidence[0].observd is not a key that x knows; did you mean "observed"?`},
		{"a number for an object", `{"must":"m","features":[3]}`, "features[0] is 3, but takes an object"},
		{"a missing key inside", `{"must":"m","features":[{}]}`, "features[0].description is missing"},
		{"a step that is no number", `{"must":"m","evidence":[{"step":"one"}]}`, "evidence[0].step"},
		{"step zero", `{"must":"m","evidence":[{"observed":"a"},{"step":0,"observed":"a"}]}`, "evidence[1].step is 0, but takes a whole number from 1"},
		{"step zero as text", `{"must":"m","evidence":[{"step":"0","observed":"a"}]}`, "evidence[0].step is 0"},
		{"a list for a priority", `{"must":"m","features":[{"description":"d","priority":[1]}]}`, "features[0].priority is a list"},
		{"bytes that are not UTF-8", "{\"must\":\"m\xff\"}", "must is not valid UTF-8"},
		{"a NUL", `{"must":"a\u0000b"}`, "must holds a NUL character"},
		{"nested too deep", `{"must":"m","list":` + deep + `}`, "nested more than"},
		{"more values than a call may hold", `{"must":"m","list":[1` + strings.Repeat(",1", mostValues) + `]}`, "more than 100000 values"},
		{"more keys than a call may hold", `{"must":"m"` + strings.Repeat(`,"a":1`, mostValues) + `}`, "more than 100000 values"},
		{"more values than a call may hold, as text", `{"must":"m","list":"[1` + strings.Repeat(",1", mostValues) + `]","flag":"no"}`, "flag is"},
		{"a document of more values than a call may hold", `{"must":"m","import":"[1` + strings.Repeat(",1", mostValues) + `]"}`, "write it to a file"},
		{"broken JSON", `{"must":`, "can't be read as JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var in everything
			err := bind("x", json.RawMessage(tt.args), &in)
			var r *artifacts.Refusal
			if !errors.As(err, &r) || r.Code != "bad-argument" {
				t.Fatalf("bind(%s) = %v, want bad-argument", tt.args, err)
			}
			if !strings.Contains(r.Error(), tt.want) {
				t.Errorf("bind(%s) = %q, want it to hold %q", tt.args, r.Error(), tt.want)
			}
		})
	}
}

func TestBindNamesEveryProblem(t *testing.T) {
	var in everything
	err := bind("x", json.RawMessage(`{"count":"many","flag":7,"txt":"a","list":[{}]}`), &in)
	if err == nil {
		t.Fatal("bind accepted it")
	}
	for _, want := range []string{"5 problems", "count", "flag", "txt", "list[0]", "must is missing", "Next: call x again"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("bind = %q, want it to hold %q", err, want)
		}
	}
}

func TestBindBoundsItsRefusal(t *testing.T) {
	args := `{"must":"m","list":[` + strings.TrimSuffix(strings.Repeat(`{"`+strings.Repeat("a", 500)+`":1},`, 5000), ",") + `]}`
	var in everything
	err := bind("x", json.RawMessage(args), &in)
	if err == nil || len(err.Error()) > 4000 {
		t.Errorf("refusal of %d bytes, want a short one", len(err.Error()))
	}
}

// No project is needed to refuse: arguments come first.
func TestEveryToolRefusesUnknownAndMissingArguments(t *testing.T) {
	for i, tool := range All() {
		r := tool.Call(t.Context(), nil, json.RawMessage(`{"no_such_key":1}`))
		got := textOf(t, r)
		if !r.IsError || !strings.HasPrefix(got, "bad-argument: ") || !strings.Contains(got, "no_such_key") {
			t.Errorf("%s: isError %v, %s", tool.Name(), r.IsError, got)
		}
		for _, key := range byContract[i].need {
			if !strings.Contains(got, key+" is missing") {
				t.Errorf("%s does not miss %s: %s", tool.Name(), key, got)
			}
		}
	}
}

func FuzzBind(f *testing.F) {
	for _, seed := range []string{
		`{"must":"m"}`, `{"must":"m","count":"1e3","flag":"false","list":"[\"a\"]"}`, `[]`, `"x"`, `null`, `{"must":"\ud800"}`,
		`{"must":"m","notes":[{"id":1,"note":"a"},"b"],"evidence":["a",{"step":1}]}`, "{\"must\":\"\xff\"}", `{"must":"m","must":1}`,
		`{"features":[{"description":"d","steps":["a"],"passes":true}],"import":{"a":[1]}}`, `{"must":"{\"a\":1}","count":-0.0}`, `"{\"must\":\"m\"}"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			t.Skip("mcp-go hands on valid JSON only")
		}
		var in everything
		err := bind("x", raw, &in)
		if err == nil {
			if strings.TrimSpace(in.Must) == "" || in.Count < 1 || strings.ContainsRune(in.Text, 0) {
				t.Errorf("bind(%s) accepted %+v", raw, in)
			}
			return
		}
		var r *artifacts.Refusal
		if !errors.As(err, &r) || r.Code != "bad-argument" || r.What == "" || r.Next == "" {
			t.Errorf("bind(%s) = %#v, want a whole bad-argument", raw, err)
		}
		if !utf8.ValidString(err.Error()) || len(err.Error()) > 16_000 {
			t.Errorf("bind(%s): a refusal of %d bytes that can't be sent", raw, len(err.Error()))
		}
	})
}
