package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts"
	"github.com/longhaul-mcp/longhaul/cmd/longhaul/clients"
)

// A checkup gathers what doctor prints. It reads files and asks git; it writes nothing.
type checkup struct {
	ctx   context.Context
	flag  string // --project, as given
	found diagnosis
}

func (c *checkup) wrong(what, mend string) {
	c.found.Problems = append(c.found.Problems, complaint{what, mend})
}

func (c *checkup) hint(what, mend string) {
	c.found.Hints = append(c.found.Hints, complaint{what, mend})
}

// own is a command line of this program on the project that was asked about.
func (c *checkup) own(verb string) string {
	if c.flag == "" {
		return "longhaul " + verb
	}
	return "longhaul " + verb + " --project '" + strings.ReplaceAll(c.flag, "'", `'\''`) + "'"
}

func (c *checkup) programs() {
	d := &c.found
	d.Longhaul.Version = release()
	d.Longhaul.Path, _ = os.Executable()
	const getGit = "install git 2.30 or newer: https://git-scm.com/downloads"
	if path, err := exec.LookPath("git"); err != nil {
		c.wrong("git is not installed", getGit)
	} else {
		out, err := c.git("version")
		d.Git = program{path, strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")}
		if err != nil {
			c.wrong("git does not run: "+err.Error(), getGit)
		}
	}
	d.Shell.Path = artifacts.Shell()
	switch name := strings.TrimSuffix(filepath.Base(d.Shell.Path), ".exe"); {
	case d.Shell.Path == "" && runtime.GOOS == "windows":
		c.hint("there is no bash: scripts and checks are run by cmd.exe", "install Git for Windows: https://git-scm.com/downloads")
	case d.Shell.Path == "":
		c.wrong("there is neither bash nor sh: no script or check can run", "install bash")
	case name == "sh":
		c.hint("there is no bash: checks are run by sh, where a failure inside a pipe is not seen", "install bash")
	}
}

// git runs git as the server does: without the variables of a surrounding git.
func (c *checkup) git(args ...string) ([]byte, error) {
	cmd := exec.CommandContext(c.ctx, "git", args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "GIT_CONFIG_") })
	return cmd.Output()
}

func (c *checkup) project(log *slog.Logger) {
	p := open(c.flag, "call", log)
	defer p.Close()
	h := &c.found.Project
	h.Root = p.Root()
	status, err := p.Status(c.ctx, false)
	if err != nil {
		c.refusal(err)
		return
	}
	h.Branch, h.Layout, h.List = status.Project.Branch, status.Project.Layout, status.Project.List
	h.Passed, h.Total = status.Counts.Passed, status.Counts.Total
	h.State = "adopted"
	if _, err := p.Tampered(c.ctx); err != nil {
		h.State = "not-adopted"
		c.hint(h.List+" is not adopted yet", c.setUp())
		return
	}
	for _, t := range status.Tampered {
		c.wrong("changed outside the tools: "+strings.TrimSpace(t.ID+" "+t.What+" "+t.Detail), c.own("restore"))
	}
	c.repository()
}

// setUp is the call that makes or adopts a harness.
func (c *checkup) setUp() string {
	return c.own("call") + ` harness_init '{"project":"NAME","type":"other"}'`
}

// refusal notes why the project can't be read.
func (c *checkup) refusal(err error) {
	var r *artifacts.Refusal
	if !errors.As(err, &r) {
		c.found.Project.State = "unreadable"
		c.wrong(err.Error(), "look at the file by hand")
		return
	}
	c.found.Project.State = r.Code
	switch {
	case r.Code == "not-initialized":
		c.found.Project.State = "none"
		c.hint(r.What, c.setUp())
	case strings.HasPrefix(r.Next, "rollback "):
		c.wrong(r.Code+": "+r.What, c.own("restore"))
	default:
		c.wrong(r.Code+": "+r.What, r.Next)
	}
}

// repository holds what a commit needs.
func (c *checkup) repository() {
	if c.found.Git.Version == "" {
		return
	}
	root := c.found.Project.Root
	if _, err := c.git("-C", root, "rev-parse", "--git-dir"); err != nil {
		c.wrong(root+" is in no git repository: nothing can be committed or rolled back", "git init '"+root+"'")
		return
	}
	if _, err := c.git("-C", root, "var", "GIT_COMMITTER_IDENT"); err != nil {
		c.wrong("git does not know who commits", `git config --global user.email "you@example.com"`)
	}
}

