package resources

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

var evidence = resource{
	path:  "evidence/{id}",
	name:  "evidence",
	about: "The proof behind one feature; the id is percent-encoded (tool: list_features with ids)",
	mime:  "application/json",
	read:  readEvidence,
}

func readEvidence(_ context.Context, p *artifacts.Project, id string) (artifacts.Document, error) {
	return p.EvidenceJSON(id)
}
