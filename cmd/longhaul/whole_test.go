package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// wholeFiles says which harness file can't be read, or what a crash has left lying about.
func wholeFiles(dir string) (why string) {
	for _, name := range []string{".claude/features.json", ".harness/config.json"} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || !json.Valid(text) {
			return fmt.Sprintf("%s is broken: %v %q", name, err, text)
		}
	}
	text, _ := os.ReadFile(filepath.Join(dir, ".harness", "ledger.jsonl"))
	for line := range bytes.Lines(text) {
		if !json.Valid(line) {
			return fmt.Sprintf("the ledger holds %q", line)
		}
	}
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		if strings.Contains(name, "longhaul-tmp") || name == "journal.json" || name == "rollback.json" {
			why = "litter: " + path
		}
		return err
	})
	return why
}
