package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// line makes a check of random pieces, with tests that fail and other commands in it.
func line(r *rand.Rand, depth int) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	simple := func() string {
		return pick("pytest", "pytest", "pytest a", "true", ":", "echo x", "app", "noapp", "exit", "exit 0", "exit $?", "exit 3", "rc=$?", "exit $rc", "[ $rc = 0 ]",
			"((n++))", "exit $n", "n=0", "set -e", "set +e", "set +o pipefail", "set -o pipefail", "wait", "cd .", "sleep 0", "trap 'exit 0' EXIT", "trap 'true' EXIT",
			"T=true", "$T", "eval pytest", "eval 'pytest; true'", "break", "return 0", "return", "export A=$(pytest)", "A=$(pytest)", "echo $(pytest)",
			"test $? -eq 0", "[[ $n -eq 0 ]]", "false", "cat </dev/null", "wait $!", "f", "exec pytest", "exec app", "! pytest", "command pytest", "local b=$(pytest)",
			"exit ${PIPESTATUS[0]}", "bash -c 'pytest; true'", "bash -c 'pytest | cat'", "bash -ec 'pytest; true'", "shift", "unset rc", "test -n \"$(pytest)\"", "let n=1", "n=$((n+1))")
	}
	if depth == 0 {
		return simple()
	}
	sub := func() string { return line(r, depth-1) }
	switch r.IntN(22) {
	case 0, 1, 2:
		return sub() + "; " + sub()
	case 3, 4:
		return sub() + " && " + sub()
	case 5, 6:
		return sub() + " || " + sub()
	case 7:
		return "{ " + sub() + "; } | { " + sub() + "; }"
	case 8:
		return "( " + sub() + " )"
	case 9:
		return "if " + sub() + "; then " + sub() + "; fi"
	case 10:
		return "if " + sub() + "; then " + sub() + "; else " + sub() + "; fi"
	case 11:
		return "for i in 1 2; do " + sub() + "; done"
	case 12:
		return "case a in b) " + sub() + ";; a) " + sub() + ";; esac"
	case 13:
		return "{ " + sub() + "; } & " + sub()
	case 14:
		return "f() { " + sub() + "; }; " + sub()
	case 15:
		return "! { " + sub() + "; }"
	case 16:
		return "while " + sub() + "; do " + sub() + "; break; done"
	case 17:
		return "x=$( " + sub() + " ); " + sub()
	case 18:
		return "until " + sub() + "; do " + sub() + "; break; done"
	case 19:
		return "case $PWD in /nowhere) " + sub() + ";; *) " + sub() + ";; esac"
	default:
		return simple()
	}
}

// TestBashAgrees runs random checks whose tests all fail: one that ends well all the same must be known as masked.
func TestBashAgrees(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	bin := t.TempDir()
	for name, code := range map[string]int{"pytest": 1, "app": 0, "noapp": 1} {
		if err := os.WriteFile(filepath.Join(bin, name), fmt.Appendf(nil, "#!/bin/sh\nexit %d\n", code), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	count := 1500
	if testing.Short() {
		count = 300
	}
	well, masked := 0, 0
	for seed := range uint64(count) {
		check := line(rand.New(rand.NewPCG(seed, 7)), 3)
		if !strings.Contains(check, "pytest") {
			continue
		}
		why := Masked(check)
		if why != "" {
			masked++
			continue
		}
		if code := run(t, bash, bin, check); code == 0 {
			t.Errorf("seed %d: bash ends well although each test fails, and Masked() = %q: %s", seed, why, check)
		}
		well++
	}
	if well < count/20 || masked < count/20 {
		t.Errorf("%d of %d checks were clean, %d masked: the pieces prove little", well, count, masked)
	}
	t.Logf("%d clean, %d masked", well, masked)
}

// run is the exit code of a check, -1 when it does not end.
func run(t *testing.T, bash, bin, check string) int {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, bash, "-c", `ulimit -t 2; exec "$0" -o pipefail -c "$1"`, bash, check)
	cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH")}
	cmd.Dir = bin
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}
