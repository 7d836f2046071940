package server

import (
	"bytes"
	"encoding/json"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/longhaul-mcp/longhaul/artifacts"
	"github.com/longhaul-mcp/longhaul/tools"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata/session")

// A listener is a session that keeps what it is told.
type listener struct {
	told chan mcp.JSONRPCNotification
}

func newListener() *listener { return &listener{told: make(chan mcp.JSONRPCNotification, 100)} }

func (l *listener) SessionID() string                                   { return "test" }
func (l *listener) Initialize()                                         {}
func (l *listener) Initialized() bool                                   { return true }
func (l *listener) NotificationChannel() chan<- mcp.JSONRPCNotification { return l.told }

func open(t *testing.T, dir string) *artifacts.Project {
	t.Helper()
	for key, value := range map[string]string{
		"HOME": t.TempDir(), "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.com",
		"GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.com",
	} {
		t.Setenv(key, value)
	}
	p := artifacts.Open(dir, artifacts.Options{Version: "test", Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(p.Close)
	return p
}

// TestTranscripts plays every file of testdata/session: the lines that begin with "> " go in, what comes back
// must be the lines below them.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("../testdata/session/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d transcripts, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "notes")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			wire := &archive.Files[len(archive.Files)-1]
			for _, f := range archive.Files[:len(archive.Files)-1] {
				write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
			}
			got := play(t, New(open(t, dir), "test", tools.Role{}), wire.Data, dir)
			if *update {
				wire.Data = got
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !bytes.Equal(got, wire.Data) {
				t.Errorf("%s (rewrite with -update)", difference(string(got), string(wire.Data)))
			}
		})
	}
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o755); err != nil {
		t.Fatal(err)
	}
}

// play sends the lines in and returns them with what came back.
func play(t *testing.T, s *server.MCPServer, wire []byte, dir string) []byte {
	t.Helper()
	session := newListener()
	ctx := s.WithContext(t.Context(), session)
	var b bytes.Buffer
	for line := range strings.Lines(string(wire)) {
		message, ok := strings.CutPrefix(line, "> ")
		if !ok {
			if strings.HasPrefix(line, "#") {
				b.WriteString(line)
			}
			continue
		}
		b.WriteString(line)
		if reply := s.HandleMessage(ctx, json.RawMessage(message)); reply != nil {
			b.Write(shownJSON(t, corrected(t, message, reply), dir))
		}
		for len(session.told) > 0 {
			b.Write(shownJSON(t, <-session.told, dir))
		}
	}
	return b.Bytes()
}

// corrected is the reply as the lane sends it.
func corrected(t *testing.T, message string, sent any) any {
	t.Helper()
	line, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	m, fault := parse([]byte(message))
	id, rest, isReply := reply(line)
	if fault != nil || !isReply || !bytes.HasPrefix(rest, []byte(`,"error":`)) {
		return sent
	}
	return json.RawMessage(replyHead + id + string(m.asked.corrected(rest)))
}

