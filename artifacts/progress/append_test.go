package progress

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

var head5 = Header{Project: "claude-clone", Type: "web-app", Stack: "Next.js", Started: "2025-12-02"}

func session(number int, at string) Entry {
	ids := []string{"session-000", "session-001", "session-002", "session-003", "session-004", "session-005", "session-006", "session-007"}
	return Entry{Number: number, At: at, Session: ids[number], Focus: "Dark mode"}
}

func TestEntry(t *testing.T) {
	e := Entry{
		Number: 5, At: "2025-12-02 14:30 +01:00", Session: "session-005",
		Focus: "Dark mode", Duration: "~45 min",
		Completed:  []string{"F012: Dark mode toggle button", "F013: Theme persistence"},
		InProgress: []string{"F014: System theme (80% done)"},
		Decisions:  []string{"CSS variables\nfor theming"},
		NextSteps:  []string{"Complete F014", "Start F015"},
		Commits:    []string{"a3f2b1c feat: add toggle"},
	}
	want := `# Project Progress Log

## Project: claude-clone
**Type**: web-app
**Stack**: Next.js
**Started**: 2025-12-02

---

## Session 5 | 2025-12-02 14:30 +01:00 | session-005
**Focus**: Dark mode
**Duration**: ~45 min

### Completed Features
- ✅ F012: Dark mode toggle button
- ✅ F013: Theme persistence

### In Progress
- F014: System theme (80% done)

### Blockers
- None

### Technical Decisions
- CSS variables
  for theming

### Next Session Should
1. Complete F014
2. Start F015

### Git Commits This Session
- ` + "`a3f2b1c`" + ` feat: add toggle
`
	if got := string(Append("claude", NewLog("claude", head5), e)); got != want {
		t.Errorf("Append() = %s\nwant %s", got, want)
	}
}

