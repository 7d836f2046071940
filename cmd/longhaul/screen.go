package main

import (
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"
)

// A screen is the terminal that text goes to. The zero screen is none: a file or a pipe.
type screen struct {
	width, height int
	moves         bool // the cursor can be moved
	colours       bool
}

const (
	red    = "31"
	green  = "32"
	yellow = "33"
	bold   = "1"
	faint  = "2"
)

// screenOf looks at where w leads. Colours are left out where NO_COLOR is set (https://no-color.org) or the terminal
// is dumb.
func screenOf(w io.Writer) screen {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return screen{}
	}
	columns, rows, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 || rows <= 0 {
		columns, rows = 80, 24
	}
	moves := os.Getenv("TERM") != "dumb" && escapes(f)
	return screen{columns, rows, moves, moves && os.Getenv("NO_COLOR") == ""}
}

// paint puts text into a colour where there are colours.
func (s screen) paint(colour, text string) string {
	if !s.colours || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// fit cuts text to a number of columns. The colours of paint take none and stay whole.
func fit(text string, columns int) string {
	if span(text) <= columns {
		return text
	}
	var b strings.Builder
	used, colour := 0, false
	for _, r := range text {
		switch n := cells(r); {
		case colour || r == '\x1b':
			colour = r != 'm'
			b.WriteRune(r)
		case used+n < columns:
			used += n
			b.WriteRune(r)
		case used < columns:
			used = columns
			b.WriteRune('…')
		}
	}
	return b.String()
}

// pad fits text to a number of columns and fills the rest with spaces.
func pad(text string, columns int) string {
	text = fit(text, columns)
	return text + strings.Repeat(" ", max(0, columns-span(text)))
}

// span is how many columns text takes.
func span(text string) int {
	n, colour := 0, false
	for _, r := range text {
		if colour || r == '\x1b' {
			colour = r != 'm'
			continue
		}
		n += cells(r)
	}
	return n
}

// cells is how many columns a character takes.
func cells(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
