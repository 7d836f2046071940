package tools

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

type harnessInitArgs struct {
	Project     string     `json:"project" need:"yes" about:"name"`
	Type        string     `json:"type" need:"yes" enum:"web-app api cli library mobile other"`
	Description string     `json:"description"`
	Stack       string     `json:"stack" about:"default: detected"`
	Layout      string     `json:"layout" enum:"claude root plan"`
	Features    []incoming `json:"features"`
	Import      document   `json:"import" about:"path or text of a list or plan"`
	InitScript  string     `json:"init_script" about:"bash text, or prepare or start for a template"`
	SmokeTest   string     `json:"smoke_test" about:"shell command"`
	Commit      bool       `json:"commit" default:"true"`
}

var harnessInit = define(spec{
	name:  "harness_init",
	title: "Set up harness",
	description: "Makes the feature list, progress log, init.sh and first commit, or adopts what the project has. " +
		"Call it once, after exploring the code and splitting the goal into 30-200 small features.",
	idempotent: true,
}, runHarnessInit)

func runHarnessInit(ctx context.Context, p *artifacts.Project, a harnessInitArgs) (*artifacts.InitializedReply, error) {
	return p.Init(ctx, artifacts.InitRequest{
		Project:     a.Project,
		Type:        a.Type,
		Description: a.Description,
		Stack:       a.Stack,
		Layout:      a.Layout,
		Features:    items(a.Features),
		Import:      string(a.Import),
		InitScript:  a.InitScript,
		SmokeTest:   a.SmokeTest,
		Commit:      a.Commit,
	})
}
