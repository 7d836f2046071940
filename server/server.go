// Package server is the lobby: it says what is served and carries the lines of the protocol in and out. It knows
// no rule of the harness.
package server

import (
	"context"
	_ "embed"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/longhaul-mcp/longhaul/artifacts"
	"github.com/longhaul-mcp/longhaul/resources"
	"github.com/longhaul-mcp/longhaul/tools"
)

//go:embed instructions.md
var instructions string

// New returns the server of project: the tools of the role, resources, prompts and completions, in both protocol eras.
// Tools that are not the role's are not listed, and refuse when they are called all the same.
func New(project *artifacts.Project, version string, role tools.Role) *server.MCPServer {
	hooks := &server.Hooks{}
	hooks.AddAfterListResources(func(_ context.Context, _ any, r *mcp.ListResourcesRequest, result *mcp.ListResourcesResult) {
		resources.ListFeatures(project, r.Params.Cursor, result)
	})
	hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		policy := project.Policy()
		result.Tools = slices.DeleteFunc(result.Tools, func(t mcp.Tool) bool { return !role.Has(t.Name, policy) })
	})
	project.OnChange(newSubscriptions(hooks, project.Marks).changed)

	s := server.NewMCPServer("longhaul", version,
		server.WithTitle("Longhaul"),
		server.WithDescription("Keeps a coding agent honest over many sessions"),
		server.WithInstructions(instructions),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(true, false),
		server.WithPromptCapabilities(false),
		server.WithCompletions(),
		server.WithResourceCompletionProvider(resources.Completion{Project: project}),
		server.WithPromptCompletionProvider(promptCompletion{}),
		server.WithHooks(hooks),
		server.WithRecovery(),
	)
	for _, t := range role.Tools() {
		s.AddTool(t.Definition(), t.Handler(project))
	}
	resources.Register(s, project)
	for _, p := range prompts {
		s.AddPrompt(p.definition(), p.render(project.Policy))
	}
	return s
}
