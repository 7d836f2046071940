// Package check judges the command lines that prove features. It performs no I/O.
package check

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Masked says what in a check hides a failure from the one who runs it, "" when nothing does. It follows the line as
// bash -o pipefail would, over each way its commands can end, and wants of it that it can fail, and that it does not
// end well when its test ended badly or never ran. The test is what is known as one by name (pytest, go test, npm test,
// ./check.sh …), wherever such a one stands; else the last command that says something. What other files hide is not seen, nor what a program does with its arguments.
func Masked(line string) (why string) {
	if strings.TrimSpace(line) == "" {
		return ""
	}
	return masked(line, true, true)
}

// MaskedScript is Masked for the text of a script: only what surely hides the failure of a test known by name counts.
func MaskedScript(text string) (why string) { return masked(text, false, false) }

// Limits of what is judged.
const (
	maxLine  = 1 << 16
	maxDepth = 200   // brackets open at once
	maxSteps = 20000 // commands followed, over all ways
)

func masked(line string, whole, pipefail bool) string {
	if why := tooTangled(line); why != "" {
		return only(whole, why)
	}
	for level := test; level > fixed; level-- {
		if level < test && !whole {
			return ""
		}
		e := &eval{level: level, functions: map[string]*syntax.Stmt{}, ids: map[identity]int{}}
		ends := e.script(line, state{pipefail: pipefail})
		switch {
		case e.tangled:
			return only(whole, "too tangled to tell whether it can fail")
		case e.broken && whole:
			return "bash does not read it to its end"
		case e.said != "":
			return e.said
		case e.unseen != "" && whole:
			return e.unseen
		case level == test && e.seen < test && e.written != "":
			return "it never runs " + e.written
		case e.seen < level && level > idle:
			continue // no command of that kind: the next kind is what counts
		}
		return e.judge(ends, whole)
	}
	return ""
}

// only gives a reason that counts for whole checks alone.
func only(whole bool, why string) string {
	if whole {
		return why
	}
	return ""
}

// tooTangled spares the parser what no check needs.
func tooTangled(line string) string {
	if len(line) > maxLine {
		return fmt.Sprintf("longer than %d bytes", maxLine)
	}
	open := strings.Count(line, "(") + strings.Count(line, "{") + strings.Count(line, "`")/2
	if open > maxDepth {
		return fmt.Sprintf("more than %d brackets", maxDepth)
	}
	return ""
}

// judge looks at all the ways the line can end.
func (e *eval) judge(ends []state, whole bool) string {
	if len(ends) == 0 {
		return "" // it never ends: the time limit tells
	}
	fails := false
	type outcome struct{ failed, passed bool }
	well := map[int]outcome{} // how the deciding command ended where the line ended well
	for _, s := range ends {
		if s.code != 0 {
			fails = true
			continue
		}
		o := well[s.who]
		switch s.mark {
		case ended, caught:
			o.failed = true
			if e.level == test {
				return e.hider(s)
			}
		case passed:
			o.passed = true
		}
		well[s.who] = o
	}
	if !fails && !e.endless {
		return only(whole, "it cannot fail")
	}
	if e.level == test {
		for _, s := range ends {
			if s.code == 0 && s.mark == none && whole {
				return "it can end well without a run of " + e.first
			}
		}
		return ""
	}
	for _, s := range ends {
		// What turns a failure into success and success into failure asks for an absence: ! grep …
		if o := well[s.who]; s.code == 0 && s.mark != passed && o.failed && o.passed {
			return e.hider(s)
		}
	}
	return ""
}

// hider names what stands between the failure and the exit code.
func (e *eval) hider(s state) string {
	if s.hid != 0 {
		return e.texts[s.hid-1]
	}
	return "its exit code is not that of " + e.texts[s.who]
}
