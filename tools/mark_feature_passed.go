package tools

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

type markFeaturePassedArgs struct {
	ID       string        `json:"id" need:"yes"`
	Evidence []observation `json:"evidence" about:"what you saw, a string a step in order or {step, observed, artifact}; not needed with a check"`
	Waive    string        `json:"waive" hide:"yes"` // why the user should be asked to pass it without proof
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
	if strings.TrimSpace(a.Waive) != "" {
		return runWaive(ctx, p, a.ID, a.Waive)
	}
	var evidence []artifacts.Evidence
	for _, o := range a.Evidence {
		evidence = append(evidence, artifacts.Evidence(o))
	}
	reply, err := p.MarkPassed(ctx, a.ID, evidence)
	return reply, offerWaiver(ctx, a.ID, err)
}

// runWaive asks the person at the client to pass the feature without proof. The reason on record is the person's.
func runWaive(ctx context.Context, p *artifacts.Project, id, why string) (*artifacts.MarkReply, error) {
	message, err := p.AskWaiver(ctx, id, why)
	if err != nil {
		return nil, err
	}
	reason, by, given, err := consent(ctx, question{message, "Pass it without proof", "Why (kept on record)",
		"tell the user: longhaul waive " + id + " --reason TEXT, at a terminal, does it"})
	if err != nil {
		return nil, err
	}
	if !given {
		return nil, p.NotWaived(ctx, id, why, by)
	}
	return p.Waive(ctx, id, reason, by)
}

// offerWaiver tells of the waiver where only a person can help and one can be asked.
func offerWaiver(ctx context.Context, id string, err error) error {
	var r *artifacts.Refusal
	if !errors.As(err, &r) || !present(ctx) || !slices.Contains([]string{"check-required", "check-masked", "evidence-incomplete"}, r.Code) {
		return err
	}
	offered := *r
	offered.Next += `. Where no proof can be had, the user may be asked, once: mark_feature_passed {"id":"` + id + `","waive":"why"}`
	return &offered
}
