package artifacts

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/config"
)

const (
	harnessDir = ".harness"
	configPath = ".harness/config.json"
	ledgerPath = ".harness/ledger.jsonl"
)

// StartFolder is where the search for the project begins: the flag, else $LONGHAUL_PROJECT, else $CLAUDE_PROJECT_DIR, else
// the working directory. A value that is empty or still holds an unexpanded ${…} counts as unset: clients pass unset
// variables literally.
func StartFolder(flag string) string {
	for _, v := range []string{flag, os.Getenv("LONGHAUL_PROJECT"), os.Getenv("CLAUDE_PROJECT_DIR")} {
		if v != "" && !strings.Contains(v, "${") {
			return v
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return string(filepath.Separator) // refused as unsafe by every tool
	}
	return dir
}

// findRoot walks up from start to the git root and answers the first folder that holds a harness, else start itself.
// Without git only a project that is set up is found above start.
func findRoot(start string) (root string, err error) {
	start, err = filepath.Abs(start)
	if err != nil {
		return start, err
	}
	start, err = filepath.EvalSymlinks(start)
	if err != nil {
		return start, err
	}
	top := gitRoot(start)
	for dir := start; !unsafe(dir); dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, configPath)) || exists(filepath.Join(dir, ledgerPath)) {
			return dir, nil
		}
		if top != "" && slices.ContainsFunc(config.ListNames, func(n string) bool { return exists(filepath.Join(dir, n)) }) {
			return owner(dir, top), nil
		}
		if dir == top || dir == filepath.Dir(dir) {
			break
		}
	}
	return start, nil
}

// owner is the folder above whose harness has a list in dir as its own, else dir itself.
func owner(dir, top string) string {
	for up := dir; up != top; {
		up = filepath.Dir(up)
		if unsafe(up) {
			break
		}
		raw, err := readMaybe(filepath.Join(up, configPath))
		if err != nil || raw == nil {
			continue
		}
		conf, err := config.Parse(raw)
		if err == nil && filepath.Dir(filepath.Join(up, filepath.FromSlash(conf.Files.Features))) == dir {
			return up
		}
	}
	return dir
}

func gitRoot(dir string) string {
	for {
		if exists(filepath.Join(dir, ".git")) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// isGitDir says whether a folder is a repository itself, bare or a .git: there is no work tree in it.
func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if !exists(filepath.Join(dir, name)) {
			return false
		}
	}
	return true
}

// unsafe folders are never a project: the file system's root, the home folder and what lies above it, and a git directory.
func unsafe(dir string) bool {
	if dir == filepath.Dir(dir) || isGitDir(dir) {
		return true
	}
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return false
	}
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	rel, err := filepath.Rel(dir, home)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || errors.Is(err, fs.ErrPermission) // what can't be seen is not absent
}

// inside resolves a path from an argument. It refuses one that leaves the project, also through a link.
func (v *view) inside(name string) (abs string, err error) {
	refused := refuse("outside-project", quote(name)+" is outside the project", "give a path relative to "+v.root)
	if name == "" || strings.ContainsRune(name, 0) {
		return "", refuse("bad-argument", "a path is empty or holds a NUL byte", "give a path relative to the project")
	}
	if filepath.IsAbs(name) || filepath.VolumeName(name) != "" || !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", refused
	}
	abs = filepath.Join(v.root, filepath.FromSlash(name))
	if !v.contains(abs) {
		return "", refused
	}
	return abs, nil
}

// outside is the refusal of the names that leave the project, nil when none does. It comes before what the project's state
// would refuse.
func (v *view) outside(names []string) error {
	var bad []string
	var first error
	for _, name := range names {
		if _, err := v.inside(name); err != nil {
			bad = append(bad, quote(name))
			if first == nil {
				first = err
			}
		}
	}
	if len(bad) < 2 {
		return first
	}
	return refuse("outside-project", "these are outside the project", "give paths relative to "+v.root, bad...)
}

// contains follows the links of the part of abs that exists.
func (v *view) contains(abs string) bool {
	for dir := abs; ; dir = filepath.Dir(dir) {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return within(v.root, real)
		}
		if target, err := os.Readlink(dir); err == nil { // a dangling link
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(dir), target)
			}
			return within(v.root, filepath.Clean(target))
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
