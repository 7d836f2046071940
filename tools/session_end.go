package tools

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

type sessionEndArgs struct {
	Focus            string               `json:"focus"`
	Completed        []string             `json:"completed"`
	InProgress       []artifacts.NoteItem `json:"in_progress"`
	Blockers         []artifacts.NoteItem `json:"blockers"`
	Decisions        []string             `json:"decisions"`
	NextSteps        []string             `json:"next_steps"`
	Notes            []string             `json:"notes"`
	IncompleteReason string               `json:"incomplete_reason" about:"closes in spite of missing items"`
}

var sessionEnd = define(spec{
	name:  "session_end",
	title: "End session",
	description: "The end checklist, a last progress entry (as append_progress), its commit; names every missing item. " +
		"Call it when the feature is committed or time or context runs out.",
}, runSessionEnd)

func runSessionEnd(ctx context.Context, p *artifacts.Project, a sessionEndArgs) (*artifacts.EndReply, error) {
	return p.SessionEnd(ctx, artifacts.Note{
		Focus:      a.Focus,
		Completed:  a.Completed,
		InProgress: a.InProgress,
		Blockers:   a.Blockers,
		Decisions:  a.Decisions,
		NextSteps:  a.NextSteps,
		Notes:      a.Notes,
	}, a.IncompleteReason)
}
