package progress

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
)

// Board is the truth that the four sections of progress.md show.
type Board struct {
	Completed  []string
	InProgress []string
	Blocked    []string
	Next       []string
}

// ownLine is an item that UpdateBoard wrote: it ends with a comment that holds
// a hash of its text. A line that somebody has changed since has another hash,
// and is theirs from then on.
var ownLine = pattern.Lazy(`^(?:- (?:\[[ xX]\] )?|\* (?:\[[ xX]\] )?|\d+\. )(.*) <!-- lh:([0-9a-f]{8}) -->$`)

func signed(text string) string {
	return text + " <!-- lh:" + signature(text) + " -->"
}

func signature(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

func owned(line []byte) bool {
	if !bytes.HasSuffix(line, []byte("-->")) {
		return false
	}
	m := ownLine().FindSubmatch(line)
	return m != nil && signature(string(m[1])) == string(m[2])
}

// UpdateBoard brings the four sections of the file in line with the board.
// Sections are known by their English, Chinese and Russian names and keep their
// headings. Only lines that an earlier call wrote, and nobody changed since, are
// replaced; every other byte stays, in its order. A section that is missing is
// added in the language of the file when the board has something for it, and
// all four below the title when there are none.
func UpdateBoard(log []byte, b Board) []byte {
	end := lineEnd(log)
	if utf16Order(log) != nil || end == "\r" {
		return log // its lines can't be told apart here, so nothing is added either
	}
	places, level, lang := sections(log)
	lists := [4][]string{b.Completed, b.InProgress, b.Blocked, b.Next}
	var edits []edit
	for kind, place := range places {
		if place != nil {
			edits = append(edits, rewrite(log, *place, kind, lists[kind])...)
		}
	}
	edits = append(edits, newSections(log, places, level, lang, lists)...)
	return apply(log, edits, end)
}

// body is what stands in a section: after its heading, up to the next heading.
type body struct{ from, to int }

// sections finds the first heading of each name that is not part of an entry.
func sections(log []byte) (places [4]*body, level int, lang language) {
	heads := outline(log)
	lang, level = languageOf(log), 2
	within := 0 // level of the entry that headings belong to, 0 none
	seen := false
	for i, h := range heads {
		if within > 0 && h.level > within {
			continue
		}
		within = 0
		text := string(h.text)
		if m := markOf(h.text); m.named || m.day != 0 && !m.state {
			within = h.level
			continue
		}
		kind, named := sectionOf(text)
		if kind < 0 || places[kind] != nil {
			continue
		}
		p := body{from: h.next, to: len(log)}
		if i+1 < len(heads) {
			p.to = heads[i+1].start
		}
		places[kind] = &p
		if !seen {
			seen, level, lang = true, h.level, named
		}
	}
	return places, level, lang
}

// edit takes out log[from:to] and puts the text there.
type edit struct {
	from, to int
	text     string
}

// rewrite takes out the section's own lines and puts the new ones where they
// were, or after the last thing that stands in the section.
func rewrite(log []byte, p body, kind int, list []string) []edit {
	var edits []edit
	at, items := -1, 0
	kept := map[string]bool{}
	filled, ruled := p.from, false
	for pos := p.from; pos < p.to; {
		line, next := lineAt(log[:p.to], pos)
		switch {
		case owned(line):
			if at < 0 {
				at = pos
			}
			edits = append(edits, edit{from: pos, to: next})
		case ruled || len(line) == 0:
		case isRule(line):
			ruled = true // what follows is set apart from the section
		default:
			if at < 0 && numbered().Match(line) {
				items++
			}
			kept[said(string(line))] = true
			filled = next
		}
		pos = next
	}
	if at < 0 {
		at = filled
	}
	text := boardLines(kind, missing(list, kept), items+1)
	if text != "" && at > 0 && log[at-1] != '\n' && !bytes.Equal(log[:at], bom) {
		text = "\n" + strings.TrimSuffix(text, "\n")
	}
	return append([]edit{{from: at, to: at, text: text}}, edits...)
}

// said is the text of a list item, without marker and box.
func said(line string) string {
	if m := listItem().FindStringSubmatch(line); m != nil {
		return strings.TrimSpace(m[3])
	}
	return strings.TrimSpace(line)
}

// missing drops what the section says already in somebody's own words.
func missing(list []string, kept map[string]bool) []string {
	var out []string
	for _, text := range texts(list) {
		text = escaped(inline(text))
		_, after, found := strings.Cut(text, ": ")
		if text != "" && !kept[text] && !(found && kept[after]) {
			out = append(out, text)
		}
	}
	return out
}

func boardLines(kind int, list []string, first int) string {
	var out strings.Builder
	for i, text := range list {
		marker := [4]string{"- [x] ", "- [ ] ", "- ", fmt.Sprintf("%d. ", first+i)}[kind]
		out.WriteString(marker + signed(text) + "\n")
	}
	return out.String()
}

// newSections writes the sections that the file does not have yet.
func newSections(log []byte, places [4]*body, level int, lang language, lists [4][]string) []edit {
	last := -1
	for _, p := range places {
		if p != nil {
			last = max(last, p.to)
		}
	}
	all := last < 0
	var out strings.Builder
	for kind, p := range places {
		if p != nil || !all && len(texts(lists[kind])) == 0 {
			continue
		}
		out.WriteString(strings.Repeat("#", level) + " " + lang.names[kind] + "\n")
		out.WriteString(boardLines(kind, missing(lists[kind], nil), 1) + "\n")
	}
	if out.Len() == 0 {
		return nil
	}
	text := out.String()
	if all {
		if last = belowTitle(log); notesAt(log, last) {
			text += "---\n\n" // or they would read as part of the last section
		}
	}
	if !endsBlank(log[:last]) {
		text = "\n" + text
	}
	if last > 0 && log[last-1] != '\n' && !bytes.Equal(log[:last], bom) {
		text = "\n" + text
	}
	if last == len(log) {
		text = strings.TrimSuffix(text, "\n")
	}
	return []edit{{from: last, to: last, text: text}}
}

// belowTitle is the offset after the title and the lines that stand under it.
func belowTitle(log []byte) int {
	start := contentStart(log)
	heads := outline(log)
	if len(heads) == 0 || heads[0].level != 1 || len(bytes.TrimSpace(log[start:heads[0].start])) > 0 ||
		markOf(heads[0].text).named {
		return start
	}
	at := heads[0].next
	stop := len(log)
	if len(heads) > 1 {
		stop = heads[1].start
	}
	for at < stop {
		line, next := lineAt(log, at)
		at = next
		if len(line) == 0 {
			break
		}
	}
	return at
}

func sortEdits(edits []edit) {
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(a.from-b.from, a.to-b.to)
	})
}

// notesAt tells whether text follows that has no heading of its own.
func notesAt(log []byte, at int) bool {
	first := len(log) - len(bytes.TrimLeft(log[at:], " \t\r\n"))
	starts := func(h heading) bool { return h.start == first }
	return first < len(log) && !slices.ContainsFunc(outline(log), starts)
}

// apply carries out edits of which only insertions may meet at one offset.
func apply(log []byte, edits []edit, end string) []byte {
	sortEdits(edits)
	size := len(log)
	for _, e := range edits {
		size += 2 * len(e.text) // a line end may become two bytes
	}
	out := make([]byte, 0, size)
	at := 0
	for _, e := range edits {
		out = append(out, log[at:e.from]...)
		if e.text != "" {
			out = append(out, strings.ReplaceAll(e.text, "\n", end)...)
		}
		at = e.to
	}
	return append(out, log[at:]...)
}
