package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/longhaul-mcp/longhaul/artifacts"
	"github.com/longhaul-mcp/longhaul/cmd/longhaul/clients"
)

// placement is what the user asked install for.
type placement struct {
	client, scope   string
	project, binary string // absolute
	home            string
	hooks           bool
}

// An edit is a configuration file and what install does to it.
type edit struct {
	path      string
	put, take func(src []byte) ([]byte, error)
	list      func(src []byte) []entry // what starts Longhaul
	guards    bool                     // it keeps the agent from the files
}

// clientNames are the clients whose configuration is known.
var clientNames = []string{"claude-code", "claude-desktop", "cursor", "codex", "vscode"}

// install writes Longhaul into a client's own configuration, or takes it out.
func install(s streams, args []string) error {
	flags := flag.NewFlagSet("install", flag.ContinueOnError)
	project := projectFlag(flags)
	client := flags.String("client", "", "claude-code, claude-desktop, cursor, codex or vscode")
	scope := flags.String("scope", "", "project or user")
	hooks := flags.Bool("hooks", false, "for claude-code: write the hooks too")
	dry := flags.Bool("dry-run", false, "print the change only")
	uninstall := flags.Bool("uninstall", false, "take Longhaul out again")
	if err := wordless(flags, args); err != nil {
		return err
	}
	at, err := place(*client, *scope, *project)
	if err != nil {
		return err
	}
	if at.hooks = *hooks; at.hooks && at.client != "claude-code" {
		return usageError{"hooks are for claude-code"}
	}
	edits, err := at.edits()
	if err != nil {
		return err
	}
	return apply(s, at, edits, *uninstall, *dry)
}

func place(client, scope, project string) (placement, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return placement{}, err
	}
	binary, err := os.Executable()
	if err != nil {
		return placement{}, err
	}
	root, err := filepath.Abs(artifacts.Open(artifacts.StartFolder(project), artifacts.Options{}).Root())
	if err != nil {
		return placement{}, err
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return placement{}, usageError{fmt.Sprintf("the project %s is not a folder", root)}
	}
	if scope == "" {
		scope = "project"
		if client == "codex" || client == "claude-desktop" {
			scope = "user"
		}
	}
	if scope != "project" && scope != "user" {
		return placement{}, usageError{fmt.Sprintf("scope %q: project or user", scope)}
	}
	return placement{client: client, scope: scope, project: root, binary: binary, home: home}, nil
}

// edits lists the files of the client, in the order in which they are written.
func (p placement) edits() ([]edit, error) {
	user := p.scope == "user"
	switch p.client {
	case "claude-code":
		return p.claudeCode(), nil
	case "claude-desktop":
		if !user {
			return nil, usageError{"claude-desktop has the scope user only"}
		}
		return []edit{servers(p.desktopFile(), "mcpServers", p.fixed(false))}, nil
	case "cursor":
		if user {
			return []edit{servers(filepath.Join(p.home, ".cursor", "mcp.json"), "mcpServers", p.fixed(true))}, nil
		}
		return []edit{servers(filepath.Join(p.project, ".cursor", "mcp.json"), "mcpServers", p.shared("${workspaceFolder}"))}, nil
	case "vscode":
		if user {
			return []edit{servers(filepath.Join(p.settingsDir("Code"), "User", "mcp.json"), "servers", p.shared("${workspaceFolder}"))}, nil
		}
		return []edit{servers(filepath.Join(p.project, ".vscode", "mcp.json"), "servers", p.shared("${workspaceFolder}"))}, nil
	case "codex":
		if !user {
			return nil, usageError{"codex has the scope user only"}
		}
		return []edit{p.codex()}, nil
	}
	return nil, usageError{fmt.Sprintf("client %q: claude-code, claude-desktop, cursor, codex or vscode", p.client)}
}

func servers(path, key string, fields []clients.Field) edit {
	keys := []string{key, "longhaul"}
	return edit{
		path: path,
		put:  func(src []byte) ([]byte, error) { return clients.SetJSON(src, keys, fields) },
		take: func(src []byte) ([]byte, error) { return clients.DropJSON(src, keys) },
		list: listed(clients.ServersJSON, "", key),
	}
}

// fixed is an entry with absolute paths, for a client that starts servers anywhere.
func (p placement) fixed(typed bool) []clients.Field {
	fields := []clients.Field{
		{Key: "command", Value: p.binary},
		{Key: "args", Value: []string{"serve", "--project", p.project}},
	}
	if typed {
		fields = slices.Insert(fields, 0, clients.Field{Key: "type", Value: "stdio"})
	}
	return fields
}

