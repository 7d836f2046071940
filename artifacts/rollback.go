package artifacts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/config"
	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/history"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
	"github.com/longhaul-mcp/longhaul/artifacts/progress"
)

// Rollback takes the project back: uncommitted changes, to the last commit of a passed feature, to a commit, or the feature
// list to its sealed state. A safety ref that git stash apply --index can bring back is made first. Untracked and ignored
// files stay, and no feature, log line or proof is lost: features whose commits are undone go back to not passed.
func (p *Project) Rollback(ctx context.Context, target, reason string) (*RollbackReply, error) {
	target, reason = strings.TrimSpace(target), strings.TrimSpace(reason)
	if target == "" || reason == "" {
		return nil, refuse("bad-argument", "rollback takes a target and a reason", `rollback {"target":"uncommitted|last_good|feature_list|COMMIT","reason":"…"}`)
	}
	reply := &RollbackReply{Target: target}
	var err error
	switch target {
	case "feature_list":
		err = p.restoreList(ctx, reason, reply)
	case "uncommitted":
		err = p.restoreTree(ctx, reason, reply)
	default:
		err = p.restoreCommit(ctx, target, reason, reply)
	}
	if err != nil {
		return nil, err
	}
	reply.Restored, reply.Reopened = clipped(firsts(reply.Restored, 40), 120), firsts(reply.Reopened, 60)
	return reply, nil
}

// backup makes the safety ref.
func (v *view) backup(ctx context.Context, reply *RollbackReply) error {
	if v.repo == nil {
		return nil
	}
	id := v.mineID()
	if id == "" {
		id = "no-session"
	}
	name := v.at.UTC().Format("20060102T150405Z") + "-" + id
	for n := 2; v.isTaken("refs/longhaul/backup/" + name); n++ {
		name = fmt.Sprintf("%s-%s-%d", v.at.UTC().Format("20060102T150405Z"), id, n)
	}
	ref, err := v.repo.Backup(ctx, name)
	reply.BackupRef = ref
	return err
}

// isTaken says whether a ref is there, or the lock that a killed git has left in its place.
func (v *view) isTaken(ref string) bool {
	_, err := v.repo.Resolve(ref)
	return err == nil || exists(filepath.Join(v.repo.CommonDir(), filepath.FromSlash(ref)+".lock"))
}

func (v *view) requireGit() error {
	if err := v.require(needs{adopted: true}); err != nil {
		return err
	}
	if v.repo == nil {
		return refuse("no-git", v.root+" is in no git repository", `only rollback {"target":"feature_list"} works without git`)
	}
	return v.requireCalm()
}

// requireCalm refuses while git is in the middle of something that a rollback would tear.
func (v *view) requireCalm() error {
	if v.head.Busy != "" {
		return refuse("merge-in-progress", "a "+v.head.Busy+" is under way", "a person finishes or aborts it by hand first, with git add and git commit")
	}
	return nil
}

func (p *Project) restoreTree(ctx context.Context, reason string, reply *RollbackReply) error {
	return p.update(ctx, func(v *view) error {
		if err := v.requireGit(); err != nil {
			return err
		}
		if err := v.backup(ctx, reply); err != nil {
			return err
		}
		restored, err := v.repo.RestoreUncommitted(ctx, v.keptFiles())
		if err != nil {
			return err
		}
		reply.Restored = restored
		if changes, err := v.repo.Status(ctx); err == nil && slices.ContainsFunc(changes, func(c history.Change) bool { return c.Untracked }) {
			reply.Warnings = append(reply.Warnings, "untracked files stay as they were")
		}
		v.record(ledger.Record{Kind: ledger.Rollback, Reason: reason, BackupRef: reply.BackupRef})
		reply.Next = v.nextStep()
		return nil
	})
}

// keptFiles are the harness files: a rollback leaves them as they are.
func (v *view) keptFiles() []string {
	return slices.DeleteFunc(v.harnessFiles(false), func(rel string) bool { return !exists(v.path(rel)) })
}

