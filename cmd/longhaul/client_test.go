package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// eras are the two ways in which clients speak: with server/discover, and with initialize.
var eras = []string{"2026-07-28", "2025-11-25"}

// everyTool is what a client must find, in any order.
var everyTool = []string{"add_features", "append_progress", "commit", "harness_init", "list_features", "mark_feature_passed",
	"next_feature", "report_regression", "rollback", "session_end", "session_start", "status", "verify_features"}

// build makes the program as a user would, once for all tests.
var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "longhaul-build-")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "longhaul")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	return program, exec.Command("go", "build", "-o", program, ".").Run()
})

// A session is a connection of the official Go client to the program, started as mcp.json.example says.
type session struct {
	*mcp.ClientSession
	updated chan string
}

// connect starts the program in the folder project and shakes hands in the era. dialog, where there is one, answers what
// the server asks the user.
func connect(t *testing.T, project, era string, dialog ...func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)) session {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatalf("go build: %v", err)
	}
	command := exec.Command(program, exampleArguments(t)...)
	command.Dir = project
	command.Env = append(os.Environ(), homeOf(t)...)
	s := session{updated: make(chan string, 100)}
	options := &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			s.updated <- r.Params.URI
		},
	}
	if len(dialog) > 0 {
		options.ElicitationHandler = dialog[0]
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1"}, options)
	s.ClientSession, err = client.Connect(t.Context(), &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		t.Fatalf("Connect: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	if got := s.InitializeResult().ProtocolVersion; got != era {
		t.Errorf("negotiated %s, want %s", got, era)
	}
	return s
}

// exampleArguments are the program's arguments in mcp.json.example, unset variables and all.
func exampleArguments(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "mcp.json.example"))
	if err != nil {
		t.Fatal(err)
	}
	var example struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(text, &example); err != nil {
		t.Fatal(err)
	}
	server := example.Servers["longhaul"]
	if server.Command != "longhaul" {
		t.Fatalf("mcp.json.example starts %q, want longhaul", server.Command)
	}
	return server.Args
}

// homeOf is the environment of a user with a git identity and no other settings.
func homeOf(t *testing.T) []string {
	t.Helper()
	home := t.TempDir()
	identity := "[user]\n\tname = Client\n\temail = client@example.invalid\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(identity), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{"HOME=" + home, "USERPROFILE=" + home, "XDG_CONFIG_HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "LONGHAUL_PROJECT=", "CLAUDE_PROJECT_DIR=", "LONGHAUL_ROLE="}
}

// call calls a tool with JSON arguments; a refusal comes back as its text, a success as its JSON.
func (s session) call(t *testing.T, tool, arguments string) (reply string, refused bool) {
	t.Helper()
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	var texts []string
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	if result.IsError {
		return strings.Join(texts, "\n"), true
	}
	structured, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) == 0 {
		t.Errorf("%s has no text for clients that read no structured content", tool)
	}
	return string(structured), false
}

// TestClientCalls takes the official client through a day: every tool, with good and with bad arguments.
func TestClientCalls(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			project := t.TempDir()
			s := connect(t, project, era)
			for _, c := range clientCalls {
				if c.write != "" {
					if err := os.WriteFile(filepath.Join(project, c.write), []byte("made by the client\n"), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				reply, refused := s.call(t, c.tool, c.arguments)
				switch {
				case c.code != "" && (!refused || !strings.HasPrefix(reply, c.code+": ")):
					t.Errorf("%s %s = %s, want the refusal %s", c.tool, c.arguments, reply, c.code)
				case c.code == "" && refused:
					t.Errorf("%s %s was refused: %s", c.tool, c.arguments, reply)
				case c.code == "":
					if err := expect([]byte(reply), c.wants); err != nil {
						t.Errorf("%s %s: %v in %s", c.tool, c.arguments, err, reply)
					}
					if next, ok := field([]byte(reply), "next"); !ok || next == "" {
						t.Errorf("%s %s has no next step", c.tool, c.arguments)
					}
				}
			}
		})
	}
}

