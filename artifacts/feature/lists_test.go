package feature

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// listFiles returns our own lists, one for each shape, and those of the folder that
// LONGHAUL_LISTS names.
func listFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "lists", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("LONGHAUL_LISTS"); dir != "" {
		more, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	return files
}

func readList(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const at, session = "2026-01-31T14:30:00+01:00", "session-007"

func TestListsInTheWild(t *testing.T) {
	for _, name := range listFiles(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data := readList(t, name)
			l, err := Parse(data)
			if strings.HasPrefix(filepath.Base(name), "broken") {
				if err == nil {
					t.Fatal("a broken list was read")
				}
				t.Log(err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			holds(t, l, data)
		})
	}
}

// holds checks what must be true of every list.
func holds(t *testing.T, l *List, data []byte) {
	t.Helper()
	if got := string(l.Bytes()); got != string(data) {
		t.Error("Bytes() differs from what was parsed")
	}
	for i := range l.Features {
		f := &l.Features[i]
		if f.ID == "" || len(f.Steps) == 0 {
			t.Errorf("feature %d: id %q, %d steps", i, f.ID, len(f.Steps))
		}
		if f.Problem == "" {
			marks(t, l, data, f)
		}
	}
	appends(t, l, data)
	seals := l.Seals(nil)
	if changes, added := l.Compare(seals, nil); len(changes) > 0 || len(added) > 0 {
		t.Errorf("Compare() = %v, %v with its own seals", changes, added)
	}
}

// marks passes and fails a feature both ways and wants the same bytes back.
func marks(t *testing.T, l *List, data []byte, f *Feature) {
	t.Helper()
	was := l.Was(f.ID)
	switch f.State {
	case Failing:
		passed, err := l.Pass(f.ID, at, session)
		if err != nil {
			t.Fatalf("Pass(%s): %v", f.ID, err)
		}
		p, err := Parse(passed)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Find(f.ID).State; got != Passed {
			t.Errorf("after Pass(%s) the state is %v, want passed", f.ID, got)
		}
		if changes, added := p.Compare(l.Seals(nil), nil); len(changes)+len(added) > 0 {
			t.Errorf("after Pass(%s) Compare() = %v, %v", f.ID, changes, added)
		}
		back, err := p.Fail(f.ID, was)
		if err != nil {
			t.Fatalf("Fail(%s): %v", f.ID, err)
		}
		if got := string(back); got != string(data) {
			t.Errorf("Pass then Fail(%s) changed the bytes:\n%s", f.ID, firstDifference(got, string(data)))
		}
	case Passed:
		failed, err := l.Fail(f.ID, nil)
		if err != nil {
			t.Fatalf("Fail(%s): %v", f.ID, err)
		}
		p, err := Parse(failed)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Find(f.ID).State; got != Failing {
			t.Errorf("after Fail(%s) the state is %v, want failing", f.ID, got)
		}
	}
}

func firstDifference(got, want string) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	from := max(0, i-60)
	return "got  " + got[from:min(len(got), i+120)] + "\nwant " + want[from:min(len(want), i+120)]
}

// appends adds two features and checks that the old bytes are still there.
func appends(t *testing.T, l *List, data []byte) {
	t.Helper()
	items := []Item{
		{Category: "core", Priority: "2", Description: "The \"quick\" search finds Zürich", Steps: []string{"Type zur", "See Zürich"}},
		{Description: "An export to CSV keeps commas", Check: "go test ./export", DependsOn: []string{"F001"}},
	}
	out, ids, err := l.Append(items)
	if err != nil {
		t.Fatalf("Append(): %v", err)
	}
	a, err := Parse(out)
	if err != nil {
		t.Fatal(err)
	}
	changes, added := a.Compare(l.Seals(nil), nil)
	if len(changes) > 0 || len(added) != 2 || added[0] != ids[0] || added[1] != ids[1] {
		t.Errorf("after Append() = %v: Compare() = %v, %v", ids, changes, added)
	}
	f := a.Features[len(a.Features)-2]
	if f.Description != items[0].Description || strings.Join(f.Steps, "|") != "Type zur|See Zürich" || f.State != Failing {
		t.Errorf("appended feature reads as %+v", f)
	}
	if g := a.Features[len(a.Features)-1]; g.Check != items[1].Check {
		t.Errorf("appended feature reads as %+v", g)
	}
	if !withoutInsertion(string(out), string(data)) {
		t.Error("Append() changed old bytes")
	}
	if testing.Verbose() {
		from := a.nodes[a.records[len(a.records)-2].object].start
		t.Logf("ids %v\n%s", ids, out[max(0, int(from)-200):])
	}
}

// withoutInsertion reports that long is short with one insertion, but for counters.
func withoutInsertion(long, short string) bool {
	digits := func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}
	long, short = strings.Map(digits, long), strings.Map(digits, short)
	i := 0
	for i < len(short) && long[i] == short[i] {
		i++
	}
	rest := strings.TrimLeft(short[i:], " \t\r\n")
	return strings.HasSuffix(long, rest)
}
