package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/user"
	"strings"

	"golang.org/x/term"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

// errNoTerminal keeps the verbs of this file out of an agent's reach as far as a program can.
var errNoTerminal = errors.New("this is a person's decision: run it at a terminal, where it asks")

// ask shows what is about to be done and waits for yes at the terminal. Ctrl-C and a closed terminal are a no.
func ask(ctx context.Context, s streams, question string) error {
	in, ok := s.in.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return errNoTerminal
	}
	for line := range strings.Lines(question) {
		fmt.Fprintln(s.out, strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " ")))+plain(line))
	}
	fmt.Fprint(s.out, "Type yes to go on: ")
	said := make(chan bool, 1)
	go func() {
		answer, err := bufio.NewReader(in).ReadString('\n')
		said <- err == nil && strings.TrimSpace(answer) == "yes"
	}()
	select {
	case yes := <-said:
		if yes {
			return nil
		}
	case <-ctx.Done():
		fmt.Fprintln(s.out)
	}
	return errors.New("nothing was changed")
}

// person names who decided, for the record.
func person() string {
	name := "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	return name
}

// accept seals list and policy as they stand on disk.
func accept(s streams, args []string) error {
	flags := flag.NewFlagSet("accept", flag.ContinueOnError)
	project := projectFlag(flags)
	if err := wordless(flags, args); err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	p := open(*project, "call", quiet(s.err))
	defer p.Close()
	found, err := p.Tampered(ctx)
	if err != nil {
		return refused(s, err)
	}
	if len(found.Changes) == 0 {
		fmt.Fprintln(s.out, "Nothing differs from what is sealed.")
		return nil
	}
	if err := ask(ctx, s, "Take these changes as they are:\n"+tamperings(found.Changes)); err != nil {
		return err
	}
	if _, err := p.Accept(ctx, person(), found); err != nil {
		return refused(s, err)
	}
	fmt.Fprintln(s.out, "Accepted and recorded. Commit the harness files.")
	return nil
}

func tamperings(found []artifacts.Tampering) string {
	var lines []string
	for _, t := range found {
		lines = append(lines, "  "+strings.TrimSpace(t.ID+" "+t.What+" "+t.Detail))
	}
	return strings.Join(lines, "\n")
}

// restore puts list, ledger and policy back to the sealed state.
func restore(s streams, args []string) error {
	flags := flag.NewFlagSet("restore", flag.ContinueOnError)
	project := projectFlag(flags)
	if err := wordless(flags, args); err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	p := open(*project, "call", quiet(s.err))
	defer p.Close()
	if err := ask(ctx, s, "Put the feature list, the ledger and the policy back to their sealed state."); err != nil {
		return err
	}
	r, err := p.Rollback(ctx, "feature_list", "restored by "+person())
	if err != nil {
		return refused(s, err)
	}
	fmt.Fprintln(s.out, plain("Restored: "+strings.Join(append(r.Restored, r.Warnings...), ", ")))
	return nil
}

// waive passes a feature on a person's word.
func waive(s streams, args []string) error {
	flags := flag.NewFlagSet("waive", flag.ContinueOnError)
	project := projectFlag(flags)
	reason := flags.String("reason", "", "why no proof is needed")
	words, err := parse(flags, args)
	if err != nil {
		return err
	}
	if len(words) != 1 || strings.TrimSpace(*reason) == "" {
		return usageError{"it takes one feature id and a reason"}
	}
	ctx, stop := interruptible()
	defer stop()
	p := open(*project, "call", quiet(s.err))
	defer p.Close()
	what, err := p.Explain(ctx, words[0])
	if err != nil {
		return refused(s, err)
	}
	if err := ask(ctx, s, "Pass without proof:\n  "+what+"\n  because: "+*reason); err != nil {
		return err
	}
	if _, err := p.Waive(ctx, words[0], *reason, person()); err != nil {
		return refused(s, err)
	}
	fmt.Fprintln(s.out, plain(words[0]+" passes by waiver. Commit the harness files."))
	return nil
}

// configure changes one setting of the policy.
func configure(s streams, args []string) error {
	flags := flag.NewFlagSet("config", flag.ContinueOnError)
	project := projectFlag(flags)
	words, err := parse(flags, args)
	if err != nil {
		return err
	}
	if len(words) != 3 || words[0] != "set" {
		return usageError{"it takes: set KEY VALUE"}
	}
	ctx, stop := interruptible()
	defer stop()
	p := open(*project, "call", quiet(s.err))
	defer p.Close()
	if err := ask(ctx, s, "Set "+words[1]+" to "+words[2]+"."); err != nil {
		return err
	}
	if err := p.SetPolicy(ctx, words[1], words[2], person()); err != nil {
		return refused(s, err)
	}
	fmt.Fprintln(s.out, "Set and recorded. Commit the harness files.")
	return nil
}
