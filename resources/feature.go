package resources

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

var feature = resource{
	path:  "features/{id}",
	name:  "feature",
	about: "One feature in full; the id is percent-encoded (tool: list_features with ids)",
	mime:  "application/json",
	read:  readFeature,
}

func readFeature(_ context.Context, p *artifacts.Project, id string) (artifacts.Document, error) {
	return p.FeatureJSON(id)
}
