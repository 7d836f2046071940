package main

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/longhaul-mcp/longhaul/cmd/longhaul/clients"
)

// clientHooks are the hooks that Claude Code runs. What an event does: docs/hooks.md.
// Source: https://code.claude.com/docs/en/hooks
func clientHooks(program string) []clients.Hook {
	const writers = "Bash|Edit|Write|MultiEdit|NotebookEdit"
	hooks := []clients.Hook{
		{Event: "SessionStart"}, {Event: "PreToolUse", Matcher: writers}, {Event: "PostToolUse", Matcher: writers},
		{Event: "Stop"}, {Event: "PreCompact"}, {Event: "SessionEnd"},
	}
	for i, h := range hooks {
		hooks[i].Command = shellWord(program) + " hook " + kebab(h.Event)
		hooks[i].Seconds = 10
	}
	return hooks
}

// kebab is PreToolUse as pre-tool-use.
func kebab(event string) string {
	var b strings.Builder
	for i, r := range event {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// shellWord is a path as a shell takes it; Claude Code runs hooks with a POSIX shell on Windows too.
func shellWord(path string) string {
	path = filepath.ToSlash(path)
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+-@") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// ownHook recognises the commands of clientHooks, wherever the program lay then.
func ownHook(command string) bool {
	return regexp.MustCompile(`(^|[/\\"'])longhaul(\.exe)?["']? hook [a-z-]+$`).MatchString(command)
}

// hooked is an edit of the client's settings that puts the hooks in too, where they are asked for, and always takes them out.
func (p placement) hooked(e edit) edit {
	put, take := e.put, e.take
	e.take = func(src []byte) ([]byte, error) {
		out, err := take(src)
		if err != nil {
			return nil, err
		}
		return clients.DropHooks(out, ownHook)
	}
	if p.hooks {
		e.put = func(src []byte) ([]byte, error) {
			out, err := put(src)
			if err != nil {
				return nil, err
			}
			return clients.SetHooks(out, clientHooks(p.command()), ownHook)
		}
	}
	return e
}
