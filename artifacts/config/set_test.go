package config

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestSet(t *testing.T) {
	tests := []struct{ name, data, key, value, want string }{
		{"in place", "{\"policy\" : { \"session_minutes\":  45 , \"x\":1.0}}\n", "session_minutes", "30", "{\"policy\" : { \"session_minutes\":  30 , \"x\":1.0}}\n"},
		{"long name", `{"policy":{"session_minutes":45}}`, "policy.session_minutes", "30", `{"policy":{"session_minutes":30}}`},
		{"added in a line", `{"policy":{"a":1}}`, "red_first", "true", `{"policy":{"a":1,"red_first":true}}`},
		{"added on a line", "{\n  \"policy\": {\n    \"a\": 1\n  }\n}\n", "red_first", "true", "{\n  \"policy\": {\n    \"a\": 1,\n    \"red_first\": true\n  }\n}\n"},
		{"second one added", "{\n\t\"policy\": {\n\t\t\"a\": 1,\n\t\t\"b\": 2\n\t}\n}", "smoke_test", "make <x>", "{\n\t\"policy\": {\n\t\t\"a\": 1,\n\t\t\"b\": 2,\n\t\t\"smoke_test\": \"make <x>\"\n\t}\n}"},
		{"policy added", "{\n  \"version\": 1,\n  \"layout\": \"root\"\n}\n", "max_file_mb", "9", "{\n  \"version\": 1,\n  \"layout\": \"root\",\n  \"policy\": {\n    \"max_file_mb\": 9\n  }\n}\n"},
		{"policy added, windows", "{\r\n    \"version\": 1\r\n}\r\n", "max_file_mb", "9", "{\r\n    \"version\": 1,\r\n    \"policy\": {\r\n        \"max_file_mb\": 9\r\n    }\r\n}\r\n"},
		{"policy added in a line", `{"version":1}`, "max_file_mb", "9", `{"version":1,"policy":{"max_file_mb":9}}`},
		{"empty policy", "{\n  \"policy\": {}\n}\n", "max_file_mb", "9", "{\n  \"policy\": {\n    \"max_file_mb\": 9\n  }\n}\n"},
		{"empty file", "{}", "max_file_mb", "9", `{"policy":{"max_file_mb":9}}`},
		{"null policy", `{"policy":null}`, "max_file_mb", "9", `{"policy":{"max_file_mb":9}}`},
		{"mark kept", "\ufeff{}", "max_file_mb", "9", "\ufeff{\"policy\":{\"max_file_mb\":9}}"},
		{"list as JSON", `{"policy":{}}`, "secret_patterns", `["*.a", "*.b"]`, `{"policy":{"secret_patterns":["*.a", "*.b"]}}`},
		{"list between commas", `{}`, "bookkeeping", "owner, sprint", `{"bookkeeping":["owner","sprint"]}`},
		{"empty list", `{}`, "bookkeeping", "", `{"bookkeeping":[]}`},
		{"file", `{"files":{"plan":"a"}}`, "files.plan", "b.md", `{"files":{"plan":"b.md"}}`},
		{"a wrong value put right", `{"policy":{"session_minutes":"x"}}`, "session_minutes", "30", `{"policy":{"session_minutes":30}}`},
		{"the same", `{"policy":{"session_minutes":45}}`, "session_minutes", "45", `{"policy":{"session_minutes":45}}`},
	}
	for _, test := range tests {
		before := []byte(test.data)
		got, err := Set(before, test.key, test.value)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if string(got) != test.want {
			t.Errorf("%s: Set() = %q, want %q", test.name, got, test.want)
		}
		if string(before) != test.data {
			t.Errorf("%s: Set() wrote into its argument", test.name)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	tests := []struct{ data, key, value, want string }{
		{"{}", "sesion_minutes", "30", "is no setting; settings: files.features"},
		{"{}", "version", "1", "is no setting"}, {"{}", "features", "x", "is no setting"},
		{"{}", "session_minutes", "soon", "policy.session_minutes takes a whole number"}, {"{}", "session_minutes", "", "not nothing"},
		{"{}", "session_minutes", "-1", "from 1"}, {"{}", "red_first", "yes", "true or false"}, {"{}", "red_first", "null", "true or false"},
		{"{}", "todo_pattern", "(", "policy.todo_pattern"}, {"{}", "bookkeeping", "[1]", "a list of texts"}, {"{}", "bookkeeping", "[", "a list of texts"},
		{"{", "session_minutes", "30", "line 1"}, {"", "session_minutes", "30", "empty"},
		{`{"policy":3}`, "session_minutes", "30", "policy takes an object"},
		{`{"policy":{"red_first":"x"}}`, "session_minutes", "30", "policy.red_first"},
	}
	for _, test := range tests {
		out, err := Set([]byte(test.data), test.key, test.value)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Set(%q, %s, %q) error = %v, want it to say %q", test.data, test.key, test.value, err, test.want)
		}
		if out != nil {
			t.Errorf("Set(%q, %s, %q) refuses and gives bytes", test.data, test.key, test.value)
		}
	}
}

func TestPolicyHash(t *testing.T) {
	base := PolicyHash([]byte(`{"policy":{"session_minutes":30,"red_first":true},"bookkeeping":["a"]}`))
	for _, same := range []string{
		"{ \"bookkeeping\":[\"a\"],\n\"layout\":\"root\", \"policy\":{\"red_first\":true, \"session_minutes\" : 30}}",
		`{"files":{"plan":"x"},"policy":{"session_minutes":30,"red_\u0066irst":true},"bookkeeping":["\u0061"]}`,
	} {
		if got := PolicyHash([]byte(same)); got != base {
			t.Errorf("PolicyHash(%s) = %s, want %s", same, got, base)
		}
	}
	for _, other := range []string{"{}", "", "{", `{"policy":{"session_minutes":31,"red_first":true},"bookkeeping":["a"]}`,
		`{"policy":{"session_minutes":30,"red_first":true},"bookkeeping":["a","description"]}`} {
		if got := PolicyHash([]byte(other)); got == base {
			t.Errorf("PolicyHash(%s) is the same as another policy's", other)
		}
	}
	none := PolicyHash([]byte("{}"))
	for _, same := range []string{`{"policy":{}}`, `{"policy":null,"bookkeeping":[]}`, string(Default("plan").Bytes())} {
		if got := PolicyHash([]byte(same)); got != none {
			t.Errorf("PolicyHash(%s) = %s, want that of no policy, %s", same, got, none)
		}
	}
}

func FuzzSet(f *testing.F) {
	f.Add("{\n  \"policy\": {\n    \"a\": 1\n  }\n}\n", "session_minutes", "30")
	f.Add(`{"files":{},"b":[{"c":"}"}]}`, "files.plan", "\"x\\")
	f.Add("\ufeff{\"policy\" : {}\r\n}", "secret_patterns", "a,b")
	f.Add(`{"p\u006flicy":{"red_first":false}}`, "red_first", "true")
	f.Fuzz(func(t *testing.T, data, key, value string) {
		c, before := Parse([]byte(data))
		out, err := Set([]byte(data), key, value)
		if err != nil {
			if out != nil {
				t.Fatal("refused, with bytes")
			}
			return
		}
		after, err := Parse(out)
		if err != nil {
			t.Fatalf("Set(%q, %q, %q) = %q, which does not parse: %v", data, key, value, out, err)
		}
		again, err := Set(out, key, value)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("a second Set gives %q, %v, want %q", again, err, out)
		}
		if before != nil {
			return // it was wrong in this very key
		}
		was := settings(&c)
		for i, s := range settings(&after) {
			named := s.key() == key || s.group == "policy" && s.name == key
			if !named && !same(s.value(), was[i].value()) {
				t.Fatalf("Set(%q, %q, %q) changed %s too: %q", data, key, value, s.key(), out)
			}
		}
		if !sameElsewhere(t, []byte(data), out) {
			t.Fatalf("Set(%q, %q, %q) = %q: an unknown key is lost", data, key, value, out)
		}
	})
}

// sameElsewhere holds the keys that this package does not know against an
// independent reading.
func sameElsewhere(t *testing.T, before, after []byte) bool {
	t.Helper()
	var a, b map[string]json.RawMessage
	if json.Unmarshal(bytes.TrimPrefix(before, bom), &a) != nil || json.Unmarshal(bytes.TrimPrefix(after, bom), &b) != nil {
		return false
	}
	for key, value := range a {
		if key != "policy" && key != "files" && key != "bookkeeping" && !bytes.Equal(value, b[key]) {
			return false
		}
	}
	return true
}
