package feature

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParseFeature(t *testing.T) {
	tests := []struct {
		name, object string
		want         Feature
	}{
		{"full", `{"id":"F7","category":"core","priority":1,"title":"T","description":"D","steps":["a","b"],"check":"go test","cwd":"x","files":["*.go"],"depends_on":["F1"],"passes":true}`,
			Feature{ID: "F7", Category: "core", Priority: "1", Rank: 1, Title: "T", Description: "D", Steps: []string{"a", "b"}, Check: "go test", Cwd: "x", Files: []string{"*.go"}, DependsOn: []string{"F1"}, State: Passed, Status: "true"}},
		{"title only", `{"id":"a","title":"T","priority":"P0"}`, Feature{ID: "a", Description: "T", Priority: "P0", Steps: []string{"T"}}},
		{"number id", `{"id":12,"name":"N","status":"Done","priority":"alta"}`, Feature{ID: "12", Description: "N", Priority: "alta", Rank: 1, Steps: []string{"N"}, State: Passed, Status: "Done"}},
		{"step precedence", `{"id":"a","desc":"D","priority":"medium","tests":["t"],"steps":[],"acceptance":"one"}`, Feature{ID: "a", Description: "D", Priority: "medium", Rank: 2, Steps: []string{"one"}}},
		{"steps of objects", `{"id":"a","desc":"D","priority":3,"steps":[{"text":"x","n":1},{"given":"g","then":"t"},7,null]}`, Feature{ID: "a", Description: "D", Priority: "3", Rank: 3, Steps: []string{"x", "g t", "7"}}},
		{"checks inside", `{"id":"a","description":["One.","Two."],"priority":3,"verification":{"checks":["c"],"evidence":"e"}}`, Feature{ID: "a", Description: "One. Two.", Priority: "3", Rank: 3, Steps: []string{"c"}}},
		{"prose is no check", `{"id":"a","behavior":"B","priority":2,"verify":"npm test","verification":"look"}`, Feature{ID: "a", Description: "B", Priority: "2", Rank: 2, Steps: []string{"look"}}},
		{"dependencies of both kinds", `{"id":"a","name":"N","priority":0,"dependencies":["x",3],"blockedBy":"y, z"}`, Feature{ID: "a", Description: "N", Priority: "0", Steps: []string{"N"}, DependsOn: []string{"x", "3", "y", "z"}}},
		{"retired", `{"id":"a","name":"N","priority":1,"passes":false,"deprecated":true}`, Feature{ID: "a", Description: "N", Priority: "1", Rank: 1, Steps: []string{"N"}, State: Retired, Status: "false"}},
		{"word for not passed", `{"id":"a","name":"N","priority":1,"status":"H3_pass"}`, Feature{ID: "a", Description: "N", Priority: "1", Rank: 1, Steps: []string{"N"}, Status: "H3_pass"}},
		{"passes decides", `{"id":"a","name":"N","priority":1,"status":"completed","passes":false}`, Feature{ID: "a", Description: "N", Priority: "1", Rank: 1, Steps: []string{"N"}, Status: "false"}},
		{"escapes", `{"id":"\u0041","name":"\ud83d\ude80\n","priority":1}`, Feature{ID: "A", Description: "🚀\n", Priority: "1", Rank: 1, Steps: []string{"🚀\n"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := parse(t, "[\n"+tt.object+"]").Features[0]
			tt.want.Line = 2
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Parse() =\n%+v, want\n%+v", got, tt.want)
			}
		})
	}
}

func TestBadPasses(t *testing.T) {
	for _, object := range []string{
		`"passes":"true"`, `"passes":1`, `"passes":null`, `"passes":"True"`, `"passes":false,"passes":true`, `"passes":false,"Passes":true`,
		`"status":"failing","Status":"done"`, `"passes":true,"name":"again"`, `"status":{"backend":"done"}`, `"status":7`, `"passes":[]`,
	} {
		f := parse(t, `[{"id":"F3","name":"n",`+object+`}]`).Features[0]
		if f.Problem != "bad-passes" || f.State != Failing || !strings.Contains(f.Why, "F3") {
			t.Errorf("%s: problem %q, state %v, why %q; want bad-passes naming F3", object, f.Problem, f.State, f.Why)
		}
	}
}

func TestShape(t *testing.T) {
	tests := []struct {
		list, shape, ids string
	}{
		{`[]`, "array", ""},
		{`[{"name":"a"}]`, "array", "F001"},
		{`[{"phase":"x","features":[{"name":"a"}]},{"phase":"y","features":[{"name":"b"}]}]`, "array", "F001 F002"},
		{`{"features":[{"id":"a"}]}`, "object[features]", "a"},
		{`{"meta":{"x":1},"tasks":[{"id":"a","name":"n"}]}`, "object[tasks]", "a"},
		{`{"people":[{"age":3}],"goals":[{"id":"a","name":"n","status":"done"}]}`, "object[goals]", "a"},
		{`{"phases":[{"id":1,"name":"P"}],"features":[{"id":"a"}]}`, "object[features]", "a"},
		{`{"phases":[{"name":"P","tasks":[{"id":"a","name":"n"}]},{"name":"Q","tasks":[{"id":"b","name":"n"}]}]}`, "object[phases].*[tasks]", "a b"},
		{`{"epics":{"e":{"features":[{"id":"a"}]}}}`, "object{epics}.*[features]", "a"},
		{`{"phases":[{"epics":[{"features":[{"id":"a"}]},{"features":[{"id":"b"}]}]}]}`, "object[phases].*[epics].*[features]", "a b"},
		{`{"features":{"x":{"name":"n"},"y":{"name":"n"}}}`, "object{features}", "x y"},
		{`{"features":{"0":{"name":"n"},"1":{"id":"q"}}}`, "object{features}", "F001 q"},
		{`{"features":{"core":{"features":[{"id":"a"}]},"ui":{"features":[{"id":"b"}]}}}`, "object{features}.*[features]", "a b"},
		{`{"F1":{"name":"n","passes":false},"F2":{"name":"m"},"version":1}`, "object{}", "F1 F2"},
		{`{"0":{"name":"n"},"1":{"name":"m"}}`, "object{}", "F001 F002"},
		{`{"data":{"features":[{"id":"a"}]}}`, "object.data[features]", "a"},
		{`{}`, "object{}", ""},
		{`{"features":{}}`, "object{features}", ""},
		{`{"features":[{"id":"a","tasks":[{"id":"t","status":"done"}]}]}`, "object[features]", "a"},
	}
	for _, tt := range tests {
		l := parse(t, tt.list)
		var ids []string
		for _, f := range l.Features {
			ids = append(ids, f.ID)
		}
		if got := strings.Join(ids, " "); l.Shape() != tt.shape && tt.shape != "array" || got != tt.ids {
			t.Errorf("%s: shape %s, ids %q; want %s, %q", tt.list, l.Shape(), got, tt.shape, tt.ids)
		}
	}
}

