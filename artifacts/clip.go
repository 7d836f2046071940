package artifacts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

func firsts(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	return append(slices.Clone(list[:n]), fmt.Sprintf("… and %d more", len(list)-n))
}

func some(list []string) string { return strings.Join(firsts(list, 8), ", ") }

func clipFront(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := len(s) - n + len("…")
	for cut < len(s) && !isStart(s[cut]) {
		cut++
	}
	return "…" + s[cut:]
}

// clip cuts a text to n bytes, whole characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := n - len("…")
	for cut > 0 && !isStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

func isStart(b byte) bool { return b&0xC0 != 0x80 }

func clipped(list []string, n int) []string {
	for i := range list {
		list[i] = clip(list[i], n)
	}
	return list
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func quote(s string) string { return strconv.Quote(clip(s, 120)) }

func stamp(t time.Time) string { return t.Format("2006-01-02 15:04 -07:00") }

func short(sha string) string { return sha[:min(7, len(sha))] }
