package history

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// keptFile is a file as it was before it is overwritten or removed.
type keptFile struct {
	full string
	info os.FileInfo // nil: there was none
	link string
	copy string // of a regular file
}

// keepFiles copies what is going to be written over, so that a refusal can leave every byte as it was.
func (g *goBack) keepFiles() ([]keptFile, error) {
	var kept []keptFile
	for i, full := range g.write {
		k := keptFile{full: full}
		info, err := g.repo.lstat(full)
		switch {
		case err != nil, info.IsDir(): // a folder there gives way with its files, which are kept by themselves
		case info.Mode()&os.ModeSymlink != 0:
			if k.link, err = os.Readlink(g.repo.disk(full)); err != nil {
				return nil, err
			}
			k.info = info
		case info.Mode().IsRegular():
			k.info, k.copy = info, filepath.Join(g.dir, "kept"+strconv.Itoa(i))
			data, err := os.ReadFile(g.repo.disk(full))
			if err != nil {
				return nil, err
			}
			if err := os.WriteFile(k.copy, data, 0o600); err != nil {
				return nil, err
			}
		}
		kept = append(kept, k)
	}
	return kept, nil
}

// takeBack puts files and index back.
func (g *goBack) takeBack(kept []keptFile, before savedIndex) error {
	var failed error
	for _, k := range kept { // what came goes first, for it may stand where a folder was
		if k.info == nil {
			g.removeNew(k.full)
		}
	}
	for _, k := range kept {
		if k.info != nil {
			failed = errors.Join(failed, k.putBack(g.repo.disk(k.full)))
		}
	}
	left, err := g.repo.saveIndex()
	return errors.Join(failed, err, g.repo.putBack(before, left))
}

// removeNew removes a file that was not there before, and the folders that this empties.
func (g *goBack) removeNew(full string) {
	if info, err := g.repo.lstat(full); err != nil || info.IsDir() || !g.files[full] {
		return
	}
	for file := g.repo.disk(full); file != g.repo.root; file = filepath.Dir(file) {
		if os.Remove(file) != nil {
			return
		}
	}
}

func (k keptFile) putBack(file string) error {
	if now, err := os.Lstat(file); err == nil && os.SameFile(now, k.info) && now.ModTime().Equal(k.info.ModTime()) && now.Size() == k.info.Size() {
		return nil // never touched
	}
	_ = os.Remove(file)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	if k.copy == "" {
		return os.Symlink(k.link, file)
	}
	data, err := os.ReadFile(k.copy)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, data, k.info.Mode().Perm()); err != nil {
		return err
	}
	return errors.Join(os.Chmod(file, k.info.Mode().Perm()), os.Chtimes(file, time.Time{}, k.info.ModTime()))
}