func TestUnreadable(t *testing.T) {
	tests := []struct {
		name, list   string
		line, column int
		cause        string
	}{
		{"nothing", "", 0, 0, "0 bytes"},
		{"white space", " \n\t\r\n", 0, 0, "white space"},
		{"only a BOM", "\ufeff", 0, 0, "white space"},
		{"cut in a string", "[{\"id\": \"F00", 1, 13, "cut off"},
		{"cut between", "{\"features\": [\n", 2, 1, "cut off"},
		{"cut in a word", "[{\"id\": \"a\", \"passes\": tr", 1, 26, "cut off"},
		{"cut in a character", "[\"Zürich"[:4], 1, 4, "cut off"},
		{"trailing data", "[]\n]", 2, 1, "after the end"},
		{"JSON Lines", "{\"id\":1}\n{\"id\":2}\n", 2, 1, "JSON Lines"},
		{"comment", "[\n  // x\n]", 2, 3, "comment"},
		{"block comment", "[ /* x */ ]", 1, 3, "comment"},
		{"hash", "# list\n[]", 1, 1, "comment"},
		{"trailing comma", "[{\"id\":1},\n]", 1, 10, "comma before ]"},
		{"missing comma", "[{\"id\":1}\n{\"id\":2}]", 2, 1, "comma"},
		{"missing colon", "[{\"id\" 1}]", 1, 8, "colon"},
		{"single quotes", "[{'id':1}]", 1, 3, "double quotes"},
		{"word", "[NaN]", 1, 2, "value"},
		{"number", "[01]", 1, 4, "number"},
		{"open string", "[\"a\n\"]", 1, 2, "not closed"},
		{"bad escape", `["\x"]`, 1, 3, "escapes nothing"},
		{"CP1252", "[\n\"Caf\xe9\"]", 2, 5, "not UTF-8"},
		{"UTF-16", "\xff\xfe[\x00]\x00", 1, 1, "UTF-16"},
		{"UTF-16 without a mark", "[\x00]\x00", 1, 1, "UTF-16"},
		{"a number", "7", 1, 1, "not an array or an object"},
		{"strings", "[\"a\"]", 1, 2, "not an object"},
		{"mixed", "[{\"id\":1}, 2]", 1, 12, "not an object"},
		{"features a string", "{\"features\": \"x\"}", 1, 14, "not a list"},
		{"features null", "{\"features\": null}", 1, 14, "not a list"},
		{"no list", "{\"project\": \"x\"}", 1, 1, "no list"},
		{"git-lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n", 1, 1, "git-lfs"},
		{"a link's text", "../shared/feature_list.json\n", 1, 1, "link"},
		{"deep", strings.Repeat("[", 5000), 1, 1001, "too deep"},
		{"after a BOM", "\ufeff[,]", 1, 2, "value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.list))
			var e *SyntaxError
			if !errors.As(err, &e) {
				t.Fatalf("Parse() = %v, want a SyntaxError", err)
			}
			if e.Code != "unreadable" || e.Line != tt.line || e.Column != tt.column || !strings.Contains(e.Cause, tt.cause) {
				t.Errorf("Parse() = %+v, want line %d, column %d, %q", *e, tt.line, tt.column, tt.cause)
			}
		})
	}
	_, err := Parse([]byte("[\r\n<<<<<<< HEAD\r\n1\r\n=======\r\n2\r\n>>>>>>> x\r\n]"))
	var e *SyntaxError
	if !errors.As(err, &e) || e.Code != "merge-conflict" || e.Line != 2 {
		t.Errorf("Parse() = %v, want merge-conflict on line 2", err)
	}
}

func TestRank(t *testing.T) {
	order := []string{"-1", "critical", "P1", "1.5", "media", "3", "p4", "10", "soon", ""}
	for i := range order[1:] {
		if rank(order[i]) >= rank(order[i+1]) {
			t.Errorf("%q (%v) does not come before %q (%v)", order[i], rank(order[i]), order[i+1], rank(order[i+1]))
		}
	}
}

func TestHeader(t *testing.T) {
	for list, want := range map[string][2]string{
		`{"project":"p","type":"api","features":[]}`:       {"p", "api"},
		`{"metadata":{"project":"p"},"features":[]}`:       {"p", ""},
		`{"project":{"name":"x"},"app":"a","features":[]}`: {"a", ""},
		`[]`: {"", ""},
	} {
		l := parse(t, list)
		if l.Project != want[0] || l.Type != want[1] {
			t.Errorf("%s: project %q, type %q, want %q", list, l.Project, l.Type, want)
		}
	}
}
