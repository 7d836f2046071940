package tools

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

type listFeaturesArgs struct {
	IDs      []string `json:"ids" about:"these, in full detail"`
	Status   string   `json:"status" enum:"failing passed blocked claimed all"`
	Category string   `json:"category"`
	Query    string   `json:"query" about:"words to find"`
	Limit    int      `json:"limit" default:"50" min:"1"`
	Cursor   string   `json:"cursor" about:"from the last reply"`
}

var listFeatures = define(spec{
	name:  "list_features",
	title: "List features",
	description: "Lists features, one line each, or in full with ids. " +
		"Call it instead of reading the list file.",
	readOnly:   true,
	idempotent: true,
}, runListFeatures)

func runListFeatures(ctx context.Context, p *artifacts.Project, a listFeaturesArgs) (*artifacts.ListReply, error) {
	return p.ListFeatures(ctx, artifacts.Query{
		IDs:      a.IDs,
		Status:   a.Status,
		Category: a.Category,
		Query:    a.Query,
		Cursor:   a.Cursor,
		Limit:    a.Limit,
	})
}