func TestOwnOrder(t *testing.T) {
	stamps := []string{"2026-01-31 14:30 +01:00", "2026-01-31 14:30 +01:00", "2026-01-30 09:00 +01:00", "2026-02-02 10:00 +01:00"}
	for layout, want := range map[string]string{
		"claude": "session-004 session-003 session-002 session-001",
		"root":   "session-001 session-002 session-003 session-004",
		"plan":   "session-001 session-002 session-003 session-004",
	} {
		log := NewLog(layout, head5)
		for i, at := range stamps {
			next := Append(layout, log, session(i+1, at))
			if layout != "claude" && !bytes.HasPrefix(next, log) {
				t.Errorf("%s: entry %d is no suffix", layout, i+1)
			}
			log = next
		}
		var got []string
		for line := range strings.SplitSeq(string(log), "\n") {
			if parts := strings.Split(line, " | "); strings.HasPrefix(line, "## Session") {
				got = append(got, parts[2])
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: order = %v, want %s", layout, got, want)
		}
		ids := strings.Join(Sessions(log), " ")
		if ids != "session-004 session-003 session-002 session-001" {
			t.Errorf("%s: Sessions() = %s, want the newest first", layout, ids)
		}
		if got := Highest(log); got != 4 {
			t.Errorf("%s: Highest() = %d, want 4", layout, got)
		}
		if _, id, _ := Last(log, 1000); id != "session-004" {
			t.Errorf("%s: Last() is %s, want session-004", layout, id)
		}
	}
}

func TestOwnLogUnderAnotherTitle(t *testing.T) {
	log := Append("claude", NewLog("claude", head5), session(1, "2026-01-30 14:30 +01:00"))
	log = bytes.Replace(log, []byte(topTitle), []byte("Shop: the log"), 1)
	log = Append("claude", log, session(2, "2026-01-31 14:30 +01:00"))
	if bytes.Index(log, []byte("## Session 2")) > bytes.Index(log, []byte("## Session 1")) {
		t.Errorf("the newest is not on top: %s", log)
	}
}

func TestProjectNamesSayNothing(t *testing.T) {
	for _, name := range []string{"Session 9", "x 2031-01-01", "C#", "## Session 8 | x | session-008"} {
		for _, layout := range []string{"claude", "root", "plan"} {
			log := NewLog(layout, Header{Project: name, Type: "cli"})
			if got := Highest(log); got != 0 {
				t.Errorf("%s, %q: Highest() = %d, want 0", layout, name, got)
			}
			log = Append(layout, log, session(1, "2026-01-30 14:30 +01:00"))
			log = Append(layout, log, session(2, "2026-01-31 14:30 +01:00"))
			if got := strings.Join(Sessions(log), " "); got != "session-002 session-001" {
				t.Errorf("%s, %q: Sessions() = %s", layout, name, got)
			}
		}
	}
}

func TestContinued(t *testing.T) {
	log := Append("claude", NewLog("claude", head5), session(1, "2026-01-31 14:30 +01:00"))
	again := session(1, "2026-01-31 14:30 +01:00")
	again.Continued, again.Focus = true, "second part"
	log = Append("claude", log, again)
	third := session(1, "2026-01-31 14:30 +01:00")
	third.Continued, third.Focus = true, "third part"
	log = Append("claude", log, third)
	text, id, _ := Last(log, 4000)
	if !strings.HasPrefix(text, "## Session 1 (continued) | 2026-01-31 14:30 +01:00 | session-001\n") || !strings.Contains(text, "third part") {
		t.Errorf("Last() = %s", text)
	}
	if id != "session-001" {
		t.Errorf("Last() session = %q", id)
	}
	all, ok := Find(log, "session-001", 4000)
	if !ok || strings.Count(all, "## Session 1") != 3 {
		t.Errorf("Find() = %v, %s, want all three entries", ok, all)
	}
}

// The new entry is written as @ here.
func TestAdoptedOrder(t *testing.T) {
	tests := []struct{ name, want string }{
		{"numbers up", "# Log\n\n## Session 1\na\n\n## Session 2\nb\n@"},
		{"numbers down", "# Log\n\n@## Session 2\nb\n\n## Session 1\na\n"},
		{"dates up", "## 2025-12-05\na\n## 2025-12-06\nb\n@"},
		{"dates down", "@## 2025-12-06\nb\n## 2025-12-05\na\n"},
		{"chinese up", "# Claude 开发进度日志\n\n## 2025-12-05 会话 1\n- ✅ a\n\n## 2025-12-05 会话 2\n- b\n\n## 待解决问题\n- [ ] c\n@"},
		{"chinese down", "# 日志\n\n@## 第 3 次会话\nc\n\n## 第 2 次会话\nb\n"},
		{"russian up", "## Сессия 2\na\n\n## Сессия 3\nb\n@"},
		{"russian down", "# Журнал\n\n@## Сессия 3 (05.12.2025)\nb\n\n## Сессия 2 (04.12.2025)\na\n"},
		{"dash down", "@## Session 5 — polish\nx\n\n## Session 4 — start\ny\n"},
		{"month names", "# L\n\n@### January 3, 2026\nx\n\n### Dec 28, 2025\ny\n"},
		{"day first", "# L\n\n## 28 December 2025\nx\n\n## 3 Jan 2026\ny\n@"},
		{"current state on top, down", "# Progress\n\n## Current State (2026-02-10)\nall fine\n\n@## Session 9 - 2026-02-09\nx\n\n## Session 8 - 2026-02-08\ny\n"},
		{"current state on top, up", "# Progress\n\n## Current Status (updated 2026-02-10)\nfine\n\n## 2026-02-01\nx\n\n## 2026-02-09\ny\n@"},
		{"underlined", "Log\n===\n\n@Session 4\n---------\nx\n\nSession 3\n---------\ny\n"},
		{"boxed", "@==========\nSESSION 4\n==========\nx\n\n==========\nSESSION 3\n==========\ny\n"},
		{"between rules", "@=== Session 4 ===\nx\n\n=== Session 3 ===\ny\n"},
		{"fenced example", "# L\n\n```\n## Session 99\n```\n\n## Session 1\na\n\n## Session 2\nb\n@"},
		{"commented template", "# L\n\n<!--\n## Session 0\n-->\n\n@## Session 7\na\n\n## Session 6\nb\n"},
		{"front matter", "---\ntitle: x\ndate: 2026-01-01\n---\n\n@## Session 7\na\n\n## Session 6\nb\n"},
		{"fence never closed", "# L\n\n```\n@## Session 7\na\n\n## Session 6\nb\n"},
		{"numbered chapters up", "## 1. Setup\na\n## 2. Auth\nb\n@"},
		{"plain lines up", "Session 2 (2026-01-20)\ndid x\n\nSession 3 (2026-01-21)\ndid y\n@"},
		{"plain lines down", "@Session 3 - 2026-01-21\ndid y\n\nSession 2 - 2026-01-20\ndid x\n"},
		{"plain lines under a title", "# Progress\n\n@Session 3: b\ndid y\nSession 2: a\nSession 20 lines of prose\n"},
		{"plain lines, russian", "@Сессия 3 — вторая\nb\n\nСессия 2 — первая\na\n"},
		{"plain lines, chinese", "会话 2\na\n\n会话 3\nb\n@"},
		{"one plain line", "Session 3 - 2026-01-21\ndid y\n@"},
		{"plain line under headings", "# L\n\n## Session 5\nSession 9 - later\n\n## Session 6\nb\n@"},
		{"one entry", "# L\n\n## Session 3\na\n@"},
		{"same date twice", "## 2026-01-01\na\n## 2026-01-01\nb\n@"},
		{"no heading", "did this\ndid that\n@"},
		{"same day, times", "@## 2026-01-01 18:00\nb\n## 2026-01-01 09:30\na\n"},
		{"sub-headings are numbered", "@## Session 2\n### 1. a\n### 2. b\n## Session 1\n### 1. a\n### 2. b\n### 3. c\n"},
	}
	for _, test := range tests {
		before, after, _ := strings.Cut(test.want, "@")
		log := before + after
		for _, layout := range []string{"claude", "root", "plan"} {
			for _, end := range []string{"\n", "\r\n"} {
				got := string(Append(layout, []byte(strings.ReplaceAll(log, "\n", end)), session(7, "2026-03-01 10:00 +00:00")))
				first, last := strings.ReplaceAll(before, "\n", end), strings.ReplaceAll(after, "\n", end)
				if !strings.HasPrefix(got, first) || !strings.HasSuffix(got, last) || len(got) <= len(first)+len(last) ||
					!strings.Contains(got[len(first):len(got)-len(last)], "Session 7 | 2026-03-01 10:00 +00:00 | session-007") {
					t.Errorf("%s, %s: Append() = %q, want the entry after %q", test.name, layout, got, first)
				}
				if n := strings.Count(got, "\n") - strings.Count(got, "\r\n"); end == "\r\n" && n > 0 {
					t.Errorf("%s: %d lines end without the file's CR", test.name, n)
				}
				if text, id, _ := Last([]byte(got), 4000); id != "session-007" || !strings.Contains(text, "Session 7 |") {
					t.Errorf("%s, %s: Last() = %q, %q, want the new entry\n%s", test.name, layout, id, text, got)
				}
			}
		}
	}
}

func TestAppendKeepsOrderOverManySessions(t *testing.T) {
	down := []byte("# Mine\n\n### Session 2 (2026-01-02)\nb\n\n### Session 1 (2026-01-01)\na\n")
	for n := 3; n <= 6; n++ {
		down = Append("claude", down, session(n, "2026-01-0"+string(rune('0'+n))+" 10:00 +00:00"))
	}
	want := "session-006 session-005 session-004 session-003 session-002 session-001"
	if got := strings.Join(Sessions(down), " "); got != want {
		t.Errorf("Sessions() = %s, want %s\n%s", got, want, down)
	}
	if !bytes.Contains(down, []byte("\n### Session 6 | ")) {
		t.Error("the entries do not take the level of those that were there")
	}
}

func TestAppendKeepsToOneEnd(t *testing.T) {
	for _, log := range []string{
		"did this\ndid that\n", "Session 3 - 2031-01-01\na\n", "## 2031-01-01\na\n## 2031-01-01\nb\n", "# Notes\n\ntext\n", "Session 2 - 2026-01-02\na\n\nSession 3 - 2026-01-03\nb\n",
	} {
		for _, layout := range []string{"claude", "root", "plan"} {
			out := []byte(log)
			for n := 4; n <= 7; n++ {
				was := out
				out = Append(layout, out, session(n, "2026-02-0"+string(rune('0'+n))+" 10:00 +00:00"))
				if !bytes.HasPrefix(out, was) {
					t.Fatalf("%s, %q: session %d does not stand at the end: %s", layout, log, n, out)
				}
				if _, id, _ := Last(out, 4000); id != fmt.Sprintf("session-%03d", n) {
					t.Errorf("%s, %q: Last() is of %s, want session %d", layout, log, id, n)
				}
			}
		}
	}
}

func TestAppendEdges(t *testing.T) {
	e := session(1, "2026-01-31 14:30 +01:00")
	tests := []struct{ name, log, wantBefore string }{
		{"empty", "", ""},
		{"only a mark", "\ufeff", "\ufeff"},
		{"no final newline", "# Log\ntext", "# Log\ntext\n\n"},
		{"mark kept", "\ufeff# Log\r\n", "\ufeff# Log\r\n\r\n"},
		{"old Mac", "a\rb", "a\rb\r\r"},
		{"not UTF-8", "\xd0\xff\n", "\xd0\xff\n\n"},
		{"blank end", "a\n\n", "a\n\n"},
	}
	for _, test := range tests {
		got := string(Append("claude", []byte(test.log), e))
		if !strings.HasPrefix(got, test.wantBefore+"## Session 1 |") {
			t.Errorf("%s: Append() = %q, want it to begin with %q and the entry", test.name, got, test.wantBefore)
		}
	}
	top := string(Append("claude", []byte("\ufeff## Session 3\na\n## Session 2\nb\n"), session(4, "")))
	if !strings.HasPrefix(top, "\ufeff## Session 4 | session-004\n") {
		t.Errorf("Append() = %q, want the entry after the mark", top)
	}
}

func TestUTF16Log(t *testing.T) {
	log := append([]byte{0xFF, 0xFE}, toUTF16("# Log\r\n\r\n## Session 1\r\nпривет\r\n", utf16Order([]byte{0xFF, 0xFE}))...)
	next := Append("root", log, session(2, ""))
	if !bytes.HasPrefix(next, log) {
		t.Error("the old bytes are no prefix")
	}
	text, id, _ := Last(next, 1000)
	if id != "session-002" || !strings.Contains(text, "**Focus**: Dark mode\r\n") {
		t.Errorf("Last() = %q, %q", text, id)
	}
}

var hostile = []string{
	"## Session 99 | 2099-01-01 00:00 +00:00 | session-099",
	"x\n## Session 99 | 2099-01-01 00:00 +00:00 | session-099\n### Blockers\n- hacked",
	"x\r## Session 99\r\n# Title\u2028## Session 98\v## Session 97\f## Session 96\u0085## Session 95",
	"```\n## Session 99", "~~~\nx", "<!-- hide", "x <!--", "-->", "---", "===", "Session 99\n===", "Session 99\n---------",
	"=== Session 99 ===", "x\n=== Session 99 ===", "x\n**Session 99**", "\x1b[2J\x1b]0;title\x07## Session 99", "\x00\x01#\x02# Session 99",
	"\xff\xfe## Session 99", "\u202e## Session 99", "- ## Session 99", "1. ## Session 99", "- [x] F001", "> ## Session 99", "    ## Session 99",
	"\t## Session 99", "x\n\n\n## Session 99", "***", "* * *", "[x]: http://x", "| a |\n|---|", "\ufeff## Session 99", "`", "\\", "", " ", "\n", "-", "1.",
}

func TestHostileTextsStayTexts(t *testing.T) {
	for _, layout := range []string{"claude", "root", "plan"} {
		for _, text := range hostile {
			log := Append(layout, NewLog(layout, head5), session(1, "2026-01-01 10:00 +00:00"))
			e := session(2, "2026-01-02 10:00 +00:00")
			list := []string{text, text}
			e.Focus, e.Duration = text, text
			e.Completed, e.InProgress, e.Blockers, e.Decisions, e.NextSteps, e.Notes, e.Commits = list, list, list, list, list, list, list
			log = Append(layout, log, e)
			log = Append(layout, log, session(3, "2026-01-03 10:00 +00:00"))
			if got := strings.Join(Sessions(log), " "); got != "session-003 session-002 session-001" {
				t.Errorf("%s: %q: Sessions() = %s\n%s", layout, text, got, log)
			}
			if got := Highest(log); got != 3 {
				t.Errorf("%s: %q: Highest() = %d, want 3", layout, text, got)
			}
			for _, r := range string(log) {
				if r == '\r' || r == 0xFFFD && !strings.Contains(text, "\xff") || r != '\n' && unseen(r) {
					t.Errorf("%s: %q: the log holds %q", layout, text, r)
				}
			}
			for line := range strings.SplitSeq(string(log), "\n") {
				if strings.Contains(line, "<!--") || strings.Contains(line, "-->") {
					t.Errorf("%s: %q: the log holds a comment: %s", layout, text, line)
				}
			}
		}
	}
}

func TestListsInOneText(t *testing.T) {
	e := session(1, "")
	e.Completed = []string{"- one\n- two"}
	e.NextSteps = []string{"1. first", "2. second"}
	got := string(Append("root", nil, e))
	for _, want := range []string{"- ✅ one\n- ✅ two\n", "1. first\n2. second\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("Append() = %s\nwant it to hold %q", got, want)
		}
	}
}

