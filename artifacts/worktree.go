package artifacts

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/history"
)

// dirty fingerprints what HEAD does not hold, harness files apart.
func (v *view) dirty(ctx context.Context) (map[string]string, error) {
	changes, err := v.gitStatus(ctx)
	if err != nil {
		return nil, err
	}
	if v.prints != nil {
		return v.prints, nil
	}
	v.prints = map[string]string{}
	for _, c := range changes {
		if !v.isHarness(c.Path) {
			v.prints[c.Path] = v.repo.Fingerprint(c.Path)
		}
	}
	return v.prints, nil
}

// gitStatus asks git once a call.
func (v *view) gitStatus(ctx context.Context) ([]history.Change, error) {
	if v.asked {
		return v.changed, nil
	}
	changed, err := v.repo.Status(ctx)
	v.changed, v.asked = changed, err == nil
	return changed, err
}

func (v *view) isHarness(rel string) bool {
	return rel == v.conf.Files.InitScript || slices.Contains(v.harnessFiles(false), rel) || strings.HasPrefix(rel, harnessDir+"/")
}

// changedSince are the paths that differ from HEAD and were not so, or not so far, when the session began.
func (v *view) changedSince(ctx context.Context) ([]string, error) {
	dirty, err := v.dirty(ctx)
	if err != nil {
		return nil, err
	}
	var changed []string
	for path, print := range dirty {
		if before, ok := v.mine.Dirty[path]; !ok || before != print {
			changed = append(changed, path)
		}
	}
	slices.Sort(changed)
	return changed, nil
}

// harnessFiles are the files of the harness, relative or absolute.
func (v *view) harnessFiles(absolute bool) []string {
	f := v.conf.Files
	var files []string
	for _, rel := range []string{configPath, ledgerPath, v.listPath, f.Progress, f.Architecture, f.Plan} {
		if rel == "" || slices.Contains(files, rel) {
			continue
		}
		files = append(files, rel)
	}
	if real, ok := v.behind(v.listPath); ok && !slices.Contains(files, real) {
		files = append(files, real)
	}
	if absolute {
		for i, rel := range files {
			files[i] = v.path(rel)
		}
		files = append(files, v.bookPath(), filepath.Join(v.state, "journal.json"), v.intentPath())
		for _, name := range []string{"ledger", "list", "config", "state.json"} {
			files = append(files, filepath.Join(v.copyDir(), name))
		}
	}
	return files
}

// behind is the file of the project that a link stands for.
func (v *view) behind(rel string) (string, bool) {
	if rel == "" {
		return "", false
	}
	real, err := target(v.path(rel))
	if err != nil || real == v.path(rel) || !within(v.root, real) {
		return "", false
	}
	inside, err := filepath.Rel(v.root, real)
	return filepath.ToSlash(inside), err == nil
}
