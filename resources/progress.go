package resources

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

var progress = resource{
	path:  "progress",
	name:  "progress",
	title: "Progress log",
	about: "The newest part of the progress log (tool: session_start)",
	mime:  "text/markdown",
	read:  readProgress,
}

func readProgress(_ context.Context, p *artifacts.Project, _ string) (artifacts.Document, error) {
	return p.Document("progress")
}
