package artifacts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/config"
	"github.com/longhaul-mcp/longhaul/artifacts/guard"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
	"github.com/longhaul-mcp/longhaul/artifacts/progress"
	"github.com/longhaul-mcp/longhaul/artifacts/runner"
	"github.com/longhaul-mcp/longhaul/artifacts/session"
)

// The acts of this file answer a client's hooks. A client's hook is a process of its own, so the session it is about is the one
// that the client's server holds, not one of its own.

// orientationBudget bounds what a client is told at the start of a conversation, in bytes.
const orientationBudget = 2000

// Judge says why a call of the client's own tool must not be made, "" when it may: a file that only Longhaul writes, or a verb
// that is a person's. dir is where a shell command would run. Without a harness everything may.
func (p *Project) Judge(tool string, input json.RawMessage, dir string) string {
	protected, ok := p.guarded()
	if !ok {
		return ""
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = string(filepath.Separator)
	}
	if dir == "" {
		dir = p.start
	}
	writes := guard.Writes(guard.Call{Tool: tool, Input: input, Dir: filepath.ToSlash(realPath(dir)), Home: filepath.ToSlash(home), Root: protected.Root})
	for _, w := range writes {
		if !w.Exact() {
			continue
		}
		real := w
		if real.Path = filepath.ToSlash(realPath(filepath.FromSlash(w.Path))); real.Path != w.Path {
			writes = append(writes, real)
		}
	}
	return protected.Judge(writes)
}

// realPath is absolute and follows the links of as much of a path as exists.
func realPath(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	for dir, rest := path, ""; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return path
		}
		dir, rest = up, filepath.Join(filepath.Base(dir), rest)
	}
}

// glance is a view of where things lie, without what is in list and ledger and without a lock.
func (p *Project) glance() (*view, error) {
	root, err := findRoot(p.start)
	if err != nil {
		return nil, err
	}
	if unsafe(root) {
		return nil, errors.ErrUnsupported
	}
	v := &view{p: p, root: root, at: p.now()}
	if err := errors.Join(v.openGit(), v.loadHead()); err != nil {
		return nil, err
	}
	_ = v.loadConfig() // a broken one is protected too, and leaves the layout's names
	return v, nil
}

// guarded names what the client's own tools must leave alone. It takes no lock and judges nothing. A file that a person has to
// mend after a merge is not among it.
func (p *Project) guarded() (g guard.Project, ok bool) {
	v, err := p.glance()
	if err != nil {
		return g, false
	}
	if ok, err = v.isSetUp(); err != nil || !ok {
		return g, false
	}
	g = guard.Project{Root: filepath.ToSlash(v.root), Fold: runtime.GOOS == "darwin" || runtime.GOOS == "windows"}
	add := func(rel string, kind guard.Kind) {
		if rel == "" || v.head.Busy != "" && v.conflicted(rel) {
			return
		}
		g.Files = append(g.Files, guard.File{Path: filepath.ToSlash(v.path(rel)), Kind: kind})
		if real, linked := v.behind(rel); linked {
			g.Files = append(g.Files, guard.File{Path: filepath.ToSlash(v.path(real)), Kind: kind})
		}
	}
	add(v.listName(), guard.List)
	add(ledgerPath, guard.Ledger)
	add(configPath, guard.Policy)
	add(v.conf.Files.Plan, guard.Plan)
	g.Files = append(g.Files, guard.File{Path: filepath.ToSlash(v.state), Kind: guard.State, Tree: true})
	return g, true
}

// listName is the list's path: the config's, or where that is not there the first known one.
func (v *view) listName() string {
	for _, name := range append([]string{v.conf.Files.Features}, config.ListNames...) {
		if name != "" && exists(v.path(name)) {
			return name
		}
	}
	return v.conf.Files.Features
}

func (v *view) conflicted(rel string) bool {
	raw, err := readMaybe(v.path(rel))
	return err == nil && strings.Contains("\n"+string(raw), "\n<<<<<<< ")
}

// clients is the open session of this worktree that the client behind this process works in: held by a server that the same
// client started, also when that has just ended, else one that was opened by a call. Nil when there is none.
func (v *view) clients() *session.Session {
	world := v.world()
	var called *session.Session
	for i := len(v.book.Sessions) - 1; i >= 0; i-- {
		s := &v.book.Sessions[i]
		if s.Worktree != v.root || s.Scope != v.who().Scope || world.Lapsed(*s) {
			continue
		}
		if !s.Call && s.Host == world.Host && runner.Ancestor(s.Client.PID, s.Client.Born) {
			return s
		}
		if s.Call && called == nil {
			called = s
		}
	}
	return called
}

