package progress

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
)

// Texts come from a model, and may hold anything. Whatever a reader of Markdown,
// of this package or of a terminal could take for structure is escaped or
// taken out; the words stay.

// sequences are what a terminal would obey: CSI, OSC, DCS and the short ones.
var sequences = pattern.Lazy("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]" +
	"|(?:\x1b\\]|\u009d)[^\x07\x1b\n]*(?:\x07|\x1b\\\\)?" +
	"|\x1b[PX^_][^\x1b\n]*(?:\x1b\\\\)?" +
	"|\x1b[ -/]*[0-Z\\\\-~]")

// newlines are all that some reader ends a line at.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n",
	"\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// comments would hide the rest of a file, or show what its owner had hidden.
var comments = strings.NewReplacer("<!--", `<\!--`, "-->", `--\>`)

var (
	numbered = pattern.Lazy(`^(\d+)([.)])(\s|$)`)
	bullet   = pattern.Lazy(`^[-+*](\s|$)`)
	checkbox = pattern.Lazy(`^\[[ xX]?\](\s|$)`)
	linkName = pattern.Lazy(`^\[[^\]]*\]:`)
	rule     = pattern.Lazy(`^(?:(?:-\s*){2,}|(?:_\s*){3,}|(?:\*\s*){3,}|=+\s*|={2,}.*)$`)
)

// lines returns the lines of a text that hold something, safe to stand anywhere
// but at the beginning of a line of the file.
func lines(text string) []string {
	var kept []string
	for line := range strings.SplitSeq(visible(text), "\n") {
		if line = strings.TrimRightFunc(line, unicode.IsSpace); line != "" {
			kept = append(kept, line)
		}
	}
	return kept
}

func visible(text string) string {
	return comments.Replace(strings.ReplaceAll(Plain(text), "\t", "    "))
}

// Plain is a text in valid UTF-8 without what a terminal would obey and without the characters that control, reorder or hide
// others. Line feeds and tabs stay; every other line end becomes a line feed.
func Plain(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = newlines.Replace(sequences().ReplaceAllString(text, ""))
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unseen(r) {
			return -1
		}
		return r
	}, text)
}

// unseen tells control characters, and those that reorder or hide text.
func unseen(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\uFEFF', r == '\u200E', r == '\u200F':
		return true
	case r >= '\u202A' && r <= '\u202E', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return r >= 0xE0000 && r <= 0xE007F
}

// inline is the text on one line.
func inline(text string) string {
	words := strings.Fields(visible(text))
	return strings.Join(words, " ")
}

// escaped is a line that reads as plain text even at the beginning of a block.
func escaped(line string) string {
	rest := strings.TrimLeft(line, " ")
	lead := line[:len(line)-len(rest)]
	if m := numbered().FindStringSubmatchIndex(rest); m != nil {
		return lead + rest[:m[3]] + `\` + rest[m[4]:]
	}
	if structural(rest) {
		return lead + `\` + rest
	}
	return line
}

func structural(line string) bool {
	if line == "" {
		return false
	}
	switch line[0] {
	case '#', '>', '<', '|':
		return true
	case '`', '~':
		return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
	case '[':
		return checkbox().MatchString(line) || linkName().MatchString(line)
	}
	return bullet().MatchString(line) || rule().MatchString(line)
}

// item is one entry of a list: the marker, the text, and further lines indented below it.
func item(marker, text string) string {
	indent := strings.Repeat(" ", strings.IndexByte(marker, ' ')+1)
	var out strings.Builder
	for i, line := range lines(text) {
		if i == 0 {
			out.WriteString(marker + escaped(strings.TrimLeft(line, " ")) + "\n")
			continue
		}
		out.WriteString(indent + escaped(line) + "\n")
	}
	return out.String()
}

// texts drops what holds nothing, and takes a text that is itself a list, as
// models like to send it, for the texts it lists.
func texts(raw []string) []string {
	var out []string
	for _, text := range raw {
		list := lines(text)
		if listed := unlisted(list); len(listed) > 1 || len(list) == 1 && bullet().MatchString(list[0]) {
			out = append(out, listed...)
			continue
		}
		if len(list) > 0 {
			out = append(out, strings.Join(list, "\n"))
		}
	}
	if plain := unlisted(out); len(plain) > 1 {
		return plain
	}
	return out
}

// unlisted are the texts of a list whose every line has a bullet, or the next
// number from 1; nil for anything else.
func unlisted(list []string) []string {
	var out []string
	for i, line := range list {
		rest, ok := strings.CutPrefix(line, fmt.Sprintf("%d. ", i+1))
		if !ok && (strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ")) {
			rest, ok = line[2:], true
		}
		if rest = strings.TrimSpace(rest); !ok || rest == "" {
			return nil
		}
		out = append(out, rest)
	}
	return out
}
