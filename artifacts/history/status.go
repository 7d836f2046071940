package history

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Status gives what differs in the project folder between HEAD, index and disk, sorted by path. Repositories nested in
// it and dirt inside submodules are none of this repository's changes.
func (r *Repo) Status(ctx context.Context) ([]Change, error) {
	p := r.program()
	if p == nil {
		return r.statusNatively(ctx)
	}
	args := []string{"status", "--porcelain=v2", "-z", "-uall", "--no-renames", "--ignore-submodules=dirty"}
	if r.prefix != "" {
		args = append(args, "--", r.prefix)
	}
	out, err := p.run(ctx, call{dir: r.root, args: args})
	if err != nil {
		return nil, failure(r, err)
	}
	return r.parseStatus(records(out))
}

// parseStatus reads git-status(1), Porcelain Format Version 2. A path can come twice: deleted in the index and
// untracked on disk.
func (r *Repo) parseStatus(lines []string) ([]Change, error) {
	at := map[string]*Change{}
	for _, line := range lines {
		c, full, ok := parseStatusLine(line)
		if !ok {
			return nil, fmt.Errorf("git status: line %q is not understood", line)
		}
		name, inside := r.within(full)
		if full == "" || !inside || strings.HasSuffix(full, "/") {
			continue
		}
		old := at[name]
		if old == nil {
			c.Path = name
			at[name] = &c
			continue
		}
		old.Staged = old.Staged || c.Staged
		old.Unstaged = old.Unstaged || c.Unstaged
		old.Untracked = old.Untracked || c.Untracked
		old.Conflict = old.Conflict || c.Conflict
		old.Deleted = old.Deleted && c.Deleted
	}
	changes := make([]Change, 0, len(at))
	for _, c := range at {
		changes = append(changes, *c)
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}

func parseStatusLine(line string) (c Change, path string, ok bool) {
	if len(line) < 3 {
		return c, "", false
	}
	switch line[0] {
	case '#', '!':
		return c, "", true
	case '?':
		return Change{Untracked: true}, line[2:], true
	case '1':
		if path, ok = cutFields(line, 8); !ok {
			return c, "", false
		}
		c.Staged, c.Unstaged = line[2] != '.', line[3] != '.'
		c.Deleted = line[3] == 'D' || line[2] == 'D' && line[3] == '.'
		return c, path, ok
	case 'u':
		if path, ok = cutFields(line, 10); !ok {
			return c, "", false
		}
		return Change{Conflict: true, Unstaged: true, Deleted: line[2:4] == "DD"}, path, ok
	}
	return c, "", false
}

// cutFields is what follows the first n fields.
func cutFields(line string, n int) (rest string, ok bool) {
	for range n {
		if _, line, ok = strings.Cut(line, " "); !ok {
			return "", false
		}
	}
	return line, true
}

// maxHashed bounds what is read of one file to tell it from another: a gigabyte takes seconds.
const maxHashed = 256 << 20

// Fingerprint tells content and mode of what is on disk at a path, "" when nothing is there. Equal fingerprints mean
// an equal file; a folder is told by the HEAD of the repository in it, a file too large to be read in a call by its size and
// time.
func (r *Repo) Fingerprint(name string) string {
	full, ok := r.full(name)
	if !ok {
		return ""
	}
	file := r.disk(full)
	info, err := r.lstat(full)
	if err != nil {
		return ""
	}
	hash := sha256.New()
	kind := "file"
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		kind = "link"
		target, _ := os.Readlink(file)
		hash.Write([]byte(target))
	case info.IsDir():
		return "folder " + headOf(file)
	case !info.Mode().IsRegular():
		return "special"
	case info.Size() > maxHashed:
		return fmt.Sprintf("large %d %d", info.Size(), info.ModTime().UnixNano())
	default:
		if info.Mode()&0o111 != 0 {
			kind = "program"
		}
		f, err := os.Open(file)
		if err != nil {
			return "unreadable"
		}
		defer f.Close()
		if _, err := io.Copy(hash, f); err != nil {
			return "unreadable"
		}
	}
	return kind + " " + hex.EncodeToString(hash.Sum(nil)[:16])
}

// headOf is the commit that a repository in a folder stands at, "" for a plain folder.
func headOf(dir string) string {
	if gitDir, err := gitDirOf(dir); err != nil || gitDir == "" {
		return ""
	}
	sub, err := Open(dir)
	if err != nil {
		return ""
	}
	h, err := sub.readHead()
	if err != nil {
		return ""
	}
	return h.SHA
}

// Ignored says which of the paths git ignores. Tracked files are not ignored, whatever the patterns say.
func (r *Repo) Ignored(ctx context.Context, paths []string) (map[string]bool, error) {
	p := r.program()
	if p == nil {
		return r.ignoredNatively(paths)
	}
	ask := make([]string, 0, len(paths))
	for _, name := range paths {
		if full, ok := r.full(name); ok {
			ask = append(ask, full)
		}
	}
	found, err := p.checkIgnore(ctx, r.root, ask)
	var exit *exitError
	if errors.As(err, &exit) { // one path beyond a link or in a submodule spoils the whole answer
		if refused := failure(r, err); refused != err {
			return nil, refused
		}
		for _, full := range ask {
			one, err := p.checkIgnore(ctx, r.root, []string{full})
			if err != nil && exitCode(err) < 0 {
				return nil, err
			}
			found = append(found, one...)
		}
	} else if err != nil {
		return nil, err
	}
	ignored := make(map[string]bool, len(found))
	for _, full := range found {
		if name, ok := r.within(full); ok {
			ignored[name] = true
		}
	}
	return ignored, nil
}

// checkIgnore asks git check-ignore, which knows no literal pathspecs: a leading "./" keeps a colon from being magic.
func (p *program) checkIgnore(ctx context.Context, dir string, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	out, err := p.run(ctx, call{dir: dir, args: []string{"check-ignore", "-z", "--stdin"}, env: []string{"GIT_LITERAL_PATHSPECS=0"},
		stdin: []byte("./" + strings.Join(paths, "\x00./") + "\x00")})
	if exitCode(err) == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found := records(out)
	for i := range found {
		found[i] = strings.TrimPrefix(found[i], "./")
	}
	return found, nil
}

// nulled ends each path with NUL.
func nulled(paths []string) []byte {
	if len(paths) == 0 {
		return []byte{}
	}
	return []byte(strings.Join(paths, "\x00") + "\x00")
}
