package artifacts

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/history"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
)

// weigh sorts the evidence by step and refuses what does not count. Beside a check it is kept as it is.
func (v *view) weigh(f *feature.Feature, given []Evidence) ([]ledger.Evidence, error) {
	if f.Check == "" && len(given) == 0 {
		return nil, refuse("evidence-required", f.ID+" has no check, so each step needs what you saw", markExample(f), stepLines(f, nil)...)
	}
	kept := make([]ledger.Evidence, 0, len(given))
	seen := map[int]string{}
	var bad []string
	for i, e := range given {
		step := e.Step
		if step == 0 {
			step = i + 1
		}
		if step < 1 || step > len(f.Steps) {
			bad = append(bad, fmt.Sprintf("step %d: %s has steps 1 to %d", step, f.ID, len(f.Steps)))
			continue
		}
		seen[step] = strings.TrimSpace(seen[step] + " " + e.Observed)
		kept = append(kept, ledger.Evidence{Step: step, Observed: clip(e.Observed, 4000), Artifact: e.Artifact})
	}
	if f.Check == "" {
		bad = append(bad, v.unobserved(f, seen)...)
	}
	if len(bad) > 0 {
		return nil, refuse("evidence-incomplete", "the evidence for "+f.ID+" is not complete", markExample(f), bad...)
	}
	return kept, v.artifacts(f, kept)
}

func (v *view) unobserved(f *feature.Feature, seen map[int]string) []string {
	observed := make([]string, len(f.Steps))
	for i := range f.Steps {
		observed[i] = seen[i+1]
	}
	weak := feature.Weak(f.Steps, observed)
	steps := make([]int, 0, len(weak))
	for step := range weak {
		steps = append(steps, step)
	}
	sort.Ints(steps)
	var bad []string
	for _, step := range steps {
		bad = append(bad, fmt.Sprintf("step %d: %s (%s)", step+1, weak[step], clip(f.Steps[step], 120)))
	}
	return bad
}

func markExample(f *feature.Feature) string {
	return `do each step as a user would, then mark_feature_passed {"id":"` + f.ID + `","evidence":[{"step":1,"observed":"what you did and saw"},…]}`
}

func stepLines(f *feature.Feature, _ []int) []string {
	var lines []string
	for i, s := range f.Steps {
		lines = append(lines, fmt.Sprintf("step %d: %s", i+1, clip(s, 160)))
	}
	return firsts(lines, 30)
}

// artifacts looks at the files that the evidence names.
func (v *view) artifacts(f *feature.Feature, evidence []ledger.Evidence) error {
	var bad []string
	named := 0
	for i, e := range evidence {
		if e.Artifact == "" {
			continue
		}
		named++
		abs, err := v.inside(e.Artifact)
		if err != nil {
			return err
		}
		why := v.badArtifact(abs)
		if why != "" {
			bad = append(bad, fmt.Sprintf("step %d: %s %s", e.Step, e.Artifact, why))
			continue
		}
		if data, err := readFile(abs); err == nil {
			evidence[i].Hash = hash(data)[:16]
		}
	}
	if named == 0 && v.conf.Policy.RequireArtifact && f.Check == "" {
		bad = append(bad, "the policy asks for at least one artifact, a screenshot or a log")
	}
	if len(bad) > 0 {
		return refuse("artifact-missing", "the artifacts for "+f.ID+" do not hold", "make them anew while you verify, inside the project", bad...)
	}
	return nil
}

var images = map[string][]string{
	".png": {"\x89PNG\r\n\x1a\n"}, ".jpg": {"\xff\xd8\xff"}, ".jpeg": {"\xff\xd8\xff"}, ".gif": {"GIF8"}, ".webp": {"RIFF"},
}

// clockStep is how far a file system's clock may lag behind the system's.
const clockStep = 20 * time.Millisecond

func (v *view) badArtifact(abs string) (why string) {
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return "does not exist"
	case !info.Mode().IsRegular():
		return "is not a file"
	case v.own(abs):
		return "is a file of git or of the harness, which shows nothing of the work"
	case info.Size() == 0:
		return "is empty"
	case info.ModTime().Before(v.mine.ClaimAt.Add(-clockStep)):
		return "is older than the claim"
	}
	if magic, ok := images[strings.ToLower(path.Ext(abs))]; ok && !startsWithAny(abs, magic) {
		return "is no image of its kind"
	}
	return ""
}

// own says whether a file is one of git's or of the harness, by whatever link or hard link it is reached.
func (v *view) own(abs string) bool {
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	if rel, err := filepath.Rel(v.root, abs); err != nil || history.Reserved(filepath.ToSlash(rel)) || v.isHarness(filepath.ToSlash(rel)) {
		return true
	}
	if v.repo != nil && (within(v.repo.GitDir(), abs) || within(v.repo.CommonDir(), abs)) {
		return true
	}
	file, err := os.Stat(abs)
	return err != nil || slices.ContainsFunc(v.harnessFiles(true), func(harness string) bool {
		info, err := os.Stat(harness)
		return err == nil && os.SameFile(file, info)
	})
}

func startsWithAny(file string, magic []string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 16)
	n, _ := f.Read(head)
	return slices.ContainsFunc(magic, func(m string) bool { return strings.HasPrefix(string(head[:n]), m) })
}
