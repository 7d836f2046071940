package server

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/longhaul-mcp/longhaul/artifacts"
	"github.com/longhaul-mcp/longhaul/resources"
)

//go:embed prompts
var promptTexts embed.FS

var (
	languages = []string{"en", "ru", "zh"}
	types     = []string{"web-app", "api", "cli", "library", "mobile", "other"}
	layouts   = []string{"claude", "root", "plan"}
)

// prompts is what is served. The text of each lies in prompts/LANG/NAME.md.
var prompts = []prompt{
	{name: "initialize", title: "Set up a long project", about: "For the first session: explore, split the goal into features, set the harness up", args: []argument{
		{name: "description", about: "what is to be built", need: true},
		{name: "type", about: "web-app, api, cli, library, mobile or other", set: types},
		{name: "stack", about: "such as \"Next.js, TypeScript\"; else detected"},
		{name: "layout", about: "claude (default), root or plan", set: layouts},
	}},
	{name: "continue", title: "Continue", about: "For every further session: one feature, tested, committed, handed over", args: []argument{
		{name: "focus", about: "words that narrow the choice, such as authentication"},
	}},
	{name: "status", title: "Status", about: "Shows how far the project is; changes nothing"},
	{name: "end-session", title: "End the session", about: "Commits, writes the hand-over and closes"},
	{name: "evaluate", title: "Evaluate", about: "A sceptical verifier that tries to break what is marked passed", args: []argument{
		{name: "focus", about: "words or ids that narrow what is verified"},
	}},
	{name: "cleanup", title: "Clean up", about: "Tidies the code without adding or changing features", args: []argument{
		{name: "focus", about: "words that narrow what is tidied"},
	}},
}

type prompt struct {
	name, title, about string
	args               []argument
}

type argument struct {
	name, about string
	need        bool
	set         []string // the values it takes; nil: any text
}

// lang is the last argument of every prompt.
var lang = argument{name: "lang", about: "en, ru or zh; else as the other arguments are written", set: languages}

func (p prompt) arguments() []argument { return append(slices.Clone(p.args), lang) }

func (p prompt) definition() mcp.Prompt {
	options := []mcp.PromptOption{mcp.WithPromptTitle(p.title), mcp.WithPromptDescription(p.about)}
	for _, a := range p.arguments() {
		about := []mcp.ArgumentOption{mcp.ArgumentDescription(a.about)}
		if a.need {
			about = append(about, mcp.RequiredArgument())
		}
		options = append(options, mcp.WithArgument(a.name, about...))
	}
	return mcp.NewPrompt(p.name, options...)
}

// render fills the text of the prompt in the language that was asked for, else in the one that the other arguments
// are written in, with the limits of the policy in force. Arguments are data: they are put in as they are and never
// read as a template.
func (p prompt) render(policy func() artifacts.Policy) server.PromptHandlerFunc {
	return func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		values, words := p.sorted(r.Params.Arguments)
		for _, a := range p.args {
			if a.need && values[a.name] == "" {
				return nil, fmt.Errorf("bad-argument: %s is missing: %s", a.name, a.about)
			}
		}
		if values["lang"] == "" {
			values["lang"] = written(words)
		}
		now := policy()
		values["minutes"] = strconv.Itoa(now.SessionMinutes)
		values["context"] = strconv.Itoa(now.ContextResetPercent)
		values["features"] = strconv.Itoa(now.MaxFeaturesPerSession)
		text, err := p.text(values)
		if err != nil {
			return nil, err
		}
		return mcp.NewGetPromptResult(p.about, []mcp.PromptMessage{
			mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text)),
		}), nil
	}
}

func (p prompt) text(values map[string]string) (string, error) {
	t, err := template.ParseFS(promptTexts, "prompts/"+values["lang"]+"/"+p.name+".md")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Option("missingkey=zero").Execute(&b, values)
	return b.String(), err
}

// sorted gives each argument its value, and all words that are free text. Claude Code splits what follows the name of
// a prompt at spaces and gives the words by position: one that can't be what its place says belongs to the text, and
// so do the others that are free.
func (p prompt) sorted(given map[string]string) (map[string]string, string) {
	values, texts := map[string]string{}, map[string]string{}
	var free []string
	split := false
	for _, a := range p.arguments() {
		value := strings.TrimSpace(given[a.name])
		if value == "" {
			continue
		}
		if word := a.chosen(value); word != "" {
			values[a.name] = word
			continue
		}
		split = split || a.set != nil
		free = append(free, value)
		texts[a.name] = value
	}
	words := strings.Join(free, " ")
	if split {
		clear(texts)
		if len(p.args) > 0 {
			texts[p.args[0].name] = words
		}
	}
	maps.Copy(values, texts)
	return values, words
}

// chosen is the word of the set that was meant, "" when there is no set or none was meant. What follows a hyphen may be a region: "ru-RU".
func (a argument) chosen(value string) string {
	value = strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(value))
	if a.name == lang.name {
		value, _, _ = strings.Cut(value, "-")
	}
	if slices.Contains(a.set, value) {
		return value
	}
	return ""
}

func written(text string) string {
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Cyrillic, r):
			return "ru"
		case unicode.Is(unicode.Han, r):
			return "zh"
		}
	}
	return "en"
}

// promptCompletion completes the arguments of prompts that have a known set of values.
type promptCompletion struct{}

// CompletePromptArgument answers completion/complete for a prompt.
func (promptCompletion) CompletePromptArgument(_ context.Context, _ string, a mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	known := map[string][]string{"lang": languages, "type": types, "layout": layouts}
	return resources.Completed(known[a.Name], a.Value), nil
}
