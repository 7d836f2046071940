package feature

import (
	"strings"
	"testing"
)

func TestMasked(t *testing.T) {
	masking := []string{
		"npm test || true", "npm test||true", "npm test || :", "npm test || echo failed", "npm test || exit 0", "npm test || /bin/true",
		"npm test || command true", "npm test || (true)", "npm test || { echo no; true; }", "npm test || \"true\"", "npm test || tr\\ue",
		"npm test; true", "npm test ; exit 0", "npm test\ntrue", "npm test\r\nexit 0\r\n", "npm test; true # done", "npm test; exit 0;",
		"npm test &", "npm test & # later", "npm test &\n", "(npm test || true)", "cd app && npm test || true", "npm test || \\\n true",
		"bash -c 'npm test || true'", "sh -lc \"npm test; exit 0\"", "npm test || printf no", "npm test || true > log", "npm test 2>&1 || true",
		"npm test || return 0", "npm test; :", "(npm test; true)", "eval 'npm test || true'", "(npm test &)",
		"npm test; echo done", "npm test\necho ok", "trap 'exit 0' EXIT; npm test", "npm test; printf 'fine'", "exit 0",
	}
	for _, check := range masking {
		if got := Masked(check); got == "" {
			t.Errorf("Masked(%q) = %q, want the part that masks", check, got)
		}
	}
	clean := []string{
		"", "true", ":", "npm test", "npm test && true", "grep 'a || true' f", `grep "a; true" f`, "npm test # || true", "npm test 2>&1",
		"npm test &> log", "npm test >& log", "server & sleep 1; npm test", "test -z \"$(grep -r todo src || true)\"", "npm test || exit 1",
		"npm test || { echo failed; exit 1; }", "npm test || (echo failed; exit 2)", "if npm test; then exit 0; else exit 1; fi", "while true; do npm test && break; done",
		"set -e; npm test; true", "set -euo pipefail\nnpm test\nexit 0", "cat <<EOF\nx || true\nEOF", "echo a\\;true", "npm test | tee log", "echo '&'",
		"grep -q '\\|\\| true' f", "true && npm test", "npm test; npm run lint", "curl 'http://h/?a=1&b=2'", "case $x in a) true;; esac", "echo `date || true`",
		"echo ${X:-|| true}", "[ $(id -u) -ne 0 ] || exit 3",
	}
	for _, check := range clean {
		if got := Masked(check); got != "" {
			t.Errorf("Masked(%q) = %q, want nothing", check, got)
		}
	}
}

func TestMaskedDeepNesting(t *testing.T) {
	for _, open := range []string{"(", "{ ", "$(", "`(", "${"} {
		deep := strings.Repeat(open, 10000)
		if got := Masked("npm test || true\n" + deep); got != "|| true" {
			t.Errorf("Masked() = %q before %q…, want || true", got, open)
		}
	}
}

func FuzzMasked(f *testing.F) {
	for _, seed := range []string{"a || true", "(a; {b", "a <<E\nE\n", "$(a `b ${c \"d 'e", "a;;b)&>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, check string) {
		Masked(check)
		if got := Masked("npm test || true\n" + check); got != "|| true" {
			t.Errorf("Masked() = %q before %q, want || true", got, check)
		}
	})
}
