package history

import (
	"regexp"
	"strings"
)

// shortName is what NTFS may call .git by.
var shortName = regexp.MustCompile(`^git~[0-9]+$`)

// Reserved says whether a path goes through a folder that some file system takes for .git: in another case, with dots or
// spaces behind it, with characters that HFS+ leaves out, as a stream, or by its short name. It follows verify_path in
// git's read-cache.c.
func Reserved(name string) bool {
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '/' || r == '\\' }) {
		part = strings.ToLower(strings.Map(dropIgnored, part))
		part, _, _ = strings.Cut(part, ":")
		part = strings.TrimRight(part, ". ")
		if part == ".git" || shortName.MatchString(part) {
			return true
		}
	}
	return false
}

// dropIgnored takes out what HFS+ does not look at in a name.
func dropIgnored(r rune) rune {
	if r >= 0x200C && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x206A && r <= 0x206F || r == 0xFEFF {
		return -1
	}
	return r
}
