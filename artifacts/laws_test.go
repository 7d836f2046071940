package artifacts

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
)

// lists are the small lists of this project, and those of LONGHAUL_LISTS where it names a folder.
func lists(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("../testdata/lists/*.json")
	if err != nil || len(found) == 0 {
		t.Fatalf("no lists in testdata: %v", err)
	}
	if dir := os.Getenv("LONGHAUL_LISTS"); dir != "" {
		more, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil || len(more) == 0 {
			t.Fatalf("no lists in %s: %v", dir, err)
		}
		found = append(found, more...)
	}
	return found
}

// TestAnyCallsKeepTheLaws plays random calls on every list: nothing is deleted, edited or moved, a feature passes only with
// a proof, and the file always parses.
func TestAnyCallsKeepTheLaws(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 6
	}
	for _, file := range lists(t) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := feature.Parse(raw); err != nil {
			continue // TestUnreadableListsAreLeftAlone
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			b := newBench(t)
			b.write("feature_list.json", string(raw))
			play(b, raw, rounds, rand.New(rand.NewPCG(1, uint64(len(raw)))))
		})
	}
}

func play(b *bench, raw []byte, rounds int, r *rand.Rand) {
	b.Helper()
	must[*InitializedReply](b)(b.p.Init(ctx, InitRequest{Project: "x", Type: "other", Commit: true}))
	law := newLaw(b, raw)
	var ids []string
	refresh := func() {
		ids = b.p.FeatureIDs()
		slices.Sort(ids)
	}
	refresh()
	any := func() string {
		if len(ids) == 0 {
			return "F001"
		}
		return ids[r.IntN(len(ids))]
	}
	var trace []string
	for range rounds {
		var err error
		op := r.IntN(11)
		id := any()
		switch op {
		case 0:
			_, err = b.p.SessionStart(ctx, "", false)
		case 1:
			_, err = b.p.NextFeature(ctx, NextRequest{})
		case 2:
			_, err = b.p.NextFeature(ctx, NextRequest{ID: id})
		case 3, 4:
			_, err = b.markClaimed()
		case 5:
			_, err = b.p.MarkPassed(ctx, id, []Evidence{{Observed: "it seemed to work when I looked"}})
		case 6:
			_, err = b.p.AppendProgress(ctx, Note{Notes: []string{"## Session 99\n```\n{\"passes\": true}"}, Blockers: []NoteItem{{ID: id, Note: "waits"}}})
		case 7:
			_, err = b.p.ReportRegression(ctx, id, "it broke")
		case 8:
			_, err = b.p.AddFeatures(ctx, []Incoming{{Item: feature.Item{Description: fmt.Sprintf("New thing %d can be done", r.Int()), Steps: []string{"Do it", "See it"}}}})
			refresh()
		case 9:
			_, err = b.p.SessionEnd(ctx, Note{NextSteps: []string{"more"}}, "enough")
		case 10:
			_, err = b.p.Rollback(ctx, "feature_list", "to be sure")
		}
		trace = append(trace, fmt.Sprintf("%d %s %v", op, id, err))
		b.clock = b.clock.Add(time.Minute)
		law.hold(strings.Join(trace, "\n"))
		if b.Failed() {
			return
		}
	}
}

// markClaimed marks the session's claim with evidence that counts.
func (b *bench) markClaimed() (*MarkReply, error) {
	next, err := b.p.NextFeature(ctx, NextRequest{})
	if err != nil {
		return nil, err
	}
	if next.Feature == nil {
		return nil, nil
	}
	var f *feature.Feature
	if err := b.p.read(ctx, func(v *view) error {
		f = v.list.Find(next.Feature.ID)
		return nil
	}); err != nil {
		return nil, err
	}
	if f.Check != "" {
		return b.p.MarkPassed(ctx, f.ID, nil)
	}
	var e []Evidence
	for i := range f.Steps {
		e = append(e, Evidence{Observed: fmt.Sprintf("watched number %d happen on the screen, value %d came out", i+1, i*7)})
	}
	return b.p.MarkPassed(ctx, f.ID, e)
}

// A law remembers a list by a reading of its own and holds later states against it.
type law struct {
	*bench
	first  []map[string]any
	adopts map[int]bool
}

func newLaw(b *bench, raw []byte) *law {
	l := &law{bench: b, first: objects(b.TB, raw), adopts: map[int]bool{}}
	list, err := feature.Parse(raw)
	if err != nil {
		b.Fatal(err)
	}
	for i := range list.Features {
		l.adopts[i] = list.Features[i].State == feature.Passed
	}
	return l
}

