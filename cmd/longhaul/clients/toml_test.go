package clients

import (
	"bytes"
	"strings"
	"testing"
)

var (
	table  = []string{"mcp_servers", "longhaul"}
	values = []Field{{Key: "command", Value: "longhaul"}, {Key: "args", Value: []string{"serve"}}}
)

func TestSetTOML(t *testing.T) {
	const block = "[mcp_servers.longhaul]\ncommand = \"longhaul\"\nargs = [\"serve\"]\n"
	for _, c := range []struct{ name, before, after string }{
		{"missing file", "", block},
		{"after other settings", "# mine\nmodel = \"x\"\n\n[mcp_servers.a]\ncommand = 'a'\n", "# mine\nmodel = \"x\"\n\n[mcp_servers.a]\ncommand = 'a'\n\n" + block},
		{"other args, the user's own keys, a table behind", "[mcp_servers.longhaul]\nargs = [] # old\nenabled = false\ncommand = \"longhaul\"\n\n# next\n[z]\n", "[mcp_servers.longhaul]\nargs = [\"serve\"]\nenabled = false\ncommand = \"longhaul\"\n\n# next\n[z]\n"},
		{"windows line ends", "a = 1\r\n", "a = 1\r\n\r\n" + strings.ReplaceAll(block, "\n", "\r\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := SetTOML([]byte(c.before), table, values)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.after {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.after)
			}
			again, err := SetTOML(got, table, values)
			if err != nil || !bytes.Equal(again, got) {
				t.Errorf("a second run gave:\n%s\n%v", again, err)
			}
		})
	}
}

func TestTOMLIsRefused(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"broken", "a = 1\nb = \n", "line 2, column 5"},
		{"inline table", "mcp_servers = { longhaul = { command = \"x\" } }\n", "edit it by hand"},
		{"inline parent", "mcp_servers = { a = { command = \"x\" } }\n", "the edit would break the file"},
		{"value over several lines", "[mcp_servers.longhaul]\ncommand = \"longhaul\"\nargs = [\n  \"x\",\n]\n", "the edit would break the file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := SetTOML([]byte(c.src), table, values)
			if err == nil {
				t.Fatalf("got %s, want a refusal", out)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, want %q in it", err, c.want)
			}
		})
	}
}

// FuzzTOML: taking out what was put in gives the bytes back, but for a last line without an end, which gets one.
func FuzzTOML(f *testing.F) {
	for _, s := range []string{"", "a = 1\n", "a = 1", "[x]\r\nb = 'c'\r\n", "[mcp_servers.a]\ncommand = \"x\"\n\n\n", "[[list]]\n", "# end\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		before, err := parseTOML(src)
		if err != nil || dig(before, table) != nil {
			return
		}
		out, err := SetTOML(src, table, values)
		if err != nil {
			return
		}
		if !bytes.HasPrefix(out, src) {
			t.Fatalf("%q became %q", src, out)
		}
		back, err := DropTOML(out, table)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := bytes.TrimRight(back, "\r\n"), bytes.TrimRight(src, "\r\n"); !bytes.Equal(got, want) {
			t.Fatalf("%q became %q and went back to %q", src, out, back)
		}
	})
}
