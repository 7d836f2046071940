package scaffold

import (
	"bytes"
	"slices"
)

// local is where session state lies in a project without git.
const local = ".harness/local/"

// GitIgnore returns the .gitignore with a line for the harness's local state,
// added at the end in the file's own line ends; the same bytes when it is
// there already.
func GitIgnore(old []byte) []byte {
	for line := range bytes.Lines(old) {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
		switch string(bytes.Trim(line, "/")) {
		case ".harness/local", ".harness/local/*", ".harness/local/**", ".harness":
			return old
		}
	}
	end := "\n"
	if n := bytes.IndexByte(old, '\n'); n > 0 && old[n-1] == '\r' {
		end = "\r\n"
	}
	var lead string
	if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		lead = end
	}
	return slices.Concat(old, []byte(lead+local+end))
}
