// Command longhaul serves a project's harness over MCP on standard input and output,
// and offers the same acts, under the same rules, as verbs of the command line.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

// A verb is one word of the command line.
type verb struct {
	name  string
	usage string // what follows the name
	about string
	run   func(s streams, args []string) error
}

// streams are what a verb reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// verbs lists every verb in the order that help prints.
func verbs() []verb {
	return []verb{
		{"serve", "[--project DIR] [--role ROLE] [--log-level LEVEL]", "serve MCP on standard input and output (the default)", serve},
		{"call", "[--project DIR] [--role ROLE] TOOL ['{…}' | -]", "call one tool; exit 1 when it refuses", call},
		{"status", "[--project DIR] [--json | --watch]", "show how far the project is", status},
		{"audit", "[--project DIR] [--range A..B] [--all] [--json]", "hold git history against the rules; exit 1 on a violation", audit},
		{"accept", "[--project DIR]", "for a person: take the list and the policy as they are", accept},
		{"restore", "[--project DIR]", "for a person: put list, ledger and policy back as sealed", restore},
		{"waive", "[--project DIR] ID --reason TEXT", "for a person: pass a feature without proof", waive},
		{"config", "[--project DIR] set KEY VALUE", "for a person: change one setting of the policy", configure},
		{"install", "--client CLIENT [--scope project|user] [--hooks] [--dry-run] [--uninstall] [--project DIR]", "write Longhaul into a client's configuration: claude-code, claude-desktop, cursor, codex, vscode", install},
		{"doctor", "[--project DIR] [--json]", "say what is installed, which clients start it, what is wrong and what mends it; exit 1 when something is", doctor},
		{"hook", "[--project DIR] EVENT", "answer a hook of Claude Code: its JSON on standard input, the answer on standard output", hook},
		{"demo", "[--keep]", "play a working day on a sample project", demo},
		{"version", "", "print version and build", version},
		{"help", "[VERB]", "show this text", help},
	}
}

// errRefused ends a verb with exit code 1 after it has said why.
var errRefused = errors.New("refused")

// A usageError is a command line that cannot be understood: exit code 2.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func main() {
	if len(os.Args) > 1 && os.Args[1] == "shepherd" { // no verb for people: the server starts it
		os.Exit(artifacts.Shepherd(os.Args[2:]))
	}
	os.Exit(run(streams{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:]))
}

// run finds the verb, runs it and returns the exit code.
func run(s streams, args []string) int {
	v, rest, ok := choose(args)
	if !ok {
		fmt.Fprintf(s.err, "longhaul: no verb %q; see longhaul help\n", args[0])
		return 2
	}
	err := v.run(s, rest)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintln(s.out, v.synopsis())
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(s.err, "longhaul %s: %s\nUsage: %s\n", v.name, usage.text, v.synopsis())
		return 2
	case !errors.Is(err, errRefused):
		fmt.Fprintf(s.err, "longhaul %s: %v\n", v.name, err)
	}
	return 1
}

// choose takes the verb off args. A flag in its place means serve, as clients configure it.
func choose(args []string) (v verb, rest []string, ok bool) {
	name := "serve"
	if len(args) > 0 {
		switch first := args[0]; {
		case first == "-h" || first == "-help" || first == "--help":
			name, rest = "help", args[1:]
		case first == "-version" || first == "--version":
			name, rest = "version", args[1:]
		case strings.HasPrefix(first, "-"):
			rest = args
		default:
			name, rest = first, args[1:]
		}
	}
	for _, v := range verbs() {
		if v.name == name {
			return v, rest, true
		}
	}
	return verb{}, nil, false
}

func (v verb) synopsis() string {
	return strings.TrimSpace("longhaul " + v.name + " " + v.usage)
}

// parse reads flags, before and between the words, and returns the words.
// A lone "-" and everything behind "--" are words.
func parse(flags *flag.FlagSet, args []string) (words []string, err error) {
	flags.SetOutput(io.Discard)
	for {
		if err := flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, usageError{err.Error()}
		}
		rest := flags.Args()
		if len(rest) == 0 {
			return words, nil
		}
		if n := len(args) - len(rest); n > 0 && args[n-1] == "--" {
			return append(words, rest...), nil
		}
		words, args = append(words, rest[0]), rest[1:]
	}
}

// wordless is parse for a verb that takes flags only.
func wordless(flags *flag.FlagSet, args []string) error {
	words, err := parse(flags, args)
	if err == nil && len(words) > 0 {
		return usageError{fmt.Sprintf("unexpected %q", words[0])}
	}
	return err
}
