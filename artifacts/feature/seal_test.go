package feature

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const sealed = `[
  {"id": "A", "description": "one", "steps": ["a", "b"], "passes": false},
  {"id": "B", "description": "two", "priority": 1, "passes": false},
  {"id": "C", "description": "three", "passes": true}
]`

func TestCompare(t *testing.T) {
	tests := []struct {
		name, old, new string
		changes        []Change
		added          []string
	}{
		{"state", `"two", "priority": 1, "passes": false`, `"two", "priority": 1, "passes": true`, nil, nil},
		{"white space", `["a", "b"]`, "[ \"a\",\n\"b\" ]", nil, nil},
		{"bookkeeping", `"three"`, `"three", "notes": "x", "evidence_url": 1, "completedAt": "y", "due_date": 2, "commit": "c", "assigned_to": "me"`, nil, nil},
		{"key order", `"description": "two", "priority": 1`, `"priority": 1, "description": "two"`, nil, nil},
		{"edited", `"two"`, `"2"`, []Change{{"B", "edited", "description"}}, nil},
		{"step removed", `["a", "b"]`, `["a"]`, []Change{{"A", "edited", "steps"}}, nil},
		{"key added", `"three"`, `"three", "check": "true"`, []Change{{"C", "edited", "check (added)"}}, nil},
		{"key removed", `"priority": 1, `, ``, []Change{{"B", "edited", "priority (removed)"}}, nil},
		{"deprecated", `"three"`, `"three", "deprecated": true`, []Change{{"C", "edited", "deprecated (added)"}}, nil},
		{"number spelled", `"priority": 1`, `"priority": 1.0`, []Change{{"B", "edited", "priority"}}, nil},
		{"deleted", `  {"id": "B", "description": "two", "priority": 1, "passes": false},` + "\n", ``, []Change{{"B", "deleted", ""}}, nil},
		{"renamed", `"id": "B"`, `"id": "BB"`, []Change{{"B", "deleted", ""}}, []string{"BB"}},
		{"duplicated", `"passes": true}`, `"passes": true}, {"id": "A", "description": "one", "steps": ["a", "b"]}`, []Change{{"A", "duplicated", ""}}, nil},
		{"appended", `"passes": true}`, `"passes": true}, {"id": "D", "description": "four"}`, nil, []string{"D"}},
		{"key twice", `"description": "two"`, `"description": "two", "description": "two"`, []Change{{"B", "edited", "description"}}, nil},
		{"moved", `[
  {"id": "A", "description": "one", "steps": ["a", "b"], "passes": false},
  {"id": "B", "description": "two", "priority": 1, "passes": false},`, `[
  {"id": "B", "description": "two", "priority": 1, "passes": false},
  {"id": "A", "description": "one", "steps": ["a", "b"], "passes": false},`, []Change{{"B", "moved", ""}}, nil},
	}
	seals := parse(t, sealed).Seals(nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(sealed, tt.old) {
				t.Fatal("the case changes nothing")
			}
			changes, added := parse(t, strings.Replace(sealed, tt.old, tt.new, 1)).Compare(seals, nil)
			if !reflect.DeepEqual(changes, tt.changes) || !reflect.DeepEqual(added, tt.added) {
				t.Errorf("Compare() = %v, %v, want %v, %v", changes, added, tt.changes, tt.added)
			}
		})
	}
}

func TestBookkeeping(t *testing.T) {
	l := parse(t, `[{"id":"A","x_score":1,"log":2,"description":"d"}]`)
	seals := l.Seals([]string{"x_*", "log"})
	if got := len(seals[0].Keys); got != 2 {
		t.Errorf("%d keys are sealed, want id and description", got)
	}
	changed := parse(t, `[{"id":"A","x_score":9,"description":"d"}]`)
	if changes, _ := changed.Compare(seals, []string{"x_*", "log"}); len(changes) > 0 {
		t.Errorf("Compare() = %v, want nothing", changes)
	}
	if changes, _ := changed.Compare(l.Seals(nil), nil); len(changes) != 1 {
		t.Errorf("Compare() = %v, want one change", changes)
	}
}

func TestGlob(t *testing.T) {
	tests := []struct {
		pattern, key string
		want         bool
	}{
		{"notes", "notes", true}, {"notes", "note", false}, {"*_at", "created_at", true}, {"*_at", "_att", false}, {"*date*", "update", true},
		{"a*b", "ab", true}, {"a*b", "axb", true}, {"a*b", "a", false}, {"a*a", "a", false}, {"a*b*c", "a1b2c", true}, {"*", "", true}, {"**", "x", true},
	}
	for _, tt := range tests {
		if got := glob(tt.pattern, tt.key); got != tt.want {
			t.Errorf("glob(%q, %q) = %v, want %v", tt.pattern, tt.key, got, tt.want)
		}
	}
}

// plain is a list without ids.
func plain(texts ...string) string {
	var parts []string
	for _, text := range texts {
		parts = append(parts, fmt.Sprintf(`{"category":"c","description":%q,"steps":[%q],"passes":false}`, text, "see "+text))
	}
	return "[" + strings.Join(parts, ",\n") + "]"
}

func TestAlign(t *testing.T) {
	seals := parse(t, plain("a", "b", "c", "d")).Seals(nil)
	tests := []struct {
		name, list, ids, changes string
	}{
		{"same", plain("a", "b", "c", "d"), "F001 F002 F003 F004", "[]"},
		{"deleted in the middle", plain("a", "c", "d"), "F001 F003 F004", "[{F002 deleted }]"},
		{"deleted at the start", plain("b", "c", "d"), "F002 F003 F004", "[{F001 deleted }]"},
		{"appended", plain("a", "b", "c", "d", "e"), "F001 F002 F003 F004 F005", "[]"},
		{"deleted and appended", plain("a", "b", "d", "e"), "F001 F002 F004 F005", "[{F003 deleted }]"},
		{"edited", plain("a", "x", "c", "d"), "F001 F002 F003 F004", "[{F002 edited description, steps}]"},
		{"swapped", plain("a", "c", "b", "d"), "F001 F003 F002 F004", "[{F003 moved }]"},
		{"all gone but one", plain("d"), "F004", "[{F001 deleted } {F002 deleted } {F003 deleted }]"},
		{"inserted", plain("a", "new", "b", "c", "d"), "F001 F005 F002 F003 F004", "[]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := parse(t, tt.list)
			l.Align(seals, nil)
			var ids []string
			for _, f := range l.Features {
				ids = append(ids, f.ID)
				if l.Find(f.ID) == nil {
					t.Errorf("Find(%s) = nil", f.ID)
				}
			}
			if got := strings.Join(ids, " "); got != tt.ids {
				t.Errorf("Align() gave %s, want %s", got, tt.ids)
			}
			if changes, _ := l.Compare(seals, nil); fmt.Sprint(changes) != tt.changes {
				t.Errorf("Compare() = %v, want %s", changes, tt.changes)
			}
		})
	}
}

func TestPositions(t *testing.T) {
	l := parse(t, `[{"name":"a"},{"id":"F003","name":"b"},{"id":"","name":"c"},{"id":null,"name":"d"},{"id":"F001","name":"e"}]`)
	var ids []string
	for _, f := range l.Features {
		ids = append(ids, f.ID)
	}
	if got, want := strings.Join(ids, " "), "F002 F003 F004 F005 F001"; got != want {
		t.Errorf("ids are %s, want %s", got, want)
	}
}