// clients looks into every configuration that install can write, and those where clients keep their own additions.
func (c *checkup) clients() {
	for _, at := range c.places() {
		edits, err := at.edits()
		if err != nil {
			continue // the client has no such scope
		}
		c.place(at, edits)
	}
	if len(c.found.Clients) == 0 {
		c.hint("no client is configured to start Longhaul", c.own("install --client claude-code"))
	}
}

func (c *checkup) places() []placement {
	var all []placement
	for _, client := range clientNames {
		for _, scope := range []string{"project", "user"} {
			if at, err := place(client, scope, c.found.Project.Root); err == nil {
				all = append(all, at)
			}
		}
	}
	return all
}

// place looks into the files of one client and scope.
func (c *checkup) place(at placement, edits []edit) {
	mend := c.own("install --client " + at.client + " --scope " + at.scope)
	named := false
	for _, e := range edits {
		src, err := os.ReadFile(e.path)
		if errors.Is(err, fs.ErrNotExist) {
			src, err = nil, nil
		}
		if err != nil {
			c.wrong(err.Error(), "make the file readable")
			continue
		}
		now, err := e.put(src)
		if err != nil {
			c.wrong(fmt.Sprintf("%s: %v", e.path, err), "mend the file by hand")
			continue
		}
		if e.guards && named && !bytes.Equal(now, src) {
			c.hint(e.path+" lets the agent edit the list behind the tools", mend)
		}
		for _, s := range e.list(src) {
			named = true
			c.server(naming{at.client, firstOf(s.scope, at.scope), e.path, s.Name, s.Command, s.Args}, mend)
		}
	}
}

// server notes one entry and holds it against what is installed.
func (c *checkup) server(n naming, mend string) {
	c.found.Clients = append(c.found.Clients, n)
	switch {
	case n.Scope == "local":
		mend = "claude mcp remove " + n.Server + " --scope local"
	case n.Server != "longhaul":
		mend = fmt.Sprintf("take the server %q out by hand", n.Server)
	}
	where := fmt.Sprintf("%s starts %q", n.Path, n.Command)
	switch path, err := exec.LookPath(n.Command); {
	case n.Command == "" || strings.Contains(n.Command, "${"):
	case err != nil:
		c.wrong(where+", which is not there or can't be run", mend)
	case !sameFile(path, c.found.Longhaul.Path):
		c.hint(where+", another program than this one", mend)
	}
	i := slices.Index(n.Args, "--project")
	if i < 0 || i+1 >= len(n.Args) || !filepath.IsAbs(n.Args[i+1]) {
		return
	}
	if info, err := os.Stat(n.Args[i+1]); err != nil || !info.IsDir() {
		c.wrong(fmt.Sprintf("%s names the project %s, which is not a folder", n.Path, n.Args[i+1]), mend)
	}
}

// An entry is a server that starts Longhaul, with a scope where it is not that of its file.
type entry struct {
	clients.Server
	scope string
}

// isOurs tells Longhaul's entry by its name, or by the program that it starts.
func isOurs(s clients.Server) bool {
	return s.Name == "longhaul" || strings.TrimSuffix(filepath.Base(filepath.ToSlash(s.Command)), ".exe") == "longhaul"
}

// listed gives the entries of ours that read finds below keys.
func listed(read func([]byte, []string) ([]clients.Server, error), scope string, keys ...string) func([]byte) []entry {
	return func(src []byte) []entry {
		all, err := read(src, keys)
		if err != nil {
			return nil // put has said so
		}
		var ours []entry
		for _, s := range all {
			if isOurs(s) {
				ours = append(ours, entry{s, scope})
			}
		}
		return ours
	}
}

// userEntries adds what `claude mcp add` keeps for one project alone.
func (p placement) userEntries(src []byte) []entry {
	return append(listed(clients.ServersJSON, "", "mcpServers")(src),
		listed(clients.ServersJSON, "local", "projects", p.project, "mcpServers")(src)...)
}

// plugins are the plugins of ours that are switched on; they bring a server of their own.
func plugins(src []byte) []entry {
	on, err := clients.SwitchesJSON(src, []string{"enabledPlugins"})
	if err != nil {
		return nil // put has said so
	}
	var ours []entry
	for _, name := range on {
		if plugin, _, _ := strings.Cut(name, "@"); plugin == "longhaul" {
			ours = append(ours, entry{clients.Server{Name: name}, "plugin"})
		}
	}
	return ours
}
