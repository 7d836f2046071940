package resources

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

var plan = resource{
	path:  "plan",
	name:  "plan",
	title: "Plan",
	about: "The plan with its milestones, where the layout has one (tool: list_features)",
	mime:  "text/markdown",
	read:  readPlan,
}

func readPlan(_ context.Context, p *artifacts.Project, _ string) (artifacts.Document, error) {
	return p.Document("plan")
}
