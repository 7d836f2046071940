package clients

import (
	"reflect"
	"testing"
)

func TestServers(t *testing.T) {
	tests := []struct {
		name, src string
		read      func([]byte, []string) ([]Server, error)
		want      []Server
	}{
		{"comments and a trailing comma", "\xef\xbb\xbf{\"servers\": {\n// mine\n\"b\": {\"command\": \"x\", \"args\": [\"1\", 2]},\n\"a\": {\"url\": \"https://a.example\"},\n}}", ServersJSON,
			[]Server{{Name: "a"}, {Name: "b", Command: "x", Args: []string{"1"}}}},
		{"an empty file", "", ServersJSON, nil},
		{"no servers", `{"other": 1}`, ServersJSON, nil},
		{"servers that are no object", `{"servers": [1]}`, ServersJSON, nil},
		{"an entry that is no object", `{"servers": {"a": "x"}}`, ServersJSON, []Server{{Name: "a"}}},
		{"toml", "[servers.a]\ncommand = \"x\"\nargs = [\"serve\"]\n", ServersTOML, []Server{{Name: "a", Command: "x", Args: []string{"serve"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.read([]byte(tt.src), []string{"servers"})
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
	for _, broken := range []string{`{"servers": }`, `[]`} {
		if got, err := ServersJSON([]byte(broken), []string{"servers"}); err == nil {
			t.Errorf("ServersJSON(%q) = %v, want an error", broken, got)
		}
	}
}

func TestSwitches(t *testing.T) {
	src := `{"enabledPlugins": {"b@x": true, "a@x": true, "c@x": false, "d@x": ["1.0"]}}`
	got, err := SwitchesJSON([]byte(src), []string{"enabledPlugins"})
	if want := []string{"a@x", "b@x"}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("SwitchesJSON() = %v, %v, want %v", got, err, want)
	}
}
