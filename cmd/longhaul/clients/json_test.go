package clients

import (
	"bytes"
	"testing"

	"github.com/tailscale/hujson"
)

var entry = []Field{
	{Key: "command", Value: "longhaul"},
	{Key: "args", Value: []string{"serve"}},
	{Key: "alwaysLoad", Value: true, Once: true},
}

var place = []string{"mcpServers", "longhaul"}

func TestSetJSON(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"missing file", "", "{\n  \"mcpServers\": {\n    \"longhaul\": {\n      \"command\": \"longhaul\",\n      \"args\": [\"serve\"],\n      \"alwaysLoad\": true\n    }\n  }\n}\n"},
		{"another server, tabs", "{\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"x\"}\n\t},\n\t\"z\": 1\n}", "{\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"x\"},\n\t\t\"longhaul\": {\n\t\t\t\"command\": \"longhaul\",\n\t\t\t\"args\": [\"serve\"],\n\t\t\t\"alwaysLoad\": true\n\t\t}\n\t},\n\t\"z\": 1\n}"},
		{"one tight line", `{"mcpServers":{"a":{}}}`, `{"mcpServers":{"a":{},"longhaul":{"command":"longhaul","args":["serve"],"alwaysLoad":true}}}`},
		{"our entry with other args and the user's own keys", `{"mcpServers": {"longhaul": {"args": ["serve", "--x"], "env": {"A": "1"}, "command": "longhaul"}}}`, `{"mcpServers": {"longhaul": {"args": ["serve"], "env": {"A": "1"}, "command": "longhaul"}}}`},
		{"comments and a trailing comma", "{ // top\r\n  \"mcpServers\": {\r\n    \"a\": {}, // last\r\n  },\r\n}\r\n", "{ // top\r\n  \"mcpServers\": {\r\n    \"a\": {}, // last\r\n    \"longhaul\": {\r\n      \"command\": \"longhaul\",\r\n      \"args\": [\"serve\"],\r\n      \"alwaysLoad\": true\r\n    },\r\n  },\r\n}\r\n"},
		{"byte order mark", "\ufeff{}", "\ufeff{\n  \"mcpServers\": {\n    \"longhaul\": {\n      \"command\": \"longhaul\",\n      \"args\": [\"serve\"],\n      \"alwaysLoad\": true\n    }\n  }\n}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := SetJSON([]byte(c.before), place, entry)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.after {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.after)
			}
			again, err := SetJSON(got, place, entry)
			if err != nil || !bytes.Equal(again, got) {
				t.Errorf("a second run gave:\n%s\n%v", again, err)
			}
		})
	}
}

func TestBrokenJSONIsRefused(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"cut off", "{\n  \"a\": ", "line 2, column 8: parsing value: unexpected EOF"},
		{"a list", "[]", "the file does not hold an object"},
		{"servers are a list", `{"mcpServers": []}`, "mcpServers is not an object"},
		{"servers twice", `{"mcpServers": {}, "mcpServers": {}}`, `key "mcpServers" twice`},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := SetJSON([]byte(c.src), place, entry)
			if err == nil {
				t.Fatalf("got %s, want a refusal", out)
			}
			if err.Error() != c.want {
				t.Errorf("got %q, want %q", err, c.want)
			}
		})
	}
}

// FuzzJSON: what is written parses and is found again; taking it out gives the bytes back,
// but for objects and lists that were empty, which go.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{"", "{}", `{"a":1}`, "{\n\t\"mcpServers\": {\n\t\t\"a\": {}, // x\n\t},\n}", `{"mcpServers":{"a":[1,{"b":2}]}}`, "{\"a\": 1 /* c */\n // d\n}", "\ufeff{\"permissions\": {\"deny\": [\"x\"]}}\r\n", `{"mcpServers":{"longhaul":{}}}`} {
		f.Add([]byte(s))
	}
	list := []string{"permissions", "deny"}
	texts := []string{"Edit(/a)", "Edit(/b)"}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, err := SetJSON(src, place, entry)
		if err != nil {
			return
		}
		out, err = AppendJSON(out, list, texts)
		if err != nil {
			return
		}
		d, err := read(out)
		if err != nil {
			t.Fatalf("%q became %q: %v", src, out, err)
		}
		if v, err := d.at("mcpServers", "longhaul", "command"); err != nil || v == nil || !sameJSON(*v, "longhaul") {
			t.Fatalf("%q became %q: no entry", src, out)
		}
		if d, err := read(src); err != nil || len(bytes.TrimSpace(bytes.TrimPrefix(src, bom))) == 0 || emptied(d) {
			return
		}
		back, err := DropTexts(out, list, texts)
		if err != nil {
			t.Fatal(err)
		}
		if back, err = DropJSON(back, place); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(back, src) {
			t.Fatalf("%q became %q and went back to %q", src, out, back)
		}
	})
}

// emptied reports whether taking our entries out may leave less than there was.
func emptied(d document) bool {
	if o := d.root.Value.(*hujson.Object); len(o.Members) == 0 {
		return true
	}
	for _, keys := range [][]string{{"mcpServers"}, {"permissions"}, {"permissions", "deny"}} {
		v, err := d.at(keys...)
		if err != nil {
			return true
		}
		if v == nil {
			continue
		}
		switch c := v.Value.(type) {
		case *hujson.Object:
			if len(c.Members) == 0 {
				return true
			}
		case *hujson.Array:
			if len(c.Elements) == 0 {
				return true
			}
		}
	}
	if v, _ := d.at(place...); v != nil {
		return true
	}
	if v, _ := d.at("permissions", "deny"); v != nil {
		if a, ok := v.Value.(*hujson.Array); ok {
			for _, e := range a.Elements {
				if sameJSON(e, "Edit(/a)") || sameJSON(e, "Edit(/b)") {
					return true
				}
			}
		}
	}
	return false
}
