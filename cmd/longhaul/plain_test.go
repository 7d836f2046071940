package main

import "testing"

func TestPlain(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"words", "Dark mode", "Dark mode"},
		{"scripts and emoji", "Тема 暗 ✅ 👩‍💻", "Тема 暗 ✅ 👩‍💻"},
		{"line ends", "a\r\nb\tc", "a b c"},
		{"colour", "\x1b[31mred", `\x1b[31mred`},
		{"window title", "\x1b]0;pwned\a", `\x1b]0;pwned\a`},
		{"eight-bit control", "\u009b31m", `\u009b31m`},
		{"text turned round", "a\u202eb", `a\u202eb`},
		{"backspace", "done\b\b\b\bfail", `done\b\b\b\bfail`},
		{"bad byte", "a\xffb", "a\ufffdb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := plain(tt.in); got != tt.want {
				t.Errorf("plain(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestPlainLinesKeepsLines(t *testing.T) {
	if got, want := plainLines("a\n\tb\x1b"), "a\n\tb\\x1b"; got != want {
		t.Errorf("plainLines() = %q, want %q", got, want)
	}
}
