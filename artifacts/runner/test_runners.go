package runner

import (
	"strconv"
	"strings"
)

// testRunners are tried in this order. The forms are anchored: a test may print a
// line that is much like these.
var testRunners = []testRunner{
	{name: "pytest", lines: []testLine{
		counted(`^=*\s*((?:\d+ [a-z]+, )*\d+ [a-z]+) in \d+(?:\.\d+)?s(?: \([\d:]+\))?\s*=*$`, named),
		nothing(`(?i)^=*\s*no tests (?:ran|collected)\b.*in \d`),
		nothing(`^=*\s*\d+(?:/\d+)? tests? collected\b.* in \d`),
		nothing(`^collected 0 items`),
	}},
	{name: "unittest", whole: unittest},
	{name: "go test", whole: goTest},
	{name: "gotestsum", lines: []testLine{
		counted(`^DONE (\d+) tests?(?:, (\d+) skipped)?(?:, \d+ failures?)?(?:, \d+ errors?)? in \d`, less),
	}},
	{name: "cargo test", lines: []testLine{
		counted(`^test result: \w+\. (\d+) passed; (\d+) failed; \d+ ignored; (\d+) measured;`, sum),
	}},
	{name: "cargo nextest", lines: []testLine{
		counted(`^\s*Summary \[.*\]\s+(\d+)(?:/\d+)? tests? run:`, sum),
		nothing(`^error: no tests to run`),
	}},
	{name: "jest", lines: []testLine{
		counted(`^Tests:\s+(.*\d+ total)\s*$`, named),
		nothing(`^No tests found\b`),
	}},
	{name: "vitest", lines: []testLine{
		counted(`^\s*Tests\s{1,4}((?:\d+ (?:passed|failed|skipped|todo)(?: \| )?)+\s*\(\d+\))`, named),
		nothing(`^\s*Tests\s+no tests\s*$`),
		nothing(`^\s*No test files found\b`),
	}},
	{name: "mocha", lines: []testLine{
		counted(`^\s*(\d+) passing(?: \(.*\))?$`, sum),
		positive(`^\s*(\d+) failing$`, sum),
	}},
	{name: "playwright", whole: playwright},
	{name: "node --test", whole: nodeTest},
	{name: "bun test", lines: []testLine{
		positive(`^\s*(\d+) (?:pass|fail)$`, sum),
		nothing(`^Ran \d+ tests? across \d+ files?`),
	}},
	{name: "deno test", lines: []testLine{
		counted(`^(?:ok|FAILED) \| (\d+) passed(?: \([^)]*\))? \| (\d+) failed`, sum),
		nothing(`^error: No test modules found`),
	}},
	{name: "rspec", lines: []testLine{
		counted(`^(\d+) examples?, \d+ failures?(?:, (\d+) pending)?`, less),
		nothing(`^No examples found\.`),
	}},
	{name: "minitest", lines: []testLine{
		counted(`^(\d+) (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors, (\d+) skips`, less),
		nothing(`^0 (?:runs|tests), 0 assertions(?:, 0 failures)?(?:, 0 errors)?\.?$`),
	}},
	{name: "test-unit", lines: []testLine{
		counted(`^(\d+) tests, \d+ assertions, \d+ failures, \d+ errors, (\d+) pendings, (\d+) omissions`, less),
	}},
	{name: "phpunit", lines: []testLine{
		counted(`^OK \((\d+) tests?, `, sum),
		counted(`^Tests: (\d+), Assertions: \d+(.*)\.$`, withoutSkipped),
		nothing(`^No tests executed!`),
	}},
	{name: "pest", lines: []testLine{
		counted(`^\s*Tests:\s+(.*) \(\d+ assertions?\)`, named),
		nothing(`^\s*(?:INFO|WARN)\s+No tests found`),
	}},
	{name: "dotnet test", lines: []testLine{
		counted(`^\s*(?:Passed|Failed|Skipped)!\s+- Failed:\s+(\d+), Passed:\s+(\d+), Skipped:`, sum),
		positive(`^\s+(?:Passed|Failed|succeeded|failed):\s+(\d+)$`, sum),
		nothing(`^Total tests: \w+$`),
		nothing(`^Test run summary: `),
		nothing(`^No test is available in `),
		nothing(`^No test matches the given testcase filter`),
		nothing(`^\s*Zero tests ran`),
	}},
	{name: "gradle", lines: []testLine{
		nothing(`^> Task \S*:\w*[tT]est (?:NO-SOURCE|SKIPPED)$`),
		counted(`^> Task \S*:(?:\w*Test|test)(?: UP-TO-DATE| FROM-CACHE| FAILED)?$`, some),
	}},
	{name: "maven", lines: []testLine{
		counted(`^(?:\[\w+\] )?Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: (\d+)`, less),
		nothing(`^\[INFO\] No tests to run\.`),
		nothing(`^\[INFO\] Tests are skipped\.`),
	}},
	{name: "XCTest", lines: []testLine{
		counted(`^\s*Executed (\d+) tests?, with (?:(\d+) tests? skipped and )?\d+ failures?\b`, less),
	}},
	{name: "swift-testing", lines: []testLine{
		counted(`^(?:\S+ )?Test run with (\d+) tests?(?: in \d+ suites?)? (?:passed|failed)\b`, sum),
	}},
	{name: "ctest", whole: ctest},
	{name: "make", lines: []testLine{
		nothing(`^g?make: Nothing to be done for [` + "`'" + `][^']*(?:test|check|spec|e2e|verify)[^']*'\.$`),
		nothing(`^g?make: [` + "`'" + `][^']*(?:test|check|spec|e2e|verify)[^']*' is up to date\.$`),
	}},
}

