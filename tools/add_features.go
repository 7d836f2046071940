package tools

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

type addFeaturesArgs struct {
	Features []incoming `json:"features" need:"yes"`
}

var addFeatures = define(spec{
	name:  "add_features",
	title: "Add features",
	description: "Appends features to the end of the list, all failing, with ids given. " +
		"Call it to split the goal further or when the user asks for more, never to widen the scope yourself.",
}, runAddFeatures)

func runAddFeatures(ctx context.Context, p *artifacts.Project, a addFeaturesArgs) (*artifacts.AddedReply, error) {
	return p.AddFeatures(ctx, items(a.Features))
}
