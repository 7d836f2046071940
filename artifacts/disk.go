package artifacts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// maxFile bounds what is read into memory: no list, log or ledger in use comes near it.
const maxFile = 256 << 20

const tempSuffix = ".longhaul-tmp"

// readFile reads a regular file. It never waits on a FIFO or a device.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("is a folder")}
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("is not a regular file")}
	}
	if info.Size() > maxFile {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("is %d MB large, the limit is %d", info.Size()>>20, maxFile>>20)}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(f, maxFile)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// readMaybe is readFile where a missing file is no bytes and no error.
func readMaybe(path string) ([]byte, error) {
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// A change is one file's part of an act: all of its new bytes, or bytes to append at Offset.
type change struct {
	Path   string      `json:"path"`
	Temp   string      `json:"temp,omitempty"`
	Before string      `json:"before,omitempty"` // hash; "" when there was no file
	After  string      `json:"after,omitempty"`
	Offset int64       `json:"offset,omitempty"`
	Append []byte      `json:"append,omitempty"`
	Mode   fs.FileMode `json:"mode,omitempty"` // of a new file; 0: 0644

	data []byte
}

// act makes all changes or, after a crash between them, has the next call make the rest: new contents lie ready beside
// their files, the journal names them, then each takes its place. An error leaves everything as it was, except a begunError.
func act(state string, changes []change) error {
	begun := false
	defer func() {
		if !begun {
			dropTemps(changes)
		}
	}()
	// What is appended can be taken back when a later step fails, a new content in its place can't.
	slices.SortStableFunc(changes, func(a, b change) int { return rank(a) - rank(b) })
	for i := range changes {
		if err := changes[i].prepare(); err != nil {
			return err
		}
	}
	journal := filepath.Join(state, "journal.json")
	needed := len(changes) > 1 || (len(changes) == 1 && changes[0].Append != nil)
	if needed {
		if err := writeJournal(journal, changes); err != nil {
			return errors.Join(err, removeMaybe(journal))
		}
	}
	for i := range changes {
		err := changes[i].finish()
		if err == nil {
			continue
		}
		if begun = !takenBack(changes[:i+1], journal); begun {
			return begunError{err}
		}
		return err
	}
	if !needed {
		return nil
	}
	return removeMaybe(journal)
}

// A begunError is what came between the changes of an act that can't be taken back: the journal has the next call go on.
type begunError struct{ error }

func (e begunError) Unwrap() error { return e.error }

func rank(c change) int {
	if c.Append != nil {
		return 0
	}
	return 1
}

// takenBack undoes what was done of an act while none of its files has been replaced. The new contents are still there when
// it is false.
func takenBack(done []change, journal string) bool {
	for _, c := range done {
		if c.Append == nil && !exists(c.Temp) {
			return false
		}
	}
	for _, c := range done {
		if c.Append != nil && c.takeBack() != nil {
			return false
		}
	}
	return removeMaybe(journal) == nil
}

// takeBack cuts off what was appended, as long as nobody has written behind it.
func (c change) takeBack() error {
	now, err := readMaybe(c.Path)
	if err != nil || int64(len(now)) < c.Offset || !bytes.HasPrefix(c.Append, now[c.Offset:]) {
		return err
	}
	if c.Before == "" {
		return removeMaybe(c.Path)
	}
	return os.Truncate(c.Path, c.Offset)
}

func dropTemps(changes []change) {
	for _, c := range changes {
		if c.Temp != "" {
			_ = os.Remove(c.Temp) // nothing there once it has taken its place
		}
	}
}

func removeMaybe(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func writeJournal(path string, changes []change) error {
	data, err := json.Marshal(changes)
	if err != nil {
		return err
	}
	c := change{Path: path, Mode: 0o600, data: data}
	err = c.prepare()
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		dropTemps([]change{c})
	}
	return err
}

// recoverAct finishes what a crash cut. A file that somebody changed since is left as it is: its owner has the last word,
// and the seals tell the rest.
func recoverAct(state string) error {
	journal := filepath.Join(state, "journal.json")
	data, err := readMaybe(journal)
	if err != nil || data == nil {
		return err
	}
	var changes []change
	if err := json.Unmarshal(data, &changes); err != nil {
		return os.Remove(journal) // cut before anything was changed
	}
	for _, c := range changes {
		if err := c.redo(); err != nil {
			return err
		}
	}
	return os.Remove(journal)
}

// settle notes what the file holds now. Who edited it by hand since the call read it keeps that edit: the call is refused.
func (c *change) settle() error {
	now, err := readMaybe(c.Path)
	if err != nil {
		return err
	}
	moved := c.Before != "" && c.Before != known(now)
	if c.Append != nil {
		moved = int64(len(now)) != c.Offset
	}
	if moved {
		return refuse("busy", c.Path+" was changed by somebody else at this moment; nothing was written", "call again")
	}
	c.Before = known(now)
	if c.Append != nil && manyNames(c.Path) {
		c.data, c.Append, c.Offset = append(now, c.Append...), nil, 0
	}
	return nil
}

// manyNames says whether a file has hard links. Its other names keep the bytes they have, for that is what snapshots made of
// hard links live by: such a file is replaced whole, never written in place.
func manyNames(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && links(info) > 1
}

func (c *change) prepare() error {
	path, err := target(c.Path)
	if err != nil {
		return err
	}
	c.Path = path
	mode := c.Mode
	if mode == 0 {
		mode = 0o644
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("is a folder")}
	case err == nil:
		mode = info.Mode().Perm()
		if mode&0o222 == 0 {
			return &fs.PathError{Op: "write", Path: path, Err: fs.ErrPermission}
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if c.Append != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := createTemp(path, mode)
	if err != nil {
		return err
	}
	c.Temp, c.After = f.Name(), hash(c.data)
	if info != nil {
		keepOwner(f, info)
	}
	return errors.Join(writeAll(f, c.data), f.Close())
}

// createTemp makes the new file beside its place. Only one process writes at a time, so the name is fixed and a leftover
// of a crash is known as such; where something else stands in the way another name is taken.
func createTemp(path string, mode fs.FileMode) (*os.File, error) {
	name := tempName(path)
	_ = os.Remove(name)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		f, err = os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"+tempSuffix)
	}
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(mode); err != nil && runtime.GOOS != "windows" {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}

func tempName(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+tempSuffix)
}

func writeAll(f *os.File, data []byte) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}

