package artifacts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/config"
	"github.com/longhaul-mcp/longhaul/artifacts/history"
	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
	"github.com/longhaul-mcp/longhaul/artifacts/progress"
	"github.com/longhaul-mcp/longhaul/artifacts/session"
)

var commitType = pattern.Lazy(`^[a-z][a-z0-9-]{0,19}$`)

var typedMessage = pattern.Lazy(`^[a-z]+(\([^)]*\))?!?: `)

// Commit commits what the session changed: never what was changed or staged before it, what is ignored, looks like a secret
// or is too large, all of which is listed. Paths are taken besides, by exact name.
func (p *Project) Commit(ctx context.Context, r CommitRequest) (*CommittedReply, error) {
	if r.Type == "" {
		r.Type = "feat"
	}
	if !commitType().MatchString(r.Type) {
		return nil, refuse("bad-argument", "type "+quote(r.Type)+" is no commit type", "feat, fix, test, docs, refactor, chore …")
	}
	reply := &CommittedReply{}
	var request history.CommitRequest
	var repo *history.Repo
	err := p.read(ctx, func(v *view) (err error) {
		if err := v.require(needs{adopted: true, list: true, session: true, clean: true}); err != nil {
			return cmp.Or(v.outside(r.Paths), err)
		}
		if v.repo == nil {
			return refuse("no-git", v.root+" is in no git repository", "a person may run: git init")
		}
		repo = v.repo
		reply.Warnings = v.neighbours()
		request, err = v.staging(ctx, r, reply)
		return err
	})
	if err != nil {
		return nil, err
	}
	done, err := repo.Commit(ctx, request) // without the lock: hooks may ask Longhaul
	if err != nil {
		return nil, explain(err)
	}
	reply.SHA, reply.Subject = short(done.SHA), clip(done.Subject, 300)
	reply.Files, reply.Hooks = clipped(firsts(done.Files, 30), 120), clipped(firsts(done.Hooks, 10), 300)
	err = p.update(context.WithoutCancel(ctx), func(v *view) error {
		if v.mine == nil {
			return nil
		}
		v.mine.Commits = append(v.mine.Commits, session.Commit{SHA: done.SHA, Subject: done.Subject})
		for _, path := range done.Files {
			delete(v.mine.Dirty, path) // from now on its changes are the session's own
		}
		reply.Next = strings.TrimPrefix(v.nextStep(), "commit what is left, then ")
		v.keepCopy()
		return nil
	})
	return reply, err
}

// neighbours warns of other sessions at work in the same folder: nobody can tell whose changes are whose.
func (v *view) neighbours() []string {
	var warnings []string
	world := v.world()
	for _, s := range v.book.Sessions {
		if s.ID != v.mine.ID && s.Worktree == v.root && !s.Call && world.Alive(s) && !world.Lapsed(s) {
			warnings = append(warnings, s.ID+" works in this folder too: its changes may be in this commit; a git worktree for each keeps them apart")
		}
	}
	return warnings
}

// staging decides what goes into the commit and what it is called.
func (v *view) staging(ctx context.Context, r CommitRequest, reply *CommittedReply) (history.CommitRequest, error) {
	none := history.CommitRequest{}
	switch {
	case v.head.Detached:
		return none, refuse("detached-head", "HEAD is detached at "+short(v.head.SHA)+": a commit here would be on no branch", "a person may run: git switch BRANCH")
	case v.head.Busy != "":
		return none, refuse("merge-in-progress", "a "+v.head.Busy+" is under way", "a person finishes or aborts it first")
	}
	id, err := v.commitFeature(r)
	if err != nil {
		return none, err
	}
	message, err := v.message(r, id)
	if err != nil {
		return none, err
	}
	changes, err := v.gitStatus(ctx)
	if err != nil {
		return none, err
	}
	paths, err := v.namedPaths(ctx, r.Paths, changes)
	if err != nil {
		return none, err
	}
	for _, c := range changes {
		if slices.Contains(paths, c.Path) {
			continue
		}
		if why := v.leaveOut(c); why != "" {
			reply.LeftOut = append(reply.LeftOut, LeftOut{Path: c.Path, Reason: why})
			continue
		}
		paths = append(paths, c.Path)
	}
	if err := v.ignoredHarness(ctx, reply); err != nil {
		return none, err
	}
	if n := len(reply.LeftOut); n > 20 {
		reply.LeftOut = append(reply.LeftOut[:20:20], LeftOut{Path: "…", Reason: fmt.Sprintf("%d more", n-20)})
	}
	for i := range reply.LeftOut {
		reply.LeftOut[i].Path = clip(reply.LeftOut[i].Path, 120)
	}
	if len(paths) == 0 {
		var left []string
		for _, l := range reply.LeftOut {
			left = append(left, l.Path+": "+l.Reason)
		}
		return none, refuse("nothing-to-commit", "the session changed nothing that is not committed", "name a file in paths if one of these is meant, else go on", firsts(left, 20)...)
	}
	sort.Strings(paths)
	return history.CommitRequest{Paths: paths, Message: message}, nil
}

