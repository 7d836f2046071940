package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// An agent works on the sample project as a client would: it starts this same program as a server,
// calls tools over MCP, and writes files. It prints what it does and what it is told.
type agent struct {
	ctx     context.Context
	out     io.Writer
	home    string // a home folder without the user's git settings
	project string
	server  *client.Client
}

// newAgent makes the sample project's folder and a home with an identity for its commits.
func newAgent(ctx context.Context, out io.Writer, dir string) (*agent, error) {
	a := &agent{ctx: ctx, out: out, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "pocket")}
	identity := "[user]\n\tname = Longhaul Demo\n\temail = demo@longhaul.invalid\n[init]\n\tdefaultBranch = main\n"
	for _, folder := range []string{a.home, a.project} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			return nil, err
		}
	}
	return a, os.WriteFile(filepath.Join(a.home, ".gitconfig"), []byte(identity), 0o644)
}

// arrive starts a fresh server process and shakes hands.
func (a *agent) arrive() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	environment := []string{"HOME=" + a.home, "USERPROFILE=" + a.home, "XDG_CONFIG_HOME=" + a.home}
	a.server, err = client.NewStdioMCPClient(program, environment, "serve", "--project", a.project)
	if err != nil {
		return err
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "longhaul-demo", Version: release()}
	_, err = a.server.Initialize(a.ctx, hello)
	return err
}

// leave closes the connection; the server process ends with it.
func (a *agent) leave() error {
	if a.server == nil {
		return nil
	}
	err := a.server.Close()
	a.server = nil
	return err
}

// call calls a tool and prints the call and what came of it. code is the refusal that must come, "" for
// none; wants are facts of the reply as "path=value".
func (a *agent) call(tool, arguments, code string, wants []string) error {
	fmt.Fprintf(a.out, "-> %s %s\n", tool, short(arguments))
	var request mcp.CallToolRequest
	request.Params.Name = tool
	request.Params.Arguments = json.RawMessage(arguments)
	reply, err := a.server.CallTool(a.ctx, request)
	if err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	if reply.IsError {
		return a.refusal(tool, textOf(reply), code)
	}
	facts, err := json.Marshal(reply.StructuredContent)
	if err != nil {
		return err
	}
	if code != "" {
		return fmt.Errorf("%s was done, want the refusal %q", tool, code)
	}
	if err := expect(facts, wants); err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	next, _ := field(facts, "next")
	a.print("<-", strings.Join(append(slices.Clone(wants), "next: "+next), "\n"))
	return nil
}

func (a *agent) refusal(tool, text, code string) error {
	a.print("!!", text)
	if got, _, _ := strings.Cut(text, ":"); got != code {
		return fmt.Errorf("%s refused with %q, want %q", tool, got, code)
	}
	return nil
}

// print sets a reply under its call: "<-" for an answer, "!!" for a refusal.
func (a *agent) print(mark, text string) {
	fmt.Fprintf(a.out, "%s %s\n", mark, strings.ReplaceAll(plainLines(strings.TrimSpace(text)), "\n", "\n   "))
}

// does prints and performs what the agent does without a tool.
func (a *agent) does(what string, act func() error) error {
	fmt.Fprintf(a.out, " * %s\n", what)
	if err := act(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// edit rewrites one file of the project, as an agent with a file tool would.
func (a *agent) edit(name string, change func([]byte) ([]byte, error)) error {
	path := filepath.Join(a.project, filepath.FromSlash(name))
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	after, err := change(before)
	if err != nil {
		return err
	}
	if string(after) == string(before) {
		return errors.New("nothing to change in " + name)
	}
	return os.WriteFile(path, after, 0o644)
}

// short is the arguments on one line of bounded length.
func short(arguments string) string {
	line := plain(arguments)
	if cut := []rune(line); len(cut) > 150 {
		return string(cut[:150]) + "…"
	}
	return line
}
