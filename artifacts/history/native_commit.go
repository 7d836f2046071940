package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	gitindex "github.com/go-git/go-git/v5/plumbing/format/index"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// commitNatively is Commit without a git program, for repositories that need nothing special. go-git writes objects
// alone: index and branch are written here, under git's own locks, for go-git overwrites both in place.
func (r *Repo) commitNatively(head Head, files named, message string) (CommitResult, error) {
	ctx := context.Background()
	if err := r.writable(ctx, files); err != nil {
		return CommitResult{}, err
	}
	author, err := r.identity("AUTHOR")
	if err != nil {
		return CommitResult{}, err
	}
	committer, err := r.identity("COMMITTER")
	if err != nil {
		return CommitResult{}, err
	}
	now := time.Now()
	author.When, committer.When = now, now
	if message, err = strippedMessage(message); err != nil {
		return CommitResult{}, err
	}
	w := &nativeWriter{repo: r, head: head, files: files}
	err = r.patiently(ctx, func() error {
		return w.commit(&object.Commit{Author: author, Committer: committer, Message: message})
	})
	if err != nil {
		return CommitResult{}, err
	}
	o := r.objects()
	defer o.close()
	n, err := o.commit(w.made)
	if err != nil {
		return CommitResult{}, err
	}
	return r.made(n, files, message, "", trace{})
}

// strippedMessage does what --cleanup=whitespace does.
func strippedMessage(message string) (string, error) {
	var lines []string
	for _, line := range strings.Split(message, "\n") {
		line = strings.TrimRight(line, " \t\r")
		if line == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
			continue
		}
		lines = append(lines, line)
	}
	text := strings.TrimRight(strings.Join(lines, "\n"), "\n")
	if text == "" || strings.Contains(text, "\x00") {
		return "", &Error{Code: "bad-argument", Text: "the commit message is empty or holds a NUL"}
	}
	return text + "\n", nil
}

type nativeWriter struct {
	repo  *Repo
	head  Head
	files named
	made  string
}

// commit writes blobs, trees and the commit, which no one sees yet; then, under the locks of index and branch, the two.
func (w *nativeWriter) commit(c *object.Commit) error {
	store := w.repo.storage()
	defer store.Close()
	o := &objects{repo: w.repo, store: store}
	entries, err := w.blobs(store)
	if err != nil {
		return err
	}
	base := ""
	if !w.head.Unborn {
		n, err := o.commit(w.head.SHA)
		if err != nil {
			return err
		}
		base = n.tree
		c.ParentHashes = []plumbing.Hash{plumbing.NewHash(w.head.SHA)}
	}
	tree, err := w.tree(o, base, entries)
	if err != nil {
		return err
	}
	if tree == base || tree == "" {
		return nothingToCommit()
	}
	c.TreeHash = plumbing.NewHash(tree)
	sha, err := save(store, c)
	if err != nil {
		return err
	}
	return w.publish(store, sha.String(), entries, c)
}

// blobs stores the files; a deleted one has an entry without id.
func (w *nativeWriter) blobs(store *filesystem.Storage) (map[string]entry, error) {
	entries := map[string]entry{}
	for _, full := range w.files.all {
		info := w.files.stats[full]
		if info == nil {
			entries[full] = entry{}
			continue
		}
		data, err := w.repo.content(full, info)
		if err != nil {
			return nil, err
		}
		mode := "100644"
		switch {
		case info.Mode()&os.ModeSymlink != 0:
			mode = "120000"
		case info.Mode()&0o111 != 0:
			mode = "100755"
		}
		blob := store.NewEncodedObject()
		blob.SetType(plumbing.BlobObject)
		writer, err := blob.Writer()
		if err != nil {
			return nil, err
		}
		if _, err := writer.Write(data); err != nil {
			return nil, err
		}
		hash, err := store.SetEncodedObject(blob)
		if err != nil {
			return nil, err
		}
		entries[full] = entry{mode: mode, id: hash.String()}
	}
	return entries, nil
}

// tree writes the tree that base becomes with the entries, whose paths start at it; "" when nothing is left in it.
func (w *nativeWriter) tree(o *objects, base string, entries map[string]entry) (string, error) {
	old, err := o.tree(base)
	if err != nil {
		return "", err
	}
	here := map[string]entry{}
	for _, e := range old {
		here[e.name] = e
	}
	below := map[string]map[string]entry{}
	for path, e := range entries {
		first, rest, deeper := strings.Cut(path, "/")
		switch {
		case deeper && below[first] == nil:
			below[first] = map[string]entry{rest: e}
		case deeper:
			below[first][rest] = e
		case e.id == "" && !here[first].isTree():
			delete(here, first)
		case e.id != "":
			here[first] = entry{mode: e.mode, name: first, id: e.id}
		}
	}
	for name, inner := range below {
		under := ""
		if here[name].isTree() {
			under = here[name].id
		}
		id, err := w.tree(o, under, inner)
		if err != nil {
			return "", err
		}
		switch {
		case id != "":
			here[name] = entry{mode: "40000", name: name, id: id}
		case here[name].isTree():
			delete(here, name)
		}
	}
	if len(here) == 0 {
		return "", nil
	}
	tree := &object.Tree{}
	for _, e := range here {
		mode, err := filemode.New(e.mode)
		if err != nil {
			return "", err
		}
		tree.Entries = append(tree.Entries, object.TreeEntry{Name: e.name, Mode: mode, Hash: plumbing.NewHash(e.id)})
	}
	slices.SortFunc(tree.Entries, func(a, b object.TreeEntry) int { return strings.Compare(sortName(a), sortName(b)) })
	hash, err := save(o.store, tree)
	return hash.String(), err
}

