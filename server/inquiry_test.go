package server

import (
	"fmt"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// asked is a request of either era; params lacks its closing brace.
func asked(method, params string, modern bool) string {
	if modern {
		if params != "{" {
			params += ","
		}
		params += modernMeta
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}}`, method, params)
}

func TestErrorsOfTheClientAreNotTheServersFault(t *testing.T) {
	tests := []struct {
		name, method, params string
		old, modern          float64
		uri                  any
	}{
		{"a feature that is not there", "resources/read", `{"uri":"harness://features/F999"`, mcp.RESOURCE_NOT_FOUND, mcp.INVALID_PARAMS, "harness://features/F999"},
		{"a session that is not there", "resources/read", `{"uri":"harness://progress/session-999"`, mcp.RESOURCE_NOT_FOUND, mcp.INVALID_PARAMS, "harness://progress/session-999"},
		{"an id that is not UTF-8", "resources/read", `{"uri":"harness://features/%ff"`, mcp.RESOURCE_NOT_FOUND, mcp.INVALID_PARAMS, "harness://features/%ff"},
		{"a URI of nobody", "resources/read", `{"uri":"harness://nothing"`, mcp.RESOURCE_NOT_FOUND, mcp.INVALID_PARAMS, "harness://nothing"},
		{"a prompt without its argument", "prompts/get", `{"name":"initialize"`, mcp.INVALID_PARAMS, mcp.INVALID_PARAMS, nil},
		{"a prompt that is not there", "prompts/get", `{"name":"nothing"`, mcp.INVALID_PARAMS, mcp.INVALID_PARAMS, nil},
	}
	c, _ := waiting(t)
	for _, tt := range tests {
		for _, modern := range []bool{false, true} {
			c.send(asked(tt.method, tt.params, modern))
			want := tt.old
			if modern {
				want = tt.modern
			}
			fault, _ := c.receive()["error"].(map[string]any)
			data, _ := fault["data"].(map[string]any)
			if fault["code"] != want || fault["message"] == "" || data["uri"] != tt.uri {
				t.Errorf("%s, modern %v: %v, want code %v and uri %v", tt.name, modern, fault, want, tt.uri)
			}
		}
	}
	c.send(asked("resources/read", `{"uri":"harness://status"`, false))
	if got := c.receive(); got["result"] == nil {
		t.Errorf("a resource that is there: %v", got)
	}
}

func TestErrorsOfTheServerStayItsFault(t *testing.T) {
	const busy = `,"error":{"code":-32603,"message":"busy: reading broke off"}}` + "\n"
	tests := []struct {
		name, rest string
		asked      inquiry
	}{
		{"a reading that broke off", busy, inquiry{method: mcp.MethodResourcesRead}},
		{"a prompt that broke off", busy, inquiry{method: mcp.MethodPromptsGet}},
		{"an unreadable list", `,"error":{"code":-32603,"message":"unreadable: a.json:1:1"}}` + "\n", inquiry{method: mcp.MethodResourcesRead}},
		{"another request", `,"error":{"code":-32603,"message":"bad-argument: x"}}` + "\n", inquiry{method: mcp.MethodToolsCall}},
		{"a result that speaks of an error", `,"result":{"error":{"code":-32603,"message":"bad-argument: x"}}}` + "\n", inquiry{method: mcp.MethodPromptsGet}},
		{"no JSON", `,"error":{`, inquiry{method: mcp.MethodPromptsGet}},
	}
	for _, tt := range tests {
		if got := string(tt.asked.corrected([]byte(tt.rest))); got != tt.rest {
			t.Errorf("%s: %s, want it as it was", tt.name, got)
		}
	}
}
