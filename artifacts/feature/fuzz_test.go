package feature

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/tidwall/gjson"
)

func seedLists(f *testing.F, add func(data []byte)) {
	for _, name := range listFiles(f) {
		if data := readList(f, name); len(data) < 20000 {
			add(data)
		}
	}
	for _, text := range []string{`[{"id":"A","passes":false}]`, `{"features":{"0":{"name":"n"}}}`, `[{}]`, `{"a":{"status":"x"}}`, `[{"features":[{}]}]`, ` [ ] `} {
		add([]byte(text))
	}
}

// FuzzScan holds the scan against two other readers of JSON.
func FuzzScan(f *testing.F) {
	seedLists(f, func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) {
		_, fault := scan(string(data), 0)
		if fault != nil && fault.cause == "nested too deep" {
			return
		}
		if got, want := fault == nil, json.Valid(data); got != want || want != gjson.ValidBytes(data) {
			t.Errorf("scan() takes %q: %v, want %v", data, got, want)
		}
	})
}

// FuzzRoundTrip passes a feature and fails it again.
func FuzzRoundTrip(f *testing.F) {
	seedLists(f, func(data []byte) { f.Add(data, uint(1)) })
	f.Fuzz(func(t *testing.T, data []byte, which uint) {
		l, err := Parse(data)
		if err != nil || len(l.Features) == 0 {
			return
		}
		g := &l.Features[which%uint(len(l.Features))]
		if g.Problem != "" || g.State != Failing {
			return
		}
		was := l.Was(g.ID)
		passed, err := l.Pass(g.ID, at, session)
		if err != nil {
			t.Fatalf("Pass(%s): %v", g.ID, err)
		}
		p, err := Parse(passed)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Find(g.ID); got == nil || got.State != Passed {
			t.Fatalf("after Pass(%s): %+v\n%s", g.ID, got, passed)
		}
		back, err := p.Fail(g.ID, was)
		if err != nil {
			t.Fatalf("Fail(%s): %v", g.ID, err)
		}
		if !bytes.Equal(back, data) {
			t.Errorf("got  %q\nvia  %q\nwant %q", back, passed, data)
		}
	})
}

// FuzzAppend adds a feature to any list and reads it back.
func FuzzAppend(f *testing.F) {
	seedLists(f, func(data []byte) { f.Add(data, "A visitor sees a map", "look \"there\"") })
	f.Fuzz(func(t *testing.T, data []byte, description, step string) {
		l, err := Parse(data)
		if err != nil || !json.Valid([]byte(quote(description, false))) {
			return
		}
		out, ids, err := l.Append([]Item{{Description: description, Steps: []string{step}, Category: "c"}})
		if err != nil {
			t.Fatalf("Append(): %v\n%s", err, data)
		}
		a, err := Parse(out)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if len(a.Features) != len(l.Features)+1 || a.Features[len(l.Features)].ID != ids[0] {
			t.Fatalf("Append() = %v, %d features after %d\n%s", ids, len(a.Features), len(l.Features), out)
		}
		if changes, added := a.Compare(l.Seals(nil), nil); len(changes) > 0 || len(added) != 1 {
			t.Errorf("Compare() = %v, %v\n%s\n%s", changes, added, data, out)
		}
	})
}

// FuzzCheck changes one spot of a list and holds Check against what
// encoding/json reads.
func FuzzCheck(f *testing.F) {
	seedLists(f, func(data []byte) { f.Add(data, uint(9), byte('1')); f.Add(data, uint(40), byte('x')) })
	f.Fuzz(func(t *testing.T, data []byte, spot uint, with byte) {
		l, err := Parse(data)
		if err != nil || len(data) == 0 || bytes.HasPrefix(data, []byte(bom)) {
			return
		}
		if err := Check(data, data); err != nil && !hasProblem(l) {
			t.Fatalf("Check() of a list with itself: %v\n%s", err, data)
		}
		changed := bytes.Clone(data)
		changed[spot%uint(len(changed))] = with
		if Check(data, changed) != nil {
			return
		}
		a, err := Parse(changed)
		if err != nil {
			t.Fatalf("Check() let %q pass: %v", changed, err)
		}
		for i := range l.Features {
			was, is := definitionByJSON(t, l.object(i)), definitionByJSON(t, a.object(i))
			if !reflect.DeepEqual(was, is) {
				t.Errorf("Check() let %v become %v", was, is)
			}
		}
	})
}

func hasProblem(l *List) bool {
	for i := range l.Features {
		if l.Features[i].Problem != "" {
			return true
		}
	}
	return false
}

// definitionByJSON reads a feature's definition with another reader.
func definitionByJSON(t *testing.T, object string) map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(object)))
	d.UseNumber()
	keys := map[string]any{}
	if err := d.Decode(&keys); err != nil {
		t.Fatal(err)
	}
	for key := range keys {
		if isStateKey(key) || stampKey(key) != "" {
			delete(keys, key)
		}
	}
	return keys
}
