package tools

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

type commitArgs struct {
	Message string   `json:"message"`
	Type    string   `json:"type" about:"feat (default), fix, docs, test, refactor, chore"`
	Feature string   `json:"feature" about:"id; default the claimed one"`
	Paths   []string `json:"paths" about:"more files, by exact name"`
	Body    string   `json:"body"`
}

var commit = define(spec{
	name:  "commit",
	title: "Commit",
	description: "Commits what this session changed as `type: message (F###)`, without secrets and what was dirty before. " +
		"Call it after each passed feature, once you have read the diff.",
	always: true,
}, runCommit)

func runCommit(ctx context.Context, p *artifacts.Project, a commitArgs) (*artifacts.CommittedReply, error) {
	return p.Commit(ctx, artifacts.CommitRequest{
		Message: a.Message,
		Type:    a.Type,
		Feature: a.Feature,
		Body:    a.Body,
		Paths:   a.Paths,
	})
}
