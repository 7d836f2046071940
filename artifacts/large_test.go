package artifacts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestManyGigabytesAreNotRead has a log, a tracked file and a new one grow to a terabyte, which no call could read.
func TestManyGigabytesAreNotRead(t *testing.T) {
	b := newBench(t)
	b.set("claude", 2)
	b.write("data.bin", "small\n")
	b.git("add", "data.bin")
	b.git("commit", "-qm", "data")
	b.start()
	for _, name := range []string{"data.bin", ".claude/progress.md", "new.bin"} {
		f, err := os.OpenFile(filepath.Join(b.dir, name), os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		err = f.Truncate(1 << 40)
		f.Close()
		if err != nil {
			t.Skip("no file of this size can be made here: ", err)
		}
	}
	b.work("F001")
	s := must[*StartReply](b)(b.p.SessionStart(ctx, "", false))
	if s.Git.Clean {
		t.Error("session_start says that nothing changed")
	}
	must[*MarkReply](b)(b.p.MarkPassed(ctx, "F001", nil))
	c := must[*CommittedReply](b)(b.p.Commit(ctx, CommitRequest{Message: "one"}))
	left := map[string]string{}
	for _, l := range c.LeftOut {
		left[l.Path] = l.Reason
	}
	for _, name := range []string{"data.bin", ".claude/progress.md", "new.bin"} {
		if !strings.HasPrefix(left[name], "file-too-large:") {
			t.Errorf("%s is left out for %q, want file-too-large", name, left[name])
		}
	}
	_, err := b.p.AppendProgress(ctx, Note{Notes: []string{"x"}})
	b.refused(err, "unreadable")
	_, err = b.p.SessionEnd(ctx, Note{}, "the log is too large")
	b.refused(err, "unreadable")
	must[*StatusReply](b)(b.p.Status(ctx, false))
}
