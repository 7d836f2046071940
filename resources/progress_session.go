package resources

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

var progressOfSession = resource{
	path:  "progress/{session}",
	name:  "progress of a session",
	about: "What one session wrote into the progress log (tool: session_start)",
	mime:  "text/markdown",
	read:  readProgressOfSession,
}

func readProgressOfSession(_ context.Context, p *artifacts.Project, session string) (artifacts.Document, error) {
	return p.SessionLog(session)
}
