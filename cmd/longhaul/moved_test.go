package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestProjectMovedUnderTheServer takes the project's folder away between two calls of one server: the calls are refused and make
// nothing where it was; once it is back they go on as before.
func TestProjectMovedUnderTheServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a folder that a process works in can't be moved there")
	}
	y := newYard(t, false)
	s := connect(t, y.dir, "2025-11-25")
	if text, refused := s.call(t, "session_start", `{"run_init":false}`); refused {
		t.Fatal(text)
	}
	if text, refused := s.call(t, "append_progress", `{"notes":["before the move"],"next_steps":["go on"]}`); refused {
		t.Fatal(text)
	}
	away := y.dir + " away"
	if err := os.Rename(y.dir, away); err != nil {
		t.Fatal(err)
	}
	for _, call := range [][2]string{{"status", `{}`}, {"append_progress", `{"notes":["nowhere"],"next_steps":["go on"]}`}, {"commit", `{"message":"nowhere"}`}, {"session_end", `{"next_steps":["go on"]}`},
		{"harness_init", `{"project":"p","type":"cli","features":[{"description":"A thing is seen","steps":["look"]}]}`}} {
		text, refused := s.call(t, call[0], call[1])
		if !refused {
			t.Errorf("%s in a folder that is gone: %s", call[0], text)
		}
	}
	if _, err := os.Lstat(y.dir); err == nil {
		t.Error("the calls made a folder where the project was")
	}
	if err := os.Rename(away, y.dir); err != nil {
		t.Fatal(err)
	}
	if text, refused := s.call(t, "append_progress", `{"notes":["after the move"],"next_steps":["go on"]}`); refused {
		t.Fatal(text)
	}
	log := y.read(".claude/progress.md")
	if !strings.Contains(log, "before the move") || !strings.Contains(log, "after the move") || strings.Contains(log, "nowhere") {
		t.Errorf("the log: %s", log)
	}
	y.whole("after the move")
	if err := os.RemoveAll(filepath.Join(y.dir, ".git")); err != nil {
		t.Fatal(err)
	}
	text, _ := s.call(t, "status", `{}`)
	if _, err := os.Lstat(filepath.Join(y.dir, ".git")); err == nil || text == "" {
		t.Errorf("after .git was deleted: %s", text)
	}
}
