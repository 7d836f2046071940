// Command bench measures the real binary over stdio beside a trivial mcp-go server, the git program and the bare file
// system, all in one run, and counts the bytes and tokens of what it says. It prints the targets and what was
// reached, and writes docs/benchmarks.md.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

func main() {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "a small run of less than a minute, which writes no page")
	out := flags.String("out", "", "the page to write; docs/benchmarks.md for a full run")
	if err := flags.Parse(os.Args[1:]); err != nil {
		os.Exit(2)
	}
	if err := run(*quick, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures everything, prints the targets and writes the page. Targets that are missed are no error: a machine may
// be slow. A call that is refused is one.
func run(quick bool, out string) (err error) {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "longhaul-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	y := yard{dir: dir, longhaul: program(dir, "longhaul"), trivial: program(dir, "trivial"), size: full}
	if quick {
		y.size = small
	}
	if out == "" && !quick {
		out = filepath.Join(root, "docs", "benchmarks.md")
	}
	for path, name := range map[string]string{"./cmd/longhaul": y.longhaul, "./cmd/bench/trivial": y.trivial} {
		if err := output(root, nil, "go", "build", "-o", name, path); err != nil {
			return err
		}
	}
	if err := y.ownHome(); err != nil {
		return err
	}
	r := &report{began: time.Now(), size: y.size, machine: machine(), load: load()}
	for _, part := range parts {
		began := time.Now()
		if err := part.measure(y, r); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		fmt.Fprintf(os.Stderr, "%-14s %5.1f s\n", part.name, time.Since(began).Seconds())
	}
	r.took = time.Since(r.began)
	fmt.Print(r.targetTable())
	if out == "" {
		return nil
	}
	return os.WriteFile(out, []byte(r.page()), 0o644)
}

// A part is one group of measurements.
type part struct {
	name    string
	measure func(yard, *report) error
}

var parts = []part{
	{"start", measureStart},
	{"words", measureWords},
	{"tools", measureTools},
	{"flight", measureFlight},
	{"repositories", measureRepositories},
	{"history", measureHistory},
}

// A size says how much is measured.
type size struct {
	starts   int   // runs of a start
	rounds   int   // of each call
	features []int // sizes of lists
	files    []int // sizes of repositories
	sessions []int // lengths of histories
	log      int   // bytes of the long log
	ledger   int   // lines of the long ledger
	flight   int   // calls in a crowd
}

var (
	full = size{starts: 31, rounds: 15, features: []int{0, 200, 2000, 20000}, files: []int{100, 10000, 50000},
		sessions: []int{1, 50, 500, 5000}, log: 50 << 20, ledger: 100_000, flight: 640}
	small = size{starts: 5, rounds: 2, features: []int{0, 200, 2000}, files: []int{100},
		sessions: []int{1, 50}, log: 1 << 20, ledger: 2000, flight: 64}
)

func moduleRoot() (string, error) {
	text, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	return strings.TrimSpace(string(text)), err
}

func program(dir, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, name)
}

// output runs a program in dir, with its standard output to out where that is not nil. Its error says what it printed.
func output(dir string, out io.Writer, name string, args ...string) error {
	var words strings.Builder
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, &words
	if out == nil {
		cmd.Stdout = &words
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err, words.String())
	}
	return nil
}
