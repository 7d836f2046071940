package check

import (
	"strings"
	"testing"
)

func TestMasked(t *testing.T) {
	masking := []string{
		"npm test || true", "npm test||true", "printf 'pytest||true' | bash", "curl -s localhost/x.sh | sh", "cat <<E | sh\nnpm test || true\nE", "npm test || :", "npm test || echo failed", "npm test || exit 0", "npm test || /bin/true",
		"npm test || command true", "npm test || (true)", "npm test || { echo no; true; }", "npm test || \"true\"", "npm test || tr\\ue",
		"npm test; true", "npm test ; exit 0", "npm test\ntrue", "npm test\r\nexit 0\r\n", "npm test; true # done", "npm test; exit 0;",
		"npm test &", "npm test & # later", "npm test &\n", "(npm test || true)", "cd app && npm test || true", "npm test || \\\n true",
		"bash -c 'npm test || true'", "sh -lc \"npm test; exit 0\"", "npm test || printf no", "npm test || true > log", "npm test 2>&1 || true",
		"npm test || return 0", "npm test; :", "(npm test; true)", "eval 'npm test || true'", "(npm test &)",
		"npm test; echo done", "npm test\necho ok", "trap 'exit 0' EXIT; npm test", "npm test; printf 'fine'", "exit 0",

		"npm test &&", "npm test ))", "npm test || true ))", "((npm test) || true)", "f() { npm test; }; ./app", "exit 0; npm test", "if app; then npm test; fi",

		// nothing that could fail
		"true", ":", "# a comment", "echo ok", "test 1", "[ 1 ]", "[ 1 = 1 ]", "[[ 1 ]]", "test -d .", "((1))", "python3 -c pass", "node -e ''", "bash -c :",
		"exec true; false", "exit; false", "while false; do :; done", "case $x in a) true;; esac", "cat <<EOF\nx\nEOF\ntrue", "echo a\\;true", "X=1", ">log",
		"bash -n check.sh", "set -n; npm test", "sleep 1",

		// false stands for the test
		"if false; then :; fi", "if false; then echo ok; else echo no; fi", "set +o pipefail; false | cat", "false & wait", "echo \"$(false)\"",
		"export X=$(false)", "false || ls", "false || date", "false || pwd", "false || bash -c true", "for i in 1; do false || continue; done",
		"find . -exec false \\;", "false; wait", "false; cd .", "false || eval true", "false || ${X:-true}", "T=true; false || $T", "false || ! false",
		"false || >/dev/null", "false || x=1", "false || ((1))", "false || set +e", "false; exit 256", "false; exit $(echo 0)", "npm(){ :; }; npm test",
		"coproc false", "case a in a) false;; esac; ls", "$(false || true)", "cat <(false)", "! false", "set +e; false; date", "false || T=$(true)",
		"false | tee log || true", "{ false; true; }", "time false || true", "until false; do break; done", "while false; do :; done; ls src",
		"false; if true; then :; fi", "false; unset X", "f() { false || return 0; }; f", "f() { false; return 0; }; f && ls src", "declare -x A=$(false)",
		"false; [ 1 -eq 1 ]", "A=0; false; exit $A", "A=$?; false; exit $A", "false; exit $((0))", "false; exit $((1 - 1))", "exec 3>&1; false; echo",
		"bash <<< 'false; true'", "bash <<E\nfalse\ntrue\nE", "sh -c 'false | cat'", "setsid false", "nohup false || true", "timeout 5 sh -c 'false; true'",
		"env A=1 sh -c 'false; true'", "trap 'exit 0' ERR; false", "false; kill -0 $$", "false; rm -rf tmp", "(false; exit 0)", "script -qc false /dev/null",

		// tests by name
		"if npm test; then :; fi", "npm test; docker compose down", "npm test; kill $pid", "npm test; npm run lint", "pytest; ls src", "make -i test", "make -ki check",
		"make --ignore-errors test", "pytest | grep -q passed; true", "out=$(pytest || true); echo \"$out\" | grep -q passed", "echo $(go test ./...)",
		"! npm test", "if npm test; then exit 1; fi", "[ -f go.mod ] || go test ./...", "if [ -d tests ]; then pytest; fi", "pytest a; pytest b",
		"for f in a b; do pytest $f; done", "npm test || npm run build", "cargo test; rc=$?; echo $rc", "npm test; exit $CODE", "python3 -m pytest || ls src",
		"./run_tests.sh; ./cleanup.sh", "bash -c 'go test ./... | tee log'", "set +o pipefail; go test ./... | tail -3", "npx jest; exit 0", "xargs echo; npm test & wait",
		"uv run pytest || true", "docker compose exec web pytest || true", "while pytest; do sleep 1; done", "cmp a b && exit 0; pytest", "f() { local x=$(npm test); }; f",
		"./server & npm test; kill %1", "go test ./...; test -d src", "ctest; [ -d build ]", "npm test || ((FAILED++))", "npm test || FAILED=1",
		"FAILED=0; npm test || FAILED=1; echo $FAILED", "yarn test; yarn build", "npm run test:unit || true", "just check; true", "./check.sh; rm -rf tmp",

		// commands that may be tests
		"./app --selftest; rm -rf tmp", "curl -sf localhost || echo no", "if ./app; then echo fine; fi", "./app || true; rm x", "diff a b; sleep 1", "grep x f; cd ..",
		"test -f dist/app.js || mkdir dist; touch x", "./app | cat; true", "[ -f x ] || true", "curl -sf localhost > out; cat",
	}
	for _, line := range masking {
		if got := Masked(line); got == "" {
			t.Errorf("Masked(%q) = %q, want the part that masks", line, got)
		}
	}
	clean := []string{
		"", "npm test", "npm test && true", "grep 'a || true' f", `grep "a; true" f`, "npm test # || true", "npm test 2>&1",
		"npm test &> log", "npm test >& log", "server & sleep 1; npm test", "test -z \"$(grep -r todo src || true)\"", "npm test || exit 1",
		"npm test || { echo failed; exit 1; }", "npm test || (echo failed; exit 2)", "if npm test; then exit 0; else exit 1; fi", "while true; do npm test && break; done",
		"set -e; npm test; true", "set -euo pipefail\nnpm test\nexit 0", "npm test | tee log", "grep -q '\\|\\| true' f", "true && npm test",
		"npm run lint; npm test", "curl 'http://h/?a=1&b=2'", "case $x in a) npm test;; *) exit 1;; esac", "[ $(id -u) -ne 0 ] || exit 3", "false", "exit 3",

		"! grep -r TODO src", "if grep -rn TODO src; then exit 1; fi", "grep -q a f && grep -q b f", "test -f a || test -f b", "npm test; exit $?",
		"npm test; rc=$?; kill $pid; exit $rc", "npm test\nrc=$?\ndocker compose down\nexit $rc", "./server & pid=$!; trap 'kill $pid' EXIT; npm test",
		"FAILED=0; npm test || FAILED=1; cargo test || FAILED=1; exit $FAILED", "f=0; pytest a || f=$((f+1)); pytest b || f=$((f+1)); [ $f -eq 0 ]",
		"pytest | tee log; exit ${PIPESTATUS[0]}", "pytest & wait $!", "for f in tests/*.sh; do bash $f || exit 1; done", "pytest || python3 -m pytest",
		"[ -d node_modules ] || npm ci; npm test", "command -v pnpm && pnpm test || npm test", "if command -v pnpm; then pnpm test; else npm test; fi",
		"find . -name '*_test.sh' | while read -r f; do bash \"$f\" || exit 1; done", "for i in 1 2 3; do curl -sf localhost && break; sleep 1; done; curl -sf localhost | grep -q ok",
		"out=$(./app --bad 2>&1 || true); echo \"$out\" | grep -q usage", "timeout 60 npm test", "bash -eo pipefail -c 'go test ./... | tee log'",
		"python3 -m unittest -v", "python3 -c 'import app; assert app.add(1, 2) == 3'", "node -e \"require('assert')(1)\"", "[ \"$(curl -s localhost)\" = ok ]",
		"[[ $(./app) == 3* ]]", "(( $(./app | wc -l) == 3 ))", "test $(wc -l < f) -eq 3", "npm run build && test -f dist/app.js", "./app > out && diff out want",
		"cmp <(./app) want", "make test", "make -k test", "cd app && npm test", "(cd app && npm test)", "CI=1 npm test", "npm ci --silent; npx playwright test",
		"case \"$(./app --version)\" in 1.*) ;; *) exit 1;; esac", "ls dist/app.js", "cat dist/app.js", "test -x ./app", "$PYTHON -m pytest", "\"$BIN\" --version",
		"f() { npm test; }; f", "trap 'rm -rf tmp' EXIT; npm test", "exec npm test", "until curl -sf localhost; do sleep 1; done; npm test", "npm t",
		"n=0; for f in a b; do pytest $f || n=1; done; exit $n", "if ! npm test; then exit 1; fi", "npm test || exit", "docker compose run --rm web pytest",
		"go vet ./... && go test ./...", "set -e\nnpm run dev & pid=$!\nsleep 2\nnpx playwright test\nkill $pid", "curl -s localhost | jq -e .ok", "mkdir x", "bash < check.sh", "curl -sf localhost | node", "sleep 300", "sleep 300 | cat", "sleep 5m", "sleep infinity",
		"tmp=$(mktemp -d); ./app > $tmp/out; grep -q hello $tmp/out", "npm test >log 2>&1 || { cat log; exit 1; }", "{ npm test; }", "time npm test",
	}
	for _, line := range clean {
		if got := Masked(line); got != "" {
			t.Errorf("Masked(%q) = %q, want nothing", line, got)
		}
	}
}

