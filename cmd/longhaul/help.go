package main

import (
	"flag"
	"fmt"
)

// help prints all verbs, or the synopsis of one.
func help(s streams, args []string) error {
	words, err := parse(flag.NewFlagSet("help", flag.ContinueOnError), args)
	if err != nil {
		return err
	}
	if len(words) > 1 {
		return usageError{"takes one verb"}
	}
	if len(words) == 1 {
		v, _, ok := choose(words)
		if !ok {
			return usageError{fmt.Sprintf("no verb %q", words[0])}
		}
		fmt.Fprintf(s.out, "%s\n    %s\n", v.synopsis(), v.about)
		return nil
	}
	fmt.Fprintln(s.out, "Longhaul keeps a coding agent honest over many sessions.")
	fmt.Fprintln(s.out)
	for _, v := range verbs() {
		fmt.Fprintf(s.out, "  %s\n        %s\n", v.synopsis(), v.about)
	}
	fmt.Fprintln(s.out)
	fmt.Fprintln(s.out, "The project is --project, else $LONGHAUL_PROJECT, else $CLAUDE_PROJECT_DIR, else the folder you are in.")
	fmt.Fprintln(s.out, "Exit codes: 0 done, 1 refused or wrong, 2 the command line is not understood.")
	return nil
}
