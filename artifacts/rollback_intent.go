package artifacts

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
)

// An intent is a rollback to a commit that has begun. Git moves the branch last and at once, the ledger and the list follow;
// what a crash cuts between the two the next call finishes.
type intent struct {
	Head    string   `json:"head"` // before
	Subject string   `json:"subject"`
	Rev     string   `json:"rev"`
	IDs     []string `json:"ids"`
	Reason  string   `json:"reason"`
	Session string   `json:"session,omitempty"`
	Backup  string   `json:"backup"`
}

func (v *view) intentPath() string { return filepath.Join(v.copyDir(), "rollback.json") }

// intend writes the intent, durably.
func (v *view) intend(i intent) error {
	data, err := json.Marshal(i)
	if err != nil {
		return err
	}
	c := change{Path: v.intentPath(), Mode: 0o600, data: data}
	if err := c.prepare(); err != nil {
		return err
	}
	return c.finish()
}

// fulfilled takes the intent away, if it is still that one.
func (v *view) fulfilled(i intent) error {
	if now := v.cutRollback(); now == nil || now.Backup != i.Backup {
		return nil
	}
	err := os.Remove(v.intentPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// cutRollback is the intent that a crash left, nil when there is none.
func (v *view) cutRollback() *intent {
	data, err := readFile(v.intentPath())
	if err != nil {
		return nil
	}
	var i intent
	if json.Unmarshal(data, &i) != nil {
		return nil
	}
	return &i
}

// noteCutRollback looks for a rollback that a crash cut. While the branch is where it was, nothing was undone, but the files
// may be half-way.
func (v *view) noteCutRollback() {
	v.cut = v.cutRollback()
	if v.cut != nil && v.cut.Head == v.head.SHA {
		v.warn("a rollback to " + short(v.cut.Rev) + " is under way or was cut short: if no call is at work, call rollback again; what was there before is kept at " + v.cut.Backup)
	}
}

// halfDone says whether git has done its part of a rollback and the harness has not.
func (v *view) halfDone() bool {
	return v.cut != nil && v.cut.Head != v.head.SHA && v.list != nil && v.listErr == nil && v.broken == nil
}

// finishRollback reopens the features of a rollback whose commit was made.
func (v *view) finishRollback() error {
	sha, err := v.commitOf(v.cut)
	if err != nil {
		return err
	}
	if sha != "" && !slices.Contains(v.ledger.Rollbacks, sha) {
		if err := v.undo(v.cut, sha); err != nil {
			return err
		}
		if err := v.flush(); err != nil {
			return err
		}
	}
	return v.fulfilled(*v.cut)
}

// undo takes the passes back whose commits the rollback has undone, and records it.
func (v *view) undo(i *intent, sha string) error {
	ids := slices.DeleteFunc(slices.Clone(i.IDs), func(id string) bool {
		f := v.list.Find(id)
		return f == nil || f.State != feature.Passed || v.ledger.Standing[id] == nil
	})
	if err := v.reopen(ids); err != nil {
		return err
	}
	v.record(ledger.Record{Kind: ledger.Rollback, IDs: ids, Reason: i.Reason, Commit: sha, BackupRef: i.Backup, Session: i.Session})
	for n := range v.book.Sessions {
		if s := &v.book.Sessions[n]; s.ID == i.Session {
			s.Passed = slices.DeleteFunc(s.Passed, func(id string) bool { return slices.Contains(ids, id) })
		}
	}
	return nil
}

// commitOf is the commit that the rollback made, "" when it made none.
func (v *view) commitOf(i *intent) (string, error) {
	const depth = 1000
	if v.repo == nil {
		return "", nil
	}
	commits, err := v.repo.Log(depth)
	if err != nil {
		return "", err
	}
	for _, c := range commits {
		if len(c.Parents) == 1 && c.Parents[0] == i.Head && strings.Contains(c.Subject, i.Subject) {
			return c.SHA, nil
		}
	}
	return "", nil
}