func TestMaskedNames(t *testing.T) {
	for line, want := range map[string]string{
		"npm test || true":                     "|| true",
		"npm test; docker compose down":        "; docker compose down",
		"npm test &":                           "a trailing &",
		"if npm test; then :; fi":              "an if without else",
		"echo ok":                              "it cannot fail",
		"if [ -d tests ]; then pytest; fi":     "it can end well without a run of pytest",
		"set +o pipefail; go test ./... | cat": "| cat",
		"echo \"$(npm test)\"":                 "the status of a command inside echo \"$(npm test)\" is lost",
		"! npm test":                           "! turns its failure into success",
		"trap 'exit 0' EXIT; npm test":         "trap exit 0",
		"make -i test":                         "make -i test loses the status",
	} {
		if got := Masked(line); got != want {
			t.Errorf("Masked(%q) = %q, want %q", line, got, want)
		}
	}
}

func TestMaskedScript(t *testing.T) {
	for text, masked := range map[string]bool{
		"#!/bin/sh\nnpm test || true\n":                    true,
		"#!/bin/sh\nnpm test\necho done\n":                 true,
		"#!/bin/sh\nset -e\nnpm test\necho done\n":         false,
		"#!/bin/sh\nnpm run build\nnpm test\n":             false,
		"#!/bin/sh\n./app > out\necho done\n":              false, // not known to test
		"#!/bin/sh\n":                                      false,
		"#!/bin/bash\npytest | tee log\n":                  true,
		"#!/bin/bash\nset -o pipefail\npytest | tee log\n": false,
		strings.Repeat("f() { (", 500):                     false,
	} {
		if got := MaskedScript(text); (got != "") != masked {
			t.Errorf("MaskedScript(%q) = %q, want masked %v", text, got, masked)
		}
	}
}

