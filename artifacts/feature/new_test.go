package feature

import (
	"strings"
	"testing"
)

func TestNew(t *testing.T) {
	items := []Item{
		{Category: "core", Priority: "1", Description: "Say <hello> & go", Steps: []string{"Open", "Look"}},
		{Description: "Второе", Check: "go test ./...", Cwd: "x", Files: []string{"*.go"}, DependsOn: []string{"F001"}, Priority: "high"},
	}
	claude := `{
  "project": "p \"q\"",
  "type": "cli",
  "created_at": "2026-01-31T14:30:00+01:00",
  "total_features": 2,
  "completed": 0,
  "features": [
    {
      "id": "F001",
      "category": "core",
      "priority": 1,
      "description": "Say <hello> & go",
      "verification_steps": [
        "Open",
        "Look"
      ],
      "passes": false,
      "completed_at": null,
      "session_id": null
    },
    {
      "id": "F002",
      "category": "general",
      "priority": "high",
      "description": "Второе",
      "verification_steps": [],
      "check": "go test ./...",
      "cwd": "x",
      "files": [
        "*.go"
      ],
      "depends_on": [
        "F001"
      ],
      "passes": false,
      "completed_at": null,
      "session_id": null
    }
  ]
}
`
	root := `[
  {
    "id": "F001",
    "category": "core",
    "priority": 1,
    "description": "Say <hello> & go",
    "steps": [
      "Open",
      "Look"
    ],
    "passes": false
  }
]
`
	out, ids, err := New("claude", Header{Project: `p "q"`, Type: "cli", CreatedAt: at}, items)
	if err != nil || strings.Join(ids, " ") != "F001 F002" || string(out) != claude {
		t.Errorf("New(claude) = %v, %v\n%s", ids, err, out)
	}
	out, _, err = New("root", Header{}, items[:1])
	if err != nil || string(out) != root {
		t.Errorf("New(root) = %v\n%s", err, out)
	}
	if out, _, err = New("plan", Header{}, nil); err != nil || !strings.Contains(string(out), `"features": []`) {
		t.Errorf("New(plan) = %v\n%s", err, out)
	}
	if _, _, err = New("other", Header{}, nil); err == nil {
		t.Error("New(other) made a list")
	}
	if _, _, err = New("root", Header{}, []Item{{ID: "A", Description: "a"}, {ID: "A", Description: "b"}}); err == nil {
		t.Error("New() gave one id twice")
	}
	_, ids, _ = New("root", Header{}, []Item{{Description: "a"}, {ID: "F007", Description: "b"}, {Description: "c"}})
	if got, want := strings.Join(ids, " "), "F008 F007 F009"; got != want {
		t.Errorf("New() gave %s, want %s", got, want)
	}
}

func TestAppendIDs(t *testing.T) {
	tests := []struct{ name, list, want string }{
		{"F-001", `[{"id":"F-001"},{"id":"F-009"}]`, "F-010 F-011"},
		{"no padding", `[{"id":"F9"},{"id":"F10"}]`, "F11 F12"},
		{"gap", `[{"id":"F001"},{"id":"F020"},{"id":"F003"}]`, "F021 F022"},
		{"past the width", `[{"id":"F98"},{"id":"F99"}]`, "F100 F101"},
		{"ints", `[{"id":1},{"id":7}]`, "8 9"},
		{"ints as text", `[{"id":"1"},{"id":"7"}]`, "8 9"},
		{"none", `[{"name":"a"},{"name":"b"}]`, "F003 F004"},
		{"most", `[{"id":"API-1"},{"id":"API-2"},{"id":"UI-1"}]`, "API-3 API-4"},
		{"category", `[{"id":"API-1","category":"api"},{"id":"API-2","category":"api"},{"id":"UI-1","category":"new"}]`, "UI-2 UI-3"},
		{"slugs", `[{"id":"login"},{"id":"log-out"}]`, "a-thing-to-see a-thing-to-see-2"},
		{"version", `[{"id":"1.1"},{"id":"1.2"}]`, "1.3 1.4"},
		{"map", `{"F1":{"name":"n","passes":false},"F2":{"name":"m"}}`, "F3 F4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			item := Item{Category: "new", Description: "A thing to see"}
			_, ids, err := parse(t, tt.list).Append([]Item{item, item})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(ids, " "); got != tt.want {
				t.Errorf("Append() gave %s, want %s", got, tt.want)
			}
		})
	}
	if out, _, err := parse(t, `[{"id":"A"}]`).Append([]Item{{ID: "A", Description: "d"}}); err == nil {
		t.Errorf("Append() of a taken id = %s, want a refusal", out)
	}
}

func TestGraft(t *testing.T) {
	old := parse(t, "[\n  {\"id\": \"A\", \"name\": \"a\", \"passes\": false}\n]\n")
	disk := parse(t, "[\n  {\"id\": \"A\", \"name\": \"changed\", \"passes\": true},\n  {\"id\": \"B\", \"name\":  \"b\", \"passes\": true}\n]\n")
	want := "[\n  {\"id\": \"A\", \"name\": \"a\", \"passes\": false},\n  {\"id\": \"B\", \"name\":  \"b\", \"passes\": true}\n]\n"
	out, err := old.Graft(disk, []string{"B"})
	if err != nil || string(out) != want {
		t.Errorf("Graft() = %v\n%s", err, out)
	}
	if out, err := old.Graft(disk, []string{"A"}); err != nil || string(out) != string(old.Bytes()) {
		t.Errorf("Graft() of a known id = %v\n%s", err, out)
	}
}
