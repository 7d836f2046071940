package artifacts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
)

// wordy are n features of the size that public lists have.
func wordy(n int) []Incoming {
	var all []Incoming
	for i := 1; i <= n; i++ {
		var steps []string
		for k := 1; k <= 5; k++ {
			steps = append(steps, fmt.Sprintf("Step %d: click on the button of thing %d and wait until the table shows it", k, i))
		}
		all = append(all, Incoming{Item: feature.Item{
			Category: "functional", Priority: "2", Steps: steps, Check: fmt.Sprintf("test -f done/F%03d", i),
			Description: fmt.Sprintf("User can open thing number %d, change each of its fields and see the change after a reload of the page", i),
		}})
	}
	return all
}

// TestRepliesKeepTheirBudget plays a whole session at 200 and at 2,000 features and counts the bytes of all answers. The
// figures are the project's promise about tokens, four bytes each.
func TestRepliesKeepTheirBudget(t *testing.T) {
	for _, n := range []int{200, 2000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			b := newBench(t)
			must[*InitializedReply](b)(b.p.Init(ctx, InitRequest{Project: "demo", Type: "web-app", Features: wordy(n), Commit: true}))
			long := strings.Repeat("what was found out on the way, and why it matters. ", 40)
			must[*EndReply](b)(b.p.SessionEnd(ctx, Note{Focus: "set-up", NextSteps: []string{long, "then F001"}, Notes: []string{long}}, ""))
			total := 0
			count := func(reply any) int {
				size := jsonSize(reply)
				total += size
				return size
			}
			if size := count(b.start()); size > 2400 {
				t.Errorf("session_start takes %d bytes, the budget is 2400", size)
			}
			if size := count(must[*NextReply](b)(b.p.NextFeature(ctx, NextRequest{}))); size > 1200 {
				t.Errorf("next_feature takes %d bytes, the budget is 1200", size)
			}
			_, err := b.p.MarkPassed(ctx, "F001", nil)
			total += len(err.Error())
			b.work("F001")
			count(must[*MarkReply](b)(b.p.MarkPassed(ctx, "F001", nil)))
			count(must[*AppendReply](b)(b.p.AppendProgress(ctx, Note{Notes: []string{long}, NextSteps: []string{"F002"}})))
			count(must[*CommittedReply](b)(b.p.Commit(ctx, CommitRequest{})))
			count(must[*EndReply](b)(b.p.SessionEnd(ctx, Note{}, "")))
			if total > 8000 {
				t.Errorf("the session's answers take %d bytes, the budget is 8000", total)
			}
			t.Logf("%d features: %d bytes in all", n, total)
			if size := count(must[*ListReply](b)(b.p.ListFeatures(ctx, Query{}))); size > 10000 {
				t.Errorf("a page of list_features takes %d bytes, the budget is 10000", size)
			}
		})
	}
}

// TestStartStaysSmallWhateverTheProjectHolds gives every part of the answer more than it may show.
func TestStartStaysSmallWhateverTheProjectHolds(t *testing.T) {
	b := newBench(t)
	long := strings.Repeat("«длинный текст» ", 400)
	var steps []string
	for i := range 200 {
		steps = append(steps, fmt.Sprint(i, " ", long[:300]))
	}
	huge := []Incoming{{Item: feature.Item{Description: long, Steps: steps, Check: "test -f " + strings.Repeat("x", 3000), Category: "core"}}}
	must[*InitializedReply](b)(b.p.Init(ctx, InitRequest{Project: "demo", Type: "cli", Features: huge, Commit: true,
		InitScript: "for i in $(seq 3000); do echo a line of output number $i; done\n"}))
	must[*EndReply](b)(b.p.SessionEnd(ctx, Note{Focus: long, NextSteps: []string{long}}, ""))
	for i := range 60 {
		b.write(fmt.Sprintf("some/very/long/path/to/an/untracked/file/number%d.txt", i), "x")
	}
	s := b.start()
	if size := jsonSize(s); size > 2400 {
		t.Errorf("session_start takes %d bytes, the budget is 2400: %+v", size, s)
	}
	if s.Feature == nil || !strings.Contains(strings.Join(s.Feature.Steps, " "), "list_features") {
		t.Errorf("what was cut does not say how to read on: %+v", s.Feature)
	}
}
