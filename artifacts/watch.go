package artifacts

import (
	"fmt"
	"os"

	"github.com/longhaul-mcp/longhaul/artifacts/config"
)

// Marks tells for each resource what its files look like from outside, by size and time: a mark that differs from an
// earlier one says that somebody, maybe another process, changed what the resource shows. It opens no list and takes no
// lock; a project that can't be read has no marks.
func (p *Project) Marks() map[string]string {
	root, err := findRoot(p.start)
	if err != nil || unsafe(root) {
		return nil
	}
	v := &view{p: p, root: root}
	if v.openGit() != nil {
		return nil
	}
	raw, err := readMaybe(v.path(configPath))
	if err != nil {
		return nil
	}
	files := config.Default(v.guessLayout()).Files
	if conf, err := config.Parse(raw); raw != nil && err == nil {
		files = conf.Files
	}
	mark := func(rel string) string {
		if rel == "" {
			return "-;"
		}
		return stamped(v.path(rel))
	}
	shared := mark(configPath) + mark(ledgerPath) + stamped(v.bookPath())
	return map[string]string{
		"harness://status":       shared + mark(files.Features) + mark(files.Progress),
		"harness://features":     shared + mark(files.Features),
		"harness://progress":     mark(files.Progress),
		"harness://architecture": mark(files.Architecture),
		"harness://plan":         mark(files.Plan),
		"harness://init-script":  mark(files.InitScript),
	}
}

func stamped(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "-;"
	}
	return fmt.Sprintf("%d %d;", info.Size(), info.ModTime().UnixNano())
}
