package resources

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

// featuresOnPage is how many features a page of resources/list holds.
const featuresOnPage = 100

// cursorMark begins the cursors made here. It sorts after every name, so the fixed resources stay on the first page.
const cursorMark = "~features:"

// ListFeatures adds the resource of each feature to an answer of resources/list, a page at a time.
func ListFeatures(p *artifacts.Project, asked mcp.Cursor, result *mcp.ListResourcesResult) {
	ids := p.FeatureIDs()
	from := min(position(asked), len(ids))
	to := min(from+featuresOnPage, len(ids))
	for _, id := range ids[from:to] {
		result.Resources = append(result.Resources,
			mcp.NewResource(FeatureURI(id), "feature "+id, mcp.WithMIMEType(feature.mime)))
	}
	if to < len(ids) {
		result.NextCursor = mcp.Cursor(base64.StdEncoding.EncodeToString([]byte(cursorMark + strconv.Itoa(to))))
	}
}

func position(cursor mcp.Cursor) int {
	plain, err := base64.StdEncoding.DecodeString(string(cursor))
	if err != nil {
		return 0
	}
	number, ok := strings.CutPrefix(string(plain), cursorMark)
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Completion completes the ids of features and the names of sessions in templates.
type Completion struct{ Project *artifacts.Project }

// CompleteResourceArgument answers completion/complete for a template of this package.
func (c Completion) CompleteResourceArgument(_ context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	switch argument.Name {
	case "id":
		return Completed(c.Project.FeatureIDs(), argument.Value), nil
	case "session":
		return Completed(c.Project.SessionIDs(), argument.Value), nil
	}
	return Completed(nil, ""), nil
}

// Completed returns the values that begin with what was typed, in any case, at most 100.
func Completed(values []string, typed string) *mcp.Completion {
	const most = 100
	c := &mcp.Completion{Values: []string{}}
	for _, v := range values {
		if !strings.HasPrefix(strings.ToLower(v), strings.ToLower(typed)) {
			continue
		}
		c.Total++
		if len(c.Values) < most {
			c.Values = append(c.Values, v)
		}
	}
	c.HasMore = c.Total > len(c.Values)
	return c
}
