package history

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
	gitindex "github.com/go-git/go-git/v5/plumbing/format/index"
)

// statusNatively is Status without a git program: HEAD's tree, the index and the disk, held against each other by
// content where times differ. go-git's own status is slow, writes into submodules and knows no info/exclude.
func (r *Repo) statusNatively(ctx context.Context) ([]Change, error) {
	if err := r.readable(); err != nil {
		return nil, err
	}
	head, err := r.readHead()
	if err != nil {
		return nil, err
	}
	committed, err := r.headFiles(head)
	if err != nil {
		return nil, err
	}
	names, err := r.readIndex(ctx)
	if err != nil {
		return nil, err
	}
	store := r.storage()
	defer store.Close()
	ix, err := store.Index()
	if err != nil {
		return nil, err
	}
	disk := comparison{repo: r, folders: folders{}, modes: r.setting("core.filemode")}
	at := map[string]*Change{}
	change := func(full string) *Change {
		if at[full] == nil {
			name, _ := r.within(full)
			at[full] = &Change{Path: name}
		}
		return at[full]
	}
	indexed := make(map[string]bool, len(ix.Entries))
	for _, e := range ix.Entries {
		if _, inside := r.within(e.Name); !inside {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		indexed[e.Name] = true
		if e.Stage != 0 {
			change(e.Name).Conflict = true
			continue
		}
		was, before := committed[e.Name]
		if e.IntentToAdd && before { // the index has dropped it, but for the name
			change(e.Name).Staged = true
		}
		if !e.IntentToAdd && (was.id != e.Hash.String() || !sameMode(was.mode, e.Mode)) {
			change(e.Name).Staged = true
		}
		if e.SkipWorktree || names.names[e.Name].assumed {
			continue
		}
		differs, gone := disk.differs(e)
		if differs || e.IntentToAdd {
			change(e.Name).Unstaged = true
			change(e.Name).Deleted = gone
		}
	}
	for full := range committed {
		if !indexed[full] {
			change(full).Staged = true
			change(full).Deleted = true
		}
	}
	err = r.walkDisk(ctx, func(full string) {
		if !indexed[full] {
			c := change(full)
			c.Untracked, c.Deleted = true, false
		}
	})
	changes := make([]Change, 0, len(at))
	for _, c := range at {
		changes = append(changes, *c)
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, err
}

// headFiles are the project's files in HEAD, from the root.
func (r *Repo) headFiles(head Head) (map[string]entry, error) {
	files := map[string]entry{}
	if head.Unborn {
		return files, nil
	}
	o := r.objects()
	defer o.close()
	n, err := o.commit(head.SHA)
	if err != nil {
		return nil, err
	}
	sub, err := o.subtree(n.tree)
	if err != nil {
		return nil, err
	}
	err = o.diff("", sub, r.prefix, func(full string, _, e entry) { files[full] = e })
	return files, err
}

func sameMode(octal string, mode filemode.FileMode) bool {
	m, err := filemode.New(octal)
	return err == nil && m == mode
}

// comparison holds files against their index entries, by content.
type comparison struct {
	repo    *Repo
	folders folders
	modes   string // core.fileMode
}

func (c comparison) differs(e *gitindex.Entry) (differs, gone bool) {
	info, err := c.folders.lstat(c.repo, e.Name)
	if e.Mode == filemode.Submodule && err == nil && info.IsDir() {
		head := headOf(c.repo.disk(e.Name)) // "" where it is not cloned
		return head != "" && head != e.Hash.String(), false
	}
	if err != nil || info.IsDir() {
		return true, true
	}
	mode, err := filemode.NewFromOSFileMode(info.Mode())
	if c.modes != "" && !isTrue(c.modes) && mode.IsFile() && e.Mode.IsFile() && mode != filemode.Symlink && e.Mode != filemode.Symlink {
		mode = e.Mode
	}
	if err != nil || mode != e.Mode {
		return true, false
	}
	hash, err := c.repo.hashFile(e.Name, info)
	return err != nil || hash != e.Hash, false
}

// content is a file as a blob: a link's target, or the bytes.
func (r *Repo) content(full string, info os.FileInfo) ([]byte, error) {
	if info.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(r.disk(full))
		return []byte(filepath.ToSlash(target)), err
	}
	if !info.Mode().IsRegular() { // a FIFO would block for ever
		return nil, &Error{Code: "bad-argument", Text: full + " is no regular file"}
	}
	return os.ReadFile(r.disk(full))
}

func (r *Repo) hashFile(full string, info os.FileInfo) (plumbing.Hash, error) {
	if !info.Mode().IsRegular() {
		data, err := r.content(full, info)
		return plumbing.ComputeHash(plumbing.BlobObject, data), err
	}
	f, err := os.Open(r.disk(full))
	if err != nil {
		return plumbing.ZeroHash, err
	}
	defer f.Close()
	hasher := plumbing.NewHasher(plumbing.BlobObject, info.Size())
	if _, err := io.Copy(hasher, f); err != nil {
		return plumbing.ZeroHash, err
	}
	return hasher.Sum(), nil
}

// walkDisk visits the project's files that no pattern ignores, without nested repositories and special files.
func (r *Repo) walkDisk(ctx context.Context, visit func(full string)) error {
	ignore := r.newIgnore()
	var walk func(dir string) error // "" or with a slash at the end
	walk = func(dir string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries, err := os.ReadDir(r.disk(dir))
		if errors.Is(err, os.ErrPermission) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			full := dir + e.Name()
			if e.Name() == ".git" || ignore.match(full, e.IsDir()) {
				continue
			}
			switch {
			case e.IsDir():
				if gitDir, err := gitDirOf(r.disk(full)); err != nil || gitDir != "" {
					continue
				}
				if err := walk(full + "/"); err != nil {
					return err
				}
			case e.Type().IsRegular(), e.Type()&os.ModeSymlink != 0:
				visit(full)
			}
		}
		return nil
	}
	return walk(r.prefix)
}

