package tools

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

type reportRegressionArgs struct {
	ID     string `json:"id" need:"yes"`
	Reason string `json:"reason" need:"yes" about:"what you saw"`
}

var reportRegression = define(spec{
	name:  "report_regression",
	title: "Report regression",
	description: "Sets a passed feature back to not passed; it is offered first from then on. " +
		"Call it when a passed feature does not work any more.",
}, runReportRegression)

func runReportRegression(ctx context.Context, p *artifacts.Project, a reportRegressionArgs) (*artifacts.RegressionReply, error) {
	return p.ReportRegression(ctx, a.ID, a.Reason)
}
