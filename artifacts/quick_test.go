package artifacts

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHandEditOfEqualSizeAndTimeIsSeen edits list, ledger and policy between two calls of one server so that neither size nor
// time of the file tells.
func TestHandEditOfEqualSizeAndTimeIsSeen(t *testing.T) {
	tests := []struct{ rel, old, text string }{
		{".claude/features.json", "F002", "F003"},
		{".claude/features.json", `"passes": false`, `"passes": true `},
		{".harness/ledger.jsonl", "session-001", "session-009"},
		{".harness/config.json", `"max_features_per_session": 1`, `"max_features_per_session": 7`},
	}
	for _, test := range tests {
		b := newBench(t)
		b.write(".harness/config.json", `{"version":1,"layout":"claude","policy":{"max_features_per_session": 1}}`)
		b.set("claude", 2)
		b.start()
		if st := must[*StatusReply](b)(b.p.Status(ctx, false)); len(st.Tampered) > 0 {
			t.Fatalf("before: %+v", st.Tampered)
		}
		file := filepath.Join(b.dir, filepath.FromSlash(test.rel))
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		b.replace(test.rel, test.old, test.text)
		if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		if now, err := os.Stat(file); err != nil || now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime()) {
			t.Fatalf("the edit of %s shows: %v %v", test.rel, now, err)
		}
		_, err = b.p.MarkPassed(ctx, "F001", []Evidence{{Step: 1, Observed: "the first thing came up on the screen"}})
		b.refused(err, "tampered")
		if st := must[*StatusReply](b)(b.p.Status(ctx, false)); len(st.Tampered) == 0 {
			t.Errorf("%s with %q for %q is not seen", test.rel, test.text, test.old)
		}
	}
}
