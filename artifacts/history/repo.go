package history

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// Repo is a repository seen from one project folder in it. It keeps no file open between calls, so a repack, a gc or
// another process at work does not disturb it, and it may be used by several goroutines.
type Repo struct {
	root, gitDir, commonDir string
	prefix                  string // of the project below root: "" or "app/"
	format                  format
	git                     *program // nil: none is installed

	mu    sync.Mutex
	index *index // the last one read
}

// format is what the repository's own settings say about its storage.
type format struct {
	sha256, reftable bool
	extensions       []string
}

// native says whether go-git can read it.
func (f format) native() bool { return !f.sha256 && !f.reftable }

// idLength is the length of an object id in bytes.
func (f format) idLength() int {
	if f.sha256 {
		return 32
	}
	return 20
}

// Open finds the repository that a project folder lies in, as git does, GIT_DIR and its like left aside. It answers
// ErrNoGit when there is none.
func Open(project string) (*Repo, error) {
	dir, err := filepath.Abs(project)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	r, err := locate(dir)
	if err != nil {
		return nil, err
	}
	if err := r.readFormat(); err != nil {
		return nil, err
	}
	below, err := filepath.Rel(r.root, dir)
	if err != nil || !filepath.IsLocal(below) {
		return nil, &Error{Code: "no-git", Text: fmt.Sprintf("%s is outside %s, the work tree that core.worktree names", dir, r.root)}
	}
	if below != "." {
		r.prefix = filepath.ToSlash(below) + "/"
	}
	r.git = installed()
	return r, nil
}

// Root is the top folder of the work tree.
func (r *Repo) Root() string { return r.root }

// GitDir is the git folder of this work tree.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir is the git folder that all linked work trees share.
func (r *Repo) CommonDir() string { return r.commonDir }

// Prefix is the project's place below Root: "" or with a slash at the end.
func (r *Repo) Prefix() string { return r.prefix }

// project is the folder of the project.
func (r *Repo) project() string { return filepath.Join(r.root, filepath.FromSlash(r.prefix)) }

// disk is where a path from the root lies.
func (r *Repo) disk(full string) string { return filepath.Join(r.root, filepath.FromSlash(full)) }

// lstat looks at a path from the root. It is not there when a link stands where one of its folders should: git tracks
// nothing behind a link.
func (r *Repo) lstat(full string) (os.FileInfo, error) { return folders{}.lstat(r, full) }

// folders remembers which paths are folders and no links to some.
type folders map[string]bool

func (f folders) lstat(r *Repo, full string) (os.FileInfo, error) {
	if dir := path.Dir(full); !f.real(r, dir) {
		return nil, &os.PathError{Op: "lstat", Path: r.disk(full), Err: os.ErrNotExist}
	}
	return os.Lstat(r.disk(full))
}

func (f folders) real(r *Repo, dir string) bool {
	if dir == "." {
		return true
	}
	is, known := f[dir]
	if !known {
		info, err := f.lstat(r, dir)
		is = err == nil && info.IsDir()
		f[dir] = is
	}
	return is
}

// full is a project path seen from the root; ok is false when it leaves the project or is not spelled plainly.
func (r *Repo) full(name string) (full string, ok bool) {
	if name == "" || name == "." || path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", false
	}
	if Reserved(name) {
		return "", false
	}
	return r.prefix + name, true
}

// within is a path from the root seen from the project; ok is false for one outside.
func (r *Repo) within(full string) (name string, ok bool) {
	return strings.CutPrefix(full, r.prefix)
}

func locate(dir string) (*Repo, error) {
	for at := dir; ; at = filepath.Dir(at) {
		gitDir, err := gitDirOf(at)
		if err != nil {
			return nil, err
		}
		if gitDir != "" {
			common, err := commonDirOf(gitDir)
			return &Repo{root: at, gitDir: gitDir, commonDir: common}, err
		}
		if filepath.Dir(at) == at {
			return nil, ErrNoGit
		}
	}
}

// gitDirOf is the git folder that belongs to the work tree at dir, "" when dir is the top of none. A .git folder
// without HEAD is passed over, as git does.
func gitDirOf(dir string) (string, error) {
	name := filepath.Join(dir, ".git")
	info, err := os.Stat(name)
	if err != nil {
		return "", nil
	}
	if info.IsDir() {
		if !isGitDir(name) {
			return "", nil
		}
		return filepath.EvalSymlinks(name)
	}
	if !info.Mode().IsRegular() || info.Size() > 1<<16 {
		return "", nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
	if !ok {
		return "", &Error{Code: "no-git", Text: name + " is a file but has no gitdir line"}
	}
	target = filepath.FromSlash(target)
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	if !isGitDir(target) {
		return "", &Error{Code: "no-git", Text: fmt.Sprintf("%s points to %s, which is no repository", name, target),
			Next: "run `git worktree repair` in the main work tree, or `git submodule update --init`"}
	}
	return filepath.EvalSymlinks(target)
}

func isGitDir(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "HEAD"))
	return err == nil
}

func commonDirOf(gitDir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if errors.Is(err, os.ErrNotExist) {
		return gitDir, nil
	}
	if err != nil {
		return "", err
	}
	common := filepath.FromSlash(strings.TrimSpace(string(data)))
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitDir, common)
	}
	return filepath.EvalSymlinks(common)
}

// readFormat takes what the repository's own settings say about storage and work tree.
func (r *Repo) readFormat() error {
	all, err := settingsOf(filepath.Join(r.commonDir, "config"))
	if err != nil {
		return err
	}
	bare, worktree := false, ""
	for _, s := range all {
		switch {
		case s.name == "extensions.objectformat":
			r.format.sha256 = strings.EqualFold(s.value, "sha256")
		case s.name == "extensions.refstorage":
			r.format.reftable = strings.EqualFold(s.value, "reftable")
		case s.name == "core.bare":
			bare = isTrue(s.value)
		case s.name == "core.worktree":
			worktree = filepath.FromSlash(s.value)
		}
		if name, ok := strings.CutPrefix(s.name, "extensions."); ok {
			r.format.extensions = append(r.format.extensions, name+"="+strings.ToLower(s.value))
		}
	}
	if r.gitDir != r.commonDir { // both settings are about the main work tree
		return nil
	}
	if worktree != "" {
		if !filepath.IsAbs(worktree) {
			worktree = filepath.Join(r.gitDir, worktree)
		}
		if worktree, err = filepath.EvalSymlinks(worktree); err != nil {
			return fmt.Errorf("core.worktree: %w", err)
		}
		r.root = worktree
		return nil
	}
	if bare {
		return &Error{Code: "no-git", Text: r.gitDir + " is a bare repository", Next: "work in one of its work trees (git worktree add)"}
	}
	return nil
}
