package check

import (
	"slices"
	"strconv"
	"strings"
)

// state is one way in which a line can have gone so far.
type state struct {
	code     int // exit status of the last command
	mark     mark
	who      int // command that set the mark
	hid      int // 1 + text of what hid a failure
	flow     flow
	levels   int // loops to leave
	errexit  bool
	pipefail bool
	behind   int    // exit status of the last command put into the background
	pipe     string // PIPESTATUS, a digit each
	trap     string // for EXIT
	vars     string // sorted NAME=VALUE lines
}

// mark is what became of the test.
type mark int8

const (
	none   mark = iota
	passed      // it ran, and well
	ended       // it ended badly, and what followed did not ask
	caught      // it ended badly, and what follows runs because of that
)

type flow int8

const (
	on flow = iota
	exits
	returns
	breaks
	continues
)

const maxVars = 12

// variable is the value of a variable that the line itself has set to plain text.
func (s state) variable(name string) (value string, known bool) {
	for line := range strings.Lines(s.vars) {
		if rest, ok := strings.CutPrefix(line, name+"="); ok {
			return strings.TrimSuffix(rest, "\n"), true
		}
	}
	return "", false
}

// set gives a variable a value, or forgets it.
func (s *state) set(name, value string, known bool) {
	lines := slices.DeleteFunc(strings.SplitAfter(s.vars, "\n"), func(line string) bool {
		return line == "" || strings.HasPrefix(line, name+"=")
	})
	if known && len(value) <= 100 && !strings.Contains(value, "\n") && len(lines) < maxVars {
		lines = append(lines, name+"="+value+"\n")
		slices.Sort(lines)
	}
	s.vars = strings.Join(lines, "")
}

// special is the value of a parameter that the shell sets.
func (s state) special(name string) (value string, known bool) {
	switch name {
	case "?":
		return strconv.Itoa(s.code), true
	case "!", "$":
		return "12345", name == "$"
	}
	return s.variable(name)
}

// merge drops the ways that are told twice.
func merge(ways []state) []state {
	if len(ways) < 2 {
		return ways
	}
	seen := make(map[state]bool, len(ways))
	return slices.DeleteFunc(ways, func(s state) bool {
		if seen[s] {
			return true
		}
		seen[s] = true
		return false
	})
}
