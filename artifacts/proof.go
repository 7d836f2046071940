package artifacts

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
)

// situate says which state of the code the proof is about.
func (v *view) situate(ctx context.Context, f *feature.Feature, proof *ledger.Proof) error {
	proof.Files, proof.Own = v.covered(f), v.ownFiles(proof)
	if v.repo == nil {
		return nil
	}
	proof.Head = v.head.SHA
	dirty, err := v.dirty(ctx)
	if err != nil {
		return err
	}
	const most = 300
	if len(dirty) <= most {
		proof.Dirty = dirty
	}
	changed, err := v.changedFrom(ctx, v.mine.ClaimRev, dirty)
	if err != nil {
		return err
	}
	for _, c := range changed {
		if testFile().MatchString(c) && len(proof.Changed) < 20 {
			proof.Changed = append(proof.Changed, c)
		}
	}
	return nil
}

var testFile = pattern.Lazy(`(?i)(^|[/._-])(tests?|specs?|e2e|__tests__)([/._-]|$)|_test\.|\.test\.|\.spec\.|(^|/)test_`)

// changedFrom are the paths that differ from an earlier commit, on disk too.
func (v *view) changedFrom(ctx context.Context, rev string, dirty map[string]string) ([]string, error) {
	all := map[string]bool{}
	for path, print := range dirty {
		if before, ok := v.mine.Dirty[path]; !ok || before != print {
			all[path] = true
		}
	}
	if rev != "" && rev != v.head.SHA {
		paths, err := v.repo.Changed(ctx, rev, v.head.SHA)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			all[path] = true
		}
	}
	list := make([]string, 0, len(all))
	for path := range all {
		list = append(list, path)
	}
	sort.Strings(list)
	return list, nil
}

// covered fingerprints the files that the feature says it covers.
func (v *view) covered(f *feature.Feature) map[string]string {
	const most = 200
	files := map[string]string{}
	for _, pattern := range f.Files {
		for _, rel := range v.glob(pattern) {
			if len(files) == most {
				return files
			}
			files[rel] = v.print(rel)
		}
	}
	return files
}

// ownFiles fingerprints the files that a check's command names: test files and scripts.
func (v *view) ownFiles(proof *ledger.Proof) map[string]string {
	const most = 20
	own := map[string]string{}
	for _, word := range strings.FieldsFunc(proof.Command, func(r rune) bool { return strings.ContainsRune(" \t\n;|&()<>=\"'`", r) }) {
		word, _, _ = strings.Cut(word, "::") // a pytest node
		rel := path.Join(filepath.ToSlash(proof.Cwd), word)
		if len(own) == most || !filepath.IsLocal(filepath.FromSlash(rel)) {
			continue
		}
		if info, err := os.Stat(v.path(rel)); err == nil && info.Mode().IsRegular() {
			own[rel] = v.print(rel)
		}
	}
	return own
}

func (v *view) print(rel string) string {
	if v.repo != nil {
		return v.repo.Fingerprint(rel)
	}
	data, err := readFile(v.path(rel))
	if err != nil {
		return ""
	}
	return hash(data)[:16]
}

// newestProof is what a pass stands on, or the newest green check since.
func (v *view) newestProof(id string) *ledger.Record {
	standing := v.ledger.Standing[id]
	h := v.ledger.History(id)
	for i := len(h) - 1; i >= 0 && standing != nil && h[i] != standing; i-- {
		if h[i].Kind == ledger.Verified && h[i].Code == "" {
			return h[i]
		}
	}
	return standing
}

// stale says whether the code that a proof is about has moved since.
func (v *view) stale(ctx context.Context, id string) bool {
	r := v.newestProof(id)
	if r == nil || r.Proof == nil {
		return false
	}
	for rel, before := range r.Proof.Own {
		if v.print(rel) != before {
			return true
		}
	}
	if len(r.Proof.Files) > 0 {
		for rel, before := range r.Proof.Files {
			if v.print(rel) != before {
				return true
			}
		}
		return false
	}
	if v.repo == nil || r.Proof.Head == "" {
		return false
	}
	paths := map[string]bool{}
	for rel := range r.Proof.Dirty {
		paths[rel] = true
	}
	dirty, err := v.dirty(ctx)
	if err != nil {
		return true
	}
	for rel := range dirty {
		paths[rel] = true
	}
	if r.Proof.Head != v.head.SHA {
		changed, err := v.repo.Changed(ctx, r.Proof.Head, v.head.SHA)
		if err != nil {
			return true // the commit is gone: nothing shows that the code is the same
		}
		for _, rel := range changed {
			paths[rel] = true
		}
	}
	for rel := range paths {
		if before, ok := r.Proof.Dirty[rel]; !v.isHarness(rel) && rel != v.conf.Files.InitScript && (!ok || before != v.print(rel)) {
			return true
		}
	}
	return false
}

func proofReply(r *ledger.Record) *Proof {
	if r == nil {
		return nil
	}
	if r.Proof == nil {
		return &Proof{Kind: "adopted", At: r.At, Session: r.Session}
	}
	reply := &Proof{
		Kind: r.Proof.Kind, Command: r.Proof.Command, Cwd: r.Proof.Cwd, ExitCode: r.Proof.ExitCode, Seconds: r.Proof.Seconds,
		Tail: r.Proof.Tail, Head: short(r.Proof.Head), Session: r.Session, At: r.At, Changed: r.Proof.Changed, By: r.Proof.By, Reason: r.Reason,
	}
	for _, e := range r.Proof.Evidence {
		reply.Evidence = append(reply.Evidence, Evidence{Step: e.Step, Observed: e.Observed, Artifact: e.Artifact})
	}
	return reply
}
