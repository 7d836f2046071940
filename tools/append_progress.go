package tools

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

type appendProgressArgs struct {
	Focus      string               `json:"focus"`
	Completed  []string             `json:"completed"`
	InProgress []artifacts.NoteItem `json:"in_progress" about:"strings or {id, note}"`
	Blockers   []artifacts.NoteItem `json:"blockers" about:"same; one with an id parks that feature"`
	Decisions  []string             `json:"decisions" about:"also kept in architecture.md"`
	NextSteps  []string             `json:"next_steps"`
	Notes      []string             `json:"notes"`
}

var appendProgress = define(spec{
	name:  "append_progress",
	title: "Append progress",
	description: "Adds an entry to the progress log for the next session; passed features and commits are filled in. " +
		"Call it after each piece of work and before context runs out.",
	always: true,
}, runAppendProgress)

func runAppendProgress(ctx context.Context, p *artifacts.Project, a appendProgressArgs) (*artifacts.AppendReply, error) {
	return p.AppendProgress(ctx, a.note())
}

func (a appendProgressArgs) note() artifacts.Note {
	return artifacts.Note(a)
}
