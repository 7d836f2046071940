package progress

import (
	"bytes"
	"slices"
)

// entry is one heading that begins an entry of the log.
type entry struct {
	heading
	mark
}

// direction is which end of a log is the new one.
type direction int

const (
	unknown direction = iota
	newestFirst
	newestLast
)

// Titles of the logs that NewLog makes, for claude, root and plan.
const (
	topTitle   = "Project Progress Log"
	endTitle   = "Project Progress Log (newest last)"
	boardTitle = "Progress"
)

// book is a log with its entries told apart.
type book struct {
	log     []byte
	entries []entry
	level   int // of the headings of the entries, 0 when they do not agree on one
	way     direction
}

func open(log []byte) book {
	b := book{log: log}
	var marked []entry
	for _, h := range outline(log) {
		if m := markOf(h.text); m.number >= 0 || m.day != 0 {
			marked = append(marked, entry{h, m})
		}
	}
	b.choose(marked)
	b.addPlain()
	b.way = b.told()
	return b
}

// choose finds the headings that begin entries: those of one level that name
// sessions, else those that are dated, else those that are numbered. What
// stands below that level belongs to an entry, what is above to the file.
func (b *book) choose(marked []entry) {
	kinds := []func(entry) bool{
		func(e entry) bool { return e.named },
		func(e entry) bool { return e.day != 0 && !e.state },
		func(e entry) bool { return e.number >= 0 },
	}
	for _, least := range []int{2, 1} {
		for i, kind := range kinds {
			if least == 1 && i == len(kinds)-1 {
				return // one plain number is a chapter, not an entry
			}
			if level := shallowest(marked, kind, least); level > 0 {
				b.keep(marked, kind, level)
				if least > 1 {
					b.level = level
				}
				return
			}
		}
	}
}

func shallowest(marked []entry, kind func(entry) bool, least int) int {
	var count [7]int
	for _, e := range marked {
		if kind(e) {
			count[e.heading.level]++
		}
	}
	for level, n := range count {
		if n >= least && (least > 1 || level > 1) {
			return level
		}
	}
	return 0
}

// keep takes the headings of the kind, and those of this package's own form,
// which may stand at another level than the rest of an adopted log.
func (b *book) keep(marked []entry, kind func(entry) bool, level int) {
	for _, e := range marked {
		if e.own || kind(e) && e.heading.level == level {
			b.entries = append(b.entries, e)
		}
	}
}

// told is the direction of the log: that of its first entry against its last,
// by their stamps, else by their numbers. In a log of this package's own making
// one of the two is enough to find the newest on top, for clocks go wrong and
// sessions run side by side.
func (b *book) told() direction {
	if grows(b.log) || titled(b.log, boardTitle) && b.allOwn() && bytes.Contains(b.log, []byte("\n## In progress")) {
		return newestLast
	}
	if b.appended() && !titled(b.log, topTitle) {
		return newestLast
	}
	own := titled(b.log, topTitle)
	stamps, numbers := unsaid, unsaid
	if len(b.entries) > 0 {
		first, last := b.entries[0].mark, b.entries[len(b.entries)-1].mark
		stamps, numbers = first.byStamp(last), first.byNumber(last)
	}
	said := stamps
	if said == unsaid || own && numbers == later {
		said = numbers
	}
	switch {
	case said == later, said == unsaid && own:
		return newestFirst
	case said == sooner:
		return newestLast
	}
	return unknown
}

func (b *book) allOwn() bool {
	return !slices.ContainsFunc(b.entries, func(e entry) bool { return !e.own })
}

// grows tells a log that NewLog made for the layout root: it is appended to,
// whatever clocks have written into it.
func grows(log []byte) bool { return titled(log, endTitle) }

func titled(log []byte, title string) bool {
	line, _ := lineAt(log, len(log)-len(bytes.TrimPrefix(log, bom)))
	return string(line) == "# "+title
}

// newest is the entry that was written last.
func (b *book) newest() int {
	if b.way == newestFirst {
		return 0
	}
	return len(b.entries) - 1
}

// text is the bytes of one entry, up to the next.
func (b *book) text(i int) []byte {
	end := len(b.log)
	if i+1 < len(b.entries) {
		end = b.entries[i+1].start
	}
	text := bytes.TrimSpace(b.log[b.entries[i].start:end])
	for {
		at := bytes.LastIndexByte(text, '\n') + 1
		if at == 0 || !isRule(text[at:]) {
			return text
		}
		text = bytes.TrimSpace(text[:at])
	}
}
