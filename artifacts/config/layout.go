package config

import "slices"

// ListNames are the places where a feature list is looked for, first found
// wins. A name in config.files comes before them.
var ListNames = listNames()

// LogNames are the places where a progress log is looked for when a project is adopted.
var LogNames = []string{
	".claude/progress.md", "claude-progress.txt", "claude-progress.md",
	"progress.md", "progress.txt", "agent-progress.md",
}

var layouts = []string{"claude", "root", "plan"}

func knownLayout(name string) bool { return slices.Contains(layouts, name) }

// Paths returns the files of a layout; none for a layout that is not known.
func Paths(layout string) Files {
	switch layout {
	case "claude":
		return Files{
			Features:     ".claude/features.json",
			Progress:     ".claude/progress.md",
			Architecture: ".claude/architecture.md",
			InitScript:   "scripts/init.sh",
		}
	case "root":
		return Files{
			Features:     "feature_list.json",
			Progress:     "claude-progress.txt",
			Architecture: "architecture.md",
			InitScript:   "init.sh",
		}
	case "plan":
		return Files{
			Features:     ".harness/features.json",
			Progress:     "progress.md",
			Architecture: "architecture.md",
			InitScript:   "init.sh",
			Plan:         "plan.md",
		}
	}
	return Files{}
}

// listNames puts the rarer spellings after all usual ones, in the same folders.
func listNames() []string {
	names := []string{
		".claude/features.json", ".claude/feature_list.json",
		"feature_list.json", "feature-list.json", "features.json",
		".harness/features.json", ".harness/feature_list.json", "harness/feature_list.json",
		"docs/feature_list.json", "docs/features.json",
		".agent/feature_list.json", ".ai/feature_list.json", "ai/feature_list.json",
		"specs/feature_list.json",
	}
	folders := []string{"", ".claude/", ".harness/", "harness/", "docs/", ".agent/", ".ai/", "ai/", "specs/"}
	for _, folder := range folders {
		for _, name := range []string{"features_list.json", "feature-list.json"} {
			if !slices.Contains(names, folder+name) {
				names = append(names, folder+name)
			}
		}
	}
	return names
}