var clientCalls = []struct {
	write           string // a file that the client makes before the call
	tool, arguments string
	code            string   // the refusal that must come
	wants           []string // facts of the reply
}{
	{"", "status", `{}`, "not-initialized", nil},
	{"", "session_start", `{}`, "not-initialized", nil},
	{"", "list_features", `{"limit":"many"}`, "bad-argument", nil},
	{"", "harness_init", `{}`, "bad-argument", nil},
	{"", "harness_init", `{"project":"p","type":"cli","features":[{"description":"The file a exists","steps":["ls a"],"check":"test -f a"},{"description":"The help names a","steps":["Read the help"]}]}`, "", []string{"counts.total=2", "counts.failing=2"}},
	{"", "harness_init", `{"project":"p","type":"cli","layout":"root"}`, "already-initialized", nil},
	{"", "session_start", `{"focus":"file"}`, "", []string{"state=feature", "feature.id=F001", "init.ok=true"}},
	{"", "session_start", `{"run_init":"perhaps"}`, "bad-argument", nil},
	{"", "next_feature", `{}`, "", []string{"state=feature", "feature.id=F001"}},
	{"", "next_feature", `{"id":"F009"}`, "unknown-feature", nil},
	{"", "mark_feature_passed", `{"id":"F001","evidence":["looks good to me"]}`, "check-failed", nil},
	{"", "mark_feature_passed", `{"id":"F001","proof":"x"}`, "bad-argument", nil},
	{"a", "mark_feature_passed", `{"id":"F001"}`, "", []string{"passed=true", "changed=true", "proof.kind=observed"}},
	{"", "verify_features", `{"scope":"passed"}`, "", []string{"results.0.ok=true"}},
	{"", "verify_features", `{"scope":"nothing"}`, "bad-argument", nil},
	{"", "commit", `{"message":"a exists"}`, "", []string{"subject=feat: a exists (F001)"}},
	{"", "commit", `{"message":"again"}`, "nothing-to-commit", nil},
	{"", "add_features", `{"features":[{"description":"The file b exists","steps":["ls b"]}]}`, "", []string{"ids.0=F003", "counts.total=3"}},
	{"", "add_features", `{"features":[{"description":"Masked","check":"false || true"}]}`, "check-masked", nil},
	{"", "list_features", `{"status":"failing"}`, "", []string{"matched=2", "total=3"}},
	{"", "append_progress", `{"focus":"a","next_steps":["b"],"decisions":"one file a letter"}`, "", []string{"path=.claude/progress.md"}},
	{"", "append_progress", `{"in_progress":[{"id":"F099","note":"x"}]}`, "unknown-feature", nil},
	{"", "rollback", `{"target":"feature_list"}`, "bad-argument", nil},
	{"", "rollback", `{"target":"feature_list","reason":"to see that it is there"}`, "", []string{"target=feature_list"}},
	{"", "report_regression", `{"id":"F002","reason":"x"}`, "not-passed", nil},
	{"", "report_regression", `{"id":"F001","reason":"a is empty"}`, "", []string{"passed=false", "changed=true"}},
	{"", "session_end", `{}`, "end-checklist", nil},
	{"", "session_end", `{"focus":"a","incomplete_reason":"a broke","next_steps":"mend a"}`, "", []string{"closed=true", "complete=false"}},
	{"", "commit", `{"message":"late"}`, "no-session", nil},
	{"", "status", `{"audit":true}`, "", []string{"counts.total=3", "integrity.ok=true"}},
}

// TestClientTools looks at the definitions as a client gets them.
func TestClientTools(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			s := connect(t, t.TempDir(), era)
			list, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range list.Tools {
				names = append(names, tool.Name)
				a := tool.Annotations
				if tool.Description == "" || tool.InputSchema == nil || tool.OutputSchema == nil {
					t.Errorf("%s lacks a description or a schema", tool.Name)
				}
				if a == nil || a.Title == "" || a.DestructiveHint == nil || a.OpenWorldHint == nil || *a.OpenWorldHint {
					t.Errorf("%s has annotations %+v, want title and all four, closed world", tool.Name, a)
				}
			}
			slices.Sort(names)
			if !slices.Equal(names, everyTool) {
				t.Errorf("tools = %v, want %v", names, everyTool)
			}
			if instructions := s.InitializeResult().Instructions; instructions == "" || len(instructions) > 2000 {
				t.Errorf("instructions are %d characters, want 1 to 2000", len(instructions))
			}
			if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "delete_feature"}); err == nil {
				t.Error("an unknown tool was called without an error")
			}
		})
	}
}

// TestClientReads reads every resource and prompt, and some that are not there.
func TestClientReads(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			s := connect(t, t.TempDir(), era)
			if text, refused := s.call(t, "harness_init", `{"project":"p","type":"cli","layout":"plan","features":[{"description":"The file a exists","steps":["ls a"],"check":"ls -d ."}]}`); refused {
				t.Fatal(text)
			}
			for _, act := range []string{"next_feature {}", `mark_feature_passed {"id":"F001"}`, `append_progress {"focus":"f","next_steps":"n"}`} {
				tool, arguments, _ := strings.Cut(act, " ")
				if text, refused := s.call(t, tool, arguments); refused {
					t.Fatal(text)
				}
			}
			readAll(t, s)
			completeAll(t, s)
			promptAll(t, s)
		})
	}
}