// volatile is what differs from run to run.
var volatile = []struct {
	pattern *regexp.Regexp
	shown   string
}{
	{regexp.MustCompile(`\b[0-9a-f]{7,40}\b`), "SHA"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?( ?[+-]\d\d:\d\d|Z)?`), "TIME"},
	{regexp.MustCompile(`(Started\*\*: )\d{4}-\d\d-\d\d`), "${1}DATE"},
	{regexp.MustCompile(`~\d+ min`), "~1 min"},
	{regexp.MustCompile(`(\\?"seconds\\?": ?)[0-9.e-]+`), "${1}0"},
}

func shownJSON(t *testing.T, v any, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		text = strings.ReplaceAll(text, real, "DIR")
	}
	text = strings.ReplaceAll(text, dir, "DIR")
	for _, v := range volatile {
		text = v.pattern.ReplaceAllString(text, v.shown)
	}
	return []byte(text)
}

func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got " + g[i] + "\nwant " + w[i]
		}
	}
	return "one is longer"
}

func TestInstructionsFitTheClient(t *testing.T) {
	if n := utf8.RuneCountInString(instructions); n > 2000 {
		t.Errorf("%d characters, want at most 2000", n)
	}
	first, _, _ := strings.Cut(instructions, "\n")
	if !strings.Contains(first, "Never edit the feature list") {
		t.Errorf("the first line is not the key rule: %s", first)
	}
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func result(t *testing.T, s *server.MCPServer, session server.ClientSession, message string) map[string]any {
	t.Helper()
	raw, err := json.Marshal(s.HandleMessage(s.WithContext(t.Context(), session), json.RawMessage(message)))
	if err != nil {
		t.Fatal(err)
	}
	var reply struct {
		Result map[string]any
		Error  any
	}
	if err := json.Unmarshal(raw, &reply); err != nil || reply.Error != nil {
		t.Fatalf("%s answers %s", message, raw)
	}
	return reply.Result
}

func TestBothErasServeTheSame(t *testing.T) {
	s := New(open(t, t.TempDir()), "test", tools.Role{})
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		r := result(t, s, newListener(), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		if r["protocolVersion"] != version || r["instructions"] != instructions {
			t.Errorf("initialize %s answers version %v", version, r["protocolVersion"])
		}
	}
	r := result(t, s, newListener(), `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+modernMeta+`}}`)
	if r["instructions"] != instructions {
		t.Errorf("server/discover answers %v", r)
	}
	for method, list := range map[string]string{"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates"} {
		old := result(t, s, newListener(), `{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`)[list].([]any)
		new := result(t, s, newListener(), `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+modernMeta+`}}`)[list].([]any)
		if len(old) == 0 || len(old) != len(new) {
			t.Errorf("%s: %d before 2026, %d since", method, len(old), len(new))
		}
	}
}

func TestSubscribersHearOfTheirResources(t *testing.T) {
	s, hooks := server.NewMCPServer("t", "1"), &server.Hooks{}
	server.WithHooks(hooks)(s)
	server.WithResourceCapabilities(true, false)(s)
	subs := newSubscriptions(hooks, func() map[string]string { return nil })
	old := newListener()
	result(t, s, old, `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"harness://features/log%20in"}}`)
	result(t, s, old, `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"harness://features/log%20in"}}`)
	subs.changed([]string{"harness://status"})
	if len(old.told) != 0 {
		t.Errorf("told of what it did not subscribe to: %v", <-old.told)
	}
	subs.changed([]string{"harness://features"})
	if len(old.told) != 1 {
		t.Fatalf("told %d times of a feature of the list that changed, want 1", len(old.told))
	}
	if n := <-old.told; n.Params.AdditionalFields["uri"] != "harness://features/log%20in" || n.Params.Meta != nil {
		t.Errorf("told %+v", n)
	}
	result(t, s, old, `{"jsonrpc":"2.0","id":3,"method":"resources/unsubscribe","params":{"uri":"harness://features/log in"}}`)
	subs.changed([]string{"harness://features"})
	if len(old.told) != 0 {
		t.Error("told after it unsubscribed")
	}
}

func TestListenStreamIsTaggedAndEnds(t *testing.T) {
	hooks := &server.Hooks{}
	s := server.NewMCPServer("t", "1", server.WithHooks(hooks), server.WithResourceCapabilities(true, false))
	subs := newSubscriptions(hooks, func() map[string]string { return nil })
	session := newListener()
	ctx := s.WithContext(t.Context(), session)
	ended := make(chan mcp.JSONRPCMessage)
	go func() {
		ended <- s.HandleMessage(ctx, json.RawMessage(`{"jsonrpc":"2.0","id":"l1","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["harness://status"]},`+modernMeta+`}}`))
	}()
	if ack := <-session.told; ack.Method != "notifications/subscriptions/acknowledged" {
		t.Fatalf("first told %v", ack.Method)
	}
	subs.changed([]string{"harness://status", "harness://features"})
	if n := <-session.told; n.Params.Meta[mcp.MetaKeySubscriptionID] != "l1" || n.Params.AdditionalFields["uri"] != "harness://status" {
		t.Errorf("told %+v", n)
	}
	s.HandleMessage(ctx, cancelLine(`"l1"`))
	<-ended
	subs.changed([]string{"harness://status"})
	if len(session.told) != 0 {
		t.Errorf("told after the stream ended: %v", <-session.told)
	}
}
