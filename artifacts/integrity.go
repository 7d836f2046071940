package artifacts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/longhaul-mcp/longhaul/artifacts/config"
	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/history"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
)

// examine holds what is on disk against the seals, and has each feature count as what is proven.
func (v *view) examine() error {
	if !v.adopted || v.broken != nil {
		return nil
	}
	if err := v.examineLedger(); err != nil {
		return err
	}
	v.examinePolicy()
	if v.list == nil {
		return nil
	}
	if v.compared.ledger != v.ledger { // another ledger is trusted
		v.list.Align(v.ledger.Seals, v.conf.Bookkeeping)
		c := compared{}
		c.changes, c.added = v.list.Compare(v.ledger.Seals, v.conf.Bookkeeping)
		v.compared = &c
	}
	for _, c := range v.compared.changes {
		v.tampered = append(v.tampered, Tampering{ID: c.ID, What: c.What, Detail: c.Detail})
		if c.What == "deleted" {
			v.lost = append(v.lost, c.ID)
		}
	}
	v.fresh = v.compared.added
	v.examineStates()
	return nil
}

// examineStates compares what passes in the file with what is proven, which counts.
func (v *view) examineStates() {
	for i := range v.list.Features {
		f := &v.list.Features[i]
		proven := v.ledger.Standing[f.ID] != nil
		switch {
		case f.Problem != "" || f.State == feature.Retired:
		case f.State == feature.Passed && !proven:
			f.State = feature.Failing
			v.tampered = append(v.tampered, Tampering{ID: f.ID, What: "passed", Detail: "without a proof"})
		case f.State != feature.Passed && proven:
			f.State = feature.Passed
			v.tampered = append(v.tampered, Tampering{ID: f.ID, What: "unpassed", Detail: "it has passed, the list says otherwise"})
		}
	}
}

// examineLedger finds lines of HEAD or of Longhaul's own copy that are gone, and lines that Longhaul did not write.
func (v *view) examineLedger() error {
	committed, err := v.headLedger()
	if err != nil {
		return err
	}
	if n := ledger.Missing(v.ledgerRaw, committed); n > 0 && v.head.Busy == "" {
		v.tamperedLedger(fmt.Sprintf("%d committed lines are missing", n))
		return nil
	}
	kept, ok := v.copied()
	if !ok {
		return nil
	}
	if bytes.Equal(kept.ledger, v.ledgerRaw) {
		return nil
	}
	if n := ledger.Missing(v.ledgerRaw, kept.ledger); n > 0 && kept.Head == v.head.SHA && kept.Branch == v.head.Branch {
		v.tamperedLedger(fmt.Sprintf("%d lines that were written are missing", n))
		return nil
	}
	if n := ledger.Missing(append(slices.Clip(committed), kept.ledger...), v.ledgerRaw); n > 0 && v.head.Busy == "" {
		v.tamperedLedger(fmt.Sprintf("%d lines were not written by the tools", n))
	}
	return nil
}

// tamperedLedger goes on with the lines that can be trusted.
func (v *view) tamperedLedger(detail string) {
	v.tampered = append(v.tampered, Tampering{ID: ledgerPath, What: "ledger", Detail: detail})
	whole, err := v.trustedLedger()
	if err != nil {
		return
	}
	if state, err := ledger.Fold(whole); err == nil {
		v.ledger = state
	}
}

// trustedLedger is every line that the tools wrote here or that HEAD holds.
func (v *view) trustedLedger() ([]byte, error) {
	committed, err := v.headLedger()
	if err != nil {
		return nil, err
	}
	k, ok := v.copied()
	own := k.ledger
	if !ok {
		own = readable(v.ledgerRaw)
	}
	if ledger.Missing(own, committed) > 0 {
		return union(committed, own), nil
	}
	return own, nil
}

// readable are the lines of a ledger that parse.
func readable(raw []byte) []byte {
	var out []byte
	for line := range bytes.Lines(raw) {
		if _, err := ledger.Fold(line); err == nil {
			out = append(out, line...)
		}
	}
	return out
}

// union is all of first, then the lines of second that it does not hold.
func union(first, second []byte) []byte {
	have := map[string]bool{}
	for line := range bytes.Lines(first) {
		have[string(bytes.TrimSpace(line))] = true
	}
	out := bytes.Clone(first)
	if n := len(out); n > 0 && out[n-1] != '\n' {
		out = append(out, '\n')
	}
	for line := range bytes.Lines(second) {
		if !have[string(bytes.TrimSpace(line))] {
			out = append(out, line...)
		}
	}
	return out
}

