// Command trivial is the least that an MCP server made with mcp-go can be: one tool that says what it is told. The
// benchmark holds Longhaul against it.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	s := server.NewMCPServer("trivial", "1")
	echo := mcp.NewTool("echo", mcp.WithDescription("Says what it is told."), mcp.WithString("text", mcp.Required()))
	s.AddTool(echo, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(r.GetString("text", "")), nil
	})
	if err := server.ServeStdio(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
