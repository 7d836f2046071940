package progress

import (
	"bytes"
	"strings"
)

// Append adds an entry at the new end of the log: before the first entry of a
// log that has the newest on top, else after everything. The old bytes stay as
// they are before and after it. In a log that NewLog made for the layout root
// the entry is always a pure suffix; a log whose order can't be told is
// appended to as well, except that one of the layout claude has the newest on
// top. The log's own line ends are used.
func Append(layout string, log []byte, e Entry) []byte {
	at, text := place(layout, log, e)
	out := make([]byte, 0, len(log)+len(text))
	out = append(out, log[:at]...)
	out = append(out, text...)
	return append(out, log[at:]...)
}

func place(layout string, log []byte, e Entry) (at int, text string) {
	if grows(log) {
		return len(log), suffix(log, e.render(2), true)
	}
	if order := utf16Order(log); order != nil {
		return len(log), string(toUTF16(suffix(fromUTF16(log), e.render(2), false), order))
	}
	b := open(log)
	if b.way == unknown && layout == "claude" && b.allOwn() && b.begins() {
		b.way = newestFirst // one entry, written under another title
	}
	if b.way != newestFirst || len(b.entries) == 0 {
		return len(log), suffix(log, e.render(b.headingLevel()), b.ruled())
	}
	first := b.entries[0].start
	text = e.render(b.headingLevel()) + "\n"
	if b.ruled() {
		text += "---\n\n"
	}
	if !endsBlank(log[:first]) {
		text = "\n" + text
	}
	return first, withEnds(text, log)
}

// suffix is the entry as it goes on from the end of the log.
func suffix(log []byte, text string, ruled bool) string {
	body := bytes.TrimPrefix(log, bom)
	if len(bytes.TrimSpace(body)) == 0 {
		return withEnds(text, log)
	}
	lead := "\n"
	if ruled && !endsRuled(body) {
		lead = "\n---\n\n"
	}
	if endsBlank(body) {
		lead = strings.TrimPrefix(lead, "\n")
	}
	if last := body[len(body)-1]; last != '\n' && last != '\r' {
		lead = "\n" + lead
	}
	return withEnds(lead+text, log)
}

// headingLevel follows the entries of an adopted log.
func (b *book) headingLevel() int {
	if b.level < 1 || b.level > 4 {
		return 2
	}
	for _, e := range b.entries {
		if e.atx && e.heading.level == b.level {
			return b.level
		}
	}
	return 2
}

// ruled tells whether a rule stands between the entries.
func (b *book) ruled() bool {
	if titled(b.log, topTitle) {
		return true
	}
	return len(b.entries) > 1 && endsRuled(b.log[:b.entries[1].start])
}

func endsRuled(text []byte) bool {
	text = bytes.TrimRight(text, " \t\r\n")
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	return len(line) > 0 && line[0] == '-' && isRule(line)
}

// endsBlank tells whether a blank line, or nothing at all, comes before what follows.
func endsBlank(text []byte) bool {
	if len(text) == 0 || bytes.Equal(text, bom) {
		return true
	}
	if !bytes.HasSuffix(text, []byte("\n")) {
		return false
	}
	text = bytes.TrimRight(bytes.TrimSuffix(text, []byte("\n")), " \t\r")
	return len(text) == 0 || text[len(text)-1] == '\n' || bytes.Equal(text, bom)
}

// withEnds gives the text the line ends that the file has.
func withEnds(text string, file []byte) string {
	if end := lineEnd(file); end != "\n" {
		return strings.ReplaceAll(text, "\n", end)
	}
	return text
}

// lineEnd is the line end that most of the first lines have.
func lineEnd(file []byte) string {
	head := file[:min(len(file), 1<<16)]
	all, windows := bytes.Count(head, []byte("\n")), bytes.Count(head, []byte("\r\n"))
	switch {
	case windows*2 > all:
		return "\r\n"
	case all == 0 && bytes.Count(head, []byte("\r")) > 0:
		return "\r"
	}
	return "\n"
}