func (p *Project) restoreCommit(ctx context.Context, target, reason string, reply *RollbackReply) error {
	var q history.RestoreRequest
	var i intent
	var before *view
	err := p.update(ctx, func(v *view) error {
		before = v
		if err := v.requireGit(); err != nil {
			return err
		}
		if err := v.require(needs{list: true}); err != nil {
			return err
		}
		rev, err := v.target(ctx, target)
		if err != nil {
			return err
		}
		if rev == v.head.SHA {
			return refuse("nothing-to-commit", "HEAD is "+short(rev)+" already; nothing was changed", `rollback {"target":"uncommitted","reason":"…"} drops what is not committed`)
		}
		undone, err := v.repo.Undone(ctx, rev)
		if err != nil {
			return err
		}
		ids := v.undoneFeatures(undone)
		if err := v.backup(ctx, reply); err != nil {
			return err
		}
		message := fmt.Sprintf("chore: roll back to %s\n\n%s\n", short(rev), clip(progress.Plain(reason), 1000))
		if v.mine != nil {
			message += "\nHarness-Session: " + v.mine.ID + "\n"
		}
		i = intent{Head: v.head.SHA, Subject: "chore: roll back to " + short(rev), Rev: rev, IDs: ids, Session: v.mineID(), Backup: reply.BackupRef,
			Reason: clip("rolled back to "+short(rev)+": "+reason, 1000)}
		q = history.RestoreRequest{Rev: rev, Head: i.Head, Keep: v.keptFiles(), Message: message}
		return v.intend(i)
	})
	if err != nil {
		return err
	}
	done, err := before.repo.RestoreCommit(ctx, q) // without the lock: hooks may ask Longhaul
	if err != nil {
		return explain(errors.Join(err, before.fulfilled(i)))
	}
	reply.Restored, reply.Commit, reply.Reopened = done.Restored, short(done.SHA), i.IDs
	for _, said := range firsts(done.Hooks, 10) {
		reply.Warnings = append(reply.Warnings, "hook: "+clip(said, 300))
	}
	err = p.update(context.WithoutCancel(ctx), func(v *view) error {
		reply.Next = v.nextStep()
		if slices.Contains(v.ledger.Rollbacks, done.SHA) {
			return nil
		}
		err := v.undo(&i, done.SHA)
		reply.Next = v.nextStep()
		return err
	})
	return errors.Join(err, before.fulfilled(i))
}

func (v *view) target(ctx context.Context, target string) (string, error) {
	if target != "last_good" {
		return v.repo.Resolve(target)
	}
	rev, err := v.lastGood()
	if err == nil && rev == "" {
		return "", refuse("bad-argument", "no commit of a passed feature is in this branch's history", "give a commit as target, or uncommitted")
	}
	return rev, err
}

// lastGood is the newest commit of a feature that its own ledger holds as passed. "" when there is none.
func (v *view) lastGood() (string, error) {
	const depth = 5000
	commits, err := v.repo.Log(depth)
	if err != nil {
		return "", err
	}
	for _, c := range commits {
		if len(c.Features) == 0 {
			continue
		}
		raw, err := v.repo.Show(c.SHA, ledgerPath)
		if err != nil {
			continue
		}
		state, err := ledger.Fold(raw)
		if err == nil && slices.ContainsFunc(c.Features, func(id string) bool { return state.Standing[id] != nil }) {
			return c.SHA, nil
		}
	}
	return "", nil
}