// Orientation is what a model needs to know before its first word: how far the project is, what is open, what to call. It is
// bounded, opens no session and changes nothing.
func (p *Project) Orientation(ctx context.Context) (string, error) {
	var text string
	err := p.read(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true}); err != nil {
			return err
		}
		v.mine = v.clients()
		text = v.orientation()
		return nil
	})
	return text, err
}

func (v *view) orientation() string {
	var b strings.Builder
	c := v.counts()
	fmt.Fprintf(&b, "Longhaul keeps this project: %d of %d features passed", c.Passed, c.Total-c.Retired)
	if c.Blocked > 0 {
		fmt.Fprintf(&b, ", %d blocked", c.Blocked)
	}
	fmt.Fprintf(&b, ". Only its tools change %s, the ledger and the policy.\n", v.listPath)
	next := "call Longhaul's tool session_start before anything else"
	if v.mine != nil {
		fmt.Fprintf(&b, "%s is open", v.mine.ID)
		if v.mine.Claim != "" {
			fmt.Fprintf(&b, " and works on %s", v.named1(v.mine.Claim))
		}
		b.WriteString(".\n")
		next += "; it goes on with " + v.mine.ID
	}
	for i, t := range firstTampered(v.tampered) {
		if i == 3 {
			fmt.Fprintf(&b, "… %d more changes.\n", len(v.tampered)-i)
			break
		}
		fmt.Fprintf(&b, "Changed outside the tools: %s\n", clip(strings.TrimSpace(t.ID+" "+t.What+" "+t.Detail), 160))
		next = v.nextStep()
	}
	if log, err := readMaybe(v.path(v.conf.Files.Progress)); err == nil && len(log) > 0 {
		if text, _, _ := progress.Last(log, 900); text != "" {
			fmt.Fprintf(&b, "The last log entry:\n%s\n", strings.TrimSpace(clip(text, 900)))
		}
	}
	return clip(b.String(), orientationBudget-300) + "\nNext: " + clip(next, 250)
}

// Hold says why the client should not stop yet, "" when it may: the session it works in has changes that are not committed, or
// passes and commits that the log does not tell. All that session_end would ask for is named, but for the smoke test, which
// takes its time. A conversation of a client is held three times at most.
func (p *Project) Hold(ctx context.Context, conversation string) (string, error) {
	var why, key string
	err := p.read(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true}); err != nil {
			return err
		}
		if v.mine = v.clients(); v.mine == nil || !v.mine.Call && !v.world().Alive(*v.mine) {
			return nil // without its server the client has no tools to make the work safe with
		}
		facts := session.Facts{}
		if err := v.facts(ctx, &facts, Note{}); err != nil {
			return err
		}
		unsaid := len(v.mine.Passed) > v.mine.ToldPassed || len(v.mine.Commits) > v.mine.ToldCommits
		if len(facts.Uncommitted) == 0 && !unsaid {
			return nil
		}
		key = "hold " + conversation + " " + v.mine.ID
		why = v.mine.ID + " is open and its work is not safe yet:\n"
		for _, item := range v.mine.End(facts) {
			if !item.OK {
				why += "- " + item.Item + ": " + clip(item.Note, 400) + "\n"
			}
		}
		why += "Next: " + v.handOver()
		return nil
	})
	if err != nil || why == "" || p.asked(key) {
		return "", err
	}
	return why, nil
}

// handOver is how to make the work of a session safe.
func (v *view) handOver() string {
	first := "commit"
	if v.mine.Claim != "" {
		first = "mark_feature_passed for " + v.mine.Claim + " when it works, then commit"
	}
	return first + `, then session_end {"next_steps":["…"]}; to stop half way: append_progress with an in_progress item`
}

// Touched says what the client's last call changed behind the tools, "" when nothing differs. One state of affairs is told a
// conversation three times at most.
func (p *Project) Touched(ctx context.Context, conversation string) (string, error) {
	v, err := p.glance()
	if err != nil {
		return "", err
	}
	mark := v.mark()
	if whole, err := readMaybe(v.wholePath()); err == nil && mark != "" && string(whole) == mark {
		return "", nil // nothing was written since it was in order
	}
	var why, key string
	err = p.read(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true}); err != nil || len(v.tampered) == 0 || v.head.Busy != "" {
			return err
		}
		why = v.refuseTampered().Error()
		key = "touched " + conversation + " " + hash([]byte(why))[:16]
		return nil
	})
	if err == nil && why == "" {
		_ = v.keepBeside(v.wholePath(), []byte(mark)) // else it is only looked at again
	}
	if err != nil || why == "" || p.asked(key) {
		return "", err
	}
	return why, nil
}

