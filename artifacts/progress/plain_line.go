package progress

import (
	"bytes"
	"slices"

	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
)

// plainLine is a line of a text log that begins an entry without being marked
// up: "Session 3 - 2026-11-21", "Session 2 (2026-11-20)", "会话 3".
var plainLine = pattern.Lazy(`(?i)^(?:(?:session|sesi[oó]n|sess[aã]o|sitzung|s[eé]ance|сессия|сеанс|сесія|会话|會話|セッション|세션)` +
	`[\s_]*(?:#|№|no\.?\s|nr\.?\s)?\s*\d{1,6}|第\s*\d{1,6}\s*(?:次|个|個)?\s*(?:会话|會話|セッション))` +
	`(?:$|\s*[-–—:：|(（[,，/]|\.(?:\s|$)|\s+\d{4}[-/.年])`)

// longestLine is far more than a heading has.
const longestLine = 200

// addPlain takes such lines for the headings of a log that has no other entries
// but those that this package added. What NewLog made needs none of them.
func (b *book) addPlain() {
	if grows(b.log) || titled(b.log, topTitle) || !b.allOwn() {
		return
	}
	o := outliner{file: b.log, at: contentStart(b.log), seeksPlain: true}
	o.run()
	if len(o.plain) == 0 {
		return
	}
	for _, h := range o.plain {
		if m := markOf(h.text); m.named {
			b.entries = append(b.entries, entry{h, m})
		}
	}
	slices.SortFunc(b.entries, func(x, y entry) int { return x.start - y.start })
	b.level = 0
}

// notePlain keeps a line that begins an entry of a text log.
func (o *outliner) notePlain(line []byte, next int) {
	if len(line) <= longestLine && bytes.ContainsAny(line, "0123456789") && plainLine().Match(line) {
		o.plain = append(o.plain, heading{start: o.at, next: next, text: line})
	}
}

// appended tells a log whose own order says nothing and at whose end this
// package has gone on: it stays at that end, whatever a clock wrote meanwhile.
func (b *book) appended() bool {
	n := slices.IndexFunc(b.entries, func(e entry) bool { return e.own })
	if n < 1 || slices.ContainsFunc(b.entries[n:], func(e entry) bool { return !e.own }) {
		return false
	}
	ours := b.entries[n:]
	return endsOf(b.entries[:n]) == unsaid && ours[0].byNumber(ours[len(ours)-1].mark) != later
}

// endsOf is how the first of the entries stands to the last.
func endsOf(entries []entry) sense {
	first, last := entries[0].mark, entries[len(entries)-1].mark
	if s := first.byStamp(last); s != unsaid {
		return s
	}
	return first.byNumber(last)
}

// begins tells whether nothing stands before the first entry but a title and
// fields, as this package writes them.
func (b *book) begins() bool {
	if len(b.entries) == 0 {
		return false
	}
	for line := range bytes.Lines(bytes.TrimPrefix(b.log[:b.entries[0].start], bom)) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && !bytes.HasPrefix(line, []byte("**")) && !isRule(line) {
			return false
		}
	}
	return true
}
