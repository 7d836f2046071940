package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A rewrite is a configuration file before and after a change.
type rewrite struct {
	path          string // links followed
	before, after []byte
	mode          fs.FileMode
	existed       bool
	gone          bool // nothing but ours was in it
}

// prepare reads the file and changes its text; nothing is written.
func prepare(path string, change func([]byte) ([]byte, error), removing bool) (rewrite, error) {
	r := rewrite{path: path, mode: 0o644}
	if followed, err := filepath.EvalSymlinks(path); err == nil {
		r.path = followed
	}
	info, err := os.Stat(r.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if removing {
			return r, nil
		}
	case err != nil:
		return r, err
	case !info.Mode().IsRegular():
		return r, fmt.Errorf("%s is not a file", path)
	case info.Mode().Perm()&0o200 == 0:
		return r, fmt.Errorf("%s is read-only: make it writable first", path)
	default:
		r.existed, r.mode = true, info.Mode().Perm()
		if r.before, err = os.ReadFile(r.path); err != nil {
			return r, err
		}
	}
	if r.after, err = change(r.before); err != nil {
		return r, fmt.Errorf("%s: %w; nothing was written", path, err)
	}
	r.gone = removing && !bytes.Equal(r.before, r.after) && strings.TrimSpace(string(r.after)) == "{}"
	return r, nil
}

// write keeps a copy and puts the new text in place at once, unless the file has changed since it was read.
func (r rewrite) write(project string) (kept string, err error) {
	if err := os.MkdirAll(filepath.Dir(r.path), 0o755); err != nil {
		return "", err
	}
	if r.existed {
		if kept, err = r.keep(project); err != nil {
			return "", err
		}
	}
	temp := r.path + "." + rand.Text()[:8] + ".tmp"
	if err := writeNew(temp, r.after, r.mode); err != nil {
		return "", err
	}
	defer os.Remove(temp)
	now, err := os.ReadFile(r.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if !bytes.Equal(now, r.before) {
		return "", fmt.Errorf("%s has just been changed by another program: run the command again", r.path)
	}
	if r.gone {
		return kept, os.Remove(r.path)
	}
	return kept, os.Rename(temp, r.path)
}

// keep copies the file as it was: into the git folder for a project's file, else beside it.
func (r rewrite) keep(project string) (string, error) {
	dir := filepath.Dir(r.path)
	git := filepath.Join(project, ".git")
	if inside, err := filepath.Rel(project, r.path); err == nil && filepath.IsLocal(inside) {
		if info, err := os.Stat(git); err == nil && info.IsDir() {
			dir = filepath.Join(git, "longhaul", "backup")
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	name := fmt.Sprintf("%s.%s.longhaul-backup", filepath.Base(r.path), time.Now().UTC().Format("20060102T150405.000Z"))
	path := filepath.Join(dir, name)
	return path, writeNew(path, r.before, r.mode)
}

func writeNew(path string, data []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}
