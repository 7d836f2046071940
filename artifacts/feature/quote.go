package feature

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// quote writes s as a JSON string with no escape it can do without; ascii
// escapes what is not ASCII too, for lists that are written so.
func quote(s string, ascii bool) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029:
			fmt.Fprintf(&b, `\u%04x`, r)
		case ascii && r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		case ascii && r > 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// allASCII reports a text that writes other characters as \u escapes.
func allASCII(src string) bool {
	for i := range len(src) {
		if src[i] >= 0x80 {
			return false
		}
	}
	for rest := src; ; {
		_, after, found := strings.Cut(rest, `\u`)
		if !found {
			return false
		}
		if len(after) > 3 && after[:2] != "00" {
			return true
		}
		rest = after
	}
}