// commitFeature is the feature that the commit belongs to: given, else claimed, else the last one passed.
func (v *view) commitFeature(r CommitRequest) (string, error) {
	switch {
	case r.Feature != "":
		f, err := v.find(r.Feature)
		if err != nil {
			return "", err
		}
		return f.ID, nil
	case v.mine.Claim != "":
		return v.mine.Claim, nil
	case len(v.mine.Passed) > 0:
		return v.mine.Passed[len(v.mine.Passed)-1], nil
	case strings.TrimSpace(r.Message) == "":
		return "", refuse("bad-argument", "message is missing, and no feature is claimed or passed that would give one", `commit {"message":"…"}`)
	}
	return "", nil
}

// message is "type: text (F012)", the body and the trailers.
func (v *view) message(r CommitRequest, id string) (string, error) {
	subject, body, _ := strings.Cut(strings.TrimSpace(progress.Plain(r.Message)), "\n")
	if subject == "" && id != "" {
		subject = progress.Plain(v.text(id, 200))
	}
	subject = strings.TrimSuffix(oneLine(subject), ".")
	if subject == "" {
		return "", refuse("bad-argument", "message is blank", `commit {"message":"…"}`)
	}
	if !typedMessage().MatchString(subject) {
		subject = r.Type + ": " + subject
	}
	if id != "" {
		if n := 100 - len(id); len(subject) > n && strings.TrimSpace(r.Message) == "" {
			subject = clip(subject, n)
		}
		if !mentions(subject, id) {
			subject += " (" + oneLine(progress.Plain(id)) + ")"
		}
	}
	parts := []string{subject}
	for _, text := range []string{body, progress.Plain(r.Body)} {
		if text = strings.TrimSpace(text); text != "" {
			parts = append(parts, text)
		}
	}
	var trailers []string
	if id != "" {
		trailers = append(trailers, "Harness-Feature: "+oneLine(progress.Plain(id)))
	}
	trailers = append(trailers, "Harness-Session: "+v.mine.ID)
	return strings.Join(parts, "\n\n") + "\n\n" + strings.Join(trailers, "\n") + "\n", nil
}

