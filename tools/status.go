package tools

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

type statusArgs struct {
	Audit bool `json:"audit" about:"also walk git history"`
}

var status = define(spec{
	name:  "status",
	title: "Status",
	description: "Counts, what is in progress, what comes next, recent sessions, blockers, integrity. " +
		"Call it when the user asks how far the project is.",
	readOnly:   true,
	idempotent: true,
}, runStatus)

func runStatus(ctx context.Context, p *artifacts.Project, a statusArgs) (*artifacts.StatusReply, error) {
	return p.Status(ctx, a.Audit)
}
