package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestClientWaives has the agent ask for a waiver through the dialog of the user's own client.
func TestClientWaives(t *testing.T) {
	yes := map[string]any{"yes": true, "reason": "Only a printer shows it, and I saw it print"}
	tests := []struct {
		name   string
		action string
		answer map[string]any
		given  bool
	}{
		{"a yes", "accept", yes, true},
		{"a no", "decline", nil, false},
		{"the dialog is closed", "cancel", nil, false},
		{"sent without a tick", "accept", map[string]any{"yes": false, "reason": "x"}, false},
		{"sent without a reason", "accept", map[string]any{"yes": true, "reason": "  "}, false},
		{"sent empty", "accept", nil, false},
	}
	for _, era := range eras {
		for _, test := range tests {
			t.Run(era+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				project := t.TempDir()
				var asked atomic.Int32
				var message atomic.Value
				s := connect(t, project, era, func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked.Add(1)
					message.Store(r.Params.Message)
					return &mcp.ElicitResult{Action: test.action, Content: test.answer}, nil
				})
				startPrinting(t, s)
				refusal, _ := s.call(t, "mark_feature_passed", `{"id":"F001","evidence":["ok"]}`)
				if !strings.HasPrefix(refusal, "evidence-incomplete: ") || !strings.Contains(refusal, `"waive"`) {
					t.Errorf("the refusal does not tell of the waiver: %s", refusal)
				}
				list := read(t, project, ".claude/features.json")
				reply, refused := s.call(t, "mark_feature_passed", `{"id":"F001","waive":"there is no printer here"}`)
				if asked.Load() != 1 {
					t.Fatalf("the user was asked %d times, want once", asked.Load())
				}
				for _, part := range []string{"F001", "A page is printed", "there is no printer here"} {
					if !strings.Contains(message.Load().(string), part) {
						t.Errorf("the question %q does not say %q", message.Load(), part)
					}
				}
				if test.given {
					if err := expect([]byte(reply), []string{"passed=true", "changed=true", "proof.kind=waived", "proof.by=the user at go-sdk", "proof.reason=" + yes["reason"].(string)}); refused || err != nil {
						t.Fatalf("the waiver: %s (%v)", reply, err)
					}
					status, _ := s.call(t, "status", `{}`)
					if err := expect([]byte(status), []string{"counts.passed=1", "integrity.ok=true"}); err != nil {
						t.Error(err)
					}
					return
				}
				if !refused || !strings.HasPrefix(reply, "evidence-required: ") {
					t.Errorf("without a yes: %s, want evidence-required", reply)
				}
				if got := read(t, project, ".claude/features.json"); got != list {
					t.Error("a waiver that was not given changed the list")
				}
				// It is not asked for again.
				if reply, refused := s.call(t, "mark_feature_passed", `{"id":"F001","waive":"please"}`); !refused || !strings.HasPrefix(reply, "evidence-required: ") {
					t.Errorf("asked once more: %s, want evidence-required", reply)
				}
				if asked.Load() != 1 {
					t.Errorf("the user was asked %d times, want once", asked.Load())
				}
			})
		}
	}
}

// TestClientWithoutDialog wants a client without a dialog to be told of the terminal, and never to be asked.
func TestClientWithoutDialog(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			project := t.TempDir()
			s := connect(t, project, era)
			startPrinting(t, s)
			if reply, _ := s.call(t, "mark_feature_passed", `{"id":"F001","evidence":["ok"]}`); strings.Contains(reply, `"waive"`) {
				t.Errorf("a waiver is offered where nobody can be asked: %s", reply)
			}
			reply, refused := s.call(t, "mark_feature_passed", `{"id":"F001","waive":"no printer"}`)
			if !refused || !strings.HasPrefix(reply, "bad-argument: ") || !strings.Contains(reply, "longhaul waive F001") {
				t.Errorf("waive = %s, want bad-argument with the terminal's verb", reply)
			}
		})
	}
}

