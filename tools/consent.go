package tools

import (
	"context"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

// A person is whoever sits at the client, as far as a call can reach them: through the client's own dialog.
type person struct {
	at      string // names the client, for the record
	present bool   // the client has such a dialog
	ask     func(ctx context.Context, q question) (*mcp.ElicitationResult, error)
}

// A question asks for a yes and for a reason in the person's own words.
type question struct {
	message, yes, reason string
	elsewhere            string // what to do where the client has no dialog
}

// An unanswered question ends a call: under revision 2026-07-28 the client asks, then calls again with the answer.
type unanswered struct{ question question }

func (unanswered) Error() string { return "the person has not answered yet" }

type personKey struct{}

// withPerson lets the call r ask the person at its client.
func withPerson(ctx context.Context, r mcp.CallToolRequest) context.Context {
	p := person{at: "a client"}
	name, capabilities := client(ctx)
	if name != "" {
		p.at = name
	}
	e := capabilities.Elicitation
	p.present = e != nil && (e.Form != nil || e.URL == nil)
	p.ask = askDirectly
	if mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)) {
		p.ask = func(_ context.Context, q question) (*mcp.ElicitationResult, error) {
			if answer := server.ElicitationResponse(r.Params.InputResponses, questionID); answer != nil {
				return answer, nil
			}
			return nil, unanswered{q}
		}
	}
	return context.WithValue(ctx, personKey{}, p)
}

// client is what the client of this call says of itself; the newest revision has it say so in each request.
func client(ctx context.Context) (name string, c mcp.ClientCapabilities) {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		if info.ClientInfo != nil {
			name = info.ClientInfo.Name
		}
		if info.ClientCapabilities != nil {
			c = *info.ClientCapabilities
		}
		return name, c
	}
	if s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return s.GetClientInfo().Name, s.GetClientCapabilities()
	}
	return "", c
}

// present says whether the call can ask somebody.
func present(ctx context.Context) bool {
	p, _ := ctx.Value(personKey{}).(person)
	return p.present
}

func askDirectly(ctx context.Context, q question) (*mcp.ElicitationResult, error) {
	s := server.ServerFromContext(ctx)
	if s == nil {
		return nil, server.ErrElicitationNotSupported
	}
	return s.RequestElicitation(ctx, mcp.ElicitationRequest{Params: q.form()})
}

const questionID = "consent"

// asking is q as a result that has the client ask it.
func (q question) asking() *mcp.CallToolResult {
	return server.NewInputRequestBuilder("").Elicit(questionID, q.form()).ToolResult()
}

// form is q as a client shows it. No field is filled in beforehand.
func (q question) form() mcp.ElicitationParams {
	return mcp.ElicitationParams{
		Mode:    mcp.ElicitationModeForm,
		Message: q.message,
		RequestedSchema: map[string]any{
			"type": "object",
			"properties": map[string]any{
				"yes":    map[string]any{"type": "boolean", "title": q.yes, "default": false},
				"reason": map[string]any{"type": "string", "title": q.reason, "minLength": 1, "maxLength": 500},
			},
			"required": []string{"yes", "reason"},
		},
	}
}

// consent asks the person at the client. Only a yes with a reason is one; reason is in the person's words.
func consent(ctx context.Context, q question) (reason, by string, given bool, err error) {
	p, ok := ctx.Value(personKey{}).(person)
	if !ok || !p.present {
		return "", "", false, &artifacts.Refusal{Code: "bad-argument", What: "this client has no dialog to ask the user with",
			Next: q.elsewhere}
	}
	answer, err := p.ask(ctx, q)
	if err != nil {
		return "", "", false, err
	}
	by = "the user at " + p.at
	content, _ := answer.Content.(map[string]any)
	yes, _ := content["yes"].(bool)
	reason, _ = content["reason"].(string)
	reason = strings.TrimSpace(reason)
	return reason, by, answer.Action == mcp.ElicitationResponseActionAccept && yes && reason != "", nil
}
