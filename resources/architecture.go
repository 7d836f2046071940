package resources

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

var architecture = resource{
	path:  "architecture",
	name:  "architecture",
	title: "Decisions",
	about: "The decisions that were taken (tool: append_progress)",
	mime:  "text/markdown",
	read:  readArchitecture,
}

func readArchitecture(_ context.Context, p *artifacts.Project, _ string) (artifacts.Document, error) {
	return p.Document("architecture")
}