// namedPaths takes the files that the call names. One bad name refuses the call, and all of them are named.
func (v *view) namedPaths(ctx context.Context, named []string, changes []history.Change) ([]string, error) {
	var paths, bad []string
	code := ""
	ignored, err := v.repo.Ignored(ctx, named)
	if err != nil && len(named) > 0 {
		ignored = nil // a name that git can't take is told below
	}
	for _, name := range named {
		abs, err := v.inside(name)
		var out *Refusal
		if errors.As(err, &out) {
			bad = append(bad, out.What)
			if out.Code == "outside-project" || code == "" {
				code = out.Code
			}
			continue
		}
		rel := filepath.ToSlash(strings.TrimPrefix(abs, v.root+string(filepath.Separator)))
		changed := within1(rel, changes)
		why, c := v.badName(name, rel, abs, ignored, changed)
		if why != "" {
			bad = append(bad, why)
			code = cmp.Or(code, c)
			continue
		}
		for _, path := range changed {
			if why := v.secretText(history.Change{Path: path}); why != "" {
				bad, code = append(bad, path+" "+why), cmp.Or(code, "secret-file")
				continue
			}
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	if len(bad) > 0 {
		return nil, refuse(code, "these paths can't be committed; nothing was", "give exact file names, one a string, relative to the project", bad...)
	}
	return paths, nil
}

// badName says why a named path can't be taken and under which code.
func (v *view) badName(name, rel, abs string, ignored map[string]bool, changed []string) (why, code string) {
	info, err := os.Lstat(abs)
	switch {
	case rel == "." || err == nil && info.IsDir():
		return name + " is a folder: name its files" + few(changed), "bad-argument"
	case history.Reserved(rel):
		return quote(name) + " is git's own", "bad-argument"
	case err == nil && special(info.Mode()):
		return name + " is no regular file", "bad-argument"
	case v.secret(rel) != "":
		return name + " looks like a secret (" + v.secret(rel) + ")", "secret-file"
	case !exists(abs) && len(changed) == 0:
		return name + " does not exist", "bad-argument"
	case (ignored[name] || ignored[rel]) && !v.repo.Tracked(rel):
		return name + " is ignored by git", "ignored-file"
	}
	return "", ""
}

func few(changed []string) string {
	if len(changed) == 0 {
		return ""
	}
	return " (" + strings.Join(firsts(changed, 5), ", ") + ")"
}

// within1 are the changed paths that a name stands for: the file itself, or all below a folder.
func within1(rel string, changes []history.Change) []string {
	var paths []string
	for _, c := range changes {
		if c.Path == rel || strings.HasPrefix(c.Path, rel+"/") || rel == "." {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

func (v *view) secret(rel string) string { return v.conf.Policy.Secret(rel) }

// leaveOut says why a change does not go into the commit by itself, "" when it does.
func (v *view) leaveOut(c history.Change) string {
	if v.isHarness(c.Path) {
		return v.harnessLeftOut(c.Path)
	}
	if _, before := v.mine.Dirty[c.Path]; before {
		return "was changed before the session; name it in paths if it is meant"
	}
	if pattern := v.secret(c.Path); pattern != "" {
		return "secret-file: looks like " + pattern
	}
	if c.Deleted {
		return ""
	}
	info, err := os.Lstat(v.path(c.Path))
	if err != nil {
		return cause(err)
	}
	if special(info.Mode()) {
		return "is no regular file"
	}
	if mb := int64(v.conf.Policy.MaxFileMB); info.Size() > mb<<20 {
		return fmt.Sprintf("file-too-large: over %d MB; name it in paths if it is meant", mb)
	}
	if why := v.secretText(c); why != "" {
		return "secret-file: " + why
	}
	return ""
}

// harnessLeftOut is leaveOut for a file of the harness: it is always meant, unless what stands in its place is none.
func (v *view) harnessLeftOut(rel string) string {
	info, err := os.Lstat(v.path(rel))
	switch {
	case err != nil:
		return "" // deleted
	case special(info.Mode()):
		return "is no regular file"
	case info.Size() > maxFile:
		return fmt.Sprintf("file-too-large: over %d MB, which no call reads", maxFile>>20)
	}
	return ""
}

// special files are those that git has no place for: FIFOs, sockets, devices.
func special(mode fs.FileMode) bool { return mode.Type()&^fs.ModeSymlink != 0 && !mode.IsDir() }

// secretText says which credential a file holds that HEAD does not hold yet.
func (v *view) secretText(c history.Change) string {
	info, err := os.Lstat(v.path(c.Path))
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	data, err := readFile(v.path(c.Path))
	if err != nil {
		return ""
	}
	token := config.Token(data)
	if token == "" {
		return ""
	}
	if old, err := v.repo.Show("HEAD", c.Path); err == nil && config.Token(old) == token {
		return ""
	}
	return "holds what looks like " + token
}

// ignoredHarness lists harness files that git ignores: they are never forced in.
func (v *view) ignoredHarness(ctx context.Context, reply *CommittedReply) error {
	files := v.harnessFiles(false)
	ignored, err := v.repo.Ignored(ctx, files)
	if err != nil {
		return err
	}
	for _, f := range files {
		if ignored[f] && !v.repo.Tracked(f) && exists(v.path(f)) {
			reply.LeftOut = append(reply.LeftOut, LeftOut{Path: f, Reason: "ignored-file: git ignores it"})
		}
	}
	return nil
}