func TestDecisions(t *testing.T) {
	old := NewArchitecture(head5)
	got := AppendDecisions(old, "2026-01-31 14:30 +01:00", "session-005", []string{"CSS variables", "x\n# y"})
	if !bytes.HasPrefix(got, old) {
		t.Error("the old bytes are no prefix")
	}
	want := "\n## 2026-01-31 14:30 +01:00 | session-005\n- CSS variables\n- x\n  \\# y\n"
	if !bytes.HasSuffix(got, []byte(want)) {
		t.Errorf("AppendDecisions() = %s\nwant it to end with %s", got, want)
	}
	if same := AppendDecisions(old, "at", "s", []string{" ", ""}); !bytes.Equal(same, old) {
		t.Error("no decisions, but bytes changed")
	}
}

func FuzzAppend(f *testing.F) {
	f.Add("# Log\n\n## Session 2\nb\n\n## Session 1\na\n", "text\n## Session 9", "claude")
	f.Add("\ufeff## 2026-01-01\r\n```\r\n", "```", "root")
	f.Add("Session 4\n---\n\nSession 3\n---\n", "\x1b[0m", "plan")
	f.Add("---\na\n---\n<!--\n## Session 3\n", "<!--", "claude")
	f.Fuzz(func(t *testing.T, log, text, layout string) {
		e := Entry{Number: 7, At: "2026-01-31 14:30 +01:00", Session: "session-007", Focus: text, Completed: []string{text}, NextSteps: []string{text, text}}
		out := Append(layout, []byte(log), e)
		at := commonPrefix(out, []byte(log))
		if !bytes.HasSuffix(out, []byte(log)[at:]) && !keeps(out, []byte(log)) {
			t.Fatalf("Append(%q) = %q: the old bytes are not around one insertion", log, out)
		}
		if utf16Order([]byte(log)) == nil && !bytes.Contains(out, []byte("Session 7 | 2026-01-31 14:30 +01:00 | session-007")) {
			t.Fatalf("Append(%q) = %q: no entry", log, out)
		}
		own := NewLog("root", head5)
		next := Append("root", Append("root", own, e), e)
		if !bytes.HasPrefix(next, own) || len(Sessions(next)) != 1 || Highest(next) != 7 {
			t.Fatalf("text %q breaks the log: %v, %q", text, Sessions(next), next)
		}
		for _, max := range []int{0, 1, 5, 100} {
			if got, _, _ := Last(out, max); len(got) > max {
				t.Fatalf("Last(%d) has %d bytes", max, len(got))
			}
			if got, _ := Tail(out, max); len(got) > max {
				t.Fatalf("Tail(%d) has %d bytes", max, len(got))
			}
		}
	})
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// keeps tells whether out is old with one insertion, wherever it is.
func keeps(out, old []byte) bool {
	for at := range len(old) + 1 {
		if bytes.HasPrefix(out, old[:at]) && bytes.HasSuffix(out, old[at:]) {
			return true
		}
	}
	return false
}