var (
	unittestRan     = lazy(`^Ran (\d+) tests? in \d`)
	unittestResult  = lazy(`^(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$`)
	noTestsRan      = lazy(`(?i)^=*\s*no tests ran\.?\s*=*$`)
	unittestSkipped = lazy(`\bskipped=(\d+)`)
)

// unittest tells of the skipped ones in the line after the count.
func unittest(lines []string) (ran bool, empty string) {
	n, alone := -1, ""
	for _, line := range lines {
		if m := unittestRan().FindStringSubmatch(line); m != nil {
			n, _ = strconv.Atoi(m[1])
			empty = line
			continue
		}
		if noTestsRan().MatchString(line) {
			alone = line
		}
		m := unittestResult().FindStringSubmatch(line)
		if m == nil || n < 0 {
			continue
		}
		if s := unittestSkipped().FindStringSubmatch(m[1]); s != nil {
			skipped, _ := strconv.Atoi(s[1])
			n -= skipped
			empty += ", " + line
		}
		if n > 0 {
			return true, ""
		}
		n = -1
	}
	if empty == "" {
		empty = alone
	}
	// The result line may be in another stream that was not kept.
	return n > 0, empty
}

var (
	goOK      = lazy(`^ok\s+\S+\s+(?:\d+(?:\.\d+)?s|\(cached\))`)
	goResult  = lazy(`^\s*--- (PASS|FAIL|SKIP): `)
	goBench   = lazy(`^Benchmark\S+\s+\d+\s`)
	goFail    = lazy(`^FAIL\s+\S+\s+\d`)
	goNoFiles = lazy(`^(?:\?\s+\S+\s+\[no test files\]|\s+\S+\s+coverage: 0\.0% of statements$)`)
	goNothing = lazy(`^(?:testing: warning: no tests to run|go: warning: .* matched no packages|no packages to test)$`)
	goJSON    = lazy(`^\{"Time":.*"Action":"(\w+)","Package":"[^"]*"(,"Test":)?`)
)

