package tools

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

type markFeaturePassedArgs struct {
	ID       string        `json:"id" need:"yes"`
	Evidence []observation `json:"evidence" about:"what you saw, a string a step in order or {step, observed, artifact}; not needed with a check"`
}

// An observation is artifacts.Evidence as a client sends it: a step that is given counts from 1.
type observation struct {
	Step     int    `json:"step" min:"1"`
	Observed string `json:"observed"`
	Artifact string `json:"artifact"`
}

var markFeaturePassed = define(spec{
	name:  "mark_feature_passed",
	title: "Mark feature passed",
	description: "Runs the feature's check, or takes evidence for every step, and marks the claimed feature passed. " +
		"Call it only after testing each step end to end as a user would.",
	always:     true,
	idempotent: true,
}, runMarkFeaturePassed)

func runMarkFeaturePassed(ctx context.Context, p *artifacts.Project, a markFeaturePassedArgs) (*artifacts.MarkReply, error) {
	var evidence []artifacts.Evidence
	for _, o := range a.Evidence {
		evidence = append(evidence, artifacts.Evidence(o))
	}
	return p.MarkPassed(ctx, a.ID, evidence)
}
