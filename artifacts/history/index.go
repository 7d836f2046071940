package history

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// index is what the index says about names. go-git's decoder needs 20 ms for 10,000 entries where this scan needs
// less than one; contents and times are left to git.
type index struct {
	info  os.FileInfo // of the file that was read; nil: there was none
	names map[string]staged
}

// staged is one name of the index.
type staged struct {
	gitlink  bool
	conflict bool
	intent   bool // added with git add -N: a name without content
	assumed  bool // git update-index --assume-unchanged
}

func (r *Repo) indexFile() string { return filepath.Join(r.gitDir, "index") }

// readIndex scans the index, or gives the last scan when the file is still the same one.
func (r *Repo) readIndex(ctx context.Context) (*index, error) {
	info, err := os.Stat(r.indexFile())
	if errors.Is(err, os.ErrNotExist) {
		return &index{}, nil
	}
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	last := r.index
	r.mu.Unlock()
	if last != nil && os.SameFile(last.info, info) && last.info.ModTime().Equal(info.ModTime()) && last.info.Size() == info.Size() {
		return last, nil
	}
	data, err := os.ReadFile(r.indexFile())
	if err != nil {
		return nil, err
	}
	names, err := scanIndex(data, r.format.idLength())
	if err != nil {
		if names, err = r.listIndex(ctx); err != nil {
			return nil, err
		}
	}
	read := &index{info: info, names: names}
	r.mu.Lock()
	r.index = read
	r.mu.Unlock()
	return read, nil
}

// listIndex asks git, for an index that is split, sparse or new to us.
func (r *Repo) listIndex(ctx context.Context) (map[string]staged, error) {
	p := r.program()
	if p == nil {
		return nil, r.needsProgram("the form of its index")
	}
	out, err := p.run(ctx, call{dir: r.root, args: []string{"ls-files", "-z", "--stage"}})
	if err != nil {
		return nil, failure(r, err)
	}
	names := map[string]staged{}
	for _, line := range records(out) {
		head, name, _ := strings.Cut(line, "\t")
		fields := strings.Fields(head)
		if len(fields) == 3 {
			names[name] = staged{gitlink: fields[0] == "160000", conflict: fields[2] != "0"}
		}
	}
	return names, nil
}

// records splits output that ends each record with NUL.
func records(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}

var errIndexForm = errors.New("index is of a form that is not read here")

// scanIndex reads the names of an index of version 2 to 4, by gitformat-index(5). An extension that must be
// understood (its name starts in lower case) is errIndexForm.
func scanIndex(data []byte, idLength int) (map[string]staged, error) {
	if len(data) < 12+idLength || string(data[:4]) != "DIRC" {
		return nil, errIndexForm
	}
	version := binary.BigEndian.Uint32(data[4:])
	count := binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, errIndexForm
	}
	rest := data[12 : len(data)-idLength]
	if int(count) > len(rest)/(40+idLength) {
		return nil, errIndexForm
	}
	names := make(map[string]staged, count)
	name := ""
	for range count {
		e, used, ok := scanEntry(rest, version, idLength, &name)
		if !ok {
			return nil, errIndexForm
		}
		names[name] = e
		rest = rest[used:]
	}
	for len(rest) >= 8 {
		size := binary.BigEndian.Uint32(rest[4:])
		if rest[0] >= 'a' && rest[0] <= 'z' || uint64(size)+8 > uint64(len(rest)) {
			return nil, errIndexForm
		}
		rest = rest[8+size:]
	}
	return names, nil
}