// sortName is a name as trees order it: folders as if they ended in a slash.
func sortName(e object.TreeEntry) string {
	if e.Mode == filemode.Dir {
		return e.Name + "/"
	}
	return e.Name
}

func save(store *filesystem.Storage, what interface {
	Encode(plumbing.EncodedObject) error
}) (plumbing.Hash, error) {
	o := store.NewEncodedObject()
	if err := what.Encode(o); err != nil {
		return plumbing.ZeroHash, err
	}
	return store.SetEncodedObject(o)
}

// publish moves branch and index to the new commit, if HEAD is still where it was.
func (w *nativeWriter) publish(store *filesystem.Storage, sha string, entries map[string]entry, c *object.Commit) error {
	r := w.repo
	lockedIndex, err := lock(r.indexFile())
	if err != nil {
		return err
	}
	defer lockedIndex.release()
	branch := filepath.Join(r.commonDir, "refs", "heads", filepath.FromSlash(w.head.Branch))
	if err := os.MkdirAll(filepath.Dir(branch), 0o777); err != nil {
		return err
	}
	lockedBranch, err := lock(branch)
	if err != nil {
		return err
	}
	defer lockedBranch.release()
	lockedHead, err := lock(filepath.Join(r.gitDir, "HEAD")) // as git does, which writes the log of HEAD
	if err != nil {
		return err
	}
	defer lockedHead.release()
	now, err := r.readHead()
	if err != nil {
		return err
	}
	if now.SHA != w.head.SHA || now.Branch != w.head.Branch {
		return &Error{Code: "index-locked", Text: "HEAD was moved by another process meanwhile", Next: "try again"}
	}
	encoded, err := w.index(store, entries)
	if err != nil {
		return err
	}
	if err := errors.Join(lockedBranch.write([]byte(sha+"\n")), lockedIndex.write(encoded)); err != nil {
		return err
	}
	if info, err := os.Stat(r.indexFile()); err == nil { // as putBack does, and for the same reason
		if err := os.Chtimes(lockedIndex.name(), info.ModTime(), info.ModTime()); err != nil {
			return err
		}
	}
	if err := r.reflog(w.head, sha, c); err != nil {
		return err
	}
	if err := lockedBranch.commit(); err != nil {
		return err
	}
	w.made = sha
	return lockedIndex.commit()
}

// index is the index with the entries of the commit; their times are left empty, so that git looks at the content once.
func (w *nativeWriter) index(store *filesystem.Storage, entries map[string]entry) ([]byte, error) {
	ix, err := store.Index()
	if err != nil {
		return nil, err
	}
	if ix.Version < 2 {
		ix.Version = 2
	}
	ix.Entries = slices.DeleteFunc(ix.Entries, func(e *gitindex.Entry) bool {
		_, replaced := entries[e.Name]
		return replaced || clashes(e.Name, entries)
	})
	for full, e := range entries {
		if e.id == "" {
			continue
		}
		mode, err := filemode.New(e.mode)
		if err != nil {
			return nil, err
		}
		ix.Entries = append(ix.Entries, &gitindex.Entry{Name: full, Mode: mode, Hash: plumbing.NewHash(e.id)})
	}
	var encoded bytes.Buffer
	err = gitindex.NewEncoder(&encoded).Encode(ix)
	return encoded.Bytes(), err
}

// clashes says whether a committed file stands where the name needs a folder, or below it.
func clashes(name string, entries map[string]entry) bool {
	for i, c := range name {
		if c == '/' && entries[name[:i]].id != "" {
			return true
		}
	}
	for full, e := range entries {
		if e.id != "" && strings.HasPrefix(full, name+"/") {
			return true
		}
	}
	return false
}

// reflog writes what lets a lost commit be found again.
func (r *Repo) reflog(before Head, sha string, c *object.Commit) error {
	old, kind := before.SHA, "commit"
	if before.Unborn {
		old, kind = plumbing.ZeroHash.String(), "commit (initial)"
	}
	line := fmt.Sprintf("%s %s %s <%s> %d %s\t%s: %s\n", old, sha, c.Committer.Name, c.Committer.Email,
		c.Committer.When.Unix(), c.Committer.When.Format("-0700"), kind, subject(c.Message))
	for _, file := range []string{filepath.Join(r.gitDir, "logs", "HEAD"),
		filepath.Join(r.commonDir, "logs", "refs", "heads", filepath.FromSlash(before.Branch))} {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
		if err != nil {
			return err
		}
		_, err = f.WriteString(line)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// locked is a file of git under git's own lock.
type locked struct {
	file string
	f    *os.File
}

// lock takes FILE.lock, by which git keeps others off.
func lock(file string) (*locked, error) {
	f, err := os.OpenFile(file+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, os.ErrExist) {
		return nil, &Error{Code: "index-locked", Text: "another git process holds " + file + ".lock",
			Next: "wait for that process and try again; where none is running, a person may delete the lock file"}
	}
	return &locked{file, f}, err
}

func (l *locked) name() string { return l.file + ".lock" }

func (l *locked) write(data []byte) error {
	_, err := l.f.Write(data)
	return errors.Join(err, l.f.Sync(), l.f.Close())
}

func (l *locked) commit() error {
	err := os.Rename(l.name(), l.file)
	if err == nil {
		l.file = ""
	}
	return err
}

func (l *locked) release() {
	if l.file != "" {
		_ = l.f.Close() // closed already after a write
		_ = os.Remove(l.name())
	}
}
