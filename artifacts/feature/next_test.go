package feature

import (
	"fmt"
	"strings"
	"testing"
)

const work = `[
  {"id": "A", "category": "core", "priority": 2, "description": "Log in with a passkey", "passes": true},
  {"id": "B", "category": "core", "priority": 2, "description": "Log out everywhere", "passes": false, "depends_on": ["A", "a good library"]},
  {"id": "C", "category": "style", "priority": "high", "description": "Dark mode", "passes": false},
  {"id": "D", "category": "style", "priority": "P0", "description": "Dark charts", "passes": false, "depends_on": ["C"]},
  {"id": "E", "description": "Print", "passes": false},
  {"id": "G", "priority": 0, "description": "One", "passes": false, "depends_on": ["H"]},
  {"id": "H", "priority": 0, "description": "Other", "passes": false, "depends_on": ["G"]},
  {"id": "I", "priority": 0, "description": "Old", "status": "deprecated"},
  {"id": "J", "priority": 0, "description": "New", "passes": false, "depends_on": ["I"]},
  {"id": "K", "priority": 0, "description": "Strange", "passes": 1},
  {"id": "L", "priority": 0, "description": "Twin", "passes": false},
  {"id": "L", "priority": 0, "description": "Twin", "passes": false}
]`

func TestNext(t *testing.T) {
	tests := []struct {
		name string
		s    Situation
		want string
	}{
		{"priority", Situation{}, "J"},
		{"held", Situation{Held: map[string]bool{"J": true}}, "C"},
		{"parked", Situation{Parked: map[string]string{"J": "waits"}, Held: map[string]bool{"C": true}}, "B"},
		{"missing priority last", Situation{Parked: map[string]string{"J": "", "B": "", "C": ""}}, "E"},
		{"regressed", Situation{Regressed: map[string]bool{"E": true}}, "E"},
		{"focus", Situation{Focus: "LOG out"}, "B"},
		{"focus on a category", Situation{Focus: "style"}, "C"},
		{"focus on one word of two", Situation{Focus: "print elephants"}, "E"},
		{"focus on nothing", Situation{Focus: "elephants"}, "J"},
		{"none", Situation{Held: map[string]bool{"J": true, "C": true, "B": true, "E": true}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := parse(t, work)
			f, blocked := l.Next(tt.s)
			got := ""
			if f != nil {
				got = f.ID
			}
			if got != tt.want {
				t.Errorf("Next() = %q, want %q", got, tt.want)
			}
			if tt.want == "" && len(blocked) != 10 {
				t.Errorf("blocked = %v, want every failing feature", blocked)
			}
		})
	}
}

func TestBlocked(t *testing.T) {
	l := parse(t, work)
	parked := Situation{Parked: map[string]string{"E": "no printer"}}
	for id, want := range map[string]string{
		"B": "", "C": "", "D": "waits for C", "E": "parked: no printer", "G": "dependency cycle: G -> H -> G", "J": "",
		"K": "bad-passes", "L": "duplicate-id: L is there twice, on line 12 and on line 13",
	} {
		if got := l.Blocked(id, parked); got != want && (want == "" || !strings.HasPrefix(got, want)) {
			t.Errorf("Blocked(%s) = %q, want %q", id, got, want)
		}
	}
	if got, want := l.Counts(parked), (Counts{Total: 12, Passed: 1, Failing: 10, Blocked: 7, Retired: 1}); got != want {
		t.Errorf("Counts() = %+v, want %+v", got, want)
	}
	warnings := strings.Join(l.Warnings(), "\n")
	for _, want := range []string{"bad-passes: K", "duplicate-id: L", "B depends on unknown a good library", "dependency cycle: G -> H -> G"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("Warnings() lacks %q:\n%s", want, warnings)
		}
	}
}

func TestMatches(t *testing.T) {
	l := parse(t, work)
	for _, tt := range []struct {
		id, focus string
		want      bool
	}{
		{"C", "STYLE", true}, {"E", "print elephants", true}, {"E", "elephants", false}, {"B", "log OUT", true}, {"E", " ", true}, {"none", "", false},
	} {
		if got := l.Matches(tt.id, tt.focus); got != tt.want {
			t.Errorf("Matches(%s, %q) = %v, want %v", tt.id, tt.focus, got, tt.want)
		}
	}
}

func TestWarningsNameWhatSaysNothing(t *testing.T) {
	l := parse(t, `[{"id":"F1","passes":false},{"id":"F2","title":"t"},{"id":"F3","steps":["s"]},{"id":"F4","description":" ","steps":[""]},{"id":"F5","status":"retired"}]`)
	if got, want := strings.Join(l.Warnings(), "\n"), "F1 has no description\nF4 has no description"; got != want {
		t.Errorf("Warnings() = %s, want %s", got, want)
	}
	many := parse(t, "["+strings.Repeat("{},", 99)+"{}]").Warnings()
	if len(many) != 11 || many[10] != "90 more features have no description" {
		t.Errorf("Warnings() = %q, want ten named and the rest counted", many)
	}
}

func TestLongChain(t *testing.T) {
	var parts []string
	const n = 20000
	for i := range n {
		parts = append(parts, fmt.Sprintf(`{"id":%d,"name":"n","depends_on":[%d,0]}`, i, (i+1)%n))
	}
	l := parse(t, "["+strings.Join(parts, ",")+"]")
	if f, blocked := l.Next(Situation{}); f != nil || len(blocked) != n {
		t.Errorf("Next() = %v, %d blocked, want none and all", f, len(blocked))
	}
	if got := len(l.Warnings()); got == 0 || got > 3 {
		t.Errorf("%d warnings, want the one cycle named", got)
	}
}

func TestNearest(t *testing.T) {
	l := parse(t, `[{"id":"F001"},{"id":"F002"},{"id":"F010"},{"id":"login-page"},{"id":"logout"}]`)
	for id, want := range map[string]string{"F1": "F001", "f-002": "F002", "login": "logout", "loginpage": "login-page", "10": "F010"} {
		if got := l.Nearest(id); len(got) != 3 || got[0] != want {
			t.Errorf("Nearest(%q) = %v, want %s first", id, got, want)
		}
	}
}
