// Package history is the door to git: it reads with go-git, in process, and lets the git program write and answer status.
//
// Without a git program of at least 2.30 it commits named paths itself in repositories that need nothing special, and
// refuses with the reason elsewhere. It never checks out over, resets, or deletes an untracked or ignored file.
package history

import (
	"errors"
	"time"
)

// ErrNoGit says that a folder is in no repository.
var ErrNoGit = errors.New("no git repository")

// ErrNotExist says that a commit has no such file, or that no commit fits.
var ErrNotExist = errors.New("not in git")

// An Error is a refusal with one of the public codes, and the step that mends it.
type Error struct {
	Code string
	Text string
	Next string
}

// Error is the text alone; the code and the next step are the caller's to print.
func (e *Error) Error() string { return e.Text }

// Head is what HEAD stands for. SHA is empty before the first commit.
type Head struct {
	SHA      string
	Branch   string // short name; empty when detached
	Detached bool
	Unborn   bool
	Busy     string // merge, rebase, am, cherry-pick, revert or bisect under way; else empty
}

// Commit is one commit with the trailers that the harness writes.
type Commit struct {
	SHA      string
	Subject  string
	Author   string
	At       time.Time // committed at
	Features []string  // Harness-Feature trailers
	Session  string    // Harness-Session trailer
	Parents  []string
}

// Change is a path that differs between HEAD, index and disk.
type Change struct {
	Path      string // relative to the project, with slashes
	Staged    bool   // index differs from HEAD
	Unstaged  bool   // disk differs from the index
	Untracked bool
	Conflict  bool
	Deleted   bool // not on disk
}

// CommitRequest names files of the project, changed, new or deleted, and the whole message, trailers included.
type CommitRequest struct {
	Paths   []string
	Message string
}

// CommitResult is the commit that was made. Hooks tells what hooks changed or said.
type CommitResult struct {
	SHA     string
	Subject string
	Files   []string // of the project, as the commit has them
	Hooks   []string
}

// RestoreRequest asks for a commit with the project folder of Rev, the kept paths as they are on disk. Head is the commit
// that HEAD must be at, "" for any.
type RestoreRequest struct {
	Rev     string
	Head    string
	Keep    []string
	Message string
}

// RestoreResult names the paths that changed on disk. SHA is the new commit, or HEAD's where only uncommitted changes went.
type RestoreResult struct {
	SHA      string
	Restored []string
	Hooks    []string
}

// AddedLine is a line that is on disk and was not in the earlier commit.
type AddedLine struct {
	Path string
	Line int
	Text string
}

// Version is one state of a followed path.
type Version struct {
	Commit  Commit
	Path    string // the name it had in that commit
	Data    []byte
	Deleted bool
	// From holds for each parent the commit whose version was in force there: one visited before, the parent
	// itself when it lies before the range, "" when no followed path existed.
	From []string
}
