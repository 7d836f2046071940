package runner

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// TestsRan reads the output of a successful test command and says why no test ran,
// or "" when one did or nothing is known about the command. It knows the summaries
// of pytest, unittest, go test, gotestsum, cargo test, nextest, jest, vitest, mocha,
// playwright, node, bun, deno, rspec, minitest, test-unit, phpunit, pest, dotnet
// test, gradle, maven, XCTest, swift-testing and ctest, and what make says of a target
// without work. Skipped tests did not run. Each runner that the command names must have
// run one, and those whose summary can't be turned off must have printed; of runners
// that other programs call, one test in one of them is enough. It performs no I/O.
func TestsRan(named []string, output string) (why string) {
	lines := plainLines(output)
	some := false
	for _, r := range testRunners {
		ran, empty := r.read(lines)
		if ran || empty == "" {
			some = some || ran
			continue
		}
		if called := slices.Contains(named, r.name); called || why == "" {
			why = fmt.Sprintf("%s ran no test: %s", r.name, clip(strings.TrimSpace(empty), lastLimit))
			if called {
				return why
			}
		}
	}
	if some {
		return ""
	}
	if why == "" && strings.TrimSpace(output) == "" {
		for _, name := range named {
			if slices.Contains(talkative, name) {
				return name + " printed nothing, so what it ran is not known: let it print its summary (| tee keeps a copy)"
			}
		}
	}
	return why
}

// talkative runners print a summary whatever their flags.
var talkative = []string{"pytest", "unittest", "go test", "cargo test", "jest", "vitest", "mocha", "playwright", "node --test", "rspec", "phpunit"}

// A testRunner knows the lines that tell how many tests ran.
type testRunner struct {
	name  string
	lines []testLine
	// whole, where set, reads what single lines do not tell.
	whole func(lines []string) (ran bool, empty string)
}

// A testLine is a line that says something about tests: that some ran when counts,
// given its groups, is above 0, else that none did. No counts: none did.
type testLine struct {
	form   pattern
	counts func(groups []string) int
	plain  bool // not above 0 says nothing
}

// read looks at every line; empty is the last one that says that nothing ran.
func (r testRunner) read(lines []string) (ran bool, empty string) {
	if r.whole != nil {
		return r.whole(lines)
	}
	for _, line := range lines {
		for _, l := range r.lines {
			groups := l.form().FindStringSubmatch(line)
			if groups == nil {
				continue
			}
			if l.counts != nil && l.counts(groups) > 0 {
				return true, ""
			}
			if !l.plain {
				empty = line
			}
		}
	}
	return false, empty
}

// A pattern is compiled when it is first used: a server that runs no check need
// not start the slower for them.
type pattern func() *regexp.Regexp

func lazy(form string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(form) })
}

// nothing is a line that says that no test ran, unless another says otherwise.
func nothing(form string) testLine { return testLine{form: lazy(form)} }

// counted is a line that says how many ran, none included.
func counted(form string, counts func([]string) int) testLine {
	return testLine{form: lazy(form), counts: counts}
}

// positive is a line whose 0 says nothing, be it that another line counts the rest
// or that the form is too plain.
func positive(form string, counts func([]string) int) testLine {
	return testLine{form: lazy(form), counts: counts, plain: true}
}

// some is for a line that is there only when tests ran.
func some([]string) int { return 1 }

// sum adds the groups up.
func sum(groups []string) int {
	n := 0
	for _, g := range groups[1:] {
		i, _ := strconv.Atoi(g)
		n += i
	}
	return n
}

// less takes the other groups from the first.
func less(groups []string) int {
	n, _ := strconv.Atoi(groups[1])
	return 2*n - sum(groups)
}

// named adds up the counts in "3 passed, 2 skipped" that say that a test ran.
func named(groups []string) int {
	n := 0
	for _, m := range ranWords().FindAllStringSubmatch(groups[1], -1) {
		i, _ := strconv.Atoi(m[1])
		n += i
	}
	return n
}

var ranWords = lazy(`(?i)\b(\d+) (?:passed|passing|failed|failing|flaky|xpassed|xfailed|errors?)\b`)

// withoutSkipped takes what "Skipped: 1, Incomplete: 2" counts from the first group.
func withoutSkipped(groups []string) int {
	n, _ := strconv.Atoi(groups[1])
	for _, m := range skippedWords().FindAllStringSubmatch(groups[2], -1) {
		i, _ := strconv.Atoi(m[1])
		n -= i
	}
	return n
}

var skippedWords = lazy(`\b(?:Skipped|Incomplete|Ignored): (\d+)`)

// plainLines are the lines of an output without escape sequences.
func plainLines(output string) []string {
	t := &tail{}
	t.Write([]byte(output))
	s, _ := t.end(outputLimit)
	return strings.Split(s, "\n")
}
