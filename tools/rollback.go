package tools

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

type rollbackArgs struct {
	Target string `json:"target" need:"yes" about:"uncommitted, last_good, feature_list or a commit"`
	Reason string `json:"reason" need:"yes"`
}

var rollback = define(spec{
	name:  "rollback",
	title: "Roll back",
	description: "Goes back to a working state after saving the present one under a ref; features and log are kept. " +
		"Call it when a change went wrong or the list was tampered with.",
	destructive: true,
}, runRollback)

func runRollback(ctx context.Context, p *artifacts.Project, a rollbackArgs) (*artifacts.RollbackReply, error) {
	return p.Rollback(ctx, a.Target, a.Reason)
}
