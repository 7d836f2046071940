package tools

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

type sessionStartArgs struct {
	Focus   string `json:"focus" about:"words that narrow the choice"`
	RunInit bool   `json:"run_init" default:"true"`
}

var sessionStart = define(spec{
	name:  "session_start",
	title: "Start session",
	description: "The start checklist in one call: where you are, git, last progress, counts, init.sh and smoke test; claims ONE feature. " +
		"Call it first in every session and after a context reset.",
	always:     true,
	idempotent: true,
}, runSessionStart)

func runSessionStart(ctx context.Context, p *artifacts.Project, a sessionStartArgs) (*artifacts.StartReply, error) {
	return p.SessionStart(ctx, a.Focus, a.RunInit)
}
