package artifacts

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
)

// TestAHundredRefusedMarksChangeNothing marks features whose checks fail, hang, hide their result or test nothing. List and
// log stay byte for byte, and the ledger gains the record of each check that ran, no more.
func TestAHundredRefusedMarksChangeNothing(t *testing.T) {
	checks := []struct {
		check, code string
		ran         bool
	}{
		{"exit 3", "check-failed", true},
		{"sleep 300 | cat", "check-timeout", true},
		{"false || true", "check-masked", false},
		{"echo 'ok  	example	0.001s [no tests to run]'; : go test ./...", "check-masked", false},
		{"node --test; exit 0", "check-masked", false},
		{"sh ./pytest", "no-tests-ran", true},
		{"no-such-program --at-all", "check-failed", true},
		{"", "evidence-required", false},
	}
	b := newBench(t)
	var features []string
	for i, c := range checks {
		text, err := json.Marshal(c.check)
		if err != nil {
			t.Fatal(err)
		}
		features = append(features, fmt.Sprintf(`{"id":"F%d","description":"thing %d can be seen","check":%s,"passes":false}`, i, i, text))
	}
	b.write("pytest", "printf 'collected 0 items\\n\\n=== no tests ran in 0.01s ===\\n'\n")
	b.write("feature_list.json", "[\n"+strings.Join(features, ",\n")+"\n]\n")
	b.write(".harness/config.json", `{"layout":"root","policy":{"check_timeout_s":4}}`)
	must[*InitializedReply](b)(b.p.Init(ctx, InitRequest{Project: "x", Type: "cli", Commit: true}))
	b.end()
	b.start()
	marks, ran := 0, 0
	for round := 0; marks < 100; round++ {
		for i, c := range checks {
			if c.code == "check-timeout" && round > 0 {
				continue // each waits for its limit
			}
			id := fmt.Sprint("F", i)
			must[*NextReply](b)(b.p.NextFeature(ctx, NextRequest{ID: id}))
			before := b.files()
			_, err := b.p.MarkPassed(ctx, id, nil)
			if r := b.refused(err, c.code); c.ran && len(r.Missing) == 0 {
				t.Errorf("%s: the refusal does not show what the check printed: %v", c.check, r)
			}
			marks++
			if !c.ran {
				b.unchanged(before)
				continue
			}
			ran++
			old := before[".harness/ledger.jsonl"]
			b.unchanged(before, ".harness/ledger.jsonl")
			added, kept := strings.CutPrefix(b.read(".harness/ledger.jsonl"), old)
			var record ledger.Record
			if err := json.Unmarshal([]byte(added), &record); !kept || err != nil || record.Kind != ledger.Attempt || record.ID != id || record.Code != c.code {
				t.Fatalf("%s: the ledger gained %q, %v", id, added, err)
			}
		}
	}
	st := must[*StatusReply](b)(b.p.Status(ctx, false))
	if st.Counts.Passed != 0 || len(st.Tampered) > 0 {
		t.Errorf("after %d marks, %d of them run: %+v", marks, ran, st)
	}
}
