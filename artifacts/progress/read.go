package progress

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Last returns the newest entry and the session it is of, "" when it does not
// say. Of an entry longer than max bytes the beginning is returned, in whole
// characters. A log in which no entry can be told gives its tail.
func Last(log []byte, max int) (text, session string, cut bool) {
	b := open(fromUTF16(log))
	if len(b.entries) == 0 {
		text, cut = b.tail(max)
		return text, "", cut
	}
	newest := b.newest()
	text, cut = head(b.text(newest), max)
	return text, b.entries[newest].id, cut
}

// Find returns all entries of a session as they stand, at most max bytes of
// them. The session is named by its id or its number.
func Find(log []byte, session string, max int) (text string, ok bool) {
	b := open(fromUTF16(log))
	number, err := strconv.Atoi(strings.TrimPrefix(session, "session-"))
	var found []byte
	for i, e := range b.entries {
		if e.id != session && (err != nil || !e.named || e.number != number) {
			continue
		}
		if ok {
			found = append(found, "\n\n"...)
		}
		ok = true
		if len(found) <= max {
			found = append(found, b.text(i)...)
		}
	}
	text, _ = head(found, max)
	return text, ok
}

// Tail returns at most max bytes of the new end of the log, in whole
// characters and where possible whole lines: its beginning when the newest
// entry is on top.
func Tail(log []byte, max int) (text string, cut bool) {
	b := open(fromUTF16(log))
	return b.tail(max)
}

func (b *book) tail(max int) (text string, cut bool) {
	log := bytes.TrimPrefix(b.log, bom)
	if b.way == newestFirst {
		return head(log, max)
	}
	return foot(log, max)
}

// Highest returns the highest session number that a heading names, 0 when none does.
func Highest(log []byte) int {
	log = fromUTF16(log)
	highest := 0
	for _, h := range outline(log) {
		if m := markOf(h.text); m.named {
			highest = max(highest, m.number)
		}
	}
	for _, e := range open(log).entries {
		if e.named {
			highest = max(highest, e.number)
		}
	}
	return highest
}

// Sessions returns the ids of the sessions that have an entry, newest first.
func Sessions(log []byte) []string {
	b := open(fromUTF16(log))
	if b.way != newestFirst {
		slices.Reverse(b.entries)
	}
	var ids []string
	seen := map[string]bool{}
	for _, e := range b.entries {
		if e.id != "" && !seen[e.id] {
			seen[e.id] = true
			ids = append(ids, e.id)
		}
	}
	return ids
}

// head is the beginning of a text, valid UTF-8, at most max bytes.
func head(text []byte, max int) (string, bool) {
	if len(text) <= max && utf8.Valid(text) {
		return string(text), false
	}
	kept := strings.ToValidUTF8(string(text[:upTo(text, max)]), "\uFFFD")
	if len(kept) <= max && len(text) <= max {
		return kept, false
	}
	end := upTo([]byte(kept), max)
	if line := strings.LastIndexByte(kept[:end], '\n'); line > end*3/4 {
		end = line
	}
	return kept[:end], true
}

// upTo is the offset of the last character that begins within max bytes.
func upTo(text []byte, max int) int {
	if max <= 0 {
		return 0
	}
	if len(text) <= max {
		return len(text)
	}
	at := max
	for n := 0; at > 0 && n < utf8.UTFMax && !utf8.RuneStart(text[at]); n++ {
		at--
	}
	return at
}

// foot is the end of a text, valid UTF-8, at most max bytes.
func foot(text []byte, max int) (string, bool) {
	if len(text) <= max && utf8.Valid(text) {
		return string(text), false
	}
	kept := strings.ToValidUTF8(string(text[from(text, max):]), "\uFFFD")
	if len(kept) <= max && len(text) <= max {
		return kept, false
	}
	kept = kept[from([]byte(kept), max):]
	if line := strings.IndexByte(kept, '\n'); line >= 0 && line < len(kept)/4 {
		kept = kept[line+1:]
	}
	return kept, true
}

// from is the offset of the first character that lies within the last max bytes.
func from(text []byte, max int) int {
	if max <= 0 {
		return len(text)
	}
	at := len(text) - max
	if at <= 0 {
		return 0
	}
	for n := 0; at < len(text) && n < utf8.UTFMax && !utf8.RuneStart(text[at]); n++ {
		at++
	}
	return at
}