func (c change) finish() error {
	if c.Append != nil {
		return c.appendAt()
	}
	if err := os.Rename(c.Temp, c.Path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(c.Path))
}

func (c change) appendAt() error {
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(c.Path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(c.Append, c.Offset)
	if err != nil { // a full disk: take back what got through
		_ = f.Truncate(c.Offset)
		return errors.Join(err, f.Close())
	}
	return errors.Join(f.Sync(), f.Close())
}

func (c change) redo() error {
	now, err := readMaybe(c.Path)
	if err != nil {
		return err
	}
	if c.Append != nil {
		written := int64(len(now)) - c.Offset
		if written < 0 || written > int64(len(c.Append)) || !bytes.HasPrefix(c.Append, now[c.Offset:]) {
			return nil
		}
		return c.appendAt()
	}
	if _, err := os.Stat(c.Temp); err != nil {
		return nil // it has taken its place
	}
	if before := known(now); before != c.Before {
		return os.Remove(c.Temp)
	}
	return c.finish()
}

func known(data []byte) string {
	if data == nil {
		return ""
	}
	return hash(data)
}

// target follows symbolic links, so that a link stays one. A dangling link's target is made.
func target(path string) (string, error) {
	for range 40 {
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		path = link
	}
	return "", &fs.PathError{Op: "write", Path: path, Err: errors.New("too many links")}
}

func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // folders can't be opened for syncing there
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) {
		err = nil // some network file systems
	}
	return errors.Join(err, f.Close())
}

// sweep takes away what a crash left beside the given files.
func sweep(paths []string) {
	for _, path := range paths {
		path, err := target(path)
		if err != nil {
			continue
		}
		name := tempName(path)
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
			_ = os.Remove(name)
		}
	}
}