func readAll(t *testing.T, s session) {
	t.Helper()
	want := map[string]string{
		"harness://status":               "F001|p",
		"harness://features":             "The file a exists",
		"harness://features/F001":        "The file a exists",
		"harness://progress":             "session-001|Next",
		"harness://progress/session-001": "session-001|Session 1",
		"harness://architecture":         "",
		"harness://plan":                 "The file a exists",
		"harness://init-script":          "bash",
		"harness://evidence/F001":        "observed",
	}
	for uri, words := range want {
		result, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			t.Errorf("%s: %v", uri, err)
			continue
		}
		text := result.Contents[0].Text
		if !slices.ContainsFunc(strings.Split(words, "|"), func(word string) bool { return strings.Contains(text, word) }) {
			t.Errorf("%s = %q, want one of %s in it", uri, text, words)
		}
	}
	for _, uri := range []string{"harness://nothing", "harness://features/F999", "harness://features/..%2F..%2Fetc", "harness://progress/session-999", "harness://evidence/%", "file:///etc/passwd"} {
		if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s was read without an error", uri)
		}
	}
	templates, err := s.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 3 {
		t.Errorf("templates = %v, %v; want 3", templates, err)
	}
	var listed int
	for resource, err := range s.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		listed++
		if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: resource.URI}); err != nil {
			t.Errorf("%s is listed, but: %v", resource.URI, err)
		}
	}
	if listed < 6 {
		t.Errorf("%d resources are listed, want at least 6", listed)
	}
}

func completeAll(t *testing.T, s session) {
	t.Helper()
	for _, c := range []struct {
		ref         mcp.CompleteReference
		name, value string
		want        string
	}{
		{mcp.CompleteReference{Type: "ref/resource", URI: "harness://features/{id}"}, "id", "F", "F001"},
		{mcp.CompleteReference{Type: "ref/resource", URI: "harness://evidence/{id}"}, "id", "F00", "F001"},
		{mcp.CompleteReference{Type: "ref/resource", URI: "harness://progress/{session}"}, "session", "s", "session-001"},
		{mcp.CompleteReference{Type: "ref/prompt", Name: "initialize"}, "lang", "r", "ru"},
	} {
		result, err := s.Complete(t.Context(), &mcp.CompleteParams{Ref: &c.ref, Argument: mcp.CompleteParamsArgument{Name: c.name, Value: c.value}})
		if err != nil || !slices.Contains(result.Completion.Values, c.want) {
			t.Errorf("Complete(%s %q) = %v, %v; want %s", c.name, c.value, result, err, c.want)
		}
	}
}

func promptAll(t *testing.T, s session) {
	t.Helper()
	var names []string
	for prompt, err := range s.Prompts(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, prompt.Name)
		for _, lang := range []string{"en", "ru", "zh"} {
			arguments := map[string]string{"lang": lang}
			for _, a := range prompt.Arguments {
				if a.Required {
					arguments[a.Name] = "a notebook"
				}
			}
			result, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: prompt.Name, Arguments: arguments})
			if err != nil || len(result.Messages) == 0 {
				t.Errorf("prompt %s in %s: %v", prompt.Name, lang, err)
			}
		}
	}
	for _, name := range []string{"initialize", "no-such-prompt"} {
		if _, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name}); err == nil {
			t.Errorf("prompt %s without arguments came without an error", name)
		}
	}
	slices.Sort(names)
	if want := []string{"cleanup", "continue", "end-session", "evaluate", "initialize", "status"}; !slices.Equal(names, want) {
		t.Errorf("prompts = %v, want %v", names, want)
	}
}

// TestClientHearsOfChanges subscribes to a resource and is told when it changes.
func TestClientHearsOfChanges(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			s := connect(t, t.TempDir(), era)
			if text, refused := s.call(t, "harness_init", `{"project":"p","type":"cli","features":[{"description":"The file a exists","steps":["ls a"],"check":"ls -d ."}]}`); refused {
				t.Fatal(text)
			}
			if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "harness://progress"}); err != nil {
				t.Fatal(err)
			}
			if text, refused := s.call(t, "append_progress", `{"focus":"f","next_steps":"n"}`); refused {
				t.Fatal(text)
			}
			patience, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			select {
			case uri := <-s.updated:
				if uri != "harness://progress" {
					t.Errorf("updated %s, want harness://progress", uri)
				}
			case <-patience.Done():
				t.Error("no word of the change")
			}
		})
	}
}

// TestClientHearsOfAnotherProcess subscribes, and another process writes the log.
func TestClientHearsOfAnotherProcess(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			project := t.TempDir()
			s := connect(t, project, era)
			if text, refused := s.call(t, "harness_init", `{"project":"p","type":"cli","features":[{"description":"The file a exists","steps":["ls a"],"check":"ls -d ."}]}`); refused {
				t.Fatal(text)
			}
			if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "harness://progress"}); err != nil {
				t.Fatal(err)
			}
			other := connect(t, project, era)
			for _, c := range [][2]string{{"session_start", `{}`}, {"append_progress", `{"focus":"f","next_steps":"n"}`}} {
				if text, refused := other.call(t, c[0], c[1]); refused {
					t.Fatal(text)
				}
			}
			patience, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			select {
			case uri := <-s.updated:
				if uri != "harness://progress" {
					t.Errorf("updated %s, want harness://progress", uri)
				}
			case <-patience.Done():
				t.Error("no word of what the other process wrote")
			}
		})
	}
}
