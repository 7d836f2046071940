package tools

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

type verifyFeaturesArgs struct {
	IDs   []string `json:"ids"`
	Scope string   `json:"scope" enum:"claimed stale passed" about:"claimed (default): this session's; stale: changed since proven; passed: all"`
	Limit int      `json:"limit" min:"1" about:"default 10"`
}

var verifyFeatures = define(spec{
	name:  "verify_features",
	title: "Verify features",
	description: "Runs checks again, records the proof and lists what broke; marks nothing. " +
		"Call it after a risky change.",
	idempotent: true,
}, runVerifyFeatures)

func runVerifyFeatures(ctx context.Context, p *artifacts.Project, a verifyFeaturesArgs) (*artifacts.VerifyReply, error) {
	return p.Verify(ctx, a.IDs, a.Scope, a.Limit)
}
