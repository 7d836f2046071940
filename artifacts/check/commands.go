package check

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
)

// kind is how much the end of a command says about a feature.
type kind int8

const (
	fixed kind = iota // it always ends the same way
	idle              // it prepares, cleans up or passes on
	real              // it may be what proves the feature
	test              // it is known to be a test
)

// call follows a simple command.
func (e *eval) call(c *syntax.CallExpr, redirs []*syntax.Redirect, s state, asked bool) []state {
	before := s
	ways := []state{s}
	for _, a := range c.Assigns {
		ways = each(ways, e.within(a))
	}
	if len(c.Args) == 0 {
		lists := 0
		for _, a := range c.Assigns {
			lists += len(substitutions(a))
			for i := range ways {
				ways[i].assign(a)
			}
		}
		if lists == 0 {
			for i := range ways {
				ways[i].code = 0
			}
		}
		return merge(ways)
	}
	for _, w := range c.Args {
		ways = each(ways, e.within(w))
	}
	ways = each(ways, func(s state) []state {
		if len(substitutions(c)) == 0 {
			s.code = before.code
		}
		cmd := simple{node: c, redirs: redirs, text: e.text(c), asked: asked, same: true}
		for _, w := range c.Args {
			text, known := expand(w, s)
			if !known {
				cmd.same = false
				text = unknown
			}
			cmd.words = append(cmd.words, text)
		}
		return e.simple(cmd, s)
	})
	return e.blameNew(ways, before, "the status of a command inside "+clip(e.text(c))+" is lost")
}

// unknown stands for a word that the line does not tell.
const unknown = "\x00"

// simple is a simple command with its words expanded.
type simple struct {
	node   syntax.Node
	redirs []*syntax.Redirect
	words  []string
	text   string
	asked  bool
	same   bool // all words are known: twice the same command is the same test
}

func (c simple) identity() identity { return identity{c.node, strings.Join(c.words, unknown)} }

func (e *eval) simple(c simple, s state) []state {
	name := path.Base(c.words[0])
	args := c.words[1:]
	if c.words[0] == unknown {
		return e.end(c.identity(), c.text, real, false, s)
	}
	if body, ok := e.functions[c.words[0]]; ok && !e.deep() {
		e.nested++
		e.calls++
		ways := e.stmt(body, s, c.asked)
		e.calls--
		e.nested--
		for i := range ways {
			if ways[i].flow == returns {
				ways[i].flow = on
			}
		}
		return merge(ways)
	}
	switch name {
	case "exit", "return":
		return e.leave(c, name, s)
	case "break", "continue":
		if e.loops == 0 {
			s.code = 0
			return []state{s}
		}
		s.flow, s.levels, s.code = breaks, 1, 0
		if name == "continue" {
			s.flow = continues
		}
		if len(args) > 0 {
			n, _ := strconv.Atoi(args[0])
			s.levels = max(n, 1)
		}
		return []state{s}
	case "set":
		return set(args, s)
	case "trap":
		return e.trap(args, s)
	case "eval":
		if slices.Contains(args, unknown) {
			return e.end(c.identity(), c.text, real, false, s)
		}
		if e.deep() {
			return []state{s}
		}
		return e.inner(strings.Join(args, " "), s, c.asked)
	case "exec":
		if len(args) == 0 {
			s.code = 0
			return []state{s}
		}
		c.words = dropFlags(args, "a")
		if len(c.words) == 0 {
			return []state{s}
		}
		ways := e.simple(c, s)
		for i := range ways {
			ways[i].flow = exits
		}
		return ways
	case "wait":
		if len(args) > 0 {
			s.code = s.behind
		} else {
			s.code = 0
		}
		return []state{s}
	case "test", "[":
		if name == "[" && len(args) > 0 {
			args = args[:len(args)-1]
		}
		yes, known := testWords(args, !slices.Contains(args, unknown))
		return e.decided(c.node, s, yes, known)
	case "unset", "readonly", "local", "export", "declare", "typeset":
		for _, a := range args {
			s.set(a, "", false)
		}
		s.code = 0
		return []state{s}
	case "read", "mapfile", "readarray", "getopts":
		for _, a := range args {
			s.set(a, "", false)
		}
		return e.end(c.identity(), c.text, idle, c.same, s)
	case "find":
		if i := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "-exec") || strings.HasPrefix(a, "-ok") }); i >= 0 && slices.Contains(args, ";") {
			c.words = args[i+1:]
			return e.loses(c, s)
		}
	}
	if slices.Contains(shells, name) {
		return e.shell(c, s)
	}
	if inner, ok := unwrap(c.words); ok {
		if len(inner) == 0 {
			s.code = 0
			return []state{s}
		}
		c.words = inner
		return e.simple(c, s)
	}
	if inner, ok := detached(c.words); ok {
		c.words = inner
		return e.loses(c, s)
	}
	switch k := kindOf(c.words); {
	case name == "false" && k == test:
		return e.end(c.identity(), "false", test, true, s)
	case k == fixed:
		s.code = 0
		return []state{s}
	default:
		return e.end(c.identity(), c.text, k, c.same, s)
	}
}

