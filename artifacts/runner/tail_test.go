package runner

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestTail(t *testing.T) {
	tests := []struct{ name, output, want string }{
		{"lines", "a\nb\n", "a\nb"},
		{"line ends of Windows", "a\r\nb\r\r\nc", "a\nb\nc"},
		{"overwritten line", "10%\r50%\r100%\ndone", "100%\ndone"},
		{"overwritten by nothing", "50%\r", "50%"},
		{"overwritten first line kept apart", "a\n1\r2", "a\n2"},
		{"erased line", "50%\r\x1b[Kdone", "done"},
		{"backspace", "|\b/\b-\b\bok", "ok"},
		{"backspace over two bytes", "ü\bo", "o"},
		{"backspace stops at the line", "a\n\b\bb", "a\nb"},
		{"tab and controls", "a\tb\x00\x01\a\x7f\v\fc", "a\tbc"},
		{"C1 controls", "a\u0085\u009bb", "ab"},
		{"colours", "\x1b[38;2;1;2;3mred\x1b[m \x1b[?25l\x1b[2J.", "red ."},
		{"link", "\x1b]8;;https://example.com\x1b\\text\x1b]8;;\a!", "text!"},
		{"charset and keypad", "\x1b(Ba\x1b=b\x1b#8c", "abc"},
		{"device string", "a\x1bPq#0~\x1b\\b", "ab"},
		{"escape in escape", "a\x1b[3\x1b[1mb", "ab"},
		{"open title", "a\x1b]0;never ended\nb", "a\nb"},
		{"open sequence", "a\x1b[12", "a"},
		{"no sequence", "a\x1b[ü b", "aü b"},
		{"no text", "a\xff\xfe\xc3(b\xe2\x82", "a\uFFFD(b\uFFFD"},
		{"runs of no text", "\xff\xff\xffa\xff", "\uFFFDa\uFFFD"},
		{"characters", "ü € 😀 \u202e", "ü € 😀 \u202e"},
		{"its own replacement character", "\uFFFD\uFFFD", "\uFFFD\uFFFD"},
		{"blank end", "a \n\n \t\n", "a"},
		{"nothing", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var whole, bytewise tail
			whole.Write([]byte(test.output))
			for i := range len(test.output) {
				bytewise.Write([]byte(test.output[i : i+1]))
			}
			if got, cut := whole.end(tailLimit); got != test.want || cut {
				t.Errorf("end = %q, %v, want %q", got, cut, test.want)
			}
			if got, _ := bytewise.end(tailLimit); got != test.want {
				t.Errorf("end of single bytes = %q, want %q", got, test.want)
			}
		})
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var long tail
	for range 100_000 {
		long.Write([]byte("зеркало😀"))
	}
	got, cut := long.end(tailLimit)
	if n := utf8.RuneCountInString(got); n != tailLimit || !cut || strings.ContainsRune(got, utf8.RuneError) {
		t.Errorf("%d characters, cut %v, want %d whole ones, true", n, cut, tailLimit)
	}
	if cap(long.kept) > 4*outputLimit {
		t.Errorf("%d bytes are held", cap(long.kept))
	}
	var exact tail
	exact.Write([]byte(strings.Repeat("ü", tailLimit) + "\n"))
	if got, cut := exact.end(tailLimit); cut || utf8.RuneCountInString(got) != tailLimit {
		t.Errorf("%d characters, cut %v, want all", utf8.RuneCountInString(got), cut)
	}
}

func TestTailLast(t *testing.T) {
	var lines tail
	lines.Write([]byte("first\n\x1b[1m second\x1b[0m \n\n"))
	if got, want := lines.last(), " second"; got != want {
		t.Errorf("last = %q, want %q", got, want)
	}
}

func FuzzTail(f *testing.F) {
	f.Add([]byte("a\xff\x1b[1mb\r\nc\bd"), uint8(3))
	f.Add([]byte("\x1b]0;x\x1b\\\xe2\x82\xac"), uint8(1))
	f.Fuzz(func(t *testing.T, output []byte, size uint8) {
		var whole, parts tail
		whole.Write(output)
		for rest := output; len(rest) > 0; {
			n := min(len(rest), int(size)+1)
			parts.Write(rest[:n])
			rest = rest[n:]
		}
		got, cut := whole.end(tailLimit)
		if again, _ := parts.end(tailLimit); again != got {
			t.Errorf("in parts: %q, want %q", again, got)
		}
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > tailLimit {
			t.Errorf("no text within the limit: %q", got)
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 {
			t.Errorf("control character at %d of %q", i, got)
		}
		if cut && utf8.RuneCountInString(got) < tailLimit && len(output) < outputLimit {
			t.Errorf("cut to %q without need", got)
		}
	})
}
