// Package artifacts holds the Project: every act on the harness of one folder. It owns the lock, all disk I/O of the
// harness and the clock; the pure packages below it decide, history and runner act on git and on processes.
package artifacts

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/longhaul-mcp/longhaul/artifacts/history"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
	"github.com/longhaul-mcp/longhaul/artifacts/runner"
	"github.com/longhaul-mcp/longhaul/artifacts/session"
)

// lockWait bounds how long a call waits for the calls of other processes.
const lockWait = 20 * time.Second

// Options say who opens a project.
type Options struct {
	Version string
	Call    bool // a one-shot call: it joins the open session of the worktree
	Log     *slog.Logger
	// Shepherd says that the program gives the words behind "shepherd" in its arguments to the function Shepherd. On
	// Linux nothing that a check or an init script starts can then outlive it.
	Shepherd bool
}

// Shepherd runs one script for the server that started this process for it, and returns the exit code of the process.
func Shepherd(words []string) int { return runner.Shepherd(words) }

// Project is the harness of one folder. Its methods may be called from several goroutines and processes at once.
type Project struct {
	start   string
	options Options
	who     session.Who
	now     func() time.Time

	mu       sync.Mutex // guards what follows
	trees    []*runner.Tree
	cache    cache
	onChange func(uris []string)
}

// cache keeps what is costly to read again and can be checked cheaply.
type cache struct {
	ledgerRaw []byte
	ledger    *ledger.State
	headSHA   string
	headLines []byte

	list *compared
}

// Open names a project by a folder in or above it. It reads nothing and never fails: what is wrong with the folder is the
// answer of every call.
func Open(start string, o Options) *Project {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	pid := os.Getpid()
	who := session.Who{Host: runner.Host(), PID: pid, Born: runner.Born(pid), Call: o.Call}
	if client := os.Getppid(); !o.Call && client > 1 {
		who.Client = session.Client{PID: client, Born: runner.Born(client)}
	}
	return &Project{start: start, options: o, now: time.Now, who: who}
}

// Close ends the background processes of the session. Its claim is free from then on.
func (p *Project) Close() {
	p.mu.Lock()
	trees := p.trees
	p.trees = nil
	p.mu.Unlock()
	for _, t := range trees {
		t.End()
	}
}

// Root is the project's folder as it is found now.
func (p *Project) Root() string {
	root, err := findRoot(p.start)
	if err != nil {
		return p.start
	}
	return root
}

// OnChange has told called after each act that changed what the resources show.
func (p *Project) OnChange(told func(uris []string)) {
	p.mu.Lock()
	p.onChange = told
	p.mu.Unlock()
}

// read runs look on what is on disk, while no other process changes it.
func (p *Project) read(ctx context.Context, look func(*view) error) error {
	v, unlock, err := p.open(ctx, false)
	if err != nil {
		return err
	}
	if v.halfDone() {
		unlock()
		_ = p.update(ctx, func(*view) error { return nil }) // where it can't be written, reading goes on
		if v, unlock, err = p.open(ctx, false); err != nil {
			return err
		}
	}
	defer unlock()
	return explain(look(v))
}

// update is the one way to change the harness: lock, read, step, then all changes of the step or none.
func (p *Project) update(ctx context.Context, step func(*view) error) error {
	v, unlock, err := p.open(ctx, true)
	if err != nil {
		return err
	}
	defer func() { unlock() }()
	if v.halfDone() {
		if err := v.finishRollback(); err != nil {
			return explain(err)
		}
		unlock()
		if v, unlock, err = p.open(ctx, true); err != nil {
			unlock = func() {}
			return err
		}
	}
	if err := step(v); err != nil {
		return explain(err)
	}
	return explain(v.flush())
}

func (p *Project) open(ctx context.Context, write bool) (v *view, unlock func(), err error) {
	root, err := findRoot(p.start)
	if err != nil {
		return nil, nil, refuse("unsafe-project", "the project folder "+p.start+" can't be opened: "+cause(err),
			"register the server with --project and a folder that exists")
	}
	if unsafe(root) {
		return nil, nil, refuse("unsafe-project", root+" is the home folder, above it, or a git directory, not a project",
			"start the client in a project folder, or register the server with --project DIR")
	}
	v = &view{p: p, root: root, at: p.now(), write: write}
	if err := v.openGit(); err != nil {
		return nil, nil, explain(err)
	}
	unlock, err = v.lock(ctx, write)
	if err != nil {
		return nil, nil, explain(err)
	}
	if err := v.load(); err != nil {
		unlock()
		return nil, nil, explain(err)
	}
	return v, unlock, nil
}