// loses follows a command whose status nobody gets.
func (e *eval) loses(c simple, s state) []state {
	if len(c.words) == 0 {
		s.code = 0
		return []state{s}
	}
	before := s
	ways := e.apart(s, func(s state) []state { return e.simple(c, s) })
	for i := range ways {
		ways[i].code = 0
	}
	return e.blameNew(merge(ways), before, clip(c.text)+" loses the status")
}

// leave follows exit and return.
func (e *eval) leave(c simple, name string, s state) []state {
	if name == "return" && e.calls == 0 { // bash goes on, other shells end
		on := s
		on.code = 1
		return append(e.leave(c, "exit", s), on)
	}
	before := s
	s.flow = exits
	if name == "return" {
		s.flow = returns
	}
	args := c.words[1:]
	if len(args) == 0 {
		return []state{s}
	}
	if args[0] == unknown {
		zero, one := s, s
		zero.code, one.code = 0, 1
		return []state{e.blame([]state{zero}, state{code: 1}, c.text)[0], one}
	}
	n, err := strconv.Atoi(args[0])
	if s.code = n & 255; err != nil {
		s.code = 2
	}
	return e.blame([]state{s}, before, c.text)
}

// set follows the options that change what a failure does.
func set(args []string, s state) []state {
	s.code = 0
	for i := 0; i < len(args); i++ {
		flags := args[i]
		if len(flags) < 2 || flags[0] != '-' && flags[0] != '+' {
			break
		}
		turn := flags[0] == '-'
		for _, flag := range flags[1:] {
			switch flag {
			case 'e':
				s.errexit = turn
			case 'n':
				if turn {
					s.flow = exits // nothing more is run
				}
			case 'o':
				if i++; i < len(args) {
					switch args[i] {
					case "errexit":
						s.errexit = turn
					case "pipefail":
						s.pipefail = turn
					case "noexec":
						if turn {
							s.flow = exits
						}
					}
				}
			}
		}
	}
	return []state{s}
}

// trap follows trap TEXT SIGNAL….
func (e *eval) trap(args []string, s state) []state {
	s.code = 0
	args = dropFlags(args, "")
	if len(args) < 2 || args[0] == unknown {
		return []state{s}
	}
	text := args[0]
	for _, signal := range args[1:] {
		switch strings.TrimPrefix(strings.ToUpper(signal), "SIG") {
		case "EXIT", "0":
			if s.trap = text; text == "-" {
				s.trap = ""
			}
		case "ERR", "DEBUG", "RETURN":
			failed := s
			failed.code = 1
			for _, t := range e.inner(text, failed, false) {
				if t.flow == exits && t.code == 0 {
					e.said = "trap " + clip(text)
				}
			}
		}
	}
	return []state{s}
}

