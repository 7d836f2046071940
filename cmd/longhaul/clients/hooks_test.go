package clients

import (
	"strings"
	"testing"
)

func mine(command string) bool { return strings.Contains(command, "longhaul hook") }

var wanted = []Hook{
	{Event: "Stop", Command: "longhaul hook stop", Seconds: 10},
	{Event: "PreToolUse", Matcher: "Bash|Edit", Command: "longhaul hook pre-tool-use", Seconds: 10},
}

// TestHooksRoundTrip puts hooks into settings as people have them, twice, and takes them out again.
func TestHooksRoundTrip(t *testing.T) {
	for name, src := range map[string]string{
		"nothing":      "",
		"empty":        "{}\n",
		"other keys":   "{\n    \"model\": \"opus\", // mine\n    \"env\": {}\n}\n",
		"other events": "{\n  \"hooks\": {\n    \"Notification\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"beep\"}]}\n    ]\n  }\n}\n",
		"same event":   "{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{ \"type\": \"command\", \"command\": \"./before-stop\" }\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t}\n}\n",
		"carriage":     "{\r\n  \"hooks\": {\r\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]\r\n  }\r\n}\r\n",
		"tight":        `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]}}`,
		"no end":       "{\"model\": \"opus\"}",
		"trailing":     "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []},\n    ],\n  },\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			once, err := SetHooks([]byte(src), wanted, mine)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range wanted {
				if n := strings.Count(string(once), quote(h.Command)); n != 1 {
					t.Errorf("%q stands there %d times:\n%s", h.Command, n, once)
				}
			}
			twice, err := SetHooks(once, wanted, mine)
			if err != nil || string(twice) != string(once) {
				t.Errorf("a second time, %v:\n%s\nwant:\n%s", err, twice, once)
			}
			back, err := DropHooks(once, mine)
			if want := src; err != nil || string(back) != want && !(src == "" && strings.TrimSpace(string(back)) == "{}") {
				t.Errorf("taken out, %v:\n%q\nwant:\n%q", err, back, want)
			}
		})
	}
}

// TestHooksKeepTheUsersChanges wants a moved binary followed and everything else of the entry left as the user has it.
func TestHooksKeepTheUsersChanges(t *testing.T) {
	src := `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/old/longhaul hook stop", "timeout": 99}, {"type": "command", "command": "x"}]}]}}`
	out, err := SetHooks([]byte(src), wanted[:1], mine)
	if want := strings.Replace(src, "/old/longhaul", "longhaul", 1); err != nil || string(out) != want {
		t.Errorf("set, %v: %s\nwant %s", err, out, want)
	}
	out, err = DropHooks([]byte(src), mine)
	if want := `{"hooks": {"Stop": [{"hooks": [ {"type": "command", "command": "x"}]}]}}`; err != nil || string(out) != want {
		t.Errorf("dropped, %v: %s\nwant %s", err, out, want)
	}
}

// TestHooksRefused wants a file that does not hold what it should refused, and nothing lost.
func TestHooksRefused(t *testing.T) {
	for _, src := range []string{`{"hooks": 1}`, `{"hooks": {"Stop": {}}}`, `{"hooks": {}, "hooks": {}}`, `{`, `[]`} {
		if out, err := SetHooks([]byte(src), wanted, mine); err == nil {
			t.Errorf("%s became %s", src, out)
		}
	}
}