// goTest needs all lines: with -v an ok stands under packages whose every test was
// skipped; without it such a package can't be told from one that tested.
func goTest(lines []string) (ran bool, empty string) {
	verbose, ok := false, false
	for _, line := range lines {
		result := goResult().FindStringSubmatch(line)
		event := goJSON().FindStringSubmatch(line)
		switch {
		case result != nil && result[1] != "SKIP", goBench().MatchString(line), goFail().MatchString(line):
			return true, ""
		case event != nil && event[2] != "" && (event[1] == "pass" || event[1] == "fail"):
			return true, ""
		case event != nil, goNoFiles().MatchString(line), goNothing().MatchString(line):
			empty = line
		case result != nil:
			empty, verbose = line, true
		case goOK().MatchString(line):
			if strings.HasSuffix(line, "[no tests to run]") {
				empty = line
				continue
			}
			ok = true
		}
	}
	return ok && !verbose, empty
}

var (
	playwrightRunning = lazy(`^Running (\d+) tests? using \d+ workers?`)
	playwrightRan     = lazy(`^\s+(\d+) (?:passed|failed|flaky)(?: \(.*\))?$`)
	playwrightNot     = lazy(`^\s+\d+ (?:skipped|did not run)$`)
	playwrightPassed  = lazy(`^\s*(\d+) passed \(\d+(?:\.\d+)?(?:ms|s|m|h)\)$`)
	playwrightNone    = lazy(`^\s*Error: No tests found`)
)

// playwright's counts are too plain to be known without its first line, but for the
// one that tells the time.
func playwright(lines []string) (ran bool, empty string) {
	known := false
	for _, line := range lines {
		m := playwrightRunning().FindStringSubmatch(line)
		known = known || m != nil
		switch {
		case m != nil && m[1] == "0", playwrightNone().MatchString(line), known && playwrightNot().MatchString(line):
			empty = line
		case playwrightRan().MatchString(line) && sum(playwrightRan().FindStringSubmatch(line)) > 0:
			return true, ""
		case playwrightPassed().MatchString(line):
			if sum(playwrightPassed().FindStringSubmatch(line)) > 0 {
				return true, ""
			}
			empty = line
		}
	}
	return false, empty
}

var (
	nodeRan  = lazy(`^(?:#|ℹ) (pass|fail) (\d+)$`)
	nodeFile = lazy(`^(?:✔|ok \d+ -) \S.*\.[cm]?[jt]sx?(?: \(\d+(?:\.\d+)?ms\))?$`)
	nodeNone = lazy(`^(?:(?:#|ℹ) tests 0|1\.\.0(?:\s*#.*)?)$`)
)

// nodeTest counts no files: node reports one that holds no test as a test that passed.
func nodeTest(lines []string) (ran bool, empty string) {
	files, n := 0, 0
	for _, line := range lines {
		switch m := nodeRan().FindStringSubmatch(line); {
		case m != nil:
			n += sum(m)
			if m[1] == "pass" {
				empty = line
			}
		case nodeFile().MatchString(line):
			files++
		case nodeNone().MatchString(line):
			empty = line
		}
	}
	if n > 0 && files >= n {
		empty += ", each a file without a test in it"
	}
	return n > files, empty
}

var (
	ctestRan  = lazy(`^\s*\d+/\d+ Test\s+#\d+: .*(?:\s|\.)(?:Passed|\*\*\*(?:Failed|Timeout|Exception))`)
	ctestNot  = lazy(`^\s*\d+/\d+ Test\s+#\d+: .*\*\*\*(?:Skipped|Not Run)`)
	ctestSum  = lazy(`^\d+% tests passed, \d+ tests failed out of (\d+)`)
	ctestNone = lazy(`^No tests were found!!!`)
)

// ctest counts skipped tests as passed ones in its summary.
func ctest(lines []string) (ran bool, empty string) {
	total := 0
	for _, line := range lines {
		switch {
		case ctestRan().MatchString(line):
			return true, ""
		case ctestNot().MatchString(line), ctestNone().MatchString(line):
			empty = line
		case ctestSum().MatchString(line):
			total = sum(ctestSum().FindStringSubmatch(line))
			if total == 0 {
				empty = line
			}
		}
	}
	return total > 0 && empty == "", empty
}