// shell follows the text given to another shell.
func (e *eval) shell(c simple, s state) []state {
	strict, pipefail, text, given := false, false, "", false
	for i := 1; i < len(c.words) && !given; i++ {
		w := c.words[i]
		switch {
		case w == "-o" || w == "+o" || w == "-O":
			if i++; i < len(c.words) && w == "-o" {
				strict = strict || c.words[i] == "errexit"
				pipefail = pipefail || c.words[i] == "pipefail"
				if c.words[i] == "noexec" {
					s.code = 0
					return []state{s}
				}
			}
		case strings.HasPrefix(w, "--"):
		case len(w) > 1 && (w[0] == '-' || w[0] == '+'):
			if strings.ContainsRune(w, 'n') || slices.Contains(c.words, "--version") || slices.Contains(c.words, "--help") {
				s.code = 0
				return []state{s}
			}
			strict = strict || strings.ContainsRune(w, 'e')
			if strings.HasSuffix(w, "o") && i+1 < len(c.words) {
				i++
				pipefail = pipefail || c.words[i] == "pipefail"
			}
			if strings.ContainsRune(w, 'c') && i+1 < len(c.words) {
				text, given = c.words[i+1], true
				if text == unknown {
					return e.end(c.identity(), c.text, real, false, s)
				}
			}
		default:
			return e.end(c.identity(), c.text, kindOf(c.words[i:]), c.same, s) // a script
		}
	}
	for _, r := range c.redirs {
		if given {
			break
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			text, given = expand(r.Hdoc, s)
		case syntax.WordHdoc:
			text, given = expand(r.Word, s)
		}
	}
	if !given && !slices.ContainsFunc(c.redirs, func(r *syntax.Redirect) bool { return r.Op == syntax.RdrIn }) {
		e.unseen = clip(c.text) + " runs what it reads, which is not seen"
	}
	if !given || e.deep() {
		return e.end(c.identity(), c.text, real, false, s)
	}
	outer, calls := e.functions, e.calls
	e.functions, e.calls = map[string]*syntax.Stmt{}, 0
	e.nested++
	defer func() { e.functions, e.calls = outer, calls; e.nested-- }()
	return e.apart(s, func(s state) []state {
		s.errexit, s.pipefail, s.vars = strict, pipefail, ""
		return e.script(text, s)
	})
}

// dropFlags leaves out the options at the head; those in with take a value.
func dropFlags(words []string, with string) []string {
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' {
		flag := words[0]
		words = words[1:]
		if flag == "--" {
			break
		}
		if len(flag) == 2 && strings.ContainsRune(with, rune(flag[1])) && len(words) > 0 {
			words = words[1:]
		}
	}
	return words
}

var shells = []string{"sh", "bash", "dash", "zsh", "ksh"}

// wrappers run the command that follows them and end as it does. The text names the flags that take a value.
var wrappers = map[string]string{
	"command": "", "builtin": "", "env": "uSC", "nice": "n", "nohup": "", "time": "fo", "timeout": "ks", "stdbuf": "ioe", "unbuffer": "",
	"xvfb-run": "ens", "sudo": "ugCDhpT", "doas": "u", "caffeinate": "", "ionice": "cnp", "taskset": "c", "chrt": "", "dbus-run-session": "",
	"npx": "p", "bunx": "", "pnpx": "", "dotenv": "ef", "cross-env": "", "strace": "eofp", "gtimeout": "ks", "busybox": "", "faketime": "f",
}

// sub are programs that do so under a word of theirs.
var sub = map[string][]string{
	"npm": {"exec", "x"}, "pnpm": {"exec", "dlx"}, "yarn": {"exec", "dlx"}, "bun": {"x"}, "uv": {"run"}, "poetry": {"run"}, "pipenv": {"run"},
	"hatch": {"run"}, "pdm": {"run"}, "rye": {"run"}, "conda": {"run"}, "bundle": {"exec"}, "mise": {"exec", "x"}, "nix-shell": {"--run"}, "direnv": {"exec"},
}

// unwrap is the command that a wrapper runs.
func unwrap(words []string) (inner []string, ok bool) {
	name := path.Base(words[0])
	rest := words[1:]
	if name == "command" && len(rest) > 0 && (rest[0] == "-v" || rest[0] == "-V") {
		return nil, false
	}
	if verbs, ok := sub[name]; ok {
		if len(rest) > 1 && slices.Contains(verbs, rest[0]) {
			return dropFlags(rest[1:], "pcfn"), true
		}
		return nil, false
	}
	with, ok := wrappers[name]
	if !ok {
		return nil, false
	}
	rest = dropFlags(rest, with)
	switch name {
	case "env", "sudo", "cross-env", "doas":
		for len(rest) > 0 && strings.Contains(rest[0], "=") {
			rest = rest[1:]
		}
	case "timeout", "gtimeout", "taskset", "faketime", "chrt":
		if len(rest) > 0 {
			rest = rest[1:]
		}
	}
	return rest, true
}

