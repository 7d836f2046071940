package server

import (
	"maps"
	"regexp"
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
		"initialize":  {"harness_init", "next_feature", "mark_feature_passed", "add_features", "append_progress", "session_end", "commit", "init.sh", ".env", "check", "|| true", "depends_on", "30", "200", "README", "pwd", "continue"},
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
	script := func(name, lang string) string {
		text, err := promptTexts.ReadFile("prompts/" + lang + "/" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		return first
	}
	tests := []struct {
		name, prompt string
		values       map[string]string
		want         string
	}{
		{"none", "continue", nil, "en"},
		{"asked", "status", map[string]string{"lang": "zh"}, "zh"},
		{"asked with a region", "status", map[string]string{"lang": "RU_ru"}, "ru"},
		{"as the description", "initialize", map[string]string{"description": "a клон Notion"}, "ru"},
		{"as the focus", "continue", map[string]string{"focus": "登录"}, "zh"},
		{"asked against the description", "initialize", map[string]string{"lang": "en", "description": "клон"}, "en"},
		{"one nobody speaks", "status", map[string]string{"lang": "fr"}, "en"},
		{"words where there is no text", "status", map[string]string{"lang": "пожалуйста"}, "ru"},
		{"a word of the text by position", "continue", map[string]string{"focus": "login", "lang": "страница"}, "ru"},
	}
	for _, tt := range tests {
		if text := rendered(t, promptNamed(tt.prompt), tt.values); !strings.HasPrefix(text, script(tt.prompt, tt.want)) {
			t.Errorf("%s: %.60q, want it in %s", tt.name, text, tt.want)
		}
	}
}

func promptNamed(name string) prompt {
	return prompts[slices.IndexFunc(prompts, func(p prompt) bool { return p.name == name })]
}

// byPosition gives the words after a prompt's name as Claude Code does: one an argument, what is over is dropped.
func byPosition(p prompt, words string) map[string]string {
	given := map[string]string{}
	for i, word := range strings.Fields(words) {
		if i < len(p.arguments()) {
			given[p.arguments()[i].name] = word
		}
	}
	return given
}

func TestWordsByPositionAreOneText(t *testing.T) {
	tests := []struct {
		prompt, words string
		want          map[string]string
	}{
		{"initialize", "a note-taking CLI", map[string]string{"description": "a note-taking CLI"}},
		{"initialize", "notes", map[string]string{"description": "notes"}},
		{"initialize", "notes cli", map[string]string{"description": "notes", "type": "cli"}},
		{"initialize", "notes Web_App Next.js root RU", map[string]string{"description": "notes", "type": "web-app", "stack": "Next.js", "layout": "root", "lang": "ru"}},
		{"initialize", "a todo list with tags", map[string]string{"description": "a todo list with tags"}},
		{"initialize", "a todo list with tags and reminders", map[string]string{"description": "a todo list with tags"}},
		{"initialize", "a cli for notes", map[string]string{"description": "a for notes", "type": "cli"}},
		{"initialize", "приложение для заметок на ru", map[string]string{"description": "приложение для заметок на", "lang": "ru"}},
		{"continue", "login page", map[string]string{"focus": "login page"}},
		{"continue", "login zh", map[string]string{"focus": "login", "lang": "zh"}},
		{"evaluate", "F001 F002", map[string]string{"focus": "F001 F002"}},
		{"status", "please", map[string]string{}},
	}
	for _, tt := range tests {
		p := promptNamed(tt.prompt)
		if got, _ := p.sorted(byPosition(p, tt.words)); !maps.Equal(got, tt.want) {
			t.Errorf("%s %s = %v, want %v", tt.prompt, tt.words, got, tt.want)
		}
	}
	if text := rendered(t, promptNamed("initialize"), byPosition(promptNamed("initialize"), "a note-taking CLI")); !strings.Contains(text, "\na note-taking CLI\n") {
		t.Errorf("the text does not show the description in one:\n%s", text)
	}
}

var handOver = regexp.MustCompile("`?\\b(mark_feature_passed|append_progress|commit|session_end)\\b`?")

// The hand-over has one order: what is learnt is in the commit, and session_end finds nothing missing.
func TestHandOverHasOneOrder(t *testing.T) {
	order := []string{"mark_feature_passed", "append_progress", "commit", "session_end"}
	check := func(where, text string, quoted bool) {
		last := map[string]int{}
		for _, at := range regexp.MustCompile(`(?m)^ *\d+\. .*(\n +- .*)*`).FindAllStringIndex(text, -1) {
			for _, m := range handOver.FindAllStringSubmatchIndex(text[at[0]:at[1]], -1) {
				if word := text[at[0]:at[1]][m[0]:m[1]]; !quoted || strings.HasPrefix(word, "`") {
					last[strings.Trim(word, "`")] = at[0] + m[0]
				}
			}
		}
		before := -1
		for _, name := range order {
			at, ok := last[name]
			if !ok {
				t.Errorf("%s does not name %s in a step", where, name)
			}
			if at < before {
				t.Errorf("%s names %s too early", where, name)
			}
			before = at
		}
	}
	check("instructions", instructions, false)
	for _, name := range []string{"continue", "end-session"} {
		for _, lang := range languages {
			check(name+" in "+lang, rendered(t, promptNamed(name), map[string]string{"lang": lang}), true)
		}
	}
	for _, name := range []string{"initialize", "cleanup"} {
		order = []string{"append_progress", "commit", "session_end"}
		for _, lang := range languages {
			check(name+" in "+lang, rendered(t, promptNamed(name), map[string]string{"lang": lang, "description": "x"}), true)
		}
	}
}

// What harness_init warns of can't be undone, so no prompt may say that it can.
func TestInitializeSaysThatWarningsStay(t *testing.T) {
	for lang, want := range map[string][]string{
		"en": {"no edit and no delete", "what is warned of stays", "No feature is built in this session"},
		"ru": {"ни правки, ни удаления", "останется как есть", "В этой сессии не реализуется ни одна фича"},
		"zh": {"不能修改，也不能删除", "会一直留着", "本次会话不实现任何功能"},
	} {
		text := rendered(t, promptNamed("initialize"), map[string]string{"lang": lang, "description": "x"})
		for _, phrase := range want {
			if !strings.Contains(text, phrase) {
				t.Errorf("%s does not say %q", lang, phrase)
			}
		}
		for _, phrase := range []string{"put those right before you go on", "исправь всё до того", "全部改好再往下走"} {
			if strings.Contains(text, phrase) {
				t.Errorf("%s still says %q", lang, phrase)
			}
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
	for _, lang := range languages {
		r := mcp.GetPromptRequest{}
		r.Params.Arguments = map[string]string{"lang": lang}
		result, err := promptNamed("continue").render(policyOf(artifacts.Policy{MaxFeaturesPerSession: 2, SessionMinutes: 93, ContextResetPercent: 51}))(t.Context(), r)
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
