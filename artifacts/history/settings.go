package history

import (
	"bytes"
	"errors"
	"os"
	"strings"
)

// A setting is one line of a git config file: "core.worktree", "branch.main.merge". Section and key are lower case,
// a subsection keeps its case.
type setting struct{ name, value string }

// settingsOf reads one config file; a missing one has no settings. Includes are not followed.
func settingsOf(file string) ([]setting, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseSettings(data), nil
}

// parseSettings reads the format of git-config(1), CONFIGURATION FILE. Lines it can't read are passed over: git itself
// says what is wrong with them, and a reader must not fail where only an unrelated line is odd.
func parseSettings(data []byte) []setting {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var all []setting
	section := ""
	lines := strings.Split(string(data), "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		for strings.HasPrefix(line, "[") {
			name, rest := parseSection(line)
			section, line = name, strings.TrimSpace(rest)
		}
		if line == "" || line[0] == '#' || line[0] == ';' || section == "" {
			continue
		}
		key, value, has := strings.Cut(line, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		if !has {
			key, _, _ = strings.Cut(key, " ")
			all = append(all, setting{section + "." + key, "true"})
			continue
		}
		for continues(value) && i+1 < len(lines) {
			i++
			value = value[:len(value)-1] + strings.TrimRight(lines[i], "\r")
		}
		all = append(all, setting{section + "." + key, parseValue(value)})
	}
	return all
}

// parseSection reads `[name]`, `[name.sub]` or `[name "sub"]` and gives what follows on the line.
func parseSection(line string) (name, rest string) {
	quoted := false
	for i := 1; i < len(line); i++ {
		switch {
		case quoted && line[i] == '\\':
			i++
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ']' && !quoted:
			head, sub, has := strings.Cut(line[1:i], "\"")
			name = strings.ToLower(strings.TrimSpace(head))
			if has {
				sub = strings.TrimSuffix(strings.TrimSpace(sub), "\"")
				name += "." + strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(sub)
			}
			return name, line[i+1:]
		}
	}
	return "", ""
}

func continues(value string) bool {
	backslashes := len(value) - len(strings.TrimRight(value, `\`))
	return backslashes%2 == 1
}

// parseValue drops comments, quotes and escapes.
func parseValue(raw string) string {
	raw = strings.TrimSpace(raw)
	var b strings.Builder
	quoted, spaces := false, 0
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case c == '"':
			quoted = !quoted
			continue
		case !quoted && (c == '#' || c == ';'):
			return b.String()
		case !quoted && (c == ' ' || c == '\t'):
			spaces++
			continue
		case c == '\\' && i+1 < len(raw):
			i++
			c = raw[i]
			switch c {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			}
		}
		b.WriteString(strings.Repeat(" ", spaces))
		spaces = 0
		b.WriteByte(c)
	}
	return b.String()
}

func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}