// scanEntry reads one entry: stat data, id, flags, name. name is the one before and becomes this one.
func scanEntry(data []byte, version uint32, idLength int, name *string) (e staged, used int, ok bool) {
	const statSize = 40
	at := statSize + idLength
	if len(data) < at+4 {
		return e, 0, false
	}
	e.gitlink = binary.BigEndian.Uint32(data[24:])>>12 == 0xE
	flags := binary.BigEndian.Uint16(data[at:])
	e.conflict = flags&0x3000 != 0
	e.assumed = flags&0x8000 != 0
	at += 2
	if flags&0x4000 != 0 && version >= 3 {
		e.intent = binary.BigEndian.Uint16(data[at:])&0x2000 != 0
		at += 2
	}
	if version == 4 {
		strip, n := stripLength(data[at:])
		end := bytes.IndexByte(data[at+n:], 0)
		if n == 0 || end < 0 || strip > len(*name) {
			return e, 0, false
		}
		*name = (*name)[:len(*name)-strip] + string(data[at+n:at+n+end])
		return e, at + n + end + 1, true
	}
	end := bytes.IndexByte(data[at:], 0)
	if end < 0 {
		return e, 0, false
	}
	*name = string(data[at : at+end])
	used = (at + end + 8) &^ 7
	return e, used, used <= len(data)
}

// stripLength reads the variable-width number of version 4: as offsets in packs, not as in LEB128.
func stripLength(data []byte) (value, used int) {
	for i, b := range data {
		if i > 4 {
			return 0, 0
		}
		if i > 0 {
			value++
		}
		value = value<<7 | int(b&0x7f)
		if b&0x80 == 0 {
			return value, i + 1
		}
	}
	return 0, 0
}

// Tracked says whether the index has the path.
func (r *Repo) Tracked(name string) bool {
	full, ok := r.full(name)
	if !ok {
		return false
	}
	ix, err := r.readIndex(context.Background())
	if err != nil {
		return false
	}
	_, ok = ix.names[full]
	return ok
}

// savedIndex is the index as it was, to be put back.
type savedIndex struct {
	data []byte // nil: there was none
	info os.FileInfo
}

func (r *Repo) saveIndex() (savedIndex, error) {
	info, err := os.Stat(r.indexFile())
	if errors.Is(err, os.ErrNotExist) {
		return savedIndex{}, nil
	}
	if err != nil {
		return savedIndex{}, err
	}
	data, err := os.ReadFile(r.indexFile())
	return savedIndex{data, info}, err
}

// writeTo makes a copy that keeps the time, by which git knows the entries it has to look at again: an entry is taken to be
// unchanged when its times are those of the file and older than the index (racy-git in git's technical documentation).
func (s savedIndex) writeTo(file string, mode os.FileMode) error {
	if err := os.WriteFile(file, s.data, mode); err != nil {
		return err
	}
	return os.Chtimes(file, s.info.ModTime(), s.info.ModTime())
}

// putBack makes the index what it was before, if it is still what our own step left; else somebody else has written it
// since, it stays, and the error is errIndexMoved. Its time comes back too: git tells by it which entries changed in the second it was written in.
func (r *Repo) putBack(before, left savedIndex) error {
	if bytes.Equal(before.data, left.data) {
		return nil
	}
	lock := r.indexFile() + ".lock"
	f, err := os.OpenFile(lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, os.ErrExist) {
		return &Error{Code: "index-locked", Text: "another git process holds " + lock}
	}
	if err != nil {
		return err
	}
	placed := false
	defer func() {
		if !placed { // after the rename the name may be another's lock
			_ = os.Remove(lock)
		}
	}()
	now, err := r.saveIndex()
	if err == nil && !bytes.Equal(now.data, left.data) {
		err = errIndexMoved
	}
	if err == nil && before.data != nil {
		_, err = f.Write(before.data)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if before.data == nil {
		return os.Remove(r.indexFile())
	}
	if err := os.Chmod(lock, before.info.Mode().Perm()); err != nil {
		return err
	}
	if err := os.Chtimes(lock, before.info.ModTime(), before.info.ModTime()); err != nil {
		return err
	}
	if err := os.Rename(lock, r.indexFile()); err != nil {
		return fmt.Errorf("put the index back: %w", err)
	}
	placed = true
	return nil
}

var errIndexMoved = errors.New("another process wrote the index meanwhile")
