package tools

import (
	"github.com/longhaul-mcp/longhaul/artifacts"
	"github.com/longhaul-mcp/longhaul/artifacts/feature"
)

// incoming is a feature as a client sends it. Its id is only for imports, passes only there to be refused.
type incoming struct {
	Description string   `json:"description" need:"yes"`
	Steps       []string `json:"steps" about:"what a user does and sees"`
	Check       string   `json:"check" about:"shell command that proves it"`
	Category    string   `json:"category"`
	Priority    priority `json:"priority" about:"1 first, or high, medium, low"`
	DependsOn   []string `json:"depends_on" about:"ids"`
	Files       []string `json:"files" about:"globs"`
	Cwd         string   `json:"cwd" about:"of the check"`
	ID          string   `json:"id" hide:"yes"`
	Passes      bool     `json:"passes" hide:"yes"`
}

// A priority is a number or a word; it is kept as its text.
type priority string

func items(list []incoming) []artifacts.Incoming {
	var out []artifacts.Incoming
	for _, f := range list {
		out = append(out, artifacts.Incoming{
			Item: feature.Item{
				ID:          f.ID,
				Category:    f.Category,
				Priority:    string(f.Priority),
				Description: f.Description,
				Steps:       f.Steps,
				Check:       f.Check,
				Cwd:         f.Cwd,
				Files:       f.Files,
				DependsOn:   f.DependsOn,
			},
			Passes: f.Passes,
		})
	}
	return out
}
