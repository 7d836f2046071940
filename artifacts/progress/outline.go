package progress

import "bytes"

var bom = []byte("\xef\xbb\xbf")

// heading is one heading of a file: # to ######, underlined with = or -, a line
// between rules ("=== Session 3 ==="), or a line all in bold.
type heading struct {
	start int // of its line, or of the rule drawn above it
	next  int // after its line, or after the rule drawn below it
	level int
	atx   bool
	text  []byte
}

// outline lists the headings of a file in one pass. What stands in fenced code,
// in a block comment or in front matter is no heading; a fence or a comment
// that is never closed does not hide the rest of the file.
func outline(file []byte) []heading {
	o := outliner{file: file, at: contentStart(file)}
	o.run()
	return o.found
}

func (o *outliner) run() {
	o.forget()
	for o.at < len(o.file) {
		line, next := lineAt(o.file, o.at)
		o.line(line, next)
		o.at = next
	}
}

// outliner is the state between two lines.
type outliner struct {
	file  []byte
	at    int
	found []heading

	seeksPlain bool
	plain      []heading // lines without markup that begin an entry

	fence      byte // ` or ~ inside a fence, ! inside a comment, 0 outside
	fenceWidth int
	hidden     []heading // found since it was opened

	paragraph bool // the line before was text
	textStart int  // of that line when it was all of the paragraph, -1 none
	text      []byte
	ruleStart int // of a rule right before, or right before that line, -1 none
}

