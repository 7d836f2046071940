package resources

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

var status = resource{
	path:  "status",
	name:  "status",
	title: "Status",
	about: "Counts, what is in progress, what comes next, blockers, integrity (tool: status)",
	mime:  "application/json",
	read:  readStatus,
}

func readStatus(ctx context.Context, p *artifacts.Project, _ string) (artifacts.Document, error) {
	reply, err := p.Status(ctx, false)
	if err != nil {
		return artifacts.Document{}, err
	}
	return asJSON(reply)
}
