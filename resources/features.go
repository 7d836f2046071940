package resources

import (
	"context"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

var features = resource{
	path:  "features",
	name:  "features",
	title: "Feature list",
	about: "Every feature in a line, in list order (tool: list_features)",
	mime:  "application/json",
	read:  readFeatures,
}

// readFeatures puts pages together until the next one might not fit; the cursor then says how to read on.
func readFeatures(ctx context.Context, p *artifacts.Project, _ string) (artifacts.Document, error) {
	const page, pageBytes = 50, 16_000
	var list *artifacts.ListReply
	var doc artifacts.Document
	for q := (artifacts.Query{Status: "all", Limit: page}); ; {
		more, err := p.ListFeatures(ctx, q)
		if err != nil {
			return doc, err
		}
		if list != nil {
			more.Features = append(list.Features, more.Features...)
		}
		list = more
		if doc, err = asJSON(list); err != nil {
			return doc, err
		}
		if list.Cursor == "" || list.Cursor == q.Cursor || len(doc.Text)+pageBytes > Most {
			return doc, nil
		}
		q.Cursor = list.Cursor
	}
}
