package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// An inquiry is a request, as far as the code of an error depends on it. mcp-go answers every error of a handler
// with -32603, the server's fault, also where a resource does not exist or an argument of a prompt is bad.
type inquiry struct {
	method mcp.MCPMethod
	uri    string // of the resource
	modern bool   // it came under revision 2026-07-28 or later
}

// theirs are the refusals of resources/read that say that there is no such resource.
var theirs = []string{"unknown-feature", "bad-argument", "not-initialized"}

// corrected is rest, what follows the id in a reply, with the code that the specification names for the error.
func (q inquiry) corrected(rest []byte) []byte {
	if q.method != mcp.MethodResourcesRead && q.method != mcp.MethodPromptsGet || !bytes.HasPrefix(rest, []byte(`,"error":`)) {
		return rest
	}
	var r struct {
		Error struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(append([]byte("{"), rest[1:]...), &r) != nil {
		return rest
	}
	refusal, _, _ := strings.Cut(r.Error.Message, ":")
	internal := r.Error.Code == mcp.INTERNAL_ERROR
	message, _ := json.Marshal(r.Error.Message) // strings always marshal
	switch {
	case q.method == mcp.MethodPromptsGet && internal && refusal == "bad-argument":
		return fmt.Appendf(nil, `,"error":{"code":%d,"message":%s}}`+"\n", mcp.INVALID_PARAMS, message)
	case q.method == mcp.MethodResourcesRead && (internal && slices.Contains(theirs, refusal) || q.unmatched(r.Error.Message)):
		uri, _ := json.Marshal(q.uri)
		return fmt.Appendf(nil, `,"error":{"code":%d,"message":%s,"data":{"uri":%s}}}`+"\n", q.notFound(), message, uri)
	}
	return rest
}

// unmatched reports whether mcp-go says that the URI is none of this server's.
func (q inquiry) unmatched(message string) bool {
	return strings.HasSuffix(message, mcp.ErrResourceNotFound.Error())
}

func (q inquiry) notFound() int {
	if q.modern {
		return mcp.INVALID_PARAMS
	}
	return mcp.RESOURCE_NOT_FOUND
}