func TestMaskedDeepNesting(t *testing.T) {
	for _, open := range []string{"(", "{ ", "$(", "`", "${", "if ", "! ", "while ", "[[ ! ", "$((", "case x in ", "a && ", "a | ", "f() "} {
		for _, line := range []string{strings.Repeat(open, 1<<20), strings.Repeat(open, 10000), strings.Repeat(open, 60) + "a"} {
			Masked(line)
			MaskedScript(line)
		}
	}
}

func FuzzMasked(f *testing.F) {
	for _, seed := range []string{"a || true", "(a; {b", "a <<E\nE\n", "$(a `b ${c \"d 'e", "a;;b)&>", "for i in 1; do pytest & done", "trap 'exit 0' EXIT; f() { f; }; f"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		Masked(line)
		MaskedScript(line)
		if list, err := parse(line); err == nil && len(list) > 0 && tooTangled(line) == "" {
			if got := Masked("(\n" + line + "\n) || true"); got == "" && strings.TrimSpace(line) != "" {
				if _, err := parse("(\n" + line + "\n) || true"); err == nil {
					t.Errorf("Masked() = %q of %q with || true after it", got, line)
				}
			}
		}
	})
}

func BenchmarkMasked(b *testing.B) {
	for b.Loop() {
		Masked("npm run build && npx playwright test e2e/cart.spec.ts")
	}
}