// mark changes with every write to the list, the ledger and the policy and with every commit, "" where that can't be told.
func (v *view) mark() string {
	marks := []string{v.root, v.head.SHA, v.head.Branch, v.head.Busy}
	for _, rel := range []string{v.listName(), ledgerPath, configPath} {
		info, err := os.Stat(v.path(rel))
		if err != nil {
			return ""
		}
		marks = append(marks, rel, info.ModTime().String(), strconv.FormatInt(info.Size(), 10))
	}
	return hash([]byte(strings.Join(marks, "\n")))
}

// wholePath is where the mark of a harness in order is kept; each worktree has its own.
func (v *view) wholePath() string { return filepath.Join(v.copyDir(), "whole") }

// keepBeside replaces a small file beside the claims, which may be lost at any time.
func (v *view) keepBeside(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".hook.*"+tempSuffix)
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// HandOver writes an entry into the log for the session that the client works in, where it has something to tell that the log
// does not hold. It answers the log's path, "" when there was nothing to write.
func (p *Project) HandOver(ctx context.Context, why string) (path string, err error) {
	var told string
	err = p.read(ctx, func(v *view) error { // what need not be written takes no lock
		told = v.untoldWork(ctx)
		return v.require(needs{adopted: true, list: true})
	})
	if err != nil || told == "" {
		return "", err
	}
	err = p.update(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true}); err != nil {
			return err
		}
		if told = v.untoldWork(ctx); told == "" {
			return nil
		}
		path = v.conf.Files.Progress
		n := Note{Notes: []string{why + " " + told}}
		if id := v.mine.Claim; id != "" && !slices.ContainsFunc(v.ledger.Doing, func(d ledger.Note) bool { return d.ID == id }) {
			n.InProgress = []NoteItem{{ID: id, Note: "not finished when this was written"}}
		}
		noted := slices.Clone(v.mine.Noted)
		err := v.writeEntry(n, true)
		v.mine.Noted, v.mine.Told = noted, told // a hand-over by itself does not excuse an open feature
		return err
	})
	return path, err
}

// untoldWork is what the session did that the log does not hold, "" for nothing.
func (v *view) untoldWork(ctx context.Context) string {
	if v.mine = v.clients(); v.mine == nil || v.list == nil {
		return ""
	}
	var parts []string
	if v.repo != nil {
		if open, _, err := v.toCommit(ctx); err == nil && len(open) > 0 {
			parts = append(parts, "Not committed: "+some(open)+".")
		}
	}
	if n := len(v.mine.Passed) - v.mine.ToldPassed; n > 0 {
		parts = append(parts, "Passed: "+some(v.mine.Passed[v.mine.ToldPassed:])+".")
	}
	if n := len(v.mine.Commits) - v.mine.ToldCommits; n > 0 {
		parts = append(parts, fmt.Sprintf("New commits: %d.", n))
	}
	told := strings.Join(parts, " ")
	if told == v.mine.Told {
		return ""
	}
	return told
}

// ContextLimit is how full the policy lets a conversation's context get before its work is handed over, in percent; 0 without a harness.
func (p *Project) ContextLimit() int {
	v, err := p.glance()
	if err != nil {
		return 0
	}
	if adopted, err := v.isSetUp(); err != nil || !adopted {
		return 0
	}
	return v.conf.Policy.ContextResetPercent
}

// HandOverStep is how the session that the client works in hands over, "" when there is none.
func (p *Project) HandOverStep(ctx context.Context) (next string, err error) {
	err = p.read(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true}); err != nil {
			return err
		}
		if v.mine = v.clients(); v.mine != nil {
			next = v.handOver()
		}
		return nil
	})
	return next, err
}

// Once says whether a conversation is told something for the first time.
func (p *Project) Once(conversation, what string) bool {
	return p.count(what+" "+conversation) == 1
}

// asked counts, and says whether it has been asked three times before. What cannot be counted counts as asked: nobody is held for ever.
func (p *Project) asked(key string) bool {
	n := p.count(key)
	return n == 0 || n > 3
}

// count adds one to a count that lasts beside the claims, and answers it; 0 when it cannot be kept. Two hooks at once may count as one.
func (p *Project) count(key string) int {
	v, err := p.glance()
	if err != nil {
		return 0
	}
	path := filepath.Join(v.state, "hooks.json")
	counts := map[string]int{}
	if raw, err := readMaybe(path); err != nil || raw != nil && json.Unmarshal(raw, &counts) != nil {
		counts = map[string]int{}
	}
	const many = 200
	if len(counts) > many {
		counts = map[string]int{}
	}
	key = clip(key, 200)
	counts[key]++
	data, err := json.Marshal(counts)
	if err != nil {
		return 0
	}
	if v.keepBeside(path, data) != nil {
		return 0
	}
	return counts[key]
}
