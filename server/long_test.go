package server

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longhaul-mcp/longhaul/tools"
)

// waiting is a project whose init.sh runs until there is a file named go.
func waiting(t *testing.T) (c *client, dir string) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	dir = t.TempDir()
	p := open(t, dir)
	script, err := json.Marshal("#!/usr/bin/env bash\nuntil [ -e go ]; do sleep 0.05; done\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ tool, args string }{
		{"harness_init", `{"project":"x","type":"cli","init_script":` + string(script) + `,"features":[{"description":"User can see the help","steps":["Run x help and read the usage"]}]}`},
		{"session_end", `{"next_steps":"go on"}`},
	} {
		tool, _ := tools.Find(step.tool)
		if r := tool.Call(t.Context(), p, json.RawMessage(step.args)); r.IsError {
			t.Fatalf("%s: %v", step.tool, r.Content)
		}
	}
	return dialServer(t, New(p, "test", tools.Role{})), dir
}

func TestLongScriptDoesNotBlockStatus(t *testing.T) {
	c, dir := waiting(t)
	c.send(call(1, "session_start"), call(2, "next_feature"), call(3, "status"), call(4, "list_features"))
	c.wantID(3)
	c.wantID(4)
	write(t, filepath.Join(dir, "go"), nil)
	c.wantID(1)
	c.wantID(2)
}

func TestCancelledScriptIsEndedAndTheNextCallServed(t *testing.T) {
	c, _ := waiting(t)
	c.send(call(1, "session_start"), call(2, "status"))
	c.wantID(2) // the script runs
	c.send(cancelOf(1), call(3, "next_feature"))
	c.wantID(3)
	if rest := c.hangUp(); len(rest) > 0 {
		t.Errorf("more lines: %q", rest)
	}
}

func TestScriptOfAClientThatLeftIsEndedAndTheReplyStillComes(t *testing.T) {
	c, _ := waiting(t)
	c.send(call(1, "session_start"), call(2, "status"))
	c.wantID(2) // the script runs, and nothing else would end it
	rest := c.hangUp()
	if len(rest) != 1 || !strings.HasPrefix(rest[0], `{"jsonrpc":"2.0","id":1,"result":`) {
		t.Errorf("lines after the input ended: %q, want the reply to 1", rest)
	}
}

func TestMixedPipelineOfARealProject(t *testing.T) {
	c, dir := waiting(t)
	write(t, filepath.Join(dir, "go"), nil)
	var lines []string
	for i := range 50 {
		lines = append(lines, call(i, []string{"session_start", "status", "next_feature", "list_features", "append_progress"}[i%5]))
	}
	c.send(strings.Join(lines, "\n"))
	if got := c.hangUp(); len(got) != 50 {
		t.Errorf("%d replies, want 50", len(got))
	}
}
