package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// A reply is at most 16,000 bytes as the line that is sent; what stands around the result takes less than 500.
const (
	mostResult  = 15_500 // of a result, as JSON
	mostRefusal = 12_000 // of the text of a refusal
)

// answered is the answer as structured content and as text. Where both together are too large the text only says
// what is next, and where that is not enough the longest parts of the answer are cut.
func answered(answer json.RawMessage) *mcp.CallToolResult {
	if whole := mcp.NewToolResultStructured(answer, string(answer)); size(whole) <= mostResult {
		return whole
	}
	var told struct {
		Next string `json:"next"`
	}
	_ = json.Unmarshal(answer, &told) // an answer without a next step has none to tell
	text := "The rest is in structuredContent.\nNext: " + firstBytes(told.Next, 1000)
	short := mcp.NewToolResultStructured(answer, text)
	for most := mostResult; size(short) > mostResult && most > 0; most /= 2 {
		short.StructuredContent = shrunk(answer, most)
	}
	return short
}

// refusal is a text that the model reads as an error. A long one loses its middle: what is wrong stands at its
// beginning, the next step at its end.
func refusal(text string) *mcp.CallToolResult {
	text = strings.ToValidUTF8(text, "\uFFFD")
	r := mcp.NewToolResultError(withoutMiddle(text, mostRefusal))
	for most := mostRefusal / 2; size(r) > mostResult; most /= 2 {
		r = mcp.NewToolResultError(withoutMiddle(text, most))
	}
	return r
}

// size is how many bytes the result takes in the line that is sent.
func size(r *mcp.CallToolResult) int {
	b, _ := json.Marshal(r) // text and valid JSON always marshal
	return len(b)
}

// withoutMiddle is text within most bytes, whole characters only.
func withoutMiddle(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head, tail := most/2, len(text)-most/2
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", text[:head], tail-head, text[tail:])
}

// shrunk is the answer within about most bytes: its largest members lose their ends, and cut names them.
func shrunk(answer json.RawMessage, most int) json.RawMessage {
	members, err := split(answer)
	if err != nil {
		return answer
	}
	var cut []string
	for total := len(answer); total > most; {
		m := largest(members)
		shorter := halved(m.value)
		if len(shorter) >= len(m.value) {
			break
		}
		total -= len(m.value) - len(shorter)
		m.value = shorter
		if !slices.Contains(cut, m.key) {
			cut = append(cut, m.key)
		}
	}
	if cut == nil {
		return answer
	}
	note := member{"cut", json.RawMessage(quote(strings.Join(cut, ", ") + " cut to fit: ask for less at a time"))}
	return object(append([]member{note}, members...))
}

func largest(members []member) *member {
	m := &members[0]
	for i := range members {
		if len(members[i].value) > len(m.value) {
			m = &members[i]
		}
	}
	return m
}

// halved is value with about half of its largest part gone; numbers and words stay.
func halved(value json.RawMessage) json.RawMessage {
	switch value[0] {
	case '"':
		s := unquoted(value)
		return json.RawMessage(quote(firstBytes(s, len(s)/2)))
	case '[':
		var items []json.RawMessage
		if json.Unmarshal(value, &items) != nil || len(items) == 0 {
			return value
		}
		if len(items) == 1 {
			return json.RawMessage("[" + string(halved(items[0])) + "]")
		}
		return list(items[:len(items)/2])
	case '{':
		members, err := split(value)
		if err != nil || len(members) == 0 {
			return value
		}
		m := largest(members)
		m.value = halved(m.value)
		return object(members)
	}
	return value
}

func list(items []json.RawMessage) json.RawMessage {
	var b []byte
	for _, item := range items {
		b = append(append(b, ','), item...)
	}
	b[0] = '['
	return append(b, ']')
}

func object(members []member) json.RawMessage {
	var b []byte
	for _, m := range members {
		b = append(append(append(b, ','), quote(m.key)+":"...), m.value...)
	}
	b[0] = '{'
	return append(b, '}')
}