// objects are all objects of a list that look like a feature, in file order, by encoding/json.
func objects(t testing.TB, raw []byte) []map[string]any {
	t.Helper()
	list, err := feature.Parse(raw)
	if err != nil {
		t.Fatalf("the list does not parse: %v\n%s", err, raw)
	}
	if !json.Valid([]byte(strings.TrimPrefix(string(raw), "\ufeff"))) {
		t.Fatalf("the list is no JSON:\n%s", raw)
	}
	var found []map[string]any
	for i := range list.Features {
		f := list.Features[i]
		found = append(found, map[string]any{"id": f.ID, "description": f.Description, "steps": strings.Join(f.Steps, "\n"), "check": f.Check})
	}
	return found
}

var stateKeys = []string{"id", "description", "steps", "check"}

func (l *law) hold(trace string) {
	l.Helper()
	raw := []byte(l.read("feature_list.json"))
	now := objects(l.TB, raw)
	if len(now) < len(l.first) {
		l.Fatalf("%d features are left of %d after\n%s", len(now), len(l.first), trace)
	}
	for i, f := range l.first {
		for _, key := range stateKeys {
			if now[i][key] != f[key] {
				l.Fatalf("feature %d: %s is %v, was %v after\n%s", i, key, now[i][key], f[key], trace)
			}
		}
	}
	proven := l.proven()
	list, err := feature.Parse(raw)
	if err != nil {
		l.Fatal(err)
	}
	for i := range list.Features {
		f := &list.Features[i]
		if f.State == feature.Passed && f.Problem == "" && !l.adopts[i] && !proven[f.ID] {
			l.Fatalf("%s passes without a proof after\n%s", f.ID, trace)
		}
	}
}

// proven reads the ledger line by line: ids whose last word is a proof.
func (l *law) proven() map[string]bool {
	l.Helper()
	proven := map[string]bool{}
	s := bufio.NewScanner(strings.NewReader(l.read(".harness/ledger.jsonl")))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var r ledger.Record
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			l.Fatalf("ledger line %q: %v", s.Text(), err)
		}
		switch r.Kind {
		case ledger.Passed:
			proven[r.ID] = true
		case ledger.Regression:
			proven[r.ID] = false
		}
	}
	return proven
}

func TestUnreadableListsAreLeftAlone(t *testing.T) {
	found := 0
	for _, file := range lists(t) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := feature.Parse(raw); err == nil {
			continue
		}
		found++
		t.Run(filepath.Base(file), func(t *testing.T) {
			b := newBench(t)
			b.write("feature_list.json", string(raw))
			before := b.files()
			_, err := b.p.Init(ctx, InitRequest{Project: "x", Type: "other", Commit: true})
			var r *Refusal
			if r, _ = err.(*Refusal); r == nil || (r.Code != "unreadable" && r.Code != "merge-conflict") || !strings.Contains(r.What, "line") {
				t.Errorf("harness_init = %v, want unreadable with the line", err)
			}
			if _, err := b.p.Status(ctx, false); err == nil {
				t.Error("status answered")
			}
			if _, err := b.p.ListFeatures(ctx, Query{}); err == nil {
				t.Error("list_features answered")
			}
			b.unchanged(before)
		})
	}
	if found == 0 {
		t.Error("no broken list among the lists")
	}
}

// TestMarkAndRegressGiveTheBytesBack passes each feature that can pass and takes it back, on every list.
func TestMarkAndRegressGiveTheBytesBack(t *testing.T) {
	for _, file := range lists(t) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list, err := feature.Parse(raw)
		if err != nil {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			b := newBench(t)
			b.write("feature_list.json", string(raw))
			must[*InitializedReply](b)(b.p.Init(ctx, InitRequest{Project: "x", Type: "other", Commit: true}))
			done := 0
			for i := range list.Features {
				f := &list.Features[i]
				if f.State != feature.Failing || f.Problem != "" || f.Check != "" || done == 4 {
					continue
				}
				if _, err := b.p.NextFeature(ctx, NextRequest{ID: f.ID}); err != nil {
					continue // blocked by others
				}
				done++
				m := must[*MarkReply](b)(b.markClaimed())
				if m.ID != f.ID {
					t.Fatalf("marked %s, want %s", m.ID, f.ID)
				}
				if b.read("feature_list.json") == string(raw) {
					t.Errorf("%s: marking changed no byte", f.ID)
				}
				must[*RegressionReply](b)(b.p.ReportRegression(ctx, f.ID, "broke"))
				if got := b.read("feature_list.json"); got != string(raw) {
					t.Fatalf("%s: after mark and regression the list differs:\n%s", f.ID, firstDifference(got, string(raw)))
				}
			}
		})
	}
}

func firstDifference(got, want string) string {
	for i := 0; i < len(got) && i < len(want); i++ {
		if got[i] != want[i] {
			from := max(0, i-60)
			return fmt.Sprintf("got  %q\nwant %q", got[from:min(len(got), i+60)], want[from:min(len(want), i+60)])
		}
	}
	return fmt.Sprintf("lengths %d and %d", len(got), len(want))
}