// ignore answers from .gitignore files, info/exclude and the user's own excludes file.
type ignore struct {
	repo     *Repo
	anyCase  bool
	first    []gitignore.Pattern // weaker than any .gitignore
	patterns map[string][]gitignore.Pattern
}

func (r *Repo) newIgnore() *ignore {
	g := &ignore{repo: r, anyCase: isTrue(r.setting("core.ignorecase")), patterns: map[string][]gitignore.Pattern{}}
	if file := r.excludesFile(); file != "" {
		g.first = append(g.first, g.patternsOf(file, nil)...)
	}
	g.first = append(g.first, g.patternsOf(filepath.Join(r.commonDir, "info", "exclude"), nil)...)
	return g
}

// excludesFile is core.excludesFile, else git's default place for it.
func (r *Repo) excludesFile() string {
	home, _ := os.UserHomeDir()
	if file := r.setting("core.excludesfile"); file != "" {
		if rest, ok := strings.CutPrefix(file, "~/"); ok {
			return filepath.Join(home, rest)
		}
		return file
	}
	if xdg := os.Getenv("XDG_CONFIG_HOME"); xdg != "" {
		return filepath.Join(xdg, "git", "ignore")
	}
	return filepath.Join(home, ".config", "git", "ignore")
}

func (g *ignore) patternsOf(file string, domain []string) []gitignore.Pattern {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var patterns []gitignore.Pattern
	for _, line := range strings.Split(string(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			patterns = append(patterns, gitignore.ParsePattern(g.cased(strings.ReplaceAll(line, "[!", "[^")), domain))
		}
	}
	return patterns
}

// cased is a pattern or path in the case in which they are compared.
func (g *ignore) cased(text string) string {
	if g.anyCase {
		return strings.ToLower(text)
	}
	return text
}

// below are the patterns that hold in a folder, weakest first.
func (g *ignore) below(dir string) []gitignore.Pattern {
	if found, ok := g.patterns[dir]; ok {
		return found
	}
	var domain []string
	found := g.first
	if dir != "" {
		domain = strings.Split(g.cased(dir), "/")
		up := path.Dir(dir)
		if up == "." {
			up = ""
		}
		found = g.below(up)
	}
	own := g.patternsOf(filepath.Join(g.repo.disk(dir), ".gitignore"), domain)
	found = append(slices.Clip(found), own...)
	g.patterns[dir] = found
	return found
}

func (g *ignore) match(full string, isDir bool) bool {
	dir, _ := path.Split(full)
	return gitignore.NewMatcher(g.below(strings.TrimSuffix(dir, "/"))).Match(strings.Split(g.cased(full), "/"), isDir)
}

// ignoredNatively is Ignored without a git program.
func (r *Repo) ignoredNatively(paths []string) (map[string]bool, error) {
	ix, err := r.readIndex(context.Background())
	if err != nil {
		return nil, err
	}
	g := r.newIgnore()
	ignored := map[string]bool{}
	for _, name := range paths {
		full, ok := r.full(name)
		if _, tracked := ix.names[full]; !ok || tracked {
			continue
		}
		info, err := r.lstat(full)
		if g.match(full, err == nil && info.IsDir()) {
			ignored[name] = true
			continue
		}
		for i, c := range full {
			if c == '/' && g.match(full[:i], true) {
				ignored[name] = true
				break
			}
		}
	}
	return ignored, nil
}

// addedNatively is AddedLines without a git program. A line counts as added when the old file has no such line left:
// moved lines are not told from kept ones.
func (r *Repo) addedNatively(ctx context.Context, since string, paths []string) ([]AddedLine, error) {
	old := map[string]entry{}
	if since != "" {
		sha, err := r.Resolve(since)
		if err != nil {
			return nil, err
		}
		if old, err = r.headFiles(Head{SHA: sha}); err != nil {
			return nil, err
		}
	}
	files, err := r.candidates(ctx, paths)
	if err != nil {
		return nil, err
	}
	o := r.objects()
	defer o.close()
	var lines []AddedLine
	for _, name := range files {
		fresh := r.newLines(name, maxAddedLines-len(lines))
		if e, had := old[r.prefix+name]; had && len(fresh) > 0 {
			data, err := o.kind(e.id, "blob")
			if err != nil {
				return nil, err
			}
			fresh = without(fresh, numbered(name, data, maxAddedLines))
		}
		lines = append(lines, fresh...)
	}
	return byPlace(lines), nil
}

// candidates are the project's files on disk that are tracked or could be, of the given paths and what lies below them.
func (r *Repo) candidates(ctx context.Context, paths []string) ([]string, error) {
	ix, err := r.readIndex(ctx)
	if err != nil {
		return nil, err
	}
	var files []string
	for full := range ix.names {
		files = append(files, full)
	}
	if err := r.walkDisk(ctx, func(full string) { files = append(files, full) }); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(r.projectPaths(files), func(name string) bool { return len(paths) > 0 && !covers(paths, name) }), nil
}

func without(lines, old []AddedLine) []AddedLine {
	left := map[string]int{}
	for _, l := range old {
		left[l.Text]++
	}
	return slices.DeleteFunc(lines, func(l AddedLine) bool {
		left[l.Text]--
		return left[l.Text] >= 0
	})
}
