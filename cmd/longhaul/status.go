package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

// status shows how far the project is, for people or, with --json, for programs. At a terminal it also lists what is
// left to do, in colours; with --watch it stays and follows the files.
func status(s streams, args []string) error {
	flags := flag.NewFlagSet("status", flag.ContinueOnError)
	project := projectFlag(flags)
	asJSON := flags.Bool("json", false, "print the reply of the status tool")
	stay := flags.Bool("watch", false, "stay, and show what changes; q ends")
	if err := wordless(flags, args); err != nil {
		return err
	}
	if *stay && *asJSON {
		return usageError{"--watch or --json, not both"}
	}
	ctx, stop := interruptible()
	defer stop()
	p := open(*project, "call", quiet(s.err))
	defer p.Close()
	if *stay {
		return watch(ctx, s, p)
	}
	reply, err := p.Status(ctx, false)
	if err != nil {
		return refused(s, err)
	}
	if *asJSON {
		return printJSON(s.out, reply)
	}
	at := screenOf(s.out)
	printStatus(s.out, reply, at)
	printRest(s.out, rest(ctx, p, at), at)
	return nil
}

func printJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(value)
}

func printStatus(w io.Writer, r *artifacts.StatusReply, at screen) {
	fmt.Fprintf(w, "Project Status: %s\n", at.paint(bold, plain(projectName(r.Project))))
	fmt.Fprintln(w, strings.Repeat("━", 30))
	if r.Bar != "" {
		fmt.Fprintln(w, at.paint(green, plain(r.Bar)))
	}
	c := r.Counts
	fmt.Fprintf(w, "✅ Completed: %d/%d features (%d%%)\n", c.Passed, c.Total, r.Percent)
	if rest := asides(r); rest != "" {
		fmt.Fprintf(w, "   %s\n", at.paint(yellow, rest))
	}
	fmt.Fprintf(w, "🔨 In Progress: %s\n", orNone(notes(r.InProgress)))
	next := "None"
	if f := r.NextFeature; f != nil {
		next = about(f.ID, firstOf(f.Title, f.Description))
	}
	fmt.Fprintf(w, "➡️ Next Priority: %s\n", next)
	if len(r.Sessions) > 0 {
		fmt.Fprintln(w, "\nRecent Sessions:")
		for _, session := range r.Sessions {
			fmt.Fprintf(w, "• %s\n", sessionLine(session))
		}
	}
	fmt.Fprintf(w, "\nBlockers: %s\n", orNone(notes(r.Blockers)))
	for _, t := range r.Tampered {
		fmt.Fprintln(w, at.paint(red, "❌ Tampered: "+plain(strings.TrimSpace(t.ID+" "+t.What+" "+t.Detail))))
	}
	for _, warning := range r.Warnings {
		fmt.Fprintln(w, at.paint(yellow, "⚠️ "+plain(warning)))
	}
}

// rest is what is left to do, as far as a screen shows it; nil without a screen.
func rest(ctx context.Context, p *artifacts.Project, at screen) *artifacts.ListReply {
	if at.width == 0 {
		return nil
	}
	list, err := p.ListFeatures(ctx, artifacts.Query{Status: "failing", Limit: max(5, at.height-16)})
	if err != nil {
		return nil // the status has shown what can be read
	}
	return list
}

// printRest prints a table of features: id, status, text.
func printRest(w io.Writer, list *artifacts.ListReply, at screen) {
	if list == nil || len(list.Features) == 0 {
		return
	}
	ids, states := 0, 0
	for _, f := range list.Features {
		ids, states = max(ids, span(plain(f.ID))), max(states, span(plain(f.Status)))
	}
	ids, states = min(ids, at.width/4), min(states, at.width/4)
	colours := map[string]string{"claimed": green, "regressed": red, "blocked": yellow}
	fmt.Fprintln(w, "\n"+at.paint(bold, "To do:"))
	for _, f := range list.Features {
		text := fit(plain(firstOf(f.Title, f.Description)), max(1, at.width-ids-states-4))
		fmt.Fprintf(w, "%s  %s  %s\n", pad(plain(f.ID), ids), at.paint(firstOf(colours[f.Status], faint), pad(plain(f.Status), states)), text)
	}
	if more := list.Matched - len(list.Features); more > 0 {
		fmt.Fprintln(w, at.paint(faint, fmt.Sprintf("… and %d more", more)))
	}
}

// projectName is the name in the list's header, else the folder's.
func projectName(p artifacts.ProjectReply) string {
	return firstOf(p.Name, filepath.Base(p.Root))
}

// asides tells the counts that a plain "done of all" hides.
func asides(r *artifacts.StatusReply) string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(r.Counts.Unproven, "passed without proof")
	add(r.Counts.Blocked, "blocked")
	add(r.Counts.Retired, "retired")
	add(len(r.Integrity.Uncommitted), "passed but not committed")
	return strings.Join(parts, ", ")
}

func sessionLine(s artifacts.SessionReply) string {
	var parts []string
	if s.Open {
		parts = append(parts, "open")
	}
	if len(s.Completed) > 0 {
		parts = append(parts, "Completed "+strings.Join(s.Completed, ", "))
	}
	if s.Focus != "" {
		parts = append(parts, s.Focus)
	}
	line := s.Session
	if s.At != "" {
		line += " | " + s.At
	}
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, "; ")
	}
	return plain(line)
}

func notes(items []artifacts.NoteItem) []string {
	var lines []string
	for _, item := range items {
		lines = append(lines, plain(strings.Trim(item.ID+": "+item.Note, ": ")))
	}
	return lines
}

// about is "F013 (text)", or whichever of the two there is.
func about(id, text string) string {
	switch {
	case id == "":
		return plain(text)
	case text == "":
		return plain(id)
	}
	return plain(id + " (" + text + ")")
}

func orNone(lines []string) string {
	if len(lines) == 0 {
		return "None"
	}
	return strings.Join(lines, "; ")
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
