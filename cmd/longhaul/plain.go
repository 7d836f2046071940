package main

import (
	"strconv"
	"strings"
	"unicode"
)

// plain makes text from a project safe to show on one line of a terminal: characters that move the cursor,
// recolour, retitle or reorder what is on the screen are spelled out instead of sent.
func plain(text string) string {
	return strings.Join(strings.Fields(spell(text, "\n\t\r")), " ")
}

// plainLines is plain for text of several lines: line ends and tabs stay.
func plainLines(text string) string { return spell(text, "\n\t") }

// spell writes every rune that has no glyph, except those in keep, as a Go escape.
func spell(text, keep string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsGraphic(r) || strings.ContainsRune(keep, r) || joins(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return b.String()
}

// joins reports the format characters that scripts and emoji need and that reorder nothing.
func joins(r rune) bool { return r == '\u200c' || r == '\u200d' }
