// Package resources shows the project as MCP resources: read only, at most 64 KB each. It holds no rule and
// touches no file; every text comes from the Project.
package resources

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

// Most is the size that no resource goes over, in bytes.
const Most = 64 << 10

const scheme = "harness://"

// all is what is served. A path with a variable in braces is a template.
var all = []resource{
	status,
	features,
	feature,
	progress,
	progressOfSession,
	architecture,
	plan,
	initScript,
	evidence,
}

// A resource is a path below harness:// and the function that reads it. The id is the variable of a
// template, decoded; else empty.
type resource struct {
	path, name, title, about, mime string
	read                           func(ctx context.Context, p *artifacts.Project, id string) (artifacts.Document, error)
}

// Register has s serve every resource and template of p.
func Register(s *server.MCPServer, p *artifacts.Project) {
	for _, r := range all {
		if r.isTemplate() {
			s.AddResourceTemplate(mcp.NewResourceTemplate(scheme+r.path, r.name,
				mcp.WithTemplateDescription(r.about), mcp.WithTemplateMIMEType(r.mime)), r.serveTemplate(p))
			continue
		}
		s.AddResource(mcp.NewResource(scheme+r.path, r.name,
			mcp.WithResourceTitle(r.title), mcp.WithResourceDescription(r.about), mcp.WithMIMEType(r.mime)), r.serve(p))
	}
}

func (r resource) isTemplate() bool { return strings.Contains(r.path, "{") }

func (r resource) serve(p *artifacts.Project) server.ResourceHandlerFunc {
	return func(ctx context.Context, q mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return r.contents(ctx, p, q.Params.URI, "")
	}
}

func (r resource) serveTemplate(p *artifacts.Project) server.ResourceTemplateHandlerFunc {
	prefix, _, _ := strings.Cut(scheme+r.path, "{")
	return func(ctx context.Context, q mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		id, err := url.PathUnescape(strings.TrimPrefix(q.Params.URI, prefix))
		if err != nil {
			return nil, fmt.Errorf("bad-argument: %s: %w", q.Params.URI, err)
		}
		if id == "" || !utf8.ValidString(id) || strings.ContainsRune(id, 0) {
			return nil, fmt.Errorf("bad-argument: %s names nothing", q.Params.URI)
		}
		return r.contents(ctx, p, q.Params.URI, id)
	}
}

func (r resource) contents(ctx context.Context, p *artifacts.Project, uri, id string) (c []mcp.ResourceContents, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			c, err = nil, fmt.Errorf("busy: reading %s broke off: %v", uri, broken)
		}
	}()
	d, err := r.read(ctx, p, id)
	if err != nil {
		return nil, err
	}
	if d.MIME == "" {
		d.MIME = r.mime
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: d.MIME, Text: bounded(d)}}, nil
}

// bounded is the text of d within Most. A longer one loses its end; JSON can't and is replaced by a note.
func bounded(d artifacts.Document) string {
	text := strings.ToValidUTF8(d.Text, "\uFFFD")
	if len(text) <= Most {
		return text
	}
	if d.MIME == "application/json" {
		return fmt.Sprintf(`{"cut":true,"bytes":%d,"next":"too large for a resource: call list_features with ids"}`, len(text))
	}
	note := fmt.Sprintf("\n\n[cut here: %d bytes in all; read the file itself, or harness://progress/{session} for one session]\n", len(text))
	end := Most - len(note)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + note
}

// FeatureURI is where the feature is read; the id is percent-encoded.
func FeatureURI(id string) string { return scheme + "features/" + escaped(id) }

// escaped leaves only the characters that RFC 3986 calls unreserved.
func escaped(id string) string {
	return strings.ReplaceAll(url.QueryEscape(id), "+", "%20")
}

// Touches reports whether a change of one resource changes the other too: it is the same one, however the id is
// encoded, or one below it. What stands behind a feature changes with the list.
func Touches(changed, other string) bool {
	changed, other = decoded(changed), decoded(other)
	if rest, ok := strings.CutPrefix(other, scheme+"evidence/"); ok {
		other = scheme + "features/" + rest
	}
	return changed == other || strings.HasPrefix(other, changed+"/")
}

// Same reports whether two URIs name one resource, however their ids are encoded.
func Same(a, b string) bool { return decoded(a) == decoded(b) }

func decoded(uri string) string {
	if plain, err := url.PathUnescape(uri); err == nil {
		return plain
	}
	return uri
}

// asJSON is v as a document, with < > & as they are.
func asJSON(v any) (artifacts.Document, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return artifacts.Document{}, err
	}
	return artifacts.Document{Text: strings.TrimSuffix(b.String(), "\n"), MIME: "application/json"}, nil
}