// undoneFeatures are the passed features whose commits lie after the target.
func (v *view) undoneFeatures(undone []history.Commit) []string {
	var ids []string
	for _, c := range undone {
		for _, id := range c.Features {
			f := v.list.Find(id)
			if f != nil && f.State == feature.Passed && v.ledger.Standing[id] != nil && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// restoreList brings list, ledger and policy back to the last sealed state, features appended by hand kept.
func (p *Project) restoreList(ctx context.Context, reason string, reply *RollbackReply) error {
	return p.update(ctx, func(v *view) error {
		if !v.adopted {
			return v.require(needs{adopted: true})
		}
		if v.locked {
			return v.listErr
		}
		if err := v.requireCalm(); err != nil {
			return err
		}
		if err := v.backup(ctx, reply); err != nil {
			return err
		}
		if err := v.restoreLedger(reply); err != nil {
			return err
		}
		if err := v.restoreConfig(reply); err != nil {
			return err
		}
		if err := v.restoreFeatures(reply); err != nil {
			return err
		}
		v.broken, v.tampered, v.fresh = nil, nil, nil
		if len(reply.Restored) > 0 {
			v.record(ledger.Record{Kind: ledger.Rollback, Reason: reason, BackupRef: reply.BackupRef})
		}
		reply.Next = v.nextStep()
		if len(reply.Restored) == 0 {
			reply.Warnings = append(reply.Warnings, "list, ledger and policy were as sealed: nothing was changed")
		}
		return nil
	})
}

// restoreLedger puts back lines that are gone and takes out lines that nobody may have written.
func (v *view) restoreLedger(reply *RollbackReply) error {
	if v.broken == nil && !v.hasTampered("ledger") {
		return nil
	}
	whole, err := v.trustedLedger()
	if err != nil {
		return err
	}
	state, err := ledger.Fold(whole)
	if err != nil {
		return refuse("unreadable", "no readable state of "+ledgerPath+" is left: "+err.Error(), "a person restores it from a backup or from git")
	}
	if !bytes.Equal(whole, v.ledgerRaw) {
		v.put(ledgerPath, whole)
		v.ledgerRaw = whole
		reply.Restored = append(reply.Restored, ledgerPath)
	}
	v.ledger = state
	v.dropTampered("ledger")
	return nil
}

func (v *view) dropTampered(what string) {
	v.tampered = slices.DeleteFunc(v.tampered, func(t Tampering) bool { return t.What == what })
}

// restoreConfig brings back the policy that the ledger knows.
func (v *view) restoreConfig(reply *RollbackReply) error {
	good := func(raw []byte) bool {
		conf, err := config.Parse(raw)
		return err == nil && raw != nil && (v.ledger.List == "" || conf.Files.Features == v.ledger.List) && (v.ledger.Policy == "" || config.PolicyHash(raw) == v.ledger.Policy)
	}
	if good(v.confRaw) {
		return nil
	}
	raw := v.sealedVersion("config", configPath, good)
	if raw == nil {
		return refuse("unreadable", "no version of "+configPath+" with the sealed policy is left", "a person restores it from git, or runs: longhaul accept")
	}
	conf, err := config.Parse(raw)
	if err != nil {
		return err
	}
	v.put(configPath, raw)
	v.conf, v.confRaw = conf, raw
	reply.Restored = append(reply.Restored, configPath)
	v.broken = nil
	v.others, v.listPath, v.list, v.listErr = nil, "", nil, nil
	return v.loadList()
}

// sealedVersion finds the newest version of a file that is good: in the copy beside the claims, else in git.
func (v *view) sealedVersion(name, path string, good func([]byte) bool) []byte {
	if raw, err := readFile(filepath.Join(v.copyDir(), name)); err == nil && good(raw) {
		return raw
	}
	if v.repo == nil {
		return nil
	}
	const depth = 200
	commits, err := v.repo.Log(depth)
	if err != nil {
		return nil
	}
	for _, c := range commits {
		if raw, err := v.repo.Show(c.SHA, path); err == nil && good(raw) {
			return raw
		}
	}
	return nil
}

// restoreFeatures brings the list back to its seals and to what is proven.
func (v *view) restoreFeatures(reply *RollbackReply) error {
	raw, err := v.sealedList()
	if err != nil {
		return err
	}
	if raw, err = v.graft(raw); err != nil {
		return err
	}
	if raw, err = v.restate(raw); err != nil {
		return err
	}
	if !bytes.Equal(raw, v.listRaw) {
		v.put(v.listPath, raw)
		reply.Restored = append(reply.Restored, v.listPath)
	}
	return nil
}

// sealedList is the list on disk when its definitions are as sealed, else the newest version whose are.
func (v *view) sealedList() ([]byte, error) {
	good := func(raw []byte) bool {
		list, err := v.parseSealed(raw)
		if err != nil {
			return false
		}
		changes, _ := list.Compare(v.ledger.Seals, v.conf.Bookkeeping)
		return len(changes) == 0
	}
	if v.listErr == nil && v.list != nil && good(v.listRaw) {
		return v.listRaw, nil
	}
	if raw := v.sealedVersion("list", v.listPath, good); raw != nil {
		return raw, nil
	}
	if raw := v.patched(); raw != nil && good(raw) {
		return raw, nil
	}
	return nil, refuse("unreadable", "no version of "+v.listPath+" with the sealed features is left, neither in the copy nor in the last 200 commits",
		"a person restores the list from a backup, or runs: longhaul accept")
}

// patched is the newest version that lacks sealed features only, with those put in that the list on disk holds as sealed.
func (v *view) patched() []byte {
	if v.list == nil {
		return nil
	}
	var out []byte
	v.sealedVersion("list", v.listPath, func(raw []byte) bool {
		list, err := v.parseSealed(raw)
		if err != nil {
			return false
		}
		changes, _ := list.Compare(v.ledger.Seals, v.conf.Bookkeeping)
		var missing []string
		for _, c := range changes {
			if c.What != "deleted" || v.isTampered(c.ID) || v.list.Find(c.ID) == nil {
				return false
			}
			missing = append(missing, c.ID)
		}
		out, err = list.Graft(v.list, missing)
		return err == nil
	})
	return out
}

func (v *view) isTampered(id string) bool {
	return slices.ContainsFunc(v.tampered, func(t Tampering) bool { return t.ID == id && t.What != "passed" })
}

// graft keeps the features that were appended by hand to a list that is being replaced.
func (v *view) graft(raw []byte) ([]byte, error) {
	if len(v.fresh) == 0 || bytes.Equal(raw, v.listRaw) {
		return raw, nil
	}
	from, err := v.parseSealed(v.listRaw)
	if err != nil {
		return nil, err
	}
	for _, id := range v.fresh {
		if f := from.Find(id); f == nil || f.State != feature.Passed {
			continue
		}
		open, err := from.Fail(id, nil)
		if err != nil {
			return nil, ruleRefusal(err)
		}
		if from, err = v.parseSealed(open); err != nil {
			return nil, err
		}
	}
	list, err := feature.Parse(raw)
	if err != nil {
		return nil, err
	}
	return list.Graft(from, v.fresh)
}

func (v *view) parseSealed(raw []byte) (*feature.List, error) {
	list, err := feature.Parse(raw)
	if err != nil {
		return nil, err
	}
	list.Align(v.ledger.Seals, v.conf.Bookkeeping)
	return list, nil
}

// restate has each feature pass in the file exactly when it is proven.
func (v *view) restate(raw []byte) ([]byte, error) {
	list, err := v.parseSealed(raw)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(list.Features); i++ {
		f := &list.Features[i]
		r := v.ledger.Standing[f.ID]
		if f.Problem != "" || f.State == feature.Retired || (f.State == feature.Passed) == (r != nil) {
			continue
		}
		if r != nil {
			raw, err = list.Pass(f.ID, utc(r.At), r.Session)
		} else {
			raw, err = list.Fail(f.ID, nil)
		}
		if err != nil {
			return nil, ruleRefusal(err)
		}
		if list, err = v.parseSealed(raw); err != nil {
			return nil, err
		}
	}
	return raw, nil
}

func utc(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return at
	}
	return t.UTC().Format(time.RFC3339)
}