// detached is the command that runs where nobody asks how it ends.
func detached(words []string) (inner []string, ok bool) {
	name, rest := path.Base(words[0]), words[1:]
	has := func(flags ...string) bool {
		return slices.ContainsFunc(rest, func(w string) bool { return slices.Contains(flags, w) })
	}
	switch name {
	case "setsid": // it forks where it leads its group, which a check does
		return dropFlags(rest, ""), !has("-w", "--wait", "-fw", "-wf", "-cw", "-wc")
	case "systemd-run":
		return dropFlags(rest, "pu"), !has("--wait", "--scope", "-P", "--pipe")
	case "script":
		return nil, !has("-e", "--return") && !slices.ContainsFunc(rest, func(w string) bool {
			return len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.ContainsRune(w, 'e')
		}) && len(rest) > 0
	case "at", "batch":
		return nil, true
	case "tmux", "screen":
		return nil, len(rest) > 0
	case "make", "gmake":
		ignoring := slices.ContainsFunc(rest, func(w string) bool {
			return w == "--ignore-errors" || len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.ContainsRune(strings.TrimRight(w, "0123456789"), 'i')
		})
		if ignoring {
			return append([]string{name}, slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return strings.HasPrefix(w, "-") })...), true
		}
	}
	return nil, false
}

var (
	// steady commands end well whatever the project does.
	steady = strings.Fields("true : echo printf sleep date pwd whoami id hostname uname clear jobs times umask wait uptime arch nproc logname groups " +
		"history seq free sync")
	// idlers prepare, clean up or pass text on.
	idlers = strings.Fields("cd pushd popd mkdir rm rmdir touch kill pkill killall cp mv chmod chown ln tee cat head tail sort uniq less more tr cut sed awk wc " +
		"ls mktemp truncate dd install rsync tar gzip gunzip unzip source . column nl fold tac rev xxd od strip xargs shift hash alias unalias shopt ulimit disown bg fg tty basename dirname df ps printenv yes reset")
	// bareSteady end well only without arguments.
	bareSteady = strings.Fields("ls cat tail head sort wc tee cd env ps id")
	runners    = strings.Fields("pytest py.test jest vitest mocha ava tape tap karma cypress jasmine qunit wtr testcafe nightwatch wdio newman playwright cucumber cucumber-js " +
		"rspec minitest phpunit pest codecept behat ctest gotestsum ginkgo tox nox nose2 nosetests trial behave robot stestr bats shellspec busted prove " +
		"nextest mutmut unittest cargo-nextest pa11y lighthouse-ci lhci storybook-test vstest.console xctest hspec")
	// verbs make a program a test.
	verbs = map[string][]string{
		"go": {"test"}, "cargo": {"test", "t", "nextest", "bench"}, "dotnet": {"test", "vstest"}, "node": {"--test"}, "deno": {"test"}, "bun": {"test"},
		"mix": {"test"}, "swift": {"test"}, "xcodebuild": {"test"}, "bazel": {"test"}, "bazelisk": {"test"}, "buck2": {"test"}, "pants": {"test"}, "flutter": {"test"},
		"dart": {"test"}, "zig": {"test"}, "stack": {"test"}, "cabal": {"test"}, "lein": {"test"}, "sbt": {"test"}, "composer": {"test"}, "artisan": {"test"},
		"rails": {"test", "spec"}, "meson": {"test"}, "hardhat": {"test"}, "forge": {"test"}, "anchor": {"test"}, "gleam": {"test"}, "dune": {"test", "runtest"},
		"rebar3": {"eunit", "ct"}, "mvn": {"test", "verify", "install", "package"}, "mvnw": {"test", "verify", "install", "package"}, "crystal": {"spec"}, "ng": {"test"},
		"npm": {"test", "t", "tst"}, "yarn": {"test"}, "pnpm": {"test", "t"}, "nx": {"test", "run-many", "affected"}, "turbo": {"test"}, "lerna": {"test"},
	}
	testName  = pattern.Lazy(`(?i)(^|[^a-z])(tests?|e2e|specs?|checks?|verify|ci|unit|integration|smoke|validate)([^a-z]|$)`)
	nothing   = pattern.Lazy(`^\s*(pass|0|1|""|''|process\.exit\(0\)|exit\(0\)|exit 0|import sys; *sys\.exit\(0\)|print\([^()]*\)|console\.log\([^()]*\))?\s*;?\s*$`)
	installer = strings.Fields("install add i ci uninstall remove update upgrade init create publish link why view info ls list outdated")
)