// TestClientDialogBlocksNothing asks for the status while the dialog is open, and has the dialog fail.
func TestClientDialogBlocksNothing(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			project := t.TempDir()
			open, answered := make(chan bool), make(chan bool)
			s := connect(t, project, era, func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				close(open)
				<-answered
				return nil, errors.New("the window is gone")
			})
			startPrinting(t, s)
			done := make(chan string)
			go func() {
				result, err := s.CallTool(context.WithoutCancel(t.Context()), &mcp.CallToolParams{Name: "mark_feature_passed", Arguments: map[string]any{"id": "F001", "waive": "no printer"}})
				if err != nil {
					done <- err.Error()
					return
				}
				done <- result.Content[0].(*mcp.TextContent).Text
			}()
			<-open
			if reply, refused := s.call(t, "status", `{}`); refused {
				t.Errorf("status beside an open dialog: %s", reply)
			}
			close(answered)
			if text := <-done; !strings.Contains(text, "the window is gone") {
				t.Errorf("a dialog that failed: %s", text)
			}
			if reply, refused := s.call(t, "append_progress", `{"next_steps":["go on"]}`); refused {
				t.Errorf("the call after it: %s", reply)
			}
		})
	}
}

// TestClientCancelsTheDialog cancels the call while its dialog is open.
func TestClientCancelsTheDialog(t *testing.T) {
	open, gone := make(chan bool), make(chan bool)
	s := connect(t, t.TempDir(), "2025-11-25", func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		close(open)
		<-gone
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"yes": true, "reason": "too late"}}, nil
	})
	startPrinting(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan bool)
	go func() {
		_, _ = s.CallTool(ctx, &mcp.CallToolParams{Name: "mark_feature_passed", Arguments: map[string]any{"id": "F001", "waive": "no printer"}})
		close(left)
	}()
	<-open
	cancel()
	<-left
	if reply, refused := s.call(t, "append_progress", `{"next_steps":["go on"]}`); refused {
		t.Errorf("the call after a cancelled one: %s", reply)
	}
	close(gone)
	status, _ := s.call(t, "status", `{}`)
	if err := expect([]byte(status), []string{"counts.passed=0"}); err != nil {
		t.Errorf("an answer that came too late counts: %v", err)
	}
}

// TestClientLeavesTheDialog ends the input while a dialog is open: the call is answered and the server ends.
func TestClientLeavesTheDialog(t *testing.T) {
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "serve", "--project", t.TempDir())
	c.Env = append(os.Environ(), homeOf(t)...)
	in, _ := c.StdinPipe()
	out, _ := c.StdoutPipe()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"harness_init","arguments":{"project":"p","type":"cli","features":[{"description":"A page is printed","steps":["Print a page"]}]}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"next_feature","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"mark_feature_passed","arguments":{"id":"F001","waive":"no printer"}}}`,
	} {
		fmt.Fprintln(in, line)
	}
	asked, answered := false, false
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"method":"elicitation/create"`) {
			asked = true
			in.Close()
		}
		answered = answered || strings.HasPrefix(lines.Text(), `{"jsonrpc":"2.0","id":4,"result"`) && strings.Contains(lines.Text(), "the client has left")
	}
	if err := c.Wait(); err != nil || !asked || !answered {
		t.Errorf("server ended with %v; asked %v, answered %v", err, asked, answered)
	}
}

// startPrinting sets up a feature that only evidence can prove, and claims it.
func startPrinting(t *testing.T, s session) {
	t.Helper()
	for _, c := range [][2]string{
		{"harness_init", `{"project":"p","type":"cli","features":[{"description":"A page is printed","steps":["Print a page and look at it"]}]}`},
		{"next_feature", `{}`},
	} {
		if reply, refused := s.call(t, c[0], c[1]); refused {
			t.Fatalf("%s: %s", c[0], reply)
		}
	}
}

func read(t *testing.T, project, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(project, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
