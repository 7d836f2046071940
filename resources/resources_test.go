package resources

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

const oddID = "log in/é"

// ready is a project with many features and the server that shows it.
func ready(t *testing.T, features int) (*artifacts.Project, *server.MCPServer) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	p := artifacts.Open(t.TempDir(), artifacts.Options{Version: "test", Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(p.Close)
	list := []map[string]any{{"id": oddID, "description": "User can log in", "passes": false}}
	for i := range features - 1 {
		list = append(list, map[string]any{
			"id": fmt.Sprintf("N%04d", i), "passes": false,
			"description": fmt.Sprintf("User can do thing %d and then sees %s", i, strings.Repeat("words ", 20)),
		})
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	r := artifacts.InitRequest{Project: "x", Type: "cli", Layout: "root", Import: string(text), InitScript: "prepare"}
	if _, err := p.Init(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	s := server.NewMCPServer("t", "1", server.WithResourceCapabilities(true, false))
	Register(s, p)
	return p, s
}

// read is the text of a resource, or the error that stands for it.
func read(t *testing.T, s *server.MCPServer, uri string) (text string, failed string) {
	t.Helper()
	asked, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": map[string]any{"uri": uri}})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(s.HandleMessage(t.Context(), asked))
	if err != nil {
		t.Fatal(err)
	}
	var reply struct {
		Result struct{ Contents []mcp.TextResourceContents }
		Error  struct{ Message string }
	}
	if err := json.Unmarshal(raw, &reply); err != nil {
		t.Fatal(err)
	}
	if reply.Error.Message != "" {
		return "", reply.Error.Message
	}
	c := reply.Result.Contents[0]
	if c.URI != uri || c.MIMEType == "" {
		t.Errorf("%s: uri %q, MIME type %q", uri, c.URI, c.MIMEType)
	}
	return c.Text, ""
}

func TestEveryResourceIsServed(t *testing.T) {
	p, s := ready(t, 3)
	ids := p.SessionIDs()
	if len(ids) == 0 {
		t.Fatal("no session")
	}
	if _, err := p.SessionEnd(t.Context(), artifacts.Note{NextSteps: []string{"go on"}}, ""); err != nil {
		t.Fatal(err)
	}
	for _, uri := range []string{"harness://status", "harness://features", FeatureURI(oddID), "harness://progress", "harness://progress/" + ids[0], "harness://architecture", "harness://init-script", "harness://evidence/N0001"} {
		if text, failed := read(t, s, uri); failed != "" || text == "" {
			t.Errorf("%s: %q, %s", uri, text, failed)
		}
	}
	if len(all) != 9 {
		t.Errorf("%d resources, want 9", len(all))
	}
}

func TestWhatIsNotThereIsAnError(t *testing.T) {
	_, s := ready(t, 1)
	for _, uri := range []string{
		"harness://features/F999", "harness://features/%zz", "harness://features/%ff", "harness://features/a%00b", "harness://features/",
		"harness://features/../config", "harness://progress/session-999", "harness://evidence/%2e%2e%2fpasswd", "harness://nothing", "file:///etc/passwd",
	} {
		if text, failed := read(t, s, uri); failed == "" {
			t.Errorf("%s answers %q, want an error", uri, text)
		}
	}
}

func TestOddIDsAreFoundThroughTheList(t *testing.T) {
	p, s := ready(t, 2)
	var list mcp.ListResourcesResult
	ListFeatures(p, "", &list)
	if len(list.Resources) != 2 || list.NextCursor != "" {
		t.Fatalf("%d resources, cursor %q, want 2 and none", len(list.Resources), list.NextCursor)
	}
	text, failed := read(t, s, list.Resources[0].URI)
	if !strings.Contains(text, `"`+oddID+`"`) {
		t.Errorf("%s: %s %s", list.Resources[0].URI, text, failed)
	}
}

func TestResourcesStayInTheirBounds(t *testing.T) {
	_, s := ready(t, 1500)
	text, failed := read(t, s, "harness://features")
	if failed != "" || len(text) > Most || !json.Valid([]byte(text)) {
		t.Fatalf("%d bytes, valid %v, %s", len(text), json.Valid([]byte(text)), failed)
	}
	var list artifacts.ListReply
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Features) < 50 || list.Total != 1500 || list.Cursor == "" {
		t.Errorf("%d features of %d, cursor %q: want many, and how to read on", len(list.Features), list.Total, list.Cursor)
	}
}

func TestListGoesThroughAllPages(t *testing.T) {
	p, _ := ready(t, 250)
	seen := map[string]bool{}
	cursor := mcp.Cursor("")
	for range 10 {
		var page mcp.ListResourcesResult
		ListFeatures(p, cursor, &page)
		for _, r := range page.Resources {
			seen[r.URI] = true
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != 250 || cursor != "" {
		t.Errorf("%d features seen, cursor %q, want 250 and none", len(seen), cursor)
	}
}

func TestBounded(t *testing.T) {
	long := strings.Repeat("é", Most)
	for _, tt := range []struct {
		name     string
		document artifacts.Document
		want     string
	}{
		{"short", artifacts.Document{Text: "a"}, "a"},
		{"at the limit", artifacts.Document{Text: long[:Most]}, long[:100]},
		{"long", artifacts.Document{Text: long}, "[cut here"},
		{"long JSON", artifacts.Document{Text: long, MIME: "application/json"}, `{"cut":true`},
		{"not UTF-8", artifacts.Document{Text: "a\xffb"}, "a\uFFFDb"},
	} {
		got := bounded(tt.document)
		if len(got) > Most || !utf8.ValidString(got) || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %d bytes, want them to hold %.20q", tt.name, len(got), tt.want)
		}
	}
}

func TestTouches(t *testing.T) {
	for _, tt := range []struct {
		changed, other string
		want           bool
	}{
		{"harness://status", "harness://status", true},
		{"harness://features", "harness://features/F001", true},
		{"harness://features", "harness://evidence/F001", true},
		{"harness://features/log%20in", "harness://features/log in", true},
		{"harness://features/F1", "harness://features/F10", false},
		{"harness://progress", "harness://progress/session-001", true},
		{"harness://features/F001", "harness://features", false},
		{"harness://status", "harness://features", false},
	} {
		if got := Touches(tt.changed, tt.other); got != tt.want {
			t.Errorf("Touches(%s, %s) = %v, want %v", tt.changed, tt.other, got, tt.want)
		}
	}
}

func TestCompletion(t *testing.T) {
	p, _ := ready(t, 150)
	c := Completion{Project: p}
	for _, tt := range []struct {
		name, typed string
		values      int
		more        bool
	}{
		{"id", "", 100, true},
		{"id", "LOG", 1, false},
		{"id", "n000", 10, false},
		{"session", "session-", 1, false},
		{"other", "", 0, false},
	} {
		got, err := c.CompleteResourceArgument(context.Background(), "", mcp.CompleteArgument{Name: tt.name, Value: tt.typed}, mcp.CompleteContext{})
		if err != nil || len(got.Values) != tt.values || got.HasMore != tt.more {
			t.Errorf("%s %q: %+v, %v, want %d values", tt.name, tt.typed, got, err, tt.values)
		}
	}
}
