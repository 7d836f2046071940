package check

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Unrun says that the tests a check names are listed, compiled or described instead of run (pytest --collect-only, go test
// -list, make -n test …), "" when one of them runs or none is named.
func Unrun(line string) (why string) {
	for _, c := range commands(line) {
		if nameKind(c.words) != test || path.Base(c.words[0]) == "false" {
			continue
		}
		if !inert(c.words) {
			return ""
		}
		if why == "" {
			why = clip(strings.Join(c.words, " ")) + " runs no test"
		}
	}
	return why
}

// Runners are the test runners that a check calls by name, as runner.TestsRan names them, without repetition.
func Runners(line string) (names []string) {
	for _, c := range commands(line) {
		if name := runnerName(c.words); name != "" && !inert(c.words) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func runnerName(words []string) string {
	name, args := strings.TrimSuffix(path.Base(words[0]), ".exe"), words[1:]
	has := func(verb string) bool { return slices.Contains(args, verb) }
	switch name {
	case "pytest", "py.test":
		return "pytest"
	case "python", "python3", "py", "pypy3":
		if i := slices.Index(args, "-m"); i >= 0 && i+1 < len(args) && (args[i+1] == "pytest" || args[i+1] == "unittest") {
			return args[i+1]
		}
	case "go":
		if has("test") {
			return "go test"
		}
	case "cargo":
		if has("nextest") {
			return "cargo nextest"
		}
		if has("test") || has("t") {
			return "cargo test"
		}
	case "node":
		if has("--test") {
			return "node --test"
		}
	case "playwright":
		if has("test") {
			return "playwright"
		}
	case "bun", "deno", "dotnet":
		if has("test") {
			return name + " test"
		}
	case "mvn", "mvnw":
		return "maven"
	case "gradle", "gradlew":
		return "gradle"
	case "jest", "vitest", "mocha", "rspec", "phpunit", "pest", "gotestsum", "ctest":
		return name
	}
	return ""
}

// idleFlags keep a runner from running tests; those that end in = count with any value.
var idleFlags = map[string][]string{
	"pytest": {"--collect-only", "--co", "--fixtures", "--fixtures-per-test", "--markers", "--setup-plan", "--setup-only"}, "py.test": {"--collect-only", "--co"},
	"go": {"-list", "--list", "-list=", "--list=", "-n", "-c"}, "cargo": {"--no-run", "--list"}, "jest": {"--listTests", "--showConfig", "--clearCache", "--init"},
	"vitest": {"list", "--mergeReports"}, "mocha": {"--dry-run", "--list-files", "--list-reporters", "--list-interfaces"}, "playwright": {"--list"},
	"rspec": {"--dry-run"}, "phpunit": {"--list-tests", "--list-groups", "--list-suites", "--list-tests-xml"}, "pest": {"--list-tests"}, "ctest": {"-N", "--show-only", "--show-only="},
	"gradle": {"-m", "--dry-run"}, "gradlew": {"-m", "--dry-run"}, "dotnet": {"--list-tests", "-t"}, "bats": {"-c", "--count"}, "robot": {"--dryrun"}, "behave": {"-d", "--dry-run"},
	"cucumber": {"-d", "--dry-run"}, "cucumber-js": {"-d", "--dry-run"}, "tox": {"-l", "--listenvs", "--notest", "-a"}, "nox": {"-l", "--list", "--install-only"}, "swift": {"list", "--list-tests"},
	"mvn": {"-DskipTests", "-DskipTests=true", "-Dmaven.test.skip", "-Dmaven.test.skip=true"}, "mvnw": {"-DskipTests", "-DskipTests=true", "-Dmaven.test.skip", "-Dmaven.test.skip=true"},
	"make": {"--dry-run", "--just-print", "--recon", "--question", "--touch"}, "gmake": {"--dry-run", "--just-print", "--recon", "--question", "--touch"}, "deno": {"--no-run"},
	"ginkgo": {"--dry-run", "--dryRun"}, "turbo": {"--dry", "--dry=", "--dry-run", "--dry-run="}, "ninja": {"-n"}, "just": {"-n", "--dry-run", "-l", "--list"}, "task": {"-n", "--dry", "-l", "--list"},
	"rake": {"-n", "--dry-run", "-T", "-P"}, "meson": {"--list"}, "codecept": {"dry-run"}, "testcafe": {"--list-browsers"}, "cargo-nextest": {"list", "--no-run"}, "stestr": {"list"},
}

// passedOn are flags that a package manager hands to a runner it does not name.
var passedOn = []string{"--collect-only", "--listTests", "--list", "--dry-run", "--list-tests", "--no-run"}

// inert reports a call of a test program that runs no test.
func inert(words []string) bool {
	name, args := strings.TrimSuffix(path.Base(words[0]), ".exe"), words[1:]
	after := slices.Index(args, "--")
	own := args
	if after >= 0 {
		own = args[:after]
	}
	if slices.Contains(runners, name) && (slices.Contains(own, "--version") || slices.Contains(own, "--help")) {
		return true
	}
	switch name {
	case "python", "python3", "py", "pypy3":
		if i := slices.Index(args, "-m"); i >= 0 && i+1 < len(args) && slices.Contains(runners, args[i+1]) {
			return inert(args[i+1:])
		}
		return false
	case "npm", "pnpm", "yarn", "bun":
		return after >= 0 && slices.ContainsFunc(args[after:], func(w string) bool { return slices.Contains(passedOn, w) })
	case "go":
		for i, w := range own {
			flag, value, given := strings.Cut(strings.TrimLeft(w, "-"), "=")
			if w == "-args" || w == "--args" {
				own = own[:i]
				break
			}
			if flag != "exec" || w == flag {
				continue
			}
			if !given && i+1 < len(own) {
				value = own[i+1]
			}
			if words := strings.Fields(value); len(words) == 1 && nameKind(words) == fixed {
				return true // it ends well whatever it is given to run
			}
		}
	case "cargo":
		if slices.Contains(args, "nextest") && slices.Contains(own, "list") {
			return true
		}
		own = args
	case "playwright", "cypress":
		if !slices.Contains(own, "test") && !slices.Contains(own, "run") {
			return true
		}
	case "make", "gmake":
		for _, w := range own {
			if len(w) > 1 && w[0] == '-' && w[1] != '-' && !strings.ContainsAny(w[1:2], "CfIjlWo") && strings.ContainsAny(w, "nqt") {
				return true
			}
		}
	case "gradle", "gradlew":
		for i, w := range own {
			if (w == "-x" || w == "--exclude-task") && i+1 < len(own) && strings.HasSuffix(own[i+1], "test") {
				return true
			}
		}
	}
	return slices.ContainsFunc(own, func(w string) bool {
		return slices.ContainsFunc(idleFlags[name], func(flag string) bool {
			return w == flag || strings.HasSuffix(flag, "=") && strings.HasPrefix(w, flag)
		})
	})
}

// A command is a simple command of a text, without what is put before it, and the folder where it runs as far as cd told.
type command struct {
	words []string
	dir   string
}

// commands are the simple commands of a text, run or not, those in the text of eval and sh -c too. Words that the text
// does not tell are unknown.
func commands(text string) []command {
	if tooTangled(text) != "" {
		return nil
	}
	return commandsIn(text, "", 4)
}

func commandsIn(text, dir string, depth int) (found []command) {
	list, _ := parse(text)
	for _, stmt := range list {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			c, ok := n.(*syntax.CallExpr)
			if !ok || len(c.Args) == 0 {
				return true
			}
			var words []string
			for _, w := range c.Args {
				text, known := expand(w, state{})
				if !known {
					text = unknown
				}
				words = append(words, text)
			}
			if words[0] == "exec" && len(words) > 1 {
				words = words[1:]
			}
			for inner, ok := unwrap(words); ok && len(inner) > 0; inner, ok = unwrap(words) {
				words = inner
			}
			switch name := path.Base(words[0]); {
			case name == "cd" && len(words) == 2 && words[1] != unknown:
				dir = path.Join(dir, words[1])
			case depth > 0 && name == "eval":
				found = append(found, commandsIn(strings.Join(words[1:], " "), dir, depth-1)...)
			case depth > 0 && slices.Contains(shells, name) && len(words) > 2 && strings.HasPrefix(words[1], "-") && strings.Contains(words[1], "c"):
				found = append(found, commandsIn(words[2], dir, depth-1)...)
			default:
				found = append(found, command{words: words, dir: dir})
			}
			return true
		})
	}
	return found
}
