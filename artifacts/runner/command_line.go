package runner

import "bytes"

// shown is a command line as text, of bounded length.
func shown(args [][]byte) string {
	t := &tail{}
	t.Write(bytes.Join(args, []byte(" ")))
	s, _ := t.end(outputLimit)
	return clip(s, lastLimit)
}

// clip is the start of s, at most limit characters.
func clip(s string, limit int) string {
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
