package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// backupPrefix is where backups are kept: out of reach of git's own cleaning, and of pushes by default.
const backupPrefix = "refs/longhaul/backup/"

// maxBackupFile is the size over which an untracked file is left out of a backup.
const maxBackupFile = 50 << 20

var backupName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_+-]*(\.[A-Za-z0-9_+-]+)*$`)

// Backup saves HEAD, index, tracked files and the project's untracked files (up to 50 MiB each) under
// refs/longhaul/backup/NAME, in the shape of a stash: `git stash apply --index REF` brings them back. Index and files
// are not touched. Before the first commit, where no stash can be, it is a plain commit of the files. A name that is
// taken is refused.
func (r *Repo) Backup(ctx context.Context, name string) (ref string, err error) {
	if !backupName.MatchString(name) || strings.HasSuffix(name, ".lock") {
		return "", &Error{Code: "bad-argument", Text: fmt.Sprintf("%q can't be the name of a backup", name)}
	}
	p := r.program()
	if p == nil {
		return "", r.needsProgram("a backup")
	}
	head, err := r.readHead()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "longhaul-backup-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	w := &scratch{repo: r, program: p, dir: dir}
	sha, err := w.stash(ctx, head, "longhaul backup "+name)
	if err != nil {
		return "", failure(r, err)
	}
	ref = backupPrefix + name
	none := strings.Repeat("0", 2*r.format.idLength())
	if _, err := w.git(ctx, "", nil, "update-ref", ref, sha, none); err != nil {
		return "", failure(r, err)
	}
	return ref, nil
}

// scratch builds trees and commits beside the real index, in index files of its own.
type scratch struct {
	repo    *Repo
	program *program
	dir     string
}

// git runs a plumbing command with one of the scratch indexes; index "" is for commands that use none.
func (w *scratch) git(ctx context.Context, index string, stdin []byte, args ...string) (string, error) {
	c := call{dir: w.repo.root, write: true, stdin: stdin, args: args}
	if index != "" {
		c.env = append(c.env, "GIT_INDEX_FILE="+index)
	}
	out, err := w.program.run(ctx, c)
	return strings.TrimSpace(string(out)), err
}

// copyIndex is a copy of the real index.
func (w *scratch) copyIndex(name string) (string, error) {
	file := filepath.Join(w.dir, name)
	saved, err := w.repo.saveIndex()
	if err != nil || saved.data == nil {
		return file, err
	}
	return file, saved.writeTo(file, 0o600)
}

func (w *scratch) stash(ctx context.Context, head Head, message string) (sha string, err error) {
	index, err := w.copyIndex("index")
	if err != nil {
		return "", err
	}
	staged, err := w.git(ctx, index, nil, "write-tree")
	if err != nil {
		return "", err
	}
	if _, err := w.git(ctx, index, nil, "add", "-u", "--", "."); err != nil {
		return "", err
	}
	untracked, err := w.untracked(ctx)
	if err != nil {
		return "", err
	}
	if head.Unborn {
		if err := w.addAll(ctx, index, untracked); err != nil {
			return "", err
		}
	}
	files, err := w.git(ctx, index, nil, "write-tree")
	if err != nil {
		return "", err
	}
	if head.Unborn {
		return w.commit(ctx, files, message)
	}
	parents := []string{head.SHA}
	onIndex, err := w.commit(ctx, staged, "index of "+message, head.SHA)
	if err != nil {
		return "", err
	}
	parents = append(parents, onIndex)
	if len(untracked) > 0 {
		alone := filepath.Join(w.dir, "untracked")
		if err := w.addAll(ctx, alone, untracked); err != nil {
			return "", err
		}
		tree, err := w.git(ctx, alone, nil, "write-tree")
		if err != nil {
			return "", err
		}
		third, err := w.commit(ctx, tree, "untracked files of "+message)
		if err != nil {
			return "", err
		}
		parents = append(parents, third)
	}
	return w.commit(ctx, files, message, parents...)
}

// untracked are the project's untracked files that are worth keeping.
func (w *scratch) untracked(ctx context.Context) ([]string, error) {
	args := []string{"ls-files", "-z", "-o", "--exclude-standard"}
	if w.repo.prefix != "" {
		args = append(args, "--", w.repo.prefix)
	}
	out, err := w.program.run(ctx, call{dir: w.repo.root, args: args})
	if err != nil {
		return nil, err
	}
	var files []string
	for _, full := range records(out) {
		info, err := w.repo.lstat(full)
		if err != nil || info.IsDir() || info.Size() > maxBackupFile {
			continue
		}
		files = append(files, full)
	}
	return files, nil
}

func (w *scratch) addAll(ctx context.Context, index string, files []string) error {
	if len(files) == 0 {
		return nil
	}
	_, err := w.git(ctx, index, nulled(files), "update-index", "-z", "--add", "--stdin")
	return err
}

// commit writes a commit in the program's own name, for a backup must not fail for want of an identity.
func (w *scratch) commit(ctx context.Context, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree}
	for _, parent := range parents {
		args = append(args, "-p", parent)
	}
	var env []string
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env = append(env, "GIT_"+who+"_NAME=longhaul", "GIT_"+who+"_EMAIL=longhaul@localhost")
	}
	out, err := w.program.run(ctx, call{dir: w.repo.root, write: true, stdin: []byte(message + "\n"), args: args, env: env})
	return strings.TrimSpace(string(out)), err
}

// unfinished refuses what can't be saved or put back: an index with conflicts.
func (r *Repo) unfinished(ctx context.Context, head Head) error {
	if head.Busy != "" && head.Busy != "bisect" {
		return head.ready()
	}
	ix, err := r.readIndex(ctx)
	if err != nil {
		return err
	}
	for _, e := range ix.names {
		if e.conflict {
			return unmerged()
		}
	}
	return nil
}

// obstacles are the paths where something stands in the way of a file to be written: a folder, or a file or link where
// a folder is needed. git itself would clear them away, untracked and ignored files included.
func (r *Repo) obstacles(paths []string) []string {
	var found []string
	for _, full := range paths {
		if info, err := os.Lstat(r.disk(full)); err == nil && info.IsDir() {
			found = append(found, full)
			continue
		}
		for i, c := range full {
			if c != '/' {
				continue
			}
			info, err := os.Lstat(r.disk(full[:i]))
			if errors.Is(err, os.ErrNotExist) {
				break
			}
			if err == nil && !info.IsDir() {
				found = append(found, full[:i])
				break
			}
		}
	}
	return sorted(found)
}

func inTheWay(paths []string) error {
	return &Error{Code: "bad-argument", Text: "untracked or ignored files stand where tracked ones must go: " + strings.Join(paths, ", "),
		Next: "move them away, then try again; they are never overwritten"}
}
