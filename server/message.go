package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
)

// A kind is what the lane does with a message.
type kind int

const (
	plain        kind = iota // a request that may go on at once
	opening                  // initialize: nothing overtakes it
	toolCall                 // goes in order
	listen                   // a stream that is never answered
	notification             // goes on at once, no reply
	cancellation             // of another request
	answer                   // to a question of the server
	ignored                  // asks for nothing
)

// A message is a line of the client, as far as the lane must know it.
type message struct {
	kind  kind
	line  []byte
	id    string // as JSON, in one spelling
	tool  string
	token string // the progress token, as JSON
	asked inquiry
	about string // the id that is cancelled or answered
	from  int    // where the id begins in line
	to    int
}

// with is the line under another id.
func (m message) with(id string) []byte {
	b := make([]byte, 0, len(m.line)+len(id))
	b = append(b, m.line[:m.from]...)
	b = append(b, id...)
	return append(b, m.line[m.to:]...)
}

// parse reads a line. A line that can't be served gives the reply that says so.
func parse(line []byte) (m message, fault []byte) {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return message{kind: ignored}, nil
	case !json.Valid(line):
		return m, faultLine("null", mcp.PARSE_ERROR, "not valid JSON, or nested more than 10,000 deep")
	case line[0] == '[':
		return m, faultLine("null", mcp.INVALID_REQUEST, "batches are not supported; send one message a line")
	case line[0] != '{':
		return m, faultLine("null", mcp.INVALID_REQUEST, "not a JSON-RPC message")
	}
	m.line = line
	return m.classify()
}

func (m message) classify() (message, []byte) {
	var envelope struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(m.line, &envelope) != nil {
		return m, faultLine("null", mcp.INVALID_REQUEST, "not a JSON-RPC message")
	}
	if envelope.Method == "" {
		if envelope.Result != nil || envelope.Error != nil {
			m.kind, m.about = answer, idOr(envelope.ID, "")
			return m, nil
		}
		return m, faultLine(idOr(envelope.ID, "null"), mcp.INVALID_REQUEST, "method is missing")
	}
	if envelope.Result != nil {
		return m, faultLine(idOr(envelope.ID, "null"), mcp.INVALID_REQUEST, "method and result in one message")
	}
	var plainly bool
	m.from, m.to, plainly = idSpan(m.line)
	if plainly && (m.to == 0 || string(m.line[m.from:m.to]) == "null") {
		m.kind = notificationKind(envelope.Method)
		m.about = cancelledID(envelope.Params)
		return m, nil
	}
	m.id = idOr(envelope.ID, "")
	if m.id == "" || !plainly {
		return m, faultLine("null", mcp.INVALID_REQUEST, "id must be a string or a number, given once")
	}
	m.kind = requestKind(envelope.Method)
	p := paramsOf(envelope.Params)
	if m.kind == toolCall && !decodable(p.Arguments) {
		return m, faultLine(m.id, mcp.INVALID_PARAMS, "the arguments hold a number that is too large; send it as text")
	}
	m.tool, m.token = p.Name, string(p.Meta.Token)
	m.asked = inquiry{mcp.MCPMethod(envelope.Method), p.URI, mcp.IsModernProtocol(p.Meta.Version)}
	return m, nil
}

func requestKind(method string) kind {
	switch mcp.MCPMethod(method) {
	case mcp.MethodInitialize:
		return opening
	case mcp.MethodToolsCall:
		return toolCall
	case mcp.MethodSubscriptionsListen:
		return listen
	}
	return plain
}

// notificationKind keeps requests without an id from being run: nobody would hear the answer.
func notificationKind(method string) kind {
	switch {
	case method == string(mcp.MethodNotificationCancelled):
		return cancellation
	case strings.HasPrefix(method, "notifications/"):
		return notification
	}
	return ignored
}

// idOr is an id in one spelling, or fallback when it is neither a string nor a number.
func idOr(raw json.RawMessage, fallback string) string {
	if len(raw) == 0 {
		return fallback
	}
	switch c := raw[0]; {
	case c == '"':
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return fallback
		}
		return string(raw)
	case c == '-' || c >= '0' && c <= '9':
		return string(raw)
	}
	return fallback
}

// idSpan is where the value of the top-level id stands, 0, 0 when there is none. It is not plain when the key
// comes twice or in another case: encoding/json, which reads the line after us, takes any case and the last one.
func idSpan(line []byte) (from, to int, plainly bool) {
	d := json.NewDecoder(bytes.NewReader(line))
	if _, err := d.Token(); err != nil {
		return 0, 0, false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return 0, 0, false
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return 0, 0, false
		}
		if name, _ := key.(string); !strings.EqualFold(name, "id") {
			continue
		}
		if to != 0 || key != "id" {
			return 0, 0, false
		}
		to = int(d.InputOffset())
		from = to - len(raw)
	}
	return from, to, true
}

// params is what the lane must know of the parameters of a request.
type params struct {
	Name      string          `json:"name"`
	URI       string          `json:"uri"`
	Arguments json.RawMessage `json:"arguments"`
	Meta      struct {
		Token   json.RawMessage `json:"progressToken"`
		Version string          `json:"io.modelcontextprotocol/protocolVersion"`
	} `json:"_meta"`
}

func paramsOf(raw json.RawMessage) params {
	var p params
	if len(raw) == 0 || json.Unmarshal(raw, &p) != nil {
		return params{}
	}
	return p
}

// decodable reports whether mcp-go, which takes arguments apart before a tool sees them, can: it has no numbers beyond
// those of float64.
func decodable(arguments json.RawMessage) bool {
	if !bigNumber().Match(arguments) {
		return true
	}
	var any any
	return json.Unmarshal(arguments, &any) == nil
}

// bigNumber is what a number too large for float64 has: an exponent of three digits, or many digits.
var bigNumber = pattern.Lazy(`[eE]\+?0*[1-9][0-9]{2}|[0-9]{300}`)

func cancelledID(params json.RawMessage) string {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if len(params) == 0 || json.Unmarshal(params, &p) != nil {
		return ""
	}
	return idOr(p.ID, "")
}

func faultLine(id string, code int, text string) []byte {
	message, _ := json.Marshal(text) // a string always marshals
	return fmt.Appendf(nil, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":%s}}\n", id, code, message)
}

// mostFault bounds the text of an error. mcp-go repeats a method, a name or a URI of the client whole in it.
const mostFault = 2000

// shortFault is rest, what follows the id in a reply, with the text of a long error cut.
func shortFault(rest []byte) []byte {
	if len(rest) <= 2*mostFault || !bytes.HasPrefix(rest, []byte(`,"error":`)) {
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
	text := r.Error.Message[:min(len(r.Error.Message), mostFault)]
	message, _ := json.Marshal(strings.ToValidUTF8(text, "") + " …") // strings always marshal
	return fmt.Appendf(nil, `,"error":{"code":%d,"message":%s}}`+"\n", r.Error.Code, message)
}
