package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// A diagnosis is what doctor found.
type diagnosis struct {
	OK       bool        `json:"ok"`
	Longhaul program     `json:"longhaul"`
	Git      program     `json:"git"`
	Shell    program     `json:"shell"`
	Project  home        `json:"project"`
	Clients  []naming    `json:"clients"`
	Problems []complaint `json:"problems"`
	Hints    []complaint `json:"hints"`
}

// A program is one that is installed; without a path it is not.
type program struct {
	Path    string `json:"path,omitempty"`
	Version string `json:"version,omitempty"`
}

// A home is where the project lies and the state of its list: none, not-adopted, adopted, or the code of the refusal.
type home struct {
	Root   string `json:"root"`
	Branch string `json:"branch,omitempty"`
	Layout string `json:"layout,omitempty"`
	List   string `json:"list,omitempty"`
	State  string `json:"state"`
	Passed int    `json:"passed"`
	Total  int    `json:"total"`
}

// A naming is one place in a client's configuration that starts Longhaul.
type naming struct {
	Client  string   `json:"client"`
	Scope   string   `json:"scope"`
	Path    string   `json:"path"`
	Server  string   `json:"server"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
}

// A complaint is what is wrong or could be better, and the one command that mends it.
type complaint struct {
	What string `json:"what"`
	Mend string `json:"mend"`
}

// doctor says what is installed, which project and list there are, which clients name Longhaul, what is wrong and how
// to mend it. It changes nothing.
func doctor(s streams, args []string) error {
	flags := flag.NewFlagSet("doctor", flag.ContinueOnError)
	project := projectFlag(flags)
	asJSON := flags.Bool("json", false, "print what was found as JSON")
	if err := wordless(flags, args); err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	c := checkup{ctx: ctx, flag: *project, found: diagnosis{Clients: []naming{}, Problems: []complaint{}, Hints: []complaint{}}}
	c.programs()
	c.project(quiet(s.err))
	c.clients()
	c.found.OK = len(c.found.Problems) == 0
	if *asJSON {
		if err := printJSON(s.out, c.found); err != nil {
			return err
		}
	} else {
		printDiagnosis(s.out, c.found)
	}
	if !c.found.OK {
		return errRefused
	}
	return nil
}

func printDiagnosis(w io.Writer, d diagnosis) {
	line := func(label, text string) { fmt.Fprintf(w, "%-9s %s\n", label, plain(text)) }
	line("Longhaul", installed(d.Longhaul))
	line("Git", installed(d.Git))
	line("Shell", installed(d.Shell))
	line("Project", aside(d.Project.Root, d.Project.Branch, d.Project.Layout))
	line("List", listLine(d.Project))
	for i, n := range d.Clients {
		line(strings.Repeat("Clients", max(1-i, 0)), fmt.Sprintf("%s (%s) %s: %s", n.Client, n.Scope, n.Path, n.starts()))
	}
	if len(d.Clients) == 0 {
		line("Clients", "none names Longhaul")
	}
	complaints(w, "Could be better", d.Hints)
	complaints(w, "Wrong", d.Problems)
	if d.OK {
		fmt.Fprintln(w, "\nNothing is wrong.")
	}
}

func installed(p program) string {
	if p.Path == "" {
		return "not found"
	}
	return aside(p.Path, p.Version)
}

// aside is text with the words that there are behind it in brackets.
func aside(text string, words ...string) string {
	var given []string
	for _, word := range words {
		if word != "" {
			given = append(given, word)
		}
	}
	if len(given) == 0 {
		return text
	}
	return text + " (" + strings.Join(given, ", ") + ")"
}

func listLine(h home) string {
	switch h.State {
	case "none":
		return "none"
	case "adopted", "not-adopted":
		return fmt.Sprintf("%s: %d of %d passed", aside(h.List, h.State), h.Passed, h.Total)
	}
	return h.State
}

func (n naming) starts() string {
	if n.Command == "" {
		return n.Server
	}
	return strings.Join(append([]string{n.Command}, n.Args...), " ")
}

func complaints(w io.Writer, title string, list []complaint) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	for _, c := range list {
		fmt.Fprintf(w, "- %s\n    %s\n", plain(c.What), plain(c.Mend))
	}
}
