package feature

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// SyntaxError says why a list can't be read, and where. Such a list is never
// taken for an empty one.
type SyntaxError struct {
	Code   string // "unreadable" or "merge-conflict"
	Line   int    // 1-based; 0 when the place says nothing
	Column int    // 1-based, in characters
	Cause  string
}

// Error returns the place and the cause.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Cause
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Cause)
}

const bom = "\ufeff"

// unfit names what makes a file no JSON text at all, nil when it may be one.
func unfit(src string) error {
	switch {
	case len(src) == 0:
		return &SyntaxError{Code: "unreadable", Cause: "the file is empty (0 bytes)"}
	case len(src) > maxBytes:
		return &SyntaxError{Code: "unreadable", Cause: "the file is over 1 GiB"}
	case wide(src):
		return &SyntaxError{Code: "unreadable", Line: 1, Column: 1, Cause: "the file is UTF-16 or UTF-32, not UTF-8"}
	case strings.Trim(strings.TrimPrefix(src, bom), " \t\r\n") == "":
		return &SyntaxError{Code: "unreadable", Cause: "the file holds only white space"}
	case !utf8.ValidString(src):
		return notUTF8(src)
	}
	return nil
}

// wide reports a byte order mark of UTF-16 or UTF-32, or the zero bytes
// that every ASCII character has in them.
func wide(src string) bool {
	if strings.HasPrefix(src, "\xff\xfe") || strings.HasPrefix(src, "\xfe\xff") {
		return true
	}
	return len(src) > 1 && (src[0] == 0 || src[1] == 0)
}

func notUTF8(src string) error {
	at := 0
	for at < len(src) {
		r, size := utf8.DecodeRuneInString(src[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	if at < len(src) && !utf8.FullRuneInString(src[at:]) {
		return syntaxError(src, at, "the file ends inside a character: it was cut off")
	}
	cause := fmt.Sprintf("byte 0x%02X is not UTF-8 (the file may be CP1252 or Latin-1)", src[at])
	return syntaxError(src, at, cause)
}

// explain turns the place where the scan stopped into the cause a reader can act on.
func explain(src string, f *fault) error {
	if line, ok := conflict(src); ok {
		cause := "the file holds the markers of an unfinished merge"
		return &SyntaxError{Code: "merge-conflict", Line: line, Column: 1, Cause: cause}
	}
	rest := src[f.pos:]
	switch body := strings.TrimPrefix(src, bom); {
	case strings.HasPrefix(body, "version https://git-lfs.github.com/spec/"):
		return syntaxError(src, 0, "a git-lfs pointer, not the list: run git lfs pull")
	case pointer(body):
		return syntaxError(src, 0, "the text of a link, not the list")
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"), strings.HasPrefix(rest, "#"):
		return syntaxError(src, f.pos, "a comment: JSON has none")
	case f.tail && (rest[0] == '{' || rest[0] == '['):
		return syntaxError(src, f.pos, "a second JSON document follows: the list must be one document, not JSON Lines")
	case f.cut:
		return syntaxError(src, f.pos, strings.TrimSuffix("the file ends too early: it was cut off; "+f.cause, "; "))
	}
	return syntaxError(src, f.pos, f.cause)
}

// pointer reports a file that holds nothing but a path, as a symbolic link
// is stored where links are not supported, or as git-annex does.
func pointer(body string) bool {
	line := strings.TrimRight(body, "\r\n")
	if line == "" || len(line) > 4096 || strings.ContainsAny(line, "\n\"{}[],") {
		return false
	}
	return strings.Contains(line, "/annex/objects/") || strings.HasSuffix(strings.ToLower(line), ".json")
}

// conflict returns the line of the first marker of a merge conflict. No
// string of JSON can hold one, since it starts a line.
func conflict(src string) (line int, ok bool) {
	for number := 1; src != ""; number++ {
		text, rest, _ := strings.Cut(src, "\n")
		if marker(text, "<<<<<<<") || marker(text, ">>>>>>>") || marker(text, "|||||||") {
			return number, true
		}
		src = rest
	}
	return 0, false
}

func marker(line, mark string) bool {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(line, bom), mark)
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\r')
}

func syntaxError(src string, pos int, cause string) *SyntaxError {
	line := 1 + strings.Count(src[:pos], "\n")
	start := strings.LastIndexByte(src[:pos], '\n') + 1
	column := 1 + utf8.RuneCountInString(strings.TrimPrefix(src[start:pos], bom))
	return &SyntaxError{Code: "unreadable", Line: line, Column: column, Cause: cause}
}
