package progress

import (
	"bytes"
	"testing"
)

// TestTitleAloneTellsNoOrder holds a log that somebody else keeps newest first under the title that the board has too.
func TestTitleAloneTellsNoOrder(t *testing.T) {
	log := []byte("# Progress\n\n## Session 9 | 2026-01-09 10:00 +00:00 | session-009\n**Focus**: nine\n\n## Session 8 | 2026-01-08 10:00 +00:00 | session-008\n**Focus**: eight\n")
	if _, id, _ := Last(log, 500); id != "session-009" {
		t.Errorf("Last() = %s, want session-009", id)
	}
	out := Append("root", log, Entry{Number: 10, Session: "session-010", At: "2026-01-10 10:00 +00:00", Focus: "ten"})
	if ten, nine := bytes.Index(out, []byte("Session 10")), bytes.Index(out, []byte("Session 9")); ten > nine {
		t.Errorf("the new entry stands below the newest:\n%s", out)
	}
}
