package resources

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

var initScript = resource{
	path:  "init-script",
	name:  "init script",
	title: "Init script",
	about: "The script that session_start runs (tool: session_start)",
	mime:  "text/x-shellscript",
	read:  readInitScript,
}

func readInitScript(_ context.Context, p *artifacts.Project, _ string) (artifacts.Document, error) {
	return p.Document("init-script")
}
