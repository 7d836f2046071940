package progress

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLastIsBounded(t *testing.T) {
	e := session(1, "2026-01-31 14:30 +01:00")
	e.Notes = []string{strings.Repeat("время 漢字 🙂 ", 500)}
	for _, layout := range []string{"claude", "root", "plan"} {
		log := Append(layout, NewLog(layout, head5), e)
		for max := range 300 {
			text, _, cut := Last(log, max)
			if len(text) > max || !utf8.ValidString(text) || !cut {
				t.Fatalf("%s: Last(%d) = %q, %v", layout, max, text, cut)
			}
			text, cut = Tail(log, max)
			if len(text) > max || !utf8.ValidString(text) || !cut {
				t.Fatalf("%s: Tail(%d) = %q, %v", layout, max, text, cut)
			}
			text, ok := Find(log, "session-001", max)
			if len(text) > max || !utf8.ValidString(text) || !ok {
				t.Fatalf("%s: Find(%d) = %q, %v", layout, max, text, ok)
			}
		}
		if text, _, cut := Last(log, 1<<20); cut || !strings.HasPrefix(text, "## Session 1 |") {
			t.Errorf("%s: Last() cut = %v", layout, cut)
		}
	}
}

func TestLastOfForeignLogs(t *testing.T) {
	tests := []struct{ name, log, text, session string }{
		{"empty", "", "", ""},
		{"no entries", "did a\ndid b\n", "did a\ndid b\n", ""},
		{"seed", "# 日志\n\n## 2025-12-05 会话 1\n- a\n\n## 2025-12-05 会话 2\n- b\n", "## 2025-12-05 会话 2\n- b", "session-002"},
		{"dated only", "## 2025-12-06\nb\n\n---\n\n## 2025-12-05\na\n", "## 2025-12-06\nb", ""},
		{"not UTF-8", "## Session 1\na\n## Session 2\n\xff\n", "## Session 2\n\uFFFD", "session-002"},
	}
	for _, test := range tests {
		text, id, cut := Last([]byte(test.log), 1000)
		if text != test.text || id != test.session || cut {
			t.Errorf("%s: Last() = %q, %q, %v, want %q, %q", test.name, text, id, cut, test.text, test.session)
		}
	}
}

func TestFind(t *testing.T) {
	log := []byte("# L\n\n## Session 1\na\n\n## Сессия 2\nb\n\n## Session 12\nc\n")
	for session, want := range map[string]string{"session-001": "## Session 1\na", "2": "## Сессия 2\nb", "session-12": "## Session 12\nc"} {
		if got, ok := Find(log, session, 1000); !ok || got != want {
			t.Errorf("Find(%q) = %q, %v, want %q", session, got, ok, want)
		}
	}
	for _, session := range []string{"session-003", "", "Session", "-1"} {
		if got, ok := Find(log, session, 1000); ok || got != "" {
			t.Errorf("Find(%q) = %q, %v, want nothing", session, got, ok)
		}
	}
}

func TestHighest(t *testing.T) {
	tests := map[string]int{
		"": 0, "# Log 2026-01-31\n": 0, "## Session 2026-01-31\n": 0, "## 2026-01-31 session\n": 0,
		"## Session 7\n## Session 3\n": 7, "## Сессия №4\n": 4, "## 会话 5\n": 5, "## 第 6 次会话\n": 6, "## 12th session\n": 12,
		"### 2026-01-31 | session-008\n": 8, "## Session #9: x\n": 9, "- Session 10\n": 0, "```\n## Session 11\n```\n": 0,
		"## Session 20260131\n": 0, "## obsession 5\n": 0, "## 3. Session handling\n": 0, "## Session 99999999999999\n": 0,
		"Session 3 - 2026-11-21\nx\n\nSession 2 (2026-11-20)\ny\n": 3, "Сессия 4 — тест\n": 4, "会话 5\n": 5, "Session 6\n": 6, "第 7 次会话\n": 7, "SESSION #8: x\n": 8,
		"Session 9 was long\n": 0, "  Session 10\n": 0, "Session 2026-01-31\n": 0, "```\nSession 11\n```\n": 0, "## Session 1\nSession 12: not a heading\n": 1,
	}
	for log, want := range tests {
		if got := Highest([]byte(log)); got != want {
			t.Errorf("Highest(%q) = %d, want %d", log, got, want)
		}
	}
}

// big is a log of about 50 MB.
func big() []byte {
	var log bytes.Buffer
	log.Write(NewLog("root", head5))
	body := strings.Repeat("- did something that takes a line of the usual length to tell\n", 200)
	for n := 1; log.Len() < 50<<20; n++ {
		fmt.Fprintf(&log, "\n---\n\n## Session %d | 2026-01-31 14:30 +01:00 | session-%03d\n\n### Completed Features\n%s", n, n, body)
	}
	return log.Bytes()
}

func BenchmarkBigLog(b *testing.B) {
	log := big()
	e := session(1, "2026-01-31 14:30 +01:00")
	b.Run("Last", func(b *testing.B) {
		for b.Loop() {
			Last(log, 4000)
		}
	})
	b.Run("Append", func(b *testing.B) {
		for b.Loop() {
			Append("root", log, e)
		}
	})
	b.Run("Append adopted", func(b *testing.B) {
		for b.Loop() {
			Append("claude", log[50:], e)
		}
	})
	b.Run("UpdateBoard", func(b *testing.B) {
		for b.Loop() {
			UpdateBoard(log, board)
		}
	})
}