// shared is an entry whose project the client fills in.
func (p placement) shared(project string) []clients.Field {
	return []clients.Field{
		{Key: "type", Value: "stdio"},
		{Key: "command", Value: p.command()},
		{Key: "args", Value: []string{"serve", "--project", project}},
	}
}

// command is the plain name where PATH leads to this binary, so that a committed file fits everybody.
func (p placement) command() string {
	if p.onPath() && p.scope == "project" {
		return "longhaul"
	}
	return p.binary
}

func (p placement) onPath() bool {
	found, err := exec.LookPath("longhaul")
	return err == nil && sameFile(found, p.binary)
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

func (p placement) claudeCode() []edit {
	fields := append(p.shared("${CLAUDE_PROJECT_DIR:-.}"),
		clients.Field{Key: "timeout", Value: 1800000, Once: true},
		clients.Field{Key: "alwaysLoad", Value: true, Once: true})
	config, settings, root := filepath.Join(p.project, ".mcp.json"), filepath.Join(p.project, ".claude", "settings.json"), "/"
	if p.scope == "user" {
		config, settings, root = filepath.Join(p.home, ".claude.json"), filepath.Join(p.home, ".claude", "settings.json"), "**/"
	}
	entry := servers(config, "mcpServers", fields)
	if p.scope == "user" {
		entry.list = p.userEntries
	}
	return []edit{entry, p.hooked(p.settings(settings, denied(root)))}
}

// denied lists what Claude Code's own tools may not do. Its rule Edit(path) holds for every tool that writes files.
// Source: https://code.claude.com/docs/en/permissions
func denied(root string) []string {
	var rules []string
	for _, file := range []string{".claude/features.json", "feature_list.json", ".harness/features.json", ".harness/ledger.jsonl", ".harness/config.json"} {
		rules = append(rules, "Edit("+root+file+")")
	}
	for _, verb := range []string{"accept", "waive", "restore", "config"} {
		rules = append(rules, "Bash(longhaul "+verb+":*)")
	}
	return rules
}

func (p placement) settings(path string, rules []string) edit {
	keys := []string{"permissions", "deny"}
	return edit{
		path: path,
		put: func(src []byte) ([]byte, error) {
			return clients.AppendJSON(src, keys, rules)
		},
		take: func(src []byte) ([]byte, error) {
			return clients.DropTexts(src, keys, rules)
		},
		list:   plugins,
		guards: true,
	}
}

func (p placement) codex() edit {
	dir := os.Getenv("CODEX_HOME")
	if dir == "" {
		dir = filepath.Join(p.home, ".codex")
	}
	keys := []string{"mcp_servers", "longhaul"}
	fields := []clients.Field{
		{Key: "command", Value: p.binary},
		{Key: "args", Value: []string{"serve"}},
		{Key: "startup_timeout_sec", Value: 20, Once: true},
		{Key: "tool_timeout_sec", Value: 1800, Once: true},
	}
	return edit{
		path: filepath.Join(dir, "config.toml"),
		put:  func(src []byte) ([]byte, error) { return clients.SetTOML(src, keys, fields) },
		take: func(src []byte) ([]byte, error) { return clients.DropTOML(src, keys) },
		list: listed(clients.ServersTOML, "", keys[0]),
	}
}

func (p placement) desktopFile() string {
	return filepath.Join(p.settingsDir("Claude"), "claude_desktop_config.json")
}

// settingsDir is where a desktop program keeps its settings on this system.
func (p placement) settingsDir(program string) string {
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(p.home, "Library", "Application Support", program)
	case "windows":
		if dir := os.Getenv("APPDATA"); dir != "" {
			return filepath.Join(dir, program)
		}
		return filepath.Join(p.home, "AppData", "Roaming", program)
	}
	if dir := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, program)
	}
	return filepath.Join(p.home, ".config", program)
}

// apply works out every change before it writes the first.
func apply(s streams, at placement, edits []edit, uninstall, dry bool) error {
	var ready []rewrite
	for _, e := range edits {
		change := e.put
		if uninstall {
			change = e.take
		}
		r, err := prepare(e.path, change, uninstall)
		if err != nil {
			return err
		}
		if bytes.Equal(r.before, r.after) {
			fmt.Fprintf(s.out, "%s: nothing to change\n", plain(e.path))
			continue
		}
		ready = append(ready, r)
	}
	for _, r := range ready {
		if dry {
			fmt.Fprintf(s.out, "%s would become:\n%s", plain(r.path), plainLines(string(r.after)))
			continue
		}
		kept, err := r.write(at.project)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s: written\n", plain(r.path))
		if kept != "" {
			fmt.Fprintf(s.out, "  before: %s\n", plain(kept))
		}
	}
	return nil
}
