package main

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

// audit names every commit that broke a rule. What came before adoption or was put right later is shown but
// fails nothing; with --all what came before adoption fails too.
func audit(s streams, args []string) error {
	flags := flag.NewFlagSet("audit", flag.ContinueOnError)
	project := projectFlag(flags)
	span := flags.String("range", "", "commits A..B, as in git log")
	all := flags.Bool("all", false, "fail on what came before adoption too")
	asJSON := flags.Bool("json", false, "print the findings as a JSON list")
	if err := wordless(flags, args); err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	p := open(*project, "call", quiet(s.err))
	defer p.Close()
	findings, err := p.Audit(ctx, *span)
	if err != nil {
		return refused(s, err)
	}
	if *asJSON {
		if err := printJSON(s.out, append([]artifacts.Finding{}, findings...)); err != nil {
			return err
		}
	} else {
		printFindings(s.out, findings)
	}
	for _, f := range findings {
		if f.Violation() || *all && f.When == "before-adoption" {
			return errRefused
		}
	}
	return nil
}

func printFindings(w io.Writer, findings []artifacts.Finding) {
	if len(findings) == 0 {
		fmt.Fprintln(w, "No findings.")
		return
	}
	for _, f := range findings {
		line := strings.Join([]string{f.Commit[:min(len(f.Commit), 10)], f.When, f.Feature, f.Kind, f.Detail}, " ")
		fmt.Fprintln(w, plain(line))
	}
}
