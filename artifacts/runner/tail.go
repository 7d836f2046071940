package runner

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	tailLimit   = 4000     // characters of Result.Tail
	outputLimit = 64 << 10 // characters of Result.Output
	lastLimit   = 200      // characters of the line that is shown as progress
	escapeLimit = 4096     // bytes of an escape sequence before it is given up
)

// A tail keeps the end of an output of any length as plain text: valid UTF-8, no
// control characters or escape sequences, no line that a carriage return
// overwrote. It takes bounded memory and may be written and read at once.
type tail struct {
	mu      sync.Mutex
	kept    []byte // at most twice outputLimit bytes
	line    int    // where the current line starts in kept
	dropped bool   // something before kept is gone
	part    []byte // the first bytes of a character still to come
	escape  escape
	length  int  // of the escape sequence so far
	cr      bool // a carriage return that may yet be half of a line end
	bad     bool // the last byte was no text: a run of them shows as one U+FFFD
}

// escape is the place within an escape sequence (ECMA-48).
type escape int

const (
	noEscape   escape = iota
	begun             // after ESC
	charset           // after ESC and an intermediate byte: one more ends it
	control           // CSI: parameters, then one of @ to ~
	message           // OSC, DCS, PM, APC, SOS: up to BEL or ESC \
	messageESC        // the ESC in it
)

// Write takes the next bytes of the output.
func (t *tail) Write(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.part) > 0 {
		p = append(t.part, p...)
		t.part = nil
	}
	for len(p) > 0 {
		r, size := rune(p[0]), 1
		if r >= utf8.RuneSelf {
			if !utf8.FullRune(p) {
				t.part = append([]byte(nil), p...)
				return
			}
			r, size = utf8.DecodeRune(p)
		}
		t.character(r, r == utf8.RuneError && size == 1)
		p = p[size:]
	}
}

func (t *tail) character(r rune, bad bool) {
	if t.escape != noEscape && t.inEscape(r) {
		return
	}
	again := bad && t.bad
	t.bad = bad
	switch {
	case r == 0x1b:
		t.escape, t.length = begun, 0
		return
	case r == '\r':
		t.cr = true
		return
	case r == '\n':
		t.kept = append(t.kept, '\n')
		t.line, t.cr = len(t.kept), false
	case r == '\b':
		_, size := utf8.DecodeLastRune(t.kept[t.line:])
		t.kept = t.kept[:len(t.kept)-size]
	case r < ' ' && r != '\t', r >= 0x7f && r < 0xa0, again:
	default:
		if t.cr {
			t.kept, t.cr = t.kept[:t.line], false
		}
		t.kept = utf8.AppendRune(t.kept, r)
	}
	if len(t.kept) >= 2*outputLimit {
		t.shorten()
	}
}

// inEscape says whether r belongs to the escape sequence under way.
func (t *tail) inEscape(r rune) bool {
	t.length++
	// Text that only looks like the start of a sequence must not swallow the rest.
	if r == '\n' || r == '\r' || t.length > escapeLimit {
		t.escape = noEscape
		return false
	}
	if r == 0x1b && t.escape != message {
		t.escape = begun
		return true
	}
	switch t.escape {
	case begun:
		t.escape = opened(r)
	case charset:
		if r >= '0' {
			t.escape = noEscape
		}
	case control:
		if r < ' ' || r > '~' {
			t.escape = noEscape
			return false
		}
		if r >= '@' {
			t.escape = noEscape
		}
	case message:
		if r == '\a' {
			t.escape = noEscape
		}
		if r == 0x1b {
			t.escape = messageESC
		}
	case messageESC:
		t.escape = noEscape
		if r != '\\' {
			t.escape = opened(r)
		}
	}
	return true
}

// opened is the place after ESC and r.
func opened(r rune) escape {
	switch {
	case r == '[':
		return control
	case r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_':
		return message
	case r >= ' ' && r <= '/':
		return charset
	}
	return noEscape
}

// shorten drops the older half.
func (t *tail) shorten() {
	from := len(t.kept) - outputLimit
	for from < len(t.kept) && !utf8.RuneStart(t.kept[from]) {
		from++
	}
	t.kept = append(t.kept[:0], t.kept[from:]...)
	t.line = max(0, t.line-from)
	t.dropped = true
}

// end is the end of the output, at most limit characters without the white space
// that it ends with, and whether anything came before it.
func (t *tail) end(limit int) (s string, cut bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.kept
	if len(t.part) > 0 {
		kept = append(kept[:len(kept):len(kept)], "\uFFFD"...)
	}
	kept = bytes.TrimRight(kept, " \t\n")
	from := len(kept)
	for n := 0; n < limit && from > 0; n++ {
		_, size := utf8.DecodeLastRune(kept[:from])
		from -= size
	}
	return string(kept[from:]), t.dropped || from > 0
}

// last is the last line with text in it.
func (t *tail) last() string {
	s, _ := t.end(lastLimit)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
