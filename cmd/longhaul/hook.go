package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

// Limits of a hook: what it reads, and how long a client waits for it.
const (
	maxHookInput = 32 << 20
	hookPatience = 3 * time.Second
	tailBytes    = 256 << 10 // of the client's transcript
)

// A hookInput is what Claude Code sends; unknown keys are left alone.
// Source: https://code.claude.com/docs/en/hooks
type hookInput struct {
	SessionID      string          `json:"session_id"`
	TranscriptPath string          `json:"transcript_path"`
	Cwd            string          `json:"cwd"`
	PermissionMode string          `json:"permission_mode"`
	AgentID        string          `json:"agent_id"` // of a subagent
	ToolName       string          `json:"tool_name"`
	ToolInput      json.RawMessage `json:"tool_input"`
	StopHookActive bool            `json:"stop_hook_active"`
	Trigger        string          `json:"trigger"`
}

// A hookOutput is the answer; an empty one is not printed.
type hookOutput struct {
	Decision      string        `json:"decision,omitempty"`
	Reason        string        `json:"reason,omitempty"`
	SystemMessage string        `json:"systemMessage,omitempty"`
	Specific      *hookSpecific `json:"hookSpecificOutput,omitempty"`
}

type hookSpecific struct {
	Event    string `json:"hookEventName"`
	Decision string `json:"permissionDecision,omitempty"`
	Reason   string `json:"permissionDecisionReason,omitempty"`
	Context  string `json:"additionalContext,omitempty"`
}

// hookEvents are the events that are answered, by their names on the command line.
func hookEvents() map[string]func(context.Context, *artifacts.Project, hookInput) hookOutput {
	nothing := func(context.Context, *artifacts.Project, hookInput) hookOutput { return hookOutput{} }
	return map[string]func(context.Context, *artifacts.Project, hookInput) hookOutput{
		"session-start": onStart, "pre-tool-use": beforeTool, "post-tool-use": afterTool, "stop": onStop, "pre-compact": beforeCompact, "session-end": onEnd,
		"user-prompt-submit": nothing, "subagent-stop": nothing,
	}
}

// hook answers an event of Claude Code. Whatever is wrong, it ends well and says nothing: a client's work must never stop because
// of Longhaul, and exit code 2 would stop it.
func hook(s streams, args []string) error {
	defer func() { _ = recover() }()
	flags := flag.NewFlagSet("hook", flag.ContinueOnError)
	project := projectFlag(flags)
	words, err := parse(flags, args)
	if err != nil || len(words) != 1 {
		fmt.Fprintln(s.err, "longhaul hook: takes one event, and what the client sends on standard input")
		return nil
	}
	answer, ok := hookEvents()[kebab(words[0])]
	if !ok {
		fmt.Fprintf(s.err, "longhaul hook: no event %s\n", plain(words[0]))
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(s.in, maxHookInput+1))
	var in hookInput
	if err != nil || len(raw) > maxHookInput || json.Unmarshal(raw, &in) != nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), hookPatience)
	defer stop()
	start := *project
	if start == "" && in.Cwd != "" && os.Getenv("LONGHAUL_PROJECT") == "" && os.Getenv("CLAUDE_PROJECT_DIR") == "" {
		start = in.Cwd
	}
	p := open(start, "call", quiet(io.Discard))
	defer p.Close()
	if out := answer(ctx, p, in); out != (hookOutput{}) {
		return printJSON(s.out, out)
	}
	return nil
}

func onStart(ctx context.Context, p *artifacts.Project, in hookInput) hookOutput {
	text, err := p.Orientation(ctx)
	if err != nil || in.AgentID != "" {
		return hookOutput{}
	}
	return hookOutput{Specific: &hookSpecific{Event: "SessionStart", Context: plainLines(text)}}
}

func beforeTool(_ context.Context, p *artifacts.Project, in hookInput) hookOutput {
	why := p.Judge(in.ToolName, in.ToolInput, in.Cwd)
	if why == "" {
		return hookOutput{}
	}
	return hookOutput{Specific: &hookSpecific{Event: "PreToolUse", Decision: "deny", Reason: plainLines(why)}}
}

// afterTool tells at once what got past beforeTool, and when the context has filled so far that the work should be handed over.
func afterTool(ctx context.Context, p *artifacts.Project, in hookInput) hookOutput {
	if why, err := p.Touched(ctx, in.SessionID); err == nil && why != "" {
		return hookOutput{Decision: "block", Reason: plainLines(why)}
	}
	used, limit := contextUsed(in.TranscriptPath), p.ContextLimit()
	if limit == 0 || used < limit || in.AgentID != "" {
		return hookOutput{}
	}
	next, err := p.HandOverStep(ctx)
	if err != nil || next == "" || !p.Once(in.SessionID, "context") {
		return hookOutput{}
	}
	text := fmt.Sprintf("%d%% of the context is used; the project hands over at %d%%. Bring this step to an end. Next: %s. Then a fresh context: /clear.", used, limit, next)
	return hookOutput{Specific: &hookSpecific{Event: "PostToolUse", Context: plainLines(text)}}
}

func onStop(ctx context.Context, p *artifacts.Project, in hookInput) hookOutput {
	if in.StopHookActive || in.PermissionMode == "plan" {
		return hookOutput{}
	}
	why, err := p.Hold(ctx, in.SessionID)
	if err != nil || why == "" {
		return hookOutput{}
	}
	return hookOutput{Decision: "block", Reason: plainLines(why)}
}

func beforeCompact(ctx context.Context, p *artifacts.Project, in hookInput) hookOutput {
	how := "Written before the context was compacted."
	if in.Trigger == "manual" {
		how = "Written before the user had the context compacted."
	}
	path, err := p.HandOver(ctx, how)
	if err != nil || path == "" {
		return hookOutput{}
	}
	return hookOutput{SystemMessage: "Longhaul wrote the hand-over to " + plain(path)}
}

func onEnd(ctx context.Context, p *artifacts.Project, _ hookInput) hookOutput {
	_, _ = p.HandOver(ctx, "Written when the conversation ended.")
	return hookOutput{}
}

// contextUsed is how much of the context window the newest answer in a transcript took, in percent; 0 when that can't be told.
// The window is 200,000 tokens, or a million where more than that is in use already.
func contextUsed(transcript string) int {
	f, err := os.Open(transcript)
	if err != nil {
		return 0
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	tail := make([]byte, min(info.Size(), tailBytes))
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return 0
	}
	lines := bytes.Split(tail, []byte("\n"))
	for i := len(lines) - 1; i >= 0; i-- {
		var entry struct {
			Sidechain bool `json:"isSidechain"`
			Message   struct {
				Usage struct {
					Input  int `json:"input_tokens"`
					Read   int `json:"cache_read_input_tokens"`
					Create int `json:"cache_creation_input_tokens"`
				} `json:"usage"`
			} `json:"message"`
		}
		if !bytes.Contains(lines[i], []byte(`"usage"`)) || json.Unmarshal(lines[i], &entry) != nil || entry.Sidechain {
			continue
		}
		u := entry.Message.Usage
		if total := u.Input + u.Read + u.Create; total > 0 {
			window := 200_000
			if total > window {
				window = 1_000_000
			}
			return total * 100 / window
		}
	}
	return 0
}
