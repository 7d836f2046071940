package history

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// exitCode is the exit code of a run of the git program, -1 for any other error.
func exitCode(err error) int {
	var exit *exitError
	if errors.As(err, &exit) {
		return exit.code
	}
	return -1
}

// failure gives an error of the git program its public code where git's words tell it; else it comes back as it is.
func failure(r *Repo, err error) error {
	var exit *exitError
	if !errors.As(err, &exit) {
		return err
	}
	says := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(exit.stderr, part) {
				return true
			}
		}
		return false
	}
	first := firstLine(exit.stderr)
	switch {
	case says("detected dubious ownership"):
		return &Error{Code: "unsafe-project", Text: fmt.Sprintf("git refuses to work in %s: it belongs to somebody else", r.root),
			Next: fmt.Sprintf("the owner of this account may allow it: git config --global --add safe.directory '%s'", filepath.ToSlash(r.root))}
	case says(".lock': File exists", ".lock: File exists", "Another git process seems to be running"):
		return &Error{Code: "index-locked", Text: "another git process holds a lock: " + first,
			Next: "wait for that process and try again; where none is running, a person may delete the lock file"}
	case says("cannot lock ref") && says("but expected"):
		return &Error{Code: "index-locked", Text: "another process moved the branch meanwhile: " + first, Next: "try again"}
	case says("Please tell me who you are", "empty ident name", "auto-detection is disabled", "unable to auto-detect email address", "invalid ident"):
		return &Error{Code: "no-identity", Text: "git does not know who commits: user.name or user.email is not set",
			Next: `git config --global user.name "NAME" and git config --global user.email "MAIL", then try again`}
	case says("gpg failed to sign", "failed to sign the data", "signing key", "signingkey", "ssh-keygen", "cannot run gpg"):
		return signingFailed(exit.stderr)
	case says("unmerged files", "unmerged path", "needs merge", "not possible because you have unmerged", "partial commit during a merge", "partial commit during a cherry-pick"):
		return unmerged()
	case says("ignored by one of your .gitignore files"):
		return &Error{Code: "ignored-file", Text: "git ignores: " + strings.Join(ignoredNames(exit.stderr), ", "), Next: "leave them out, or change .gitignore"}
	case says("can only add regular files", "unsupported file type"):
		return &Error{Code: "unreadable", Text: "no regular file stands where git has one: " + first, Next: "put the file back, or remove what stands there, then try again"}
	case says("No space left on device"):
		return &Error{Code: "disk-full", Text: first, Next: "make room on the disk, then try again"}
	case says("Read-only file system", "Permission denied", "insufficient permission"):
		return &Error{Code: "read-only", Text: first, Next: "make the repository writable for this account"}
	}
	return err
}

func unmerged() error {
	return &Error{Code: "merge-in-progress", Text: "the index holds unmerged files", Next: "resolve the conflicts (git status names them), then try again"}
}

func signingFailed(said string) error {
	return &Error{Code: "signing-failed", Text: "the commit could not be signed: " + ending(said, 600),
		Next: "unlock the key or mend the signing settings (commit.gpgsign, gpg.format, user.signingkey), then try again"}
}

// ignoredNames are the lines between git's sentence and its hints.
func ignoredNames(said string) []string {
	var names []string
	for _, line := range strings.Split(said, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "hint:") && !strings.Contains(line, "ignored by one of") {
			names = append(names, line)
		}
	}
	return names
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// ending is the last part of a text, at most n bytes, from the start of a line where one fits.
func ending(text string, n int) string {
	text = strings.TrimSpace(text)
	if len(text) <= n {
		return text
	}
	text = text[len(text)-n:]
	if i := strings.IndexByte(text, '\n'); i >= 0 && i < n/2 {
		text = text[i+1:]
	}
	return strings.ToValidUTF8(text, "")
}

// needsProgram refuses what go-git can't do here.
func (r *Repo) needsProgram(why string) error {
	return &Error{Code: "no-git", Text: "this repository needs the git program (2.30 or newer) for " + why,
		Next: "install git, then try again"}
}

// patiently repeats an act while another process holds a lock, for about three seconds. The lock is never deleted.
func (r *Repo) patiently(ctx context.Context, act func() error) error {
	for wait := 25 * time.Millisecond; ; wait *= 2 {
		err := act()
		var refusal *Error
		if !errors.As(err, &refusal) || refusal.Code != "index-locked" || wait > 1600*time.Millisecond {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}
