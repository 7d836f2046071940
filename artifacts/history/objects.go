package history

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// storage opens the repository for go-git. It is opened below git.Open, which refuses ordinary repositories for their
// settings, and anew for every call: a handle does not notice a repack and is not safe for several goroutines.
func (r *Repo) storage() *filesystem.Storage {
	var common billy.Filesystem
	if r.commonDir != r.gitDir {
		common = osfs.New(r.commonDir)
	}
	fs := dotgit.NewRepositoryFilesystem(osfs.New(r.gitDir), common)
	return filesystem.NewStorageWithOptions(fs, cache.NewObjectLRU(16*cache.MiByte), filesystem.Options{
		KeepDescriptors: true,
		AlternatesFS:    osfs.New("/"),
	})
}

// objects reads commits, trees and blobs for the time of one call: by go-git, and by `git cat-file --batch` where
// go-git can't read the format or does not find the object (chained alternates, old pack indexes).
type objects struct {
	repo    *Repo
	store   *filesystem.Storage // nil: go-git can't read the format
	batch   *batch
	shallow map[string]bool
}

var errMissing = errors.New("object is not in the repository")

func (r *Repo) objects() *objects {
	o := &objects{repo: r, shallow: r.shallow()}
	if r.format.native() {
		o.store = r.storage()
	}
	return o
}

// shallow holds the commits whose parents were cut off.
func (r *Repo) shallow() map[string]bool {
	data, err := os.ReadFile(filepath.Join(r.commonDir, "shallow"))
	if err != nil {
		return nil
	}
	ids := map[string]bool{}
	for _, id := range strings.Fields(string(data)) {
		ids[id] = true
	}
	return ids
}

func (o *objects) close() {
	if o.store != nil {
		_ = o.store.Close()
	}
	if o.batch != nil {
		o.batch.close()
	}
}

func (o *objects) read(id string) (kind string, data []byte, err error) {
	err = errMissing
	if o.store != nil {
		if kind, data, err = o.readNative(id); err == nil {
			return kind, data, nil
		}
	}
	p := o.repo.program()
	if p == nil && (errors.Is(err, idxfile.ErrUnsupportedVersion) || errors.Is(err, idxfile.ErrMalformedIdxFile)) {
		return "", nil, o.repo.needsProgram("the form of its packs")
	}
	if p == nil {
		return "", nil, fmt.Errorf("%s: %w", id, err)
	}
	if o.batch == nil {
		if o.batch, err = p.batch(o.repo.root); err != nil {
			return "", nil, err
		}
	}
	return o.batch.read(id)
}

func (o *objects) readNative(id string) (kind string, data []byte, err error) {
	defer func() {
		if e := recover(); e != nil { // go-git panics on some broken packs
			err = fmt.Errorf("object is broken: %v", e)
		}
	}()
	object, err := o.store.EncodedObject(plumbing.AnyObject, plumbing.NewHash(id))
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return "", nil, errMissing
	}
	if err != nil {
		return "", nil, err
	}
	reader, err := object.Reader()
	if err != nil {
		return "", nil, err
	}
	defer reader.Close()
	data = make([]byte, object.Size())
	if _, err := io.ReadFull(reader, data); err != nil {
		return "", nil, err
	}
	return object.Type().String(), data, nil
}

func (o *objects) kind(id, want string) ([]byte, error) {
	kind, data, err := o.read(id)
	if err != nil {
		return nil, err
	}
	if kind != want {
		return nil, fmt.Errorf("%s is a %s, not a %s", id, kind, want)
	}
	return data, nil
}

// entry is one line of a tree.
type entry struct {
	mode string // octal, as in the tree: 100644, 100755, 120000, 160000, 40000
	name string
	id   string
}

func (e entry) isTree() bool    { return e.mode == "40000" }
func (e entry) isLink() bool    { return e.mode == "120000" }
func (e entry) isGitlink() bool { return e.mode == "160000" }

// tree gives the entries of a tree; id "" is the empty one.
func (o *objects) tree(id string) ([]entry, error) {
	if id == "" {
		return nil, nil
	}
	data, err := o.kind(id, "tree")
	if err != nil {
		return nil, err
	}
	var entries []entry
	n := o.repo.format.idLength()
	for len(data) > 0 {
		e, rest, ok := cutEntry(data, n)
		if !ok {
			return nil, fmt.Errorf("tree %s is broken", id)
		}
		entries = append(entries, e)
		data = rest
	}
	return entries, nil
}

