package feature

import (
	"path"
	"slices"
	"strings"
)

// Masked returns the part of a check that hides a failure from the one who
// runs it, "" when there is none: || true, || :, || echo …, || exit 0, a last
// ; true or ; exit 0 (or on a line of its own), a trailing &. Quotes, comments
// and substitutions are looked through as a shell does, and the text given to
// bash -c too.
func Masked(check string) (why string) { return masked(check, 4) }

func masked(check string, depth int) string {
	list, background := split(check)
	if why := maskedList(list, depth); why != "" {
		return why
	}
	if background {
		return "a trailing &"
	}
	return idle(list)
}

// idle reports a check whose own exit code is lost: it ends with a command
// that always succeeds, or a trap puts success in its place. A check that is
// such a command alone hides nothing.
func idle(list []command) string {
	strict := false
	for _, c := range list {
		strict = strict || errexit(c.words)
		if len(c.words) > 1 && c.words[0] == "trap" && strings.Contains(c.words[1], "exit 0") {
			return "trap " + clip(c.words[1], 40)
		}
	}
	if len(list) == 1 && exitsZero(list[0].words) {
		return spoken(list[0])
	}
	if len(list) < 2 {
		return ""
	}
	last := list[len(list)-1]
	if (last.before == ";" || last.before == "&") && !strict && harmless(last) {
		return "; " + spoken(last)
	}
	return ""
}

// harmless reports a command that can't fail.
func harmless(c command) bool {
	if c.group != nil {
		return !slices.ContainsFunc(c.group, func(c command) bool { return !harmless(c) })
	}
	words := plainWords(c.words)
	return len(words) == 0 || words[0] == "echo" || words[0] == "printf" || words[0] == "exit" && exitsZero(words) || always(words)
}

func maskedList(list []command, depth int) string {
	strict := false // set -e is on
	for i, c := range list {
		strict = strict || errexit(c.words)
		if c.before == "||" && forgives(c) {
			return "|| " + spoken(c)
		}
		sequence := c.before == ";" || c.before == "&"
		last := i == len(list)-1
		if sequence && !strict && (last && always(c.words) || exitsZero(c.words)) {
			return "; " + spoken(c)
		}
		if c.behind {
			return "a trailing &"
		}
		if why := maskedList(c.group, depth); why != "" {
			return why
		}
		if script := scriptOf(c); script != "" && depth > 0 {
			if why := masked(script, depth-1); why != "" {
				return why
			}
		}
	}
	return ""
}

// errexit reports set -e in its spellings.
func errexit(words []string) bool {
	if len(words) < 2 || words[0] != "set" {
		return false
	}
	for _, w := range words[1:] {
		if w == "errexit" || strings.HasPrefix(w, "-") && strings.Contains(w, "e") {
			return true
		}
	}
	return false
}

// forgives reports a command that turns a failure before it into a success.
func forgives(c command) bool {
	if c.group != nil {
		last := c.group[len(c.group)-1]
		return last.before != "||" && forgives(command{words: last.words, group: last.group})
	}
	words := plainWords(c.words)
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "echo", "printf":
		return true
	}
	return always(words) || exitsZero(words)
}

// always reports true and its like.
func always(words []string) bool {
	words = plainWords(words)
	return len(words) > 0 && (words[0] == "true" || words[0] == ":")
}

func exitsZero(words []string) bool {
	words = plainWords(words)
	if len(words) < 2 || words[0] != "exit" && words[0] != "return" {
		return false
	}
	code := words[len(words)-1]
	return strings.Trim(code, "0") == "" && code != ""
}

// plainWords drops what may stand before a command's name, and its folder.
func plainWords(words []string) []string {
	for len(words) > 1 && slices.Contains([]string{"command", "builtin", "exec", "env"}, words[0]) {
		words = words[1:]
	}
	kept := words[:0:0]
	for _, w := range words {
		if len(kept) > 0 && strings.ContainsAny(w, "<>") {
			break
		}
		kept = append(kept, w)
	}
	if len(kept) > 0 && strings.HasPrefix(kept[0], "/") {
		kept[0] = path.Base(kept[0])
	}
	return kept
}

// scriptOf returns the text that a command gives to a shell.
func scriptOf(c command) string {
	for i, w := range c.words {
		switch path.Base(w) {
		case "bash", "sh", "zsh", "dash", "ksh":
		case "eval":
			return strings.Join(c.words[i+1:], " ")
		default:
			continue
		}
		for j, flag := range c.words[i+1:] {
			if strings.HasPrefix(flag, "-") && strings.HasSuffix(flag, "c") && i+j+2 < len(c.words) {
				return c.words[i+j+2]
			}
			if !strings.HasPrefix(flag, "-") {
				break
			}
		}
	}
	return ""
}

// spoken writes a command for a message.
func spoken(c command) string {
	if len(c.group) > 0 {
		return "(" + spoken(c.group[len(c.group)-1]) + ")"
	}
	return clip(strings.Join(c.words, " "), 40)
}
