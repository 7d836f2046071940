package artifacts

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
)

// put has a file replaced when the call succeeds.
func (v *view) put(rel string, data []byte) { v.putMode(rel, data, 0) }

func (v *view) putMode(rel string, data []byte, mode fs.FileMode) {
	c := change{Path: v.path(rel), data: data, Mode: mode}
	if rel == v.listPath {
		c.Before = known(v.listRaw)
	}
	v.changes = append(v.changes, c)
}

// record has a line written to the ledger when the call succeeds.
func (v *view) record(r ledger.Record) {
	r.At = v.at.Format(time.RFC3339)
	if r.Session == "" {
		r.Session = v.mineID()
	}
	v.records = append(v.records, r)
}

// flush writes everything that the step wanted, as one act: the ledger first.
func (v *view) flush() error {
	sweep(v.harnessFiles(true))
	const fresh = time.Minute // a lease is renewed in steps: asking alone need not write
	if v.mine != nil && (len(v.changes)+len(v.records) > 0 || v.at.Sub(v.mine.Seen).Abs() >= fresh) {
		v.mine.Seen = v.at
	}
	if v.adopted && v.list != nil && v.listErr == nil {
		v.sealFresh()
	}
	all, err := v.appendRecords()
	if err != nil {
		return err
	}
	all = append(all, v.changes...)
	if book := v.book.Bytes(); !bytes.Equal(book, v.bookRaw) && (v.bookRaw != nil || len(v.book.Sessions) > 0) {
		all = append(all, change{Path: v.bookPath(), Mode: 0o644, data: book})
	}
	for i := range all {
		if err := all[i].settle(); err != nil {
			return err
		}
	}
	if len(all) > 0 && !v.holds() {
		return refuse("busy", "the lock "+filepath.Join(v.state, "lock")+" was removed during the call; nothing was written", "call again")
	}
	if err := act(v.state, all); err != nil {
		return err
	}
	if len(v.changes)+len(v.records) > 0 {
		v.keepCopy()
	}
	if len(all) > 0 {
		v.told()
	}
	return nil
}

// appendRecords has the new lines written to the ledger and to the copy that it is held against.
func (v *view) appendRecords() ([]change, error) {
	if len(v.records) == 0 {
		return nil, nil
	}
	lines := bytes.Buffer{}
	if n := len(v.ledgerRaw); n > 0 && v.ledgerRaw[n-1] != '\n' {
		lines.WriteByte('\n')
	}
	for _, r := range v.records {
		lines.Write(r.Bytes())
	}
	before := v.ledgerRaw
	v.ledgerRaw = append(slices.Clip(before), lines.Bytes()...)
	own, err := v.copyLedger(before, lines.Bytes())
	if err != nil {
		return nil, err
	}
	for i := range v.changes {
		if c := &v.changes[i]; c.Path == v.path(ledgerPath) { // the whole ledger is written anew
			c.data = v.ledgerRaw
			return []change{own}, nil
		}
	}
	return []change{{Path: v.path(ledgerPath), Append: lines.Bytes(), Offset: int64(len(before))}, own}, nil
}

// sealFresh seals the features that were appended by hand.
func (v *view) sealFresh() {
	if len(v.fresh) == 0 {
		return
	}
	foreign := func(t Tampering) bool { return t.What != "passed" }
	if slices.ContainsFunc(v.tampered, foreign) {
		return // what is in disorder is not sealed
	}
	seals := v.list.Seals(v.conf.Bookkeeping)
	before := ""
	for i := len(seals) - 1; i >= 0; i-- {
		s := seals[i]
		if slices.Contains(v.fresh, s.ID) {
			v.record(ledger.Record{Kind: ledger.Seal, ID: s.ID, Pos: s.Positional, Keys: s.Keys, Before: before, Reason: "appended by hand"})
		}
		before = s.ID
	}
}

func (v *view) told() {
	v.p.mu.Lock()
	told := v.p.onChange
	v.p.mu.Unlock()
	if told == nil {
		return
	}
	uris := []string{"harness://status", "harness://features"} // claims show in both
	for _, c := range v.changes {
		switch c.Path {
		case v.path(v.conf.Files.Progress):
			uris = append(uris, "harness://progress")
		case v.path(v.conf.Files.Architecture):
			uris = append(uris, "harness://architecture")
		}
	}
	told(uris)
}