// lineAt returns the line at the offset without its end, and the offset of the next one.
func lineAt(file []byte, at int) (line []byte, next int) {
	next = len(file)
	if n := bytes.IndexByte(file[at:], '\n'); n >= 0 {
		next = at + n + 1
	}
	end := next
	for end > at && blank(file[end-1]) {
		end--
	}
	return file[at:end], next
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// contentStart is the offset after a byte order mark and front matter.
func contentStart(file []byte) int {
	start := len(file) - len(bytes.TrimPrefix(file, bom))
	first, at := lineAt(file, start)
	if string(first) != "---" {
		return start
	}
	for n := 0; at < len(file) && n < 200; n++ {
		line, next := lineAt(file, at)
		if len(line) == 0 {
			break
		}
		if string(line) == "---" {
			return next
		}
		at = next
	}
	return start
}

func (o *outliner) line(line []byte, next int) {
	rest := bytes.TrimLeft(line, " ")
	indent := len(line) - len(rest)
	if o.fence != 0 {
		o.inside(rest, indent, next)
		return
	}
	if len(rest) == 0 || indent > 3 {
		o.forget()
		return
	}
	if fence, width := opens(rest); fence != 0 {
		o.fence, o.fenceWidth, o.hidden = fence, width, nil
		o.forget()
		return
	}
	if h, ok := o.headingAt(rest, indent, next); ok {
		o.found = append(o.found, h)
		o.forget()
		return
	}
	if o.seeksPlain && indent == 0 {
		o.notePlain(rest, next)
	}
	o.remember(rest, indent)
}

// inside looks for the end of a fence or comment. Headings are kept aside, for
// the case that there is no end.
func (o *outliner) inside(rest []byte, indent, next int) {
	if o.closes(rest) {
		o.fence, o.hidden = 0, nil
		return
	}
	if len(rest) > 0 && indent <= 3 {
		if h, ok := atx(rest); ok {
			h.start, h.next = o.at, next
			o.hidden = append(o.hidden, h)
		}
	}
	if next == len(o.file) {
		o.found = append(o.found, o.hidden...)
	}
}

func opens(rest []byte) (fence byte, width int) {
	switch rest[0] {
	case '`', '~':
		width = run(rest)
		if width < 3 || rest[0] == '`' && bytes.IndexByte(rest[width:], '`') >= 0 {
			return 0, 0
		}
		return rest[0], width
	case '<':
		if bytes.HasPrefix(rest, []byte("<!--")) && !bytes.Contains(rest, []byte("-->")) {
			return '!', 0
		}
	}
	return 0, 0
}

func (o *outliner) closes(rest []byte) bool {
	if o.fence == '!' {
		return bytes.Contains(rest, []byte("-->"))
	}
	return len(rest) > 0 && rest[0] == o.fence && run(rest) == len(rest) && len(rest) >= o.fenceWidth
}

// run is the length of the run of one character that the line begins with.
func run(line []byte) int {
	n := 1
	for n < len(line) && line[n] == line[0] {
		n++
	}
	return n
}

func (o *outliner) headingAt(rest []byte, indent, next int) (heading, bool) {
	var h heading
	ok := false
	switch rest[0] {
	case '#':
		h, ok = atx(rest)
	case '=', '-':
		if h, ok = o.underlined(rest); ok {
			h.next = next
			return h, true
		}
		h, ok = betweenRules(rest)
	case '*':
		h, ok = bold(rest)
	}
	if indent > 0 && !h.atx {
		return h, false
	}
	h.start, h.next = o.at, next
	return h, ok
}

func atx(rest []byte) (heading, bool) {
	level := run(rest)
	if rest[0] != '#' || level > 6 || level < len(rest) && rest[level] != ' ' && rest[level] != '\t' {
		return heading{}, false
	}
	text := bytes.TrimSpace(rest[level:])
	if open := bytes.TrimRight(text, "#"); len(open) == 0 || blank(open[len(open)-1]) {
		text = bytes.TrimSpace(open) // "## Title ##", but not "## C#"
	}
	return heading{level: level, atx: true, text: text}, true
}

// underlined is a heading whose text was the line before.
func (o *outliner) underlined(rest []byte) (heading, bool) {
	if o.textStart < 0 || len(rest) < 2 || run(rest) != len(rest) {
		return heading{}, false
	}
	h := heading{start: o.textStart, level: 1, text: o.text}
	if rest[0] == '-' {
		h.level = 2
	}
	if o.ruleStart >= 0 {
		h.start = o.ruleStart
	}
	return h, true
}

func betweenRules(rest []byte) (heading, bool) {
	if run(rest) < 3 {
		return heading{}, false
	}
	text := bytes.Trim(rest, string(rest[:1]))
	if len(text) == 0 || text[0] != ' ' || !bytes.HasSuffix(rest, rest[:2]) {
		return heading{}, false
	}
	return heading{level: 2, text: bytes.TrimSpace(text)}, true
}

func bold(rest []byte) (heading, bool) {
	if len(rest) < 5 || !bytes.HasPrefix(rest, []byte("**")) || !bytes.HasSuffix(rest, []byte("**")) {
		return heading{}, false
	}
	text := rest[2 : len(rest)-2]
	if bytes.Contains(text, []byte("**")) {
		return heading{}, false
	}
	return heading{level: 6, text: bytes.TrimSpace(text)}, true
}

// remember keeps what an underline on the next line would need: one line of
// plain text that no other text stands on top of.
func (o *outliner) remember(rest []byte, indent int) {
	switch {
	case isRule(rest):
		o.forget()
		o.ruleStart = o.at
	case !o.paragraph && indent == 0 && plain(rest):
		o.textStart, o.text, o.paragraph = o.at, rest, true
	default:
		o.forget()
		o.paragraph = true
	}
}

func (o *outliner) forget() {
	o.textStart, o.ruleStart, o.paragraph = -1, -1, false
}

func isRule(line []byte) bool {
	switch line[0] {
	case '=', '-', '*', '_':
		return len(line) >= 3 && run(line) == len(line)
	}
	return false
}

func plain(line []byte) bool {
	switch line[0] {
	case '>', '|', '<', '#':
		return false
	}
	return !bytes.HasPrefix(line, []byte("**")) && !bullet().Match(line) && !numbered().Match(line)
}