// lock takes the lock that all processes, worktrees and containers on this repository share. The system frees it when its
// owner dies. Reading takes it only where the harness has been written before, so that reading never writes.
func (v *view) lock(ctx context.Context, write bool) (unlock func(), err error) {
	path := filepath.Join(v.state, "lock")
	if write {
		if err := os.MkdirAll(v.state, 0o755); err != nil {
			return nil, err
		}
	} else if !exists(path) {
		return func() {}, nil
	}
	l := flock.New(path, flock.SetPermissions(0o644))
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	pending := exists(filepath.Join(v.state, "journal.json"))
	if write || pending {
		_, err = l.TryLockContext(ctx, 3*time.Millisecond)
	} else {
		_, err = l.TryRLockContext(ctx, 3*time.Millisecond)
	}
	unlock = func() { _ = l.Close() }
	if err == nil && !holds(l) { // somebody removed the file while this call waited
		unlock()
		return v.lock(ctx, write)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		return nil, refuse("busy", "other calls have held the project's lock "+path+" for "+lockWait.String(), "call again")
	case err != nil && !write:
		return func() {}, nil // a read-only folder, a file system without locks: reading needs none to be safe
	case errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK):
		return nil, refuse("unsafe-project", path+" lies on a file system that has no locks; nothing was changed",
			"move the project to a disk that has them, such as a local one")
	case err != nil:
		return nil, err
	}
	v.holds = func() bool { return holds(l) }
	if write || pending {
		err = recoverAct(v.state)
		if err == nil && write {
			err = v.hideState()
		}
		if err != nil {
			unlock()
			return nil, err
		}
	}
	return unlock, nil
}

// holds says whether the locked file is still the one that other processes would lock.
func holds(l *flock.Flock) bool {
	mine, err := l.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(l.Path())
	return err == nil && os.SameFile(mine, there)
}

// hideState has the folder of claims, sessions and locks ignore itself where it lies in the project, without git.
func (v *view) hideState() error {
	ignore := filepath.Join(v.state, ".gitignore")
	if v.repo != nil || exists(ignore) {
		return nil
	}
	return act(v.state, []change{{Path: ignore, data: []byte("*\n")}}) // never an empty file, which would hide nothing
}

// openGit finds the repository and the folder where claims, sessions and locks are kept.
func (v *view) openGit() error {
	repo, err := history.Open(v.root)
	switch {
	case errors.Is(err, history.ErrNoGit):
		v.state = filepath.Join(v.root, harnessDir, "local")
		return nil
	case err != nil:
		return err
	}
	v.repo = repo
	v.state = filepath.Join(repo.CommonDir(), "longhaul")
	return nil
}

// refuse makes a Refusal.
func refuse(code, what, next string, missing ...string) *Refusal {
	return &Refusal{Code: code, What: what, Missing: missing, Next: next}
}

// explain turns what the lower packages and the system say into a Refusal.
func explain(err error) error {
	var refusal *Refusal
	var git *history.Error
	var run *runner.Error
	var path *fs.PathError
	outcome := "; nothing was changed"
	var begun begunError
	if errors.As(err, &begun) {
		outcome = "; what is begun is finished by the next call"
	}
	switch {
	case err == nil || errors.As(err, &refusal):
		return err
	case noSpace(err):
		return refuse("disk-full", cause(err)+outcome, "free some space, then call again")
	case errors.As(err, &git):
		return refuse(git.Code, git.Text, git.Next)
	case errors.As(err, &run):
		return refuse(run.Code, run.Text, "mend the script, then call again")
	case diskFull(err):
		return refuse("disk-full", cause(err)+outcome, "free some space, then call again")
	case readOnly(err):
		return refuse("read-only", cause(err)+outcome, "make it writable for the user that runs the server")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return refuse("busy", "the call was cancelled; nothing was changed", "call again")
	case errors.As(err, &path):
		if begun.error != nil {
			return refuse("busy", cause(err)+outcome, "call again")
		}
		return refuse("unreadable", cause(err), "mend the file, then call again")
	}
	return refuse("busy", cause(err), "call again; if it says the same, a person looks at the repository")
}

// noSpace reads git's words for a full disk.
func noSpace(err error) bool {
	text := err.Error()
	return strings.Contains(text, "No space left on device") || strings.Contains(text, "Out of diskspace")
}

// cause is an error in words, without the names of system calls.
func cause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Path + ": " + path.Err.Error()
	}
	return strings.TrimSpace(err.Error())
}
