package tools

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

type nextFeatureArgs struct {
	ID      string `json:"id" about:"claim this one"`
	Focus   string `json:"focus"`
	Release string `json:"release" about:"reason to give the claim back"`
}

var nextFeature = define(spec{
	name:  "next_feature",
	title: "Next feature",
	description: "Returns the claimed feature, or claims the next one by regression, priority and dependencies. " +
		"Call it when you need to know what to work on.",
	always:     true,
	idempotent: true,
}, runNextFeature)

func runNextFeature(ctx context.Context, p *artifacts.Project, a nextFeatureArgs) (*artifacts.NextReply, error) {
	return p.NextFeature(ctx, artifacts.NextRequest{ID: a.ID, Focus: a.Focus, Release: a.Release})
}