func cutEntry(data []byte, idLength int) (e entry, rest []byte, ok bool) {
	mode, after, ok1 := bytes.Cut(data, []byte{' '})
	name, after, ok2 := bytes.Cut(after, []byte{0})
	if !ok1 || !ok2 || len(after) < idLength {
		return entry{}, nil, false
	}
	return entry{strings.TrimLeft(string(mode), "0"), string(name), hex.EncodeToString(after[:idLength])}, after[idLength:], true
}

// child is the entry of that name in a tree.
func (o *objects) child(tree, name string) (entry, bool, error) {
	if tree == "" {
		return entry{}, false, nil
	}
	data, err := o.kind(tree, "tree")
	if err != nil {
		return entry{}, false, err
	}
	n := o.repo.format.idLength()
	for len(data) > 0 {
		_, after, ok1 := bytes.Cut(data, []byte{' '})
		end := bytes.IndexByte(after, 0)
		if !ok1 || end < 0 || len(after) < end+1+n {
			return entry{}, false, fmt.Errorf("tree %s is broken", tree)
		}
		if string(after[:end]) == name {
			e, _, _ := cutEntry(data, n)
			return e, true, nil
		}
		data = after[end+1+n:]
	}
	return entry{}, false, nil
}

// find walks down from a tree to a path.
func (o *objects) find(tree, path string) (entry, bool, error) {
	at := entry{mode: "40000", id: tree}
	for _, name := range strings.Split(path, "/") {
		if !at.isTree() {
			return entry{}, false, nil
		}
		var ok bool
		var err error
		if at, ok, err = o.child(at.id, name); err != nil || !ok {
			return entry{}, false, err
		}
	}
	return at, true, nil
}

// hasFile says whether a tree has a file, link or submodule at a path.
func (o *objects) hasFile(tree, path string) (bool, error) {
	e, ok, err := o.find(tree, path)
	return ok && !e.isTree(), err
}

// subtree is the tree of the project in a commit's tree, "" when the commit has no such folder.
func (o *objects) subtree(tree string) (string, error) {
	if o.repo.prefix == "" {
		return tree, nil
	}
	e, ok, err := o.find(tree, strings.TrimSuffix(o.repo.prefix, "/"))
	if err != nil || !ok || !e.isTree() {
		return "", err
	}
	return e.id, nil
}

// diff visits every path below two trees that differs; an absent side has no id.
func (o *objects) diff(a, b, base string, visit func(path string, a, b entry)) error {
	if a == b {
		return nil
	}
	left, err := o.tree(a)
	if err != nil {
		return err
	}
	right, err := o.tree(b)
	if err != nil {
		return err
	}
	before := make(map[string]entry, len(left))
	for _, e := range left {
		before[e.name] = e
	}
	for _, e := range right {
		old := before[e.name]
		delete(before, e.name)
		if err := o.diffEntry(old, e, base+e.name, visit); err != nil {
			return err
		}
	}
	for _, e := range left {
		if _, gone := before[e.name]; gone {
			if err := o.diffEntry(e, entry{}, base+e.name, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *objects) diffEntry(a, b entry, path string, visit func(string, entry, entry)) error {
	if a.id == b.id && a.mode == b.mode {
		return nil
	}
	var treeA, treeB string
	if a.isTree() {
		treeA, a = a.id, entry{}
	}
	if b.isTree() {
		treeB, b = b.id, entry{}
	}
	if a.id != "" || b.id != "" {
		visit(path, a, b)
	}
	if treeA == "" && treeB == "" {
		return nil
	}
	return o.diff(treeA, treeB, path+"/", visit)
}

// batch is a running `git cat-file --batch`.
type batch struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
	in     io.WriteCloser
	out    *bufio.Reader
}

func (p *program) batch(dir string) (*batch, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	cmd := p.command(ctx, call{dir: dir, args: []string{"cat-file", "--batch"}})
	in, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	return &batch{cmd, cancel, in, bufio.NewReader(out)}, nil
}

func (b *batch) close() {
	_ = b.in.Close()
	_ = b.cmd.Wait()
	b.cancel()
}

// read speaks the format of git-cat-file(1), BATCH OUTPUT.
func (b *batch) read(id string) (kind string, data []byte, err error) {
	if _, err := io.WriteString(b.in, id+"\n"); err != nil {
		return "", nil, err
	}
	head, err := b.out.ReadString('\n')
	if err != nil {
		return "", nil, err
	}
	fields := strings.Fields(head)
	if len(fields) != 3 {
		return "", nil, fmt.Errorf("%s: %w", id, errMissing)
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return "", nil, err
	}
	data = make([]byte, size+1)
	if _, err := io.ReadFull(b.out, data); err != nil {
		return "", nil, err
	}
	return fields[1], data[:size], nil
}