func (v *view) headLedger() ([]byte, error) {
	if v.repo == nil || v.head.Unborn || v.head.SHA == "" {
		return nil, nil
	}
	key := v.head.SHA + " " + v.repo.Root()
	v.p.mu.Lock()
	defer v.p.mu.Unlock()
	if v.p.cache.headSHA == key {
		return v.p.cache.headLines, nil
	}
	data, err := v.repo.Show(v.head.SHA, ledgerPath)
	if err != nil && !errors.Is(err, history.ErrNotExist) {
		return nil, err
	}
	v.p.cache.headSHA, v.p.cache.headLines = key, data
	return data, nil
}

func (v *view) examinePolicy() {
	if v.confRaw == nil {
		v.tampered = append(v.tampered, Tampering{ID: configPath, What: "policy", Detail: "the file is gone"})
		return
	}
	if list := v.ledger.List; list != "" && list != v.conf.Files.Features {
		v.tampered = append(v.tampered, Tampering{ID: configPath, What: "policy", Detail: "files.features was " + list})
		return
	}
	if v.ledger.Policy != "" && v.ledger.Policy != config.PolicyHash(v.confRaw) {
		v.tampered = append(v.tampered, Tampering{ID: configPath, What: "policy", Detail: "changed without longhaul config set"})
	}
}

// kept is the copy of the sealed state beside the claims: what rollback feature_list brings back.
type kept struct {
	Head   string `json:"head"`
	Branch string `json:"branch"`
	List   string `json:"list"` // its path

	ledger []byte
}

func (v *view) copyDir() string {
	return filepath.Join(v.state, "sealed", hash([]byte(v.root))[:16])
}

// copied reads the copy of the ledger and where HEAD was then; ok is false when there is none.
func (v *view) copied() (k kept, ok bool) {
	dir := v.copyDir()
	meta, err := readFile(filepath.Join(dir, "state.json"))
	if err != nil || json.Unmarshal(meta, &k) != nil {
		k = kept{Head: "unknown"}
	}
	if k.ledger, err = readFile(filepath.Join(dir, "ledger")); err != nil {
		return kept{}, false
	}
	return k, true
}

// keepCopy takes the copy of list and policy anew after a change. Nothing depends on its being newest but the comfort of a
// restore, so its errors are only logged.
func (v *view) keepCopy() {
	if len(v.tampered) > 0 {
		return
	}
	if err := v.writeCopy(); err != nil {
		v.p.options.Log.Warn("copy of the sealed state", "err", err)
	}
}

func (v *view) writeCopy() error {
	list, err := readMaybe(v.path(v.listPath))
	if err != nil {
		return err
	}
	conf, err := readMaybe(v.path(configPath))
	if err != nil {
		return err
	}
	meta, err := json.Marshal(kept{Head: v.head.SHA, Branch: v.head.Branch, List: v.listPath})
	if err != nil {
		return err
	}
	return errors.Join(v.copyFile("list", list), v.copyFile("config", conf), v.copyFile("state.json", meta))
}

// copyLedger is the change that has the copy hold what the tools write: all of the ledger when there is no copy yet, else
// the new lines, whatever happened to the ledger itself.
func (v *view) copyLedger(before, lines []byte) (change, error) {
	name := filepath.Join(v.copyDir(), "ledger")
	old, err := readMaybe(name)
	if err != nil {
		return change{}, err
	}
	if old == nil || (!bytes.Equal(old, before) && !v.hasTampered("ledger")) {
		return change{Path: name, Mode: 0o600, data: v.ledgerRaw}, nil
	}
	return change{Path: name, Append: bytes.TrimPrefix(lines, []byte("\n")), Offset: int64(len(old))}, nil
}

func (v *view) hasTampered(what string) bool {
	return slices.ContainsFunc(v.tampered, func(t Tampering) bool { return t.What == what })
}

func (v *view) copyFile(name string, data []byte) error {
	path := filepath.Join(v.copyDir(), name)
	if old, err := readMaybe(path); err == nil && old != nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(tempName(path), data, 0o600); err != nil {
		return err
	}
	return os.Rename(tempName(path), path)
}
