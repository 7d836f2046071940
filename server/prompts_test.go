package server

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

func rendered(t *testing.T, p prompt, args map[string]string) string {
	t.Helper()
	var r mcp.GetPromptRequest
	r.Params.Name, r.Params.Arguments = p.name, args
	result, err := p.render(policyOf(artifacts.Policy{MaxFeaturesPerSession: 1, SessionMinutes: 45, ContextResetPercent: 65}))(t.Context(), r)
	if err != nil {
		t.Fatalf("%s %v: %v", p.name, args, err)
	}
	return result.Messages[0].Content.(mcp.TextContent).Text
}

func TestPromptsSpeakEveryLanguage(t *testing.T) {
	script := map[string]*unicode.RangeTable{"en": unicode.Latin, "ru": unicode.Cyrillic, "zh": unicode.Han}
	for _, p := range prompts {
		for _, lang := range languages {
			text := rendered(t, p, map[string]string{"lang": lang, "description": "DESCRIPTION", "focus": "FOCUS", "type": "cli", "stack": "STACK", "layout": "root"})
			letters := 0
			for _, r := range text {
				if unicode.Is(script[lang], r) {
					letters++
				}
			}
			if letters < 200 {
				t.Errorf("%s in %s: %d letters of the language", p.name, lang, letters)
			}
			if strings.Contains(text, "{{") || strings.Contains(text, "<no value>") {
				t.Errorf("%s in %s: the template shows:\n%s", p.name, lang, text)
			}
			for _, a := range p.args {
				if !strings.Contains(text, map[string]string{"description": "DESCRIPTION", "focus": "FOCUS", "type": "cli", "stack": "STACK", "layout": "root"}[a.name]) {
					t.Errorf("%s in %s does not show %s", p.name, lang, a.name)
				}
			}
		}
	}
}

// Each language makes the same demands: it names the same tools, states and numbers.
func TestPromptsSayTheSameInEveryLanguage(t *testing.T) {
	demands := map[string][]string{
		"initialize":  {"harness_init", "add_features", "append_progress", "session_end", "commit", "init.sh", ".env", "check", "|| true", "depends_on", "30", "200", "README", "pwd", "continue"},
		"continue":    {"session_start", "repair", "report_regression", "tampered", "todos", "rollback", "TODO", "Playwright", "curl", "alert", "mark_feature_passed", "check", "diff", "commit", "append_progress", "session_end", "45", "65", "all_passed", "architecture.md"},
		"status":      {"status", "list_features"},
		"end-session": {"mark_feature_passed", "diff", "TODO", "commit", "append_progress", "session_end", "incomplete_reason", "rollback"},
		"evaluate":    {"session_start", "verify_features", "stale", "passed", "list_features", "report_regression", "append_progress", "session_end", "next_feature"},
		"cleanup":     {"session_start", "verify_features", "report_regression", "rollback", "refactor", "plan.md", "append_progress", "session_end", "release"},
	}
	for _, p := range prompts {
		if len(demands[p.name]) == 0 {
			t.Errorf("%s: no demands", p.name)
		}
		for _, lang := range languages {
			text := rendered(t, p, map[string]string{"lang": lang, "description": "x"})
			for _, want := range demands[p.name] {
				if !strings.Contains(text, want) {
					t.Errorf("%s in %s does not say %q", p.name, lang, want)
				}
			}
		}
	}
}

func TestPromptLanguage(t *testing.T) {
	tests := []struct {
		name   string
		values map[string]string
		want   string
	}{
		{"none", nil, "en"},
		{"asked", map[string]string{"lang": "zh"}, "zh"},
		{"asked with a region", map[string]string{"lang": "RU_ru"}, "ru"},
		{"as the description", map[string]string{"description": "a клон Notion"}, "ru"},
		{"as the focus", map[string]string{"focus": "登录"}, "zh"},
		{"asked against the description", map[string]string{"lang": "en", "description": "клон"}, "en"},
		{"unknown", map[string]string{"lang": "fr"}, ""},
	}
	for _, tt := range tests {
		got, err := language(tt.values)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s: language = %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestPromptArgumentsAreData(t *testing.T) {
	text := rendered(t, prompts[0], map[string]string{"description": `{{template "x"}} <b>&"`})
	if !strings.Contains(text, `{{template "x"}} <b>&"`) {
		t.Errorf("the description was changed:\n%s", text)
	}
}

func TestPromptWithoutANeededArgumentIsRefused(t *testing.T) {
	if _, err := prompts[0].render(policyOf(artifacts.Policy{}))(t.Context(), mcp.GetPromptRequest{}); err == nil {
		t.Error("initialize without a description was rendered")
	}
}

func TestPromptCompletion(t *testing.T) {
	for _, tt := range []struct{ name, typed, want string }{
		{"lang", "", "en ru zh"},
		{"type", "C", "cli"},
		{"layout", "p", "plan"},
		{"description", "", ""},
	} {
		c, err := promptCompletion{}.CompletePromptArgument(t.Context(), "initialize", mcp.CompleteArgument{Name: tt.name, Value: tt.typed}, mcp.CompleteContext{})
		if err != nil || strings.Join(c.Values, " ") != tt.want {
			t.Errorf("%s %q: %v, %v, want %s", tt.name, tt.typed, c, err, tt.want)
		}
	}
}

func policyOf(p artifacts.Policy) func() artifacts.Policy {
	return func() artifacts.Policy { return p }
}

func TestContinueSpeaksOfThePolicyInForce(t *testing.T) {
	i := slices.IndexFunc(prompts, func(p prompt) bool { return p.name == "continue" })
	for _, lang := range languages {
		r := mcp.GetPromptRequest{}
		r.Params.Arguments = map[string]string{"lang": lang}
		result, err := prompts[i].render(policyOf(artifacts.Policy{MaxFeaturesPerSession: 2, SessionMinutes: 93, ContextResetPercent: 51}))(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		text := result.Messages[0].Content.(mcp.TextContent).Text
		for _, want := range []string{" 2", "93", "51 %"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the prompt does not say %q", lang, want)
			}
		}
	}
}
