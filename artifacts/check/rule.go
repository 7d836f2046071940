package check

import (
	"strings"
)

// rule is a rule of a makefile.
type rule struct {
	needs  []string
	recipe []string
}

// makefile is what a makefile says of its rules; it is not read as GNU make would: conditions count both ways, files it
// includes are not read.
type makefile struct {
	vars     map[string]string
	rules    map[string]*rule
	first    string
	pipefail bool
	oneshell bool
	ignores  bool // .IGNORE
	partly   bool // there may be rules that are not seen
}

func parseMakefile(text string) *makefile {
	m := &makefile{vars: map[string]string{"MAKE": "make"}, rules: map[string]*rule{}}
	var now []*rule
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for _, line := range strings.Split(strings.ReplaceAll(text, "\\\n", "\\\x01"), "\n") {
		if recipe, ok := strings.CutPrefix(line, "\t"); ok {
			for _, r := range now {
				r.recipe = append(r.recipe, strings.ReplaceAll(recipe, "\\\x01", "\\\n"))
			}
			continue
		}
		line = strings.ReplaceAll(line, "\\\x01", " ")
		if at := strings.IndexByte(line, '#'); at >= 0 {
			line = line[:at]
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "ifeq", "ifneq", "ifdef", "ifndef", "else", "endif", "include", "-include", "sinclude", "define", "endef", "$(eval", "$(foreach":
			m.partly = true
			continue
		}
		if name, value, ok := makeVariable(line); ok {
			m.vars[name] = value
			if name == "SHELL" || name == ".SHELLFLAGS" {
				m.pipefail = m.pipefail || strings.Contains(value, "pipefail")
			}
			continue
		}
		now = m.head(line)
	}
	return m
}

// makeVariable is NAME = VALUE in its forms.
func makeVariable(line string) (name, value string, ok bool) {
	at := strings.IndexByte(line, '=')
	if at < 0 {
		return "", "", false
	}
	name = strings.TrimRight(line[:at], ":?+!")
	for _, word := range []string{"export ", "override ", "private "} {
		name = strings.TrimPrefix(strings.TrimSpace(name), word)
	}
	name = strings.TrimSpace(name)
	if name == "" || strings.ContainsAny(name, ": \t;") {
		return "", "", false
	}
	return name, strings.TrimSpace(line[at+1:]), true
}

// head is the first line of a rule.
func (m *makefile) head(line string) (now []*rule) {
	targets, rest, ok := strings.Cut(line, ":")
	if !ok {
		return nil
	}
	rest = strings.TrimPrefix(rest, ":")
	needs, recipe, given := strings.Cut(rest, ";")
	if _, _, variable := makeVariable(needs); variable {
		return nil // a variable of a target
	}
	if strings.Contains(line, "%") || strings.Contains(line, "$") {
		m.partly = true
	}
	for _, target := range strings.Fields(targets) {
		switch target {
		case ".IGNORE":
			m.ignores = m.ignores || strings.TrimSpace(needs) == ""
			continue
		case ".ONESHELL":
			m.oneshell = true
			continue
		}
		r := m.rules[target]
		if r == nil {
			r = &rule{}
			m.rules[target] = r
		}
		if m.first == "" && !strings.HasPrefix(target, ".") {
			m.first = target
		}
		r.needs = append(r.needs, strings.Fields(needs)...)
		if given && strings.TrimSpace(recipe) != "" {
			r.recipe = append(r.recipe, recipe)
		}
		now = append(now, r)
	}
	return now
}

// judgeRule judges what a target runs.
func judgeRule(text, target string) (why, script string) {
	m := parseMakefile(text)
	if target == "" {
		if target = m.vars[".DEFAULT_GOAL"]; target == "" {
			target = m.first
		}
	}
	if m.rules[target] == nil {
		return "", ""
	}
	lines := m.lines(target, map[string]bool{})
	if len(lines) == 0 {
		if m.partly {
			return "", ""
		}
		return "it runs nothing", ""
	}
	level := idle
	var parts []string
	for _, l := range lines {
		for _, c := range commands(l.text) {
			level = max(level, kindOf(c.words))
		}
		if m.oneshell {
			parts = append(parts, l.text)
		} else {
			parts = append(parts, "("+l.text+"\n)")
		}
	}
	for _, l := range lines {
		if !l.ignored && !m.ignores {
			continue
		}
		for _, c := range commands(l.text) {
			if k := kindOf(c.words); k == level && k > idle {
				by := "the - before " + clip(l.text) + " ignores its failure"
				if m.ignores {
					by = ".IGNORE ignores the failure of " + clip(l.text)
				}
				return by, ""
			}
		}
	}
	join := " &&\n"
	if m.oneshell {
		join = "\n"
	}
	script = strings.Join(parts, join)
	if why = masked(script, !m.partly, m.pipefail); why == "" {
		why = Unrun(script)
	}
	return why, script
}

type recipeLine struct {
	text    string
	ignored bool
}

// lines are the recipes of a target, those of what it needs first.
func (m *makefile) lines(target string, seen map[string]bool) (lines []recipeLine) {
	r := m.rules[target]
	if r == nil || seen[target] || len(seen) > 50 {
		return nil
	}
	seen[target] = true
	for _, need := range r.needs {
		lines = append(lines, m.lines(need, seen)...)
	}
	for _, text := range r.recipe {
		var l recipeLine
		text = strings.TrimLeft(text, " \t")
		for text != "" && strings.ContainsRune("@+- \t", rune(text[0])) {
			l.ignored = l.ignored || text[0] == '-'
			text = text[1:]
		}
		if l.text = m.expand(text, target, 5); strings.TrimSpace(l.text) != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

// expand puts the values of the makefile's variables into a line; what it does not know becomes a variable of the shell.
func (m *makefile) expand(text, target string, depth int) string {
	const other = `"$make_value"`
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case '$':
			b.WriteByte('$')
		case '@':
			b.WriteString(target)
		case '(', '{':
			end := closing(text[i:])
			if end < 0 {
				b.WriteString(other)
				return b.String()
			}
			value, ok := m.vars[text[i+1:i+end]]
			if i += end; !ok || depth == 0 {
				b.WriteString(other)
				continue
			}
			b.WriteString(m.expand(value, target, depth-1))
		default:
			b.WriteString(other)
		}
	}
	return b.String()
}

// closing is where the bracket at the head of a text is closed, -1 when it is not.
func closing(text string) int {
	pairs := map[byte]byte{'(': ')', '{': '}'}
	open, depth := text[0], 0
	for i := range len(text) {
		switch text[i] {
		case open:
			depth++
		case pairs[open]:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