// kindOf classifies a command. A test program that runs no test is none.
func kindOf(words []string) kind {
	k := nameKind(words)
	if k == test && inert(words) {
		return real
	}
	return k
}

// nameKind classifies a command by its name.
func nameKind(words []string) kind {
	name, args := path.Base(words[0]), words[1:]
	name = strings.TrimSuffix(name, ".exe")
	first := slices.IndexFunc(args, func(w string) bool { return !strings.HasPrefix(w, "-") })
	verb := ""
	if first >= 0 {
		verb = args[first]
	}
	switch name {
	case "false":
		return test
	case "gradle", "gradlew", "make", "gmake", "just", "task", "rake", "ninja", "invoke", "inv", "nox", "ant", "earthly", "mage":
		if slices.ContainsFunc(args, func(w string) bool { return !strings.HasPrefix(w, "-") && testName().MatchString(split(w)) }) {
			return test
		}
		return real
	case "npm", "pnpm", "yarn", "bun", "deno", "composer":
		if verb == "run" || verb == "run-script" || verb == "task" {
			for _, w := range args[first+1:] {
				if !strings.HasPrefix(w, "-") {
					return named(w)
				}
			}
			return real
		}
		if name == "yarn" && verb != "" && !slices.Contains(installer, verb) && testName().MatchString(split(verb)) {
			return test
		}
	case "python", "python2", "python3", "py", "pypy", "pypy3":
		for i, w := range args {
			switch {
			case w == "-m" && i+1 < len(args):
				if slices.Contains(runners, args[i+1]) || args[i+1] == "doctest" {
					return test
				}
				return real
			case w == "-c" && i+1 < len(args):
				return code(args[i+1])
			case !strings.HasPrefix(w, "-"):
				return named(w)
			}
		}
		return real
	case "node", "ruby", "perl", "php", "deno-run", "tsx", "ts-node", "lua":
		if name == "node" && slices.ContainsFunc(args, func(w string) bool { return w == "--test" || strings.HasPrefix(w, "--test=") }) {
			return test
		}
		for i, w := range args {
			if slices.Contains([]string{"-e", "-r", "-p", "--eval", "-pe"}, w) && i+1 < len(args) && !(w == "-r" && name != "php") {
				return code(args[i+1])
			}
		}
		if verb != "" {
			return named(verb)
		}
		return real
	case "docker", "docker-compose", "podman", "kubectl", "ssh", "vagrant", "ddev", "sail", "lando":
		for i, w := range args {
			if i > 0 && !strings.HasPrefix(w, "-") && (slices.Contains(runners, path.Base(w)) || verbs[path.Base(w)] != nil) && kindOf(args[i:]) == test {
				return test
			}
		}
		return real
	}
	switch {
	case slices.Contains(runners, name):
		return test
	case slices.Contains(args, unknown) && verb == unknown:
	case slices.ContainsFunc(args, func(w string) bool { return slices.Contains(verbs[name], w) }) && !slices.Contains(installer, args[0]):
		return test
	}
	if name == "sleep" && outsleeps(args) {
		return idle
	}
	if len(args) == 0 && slices.Contains(bareSteady, name) || slices.Contains(steady, name) {
		return fixed
	}
	if name == "cd" && (verb == "." || verb == "") {
		return fixed
	}
	if slices.Contains(idlers, name) {
		return idle
	}
	if strings.Contains(words[0], "/") && !strings.HasPrefix(words[0], "/bin/") && !strings.HasPrefix(words[0], "/usr/bin/") {
		return named(words[0])
	}
	return real
}

// outsleeps says that a sleep may meet the time limit, which is a failure.
func outsleeps(args []string) bool {
	total := 0.0
	for _, w := range args {
		unit := 1.0
		if at := strings.IndexAny(w, "mhdi"); at >= 0 { // minutes, hours, days, infinity
			unit = 60
			w = w[:at]
		}
		n, err := strconv.ParseFloat(strings.TrimSuffix(w, "s"), 64)
		if err != nil {
			return true
		}
		total += n * unit
	}
	return total >= 10
}

// named is a script: its name may say that it tests.
func named(file string) kind {
	if testName().MatchString(split(path.Base(file))) {
		return test
	}
	return real
}

// split sets words written together apart: runTests, run_tests.
func split(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// code is a text given to an interpreter.
func code(text string) kind {
	if nothing().MatchString(text) {
		return fixed
	}
	return real
}
