//go:build unix

package artifacts

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fifo puts a pipe in the place of a file. A call that opens it waits for ever.
func (b *bench) fifo(rel string) {
	b.Helper()
	path := filepath.Join(b.dir, rel)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		b.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		b.Skip(err)
	}
}

// TestFIFOInPlaceOfAHarnessFile: every call answers, and says which file is no file.
func TestFIFOInPlaceOfAHarnessFile(t *testing.T) {
	for _, rel := range []string{".claude/features.json", ".claude/progress.md", ".claude/architecture.md", ".harness/ledger.jsonl", ".harness/config.json"} {
		b := newBench(t)
		b.set("claude", 2)
		b.start()
		b.work("F001")
		b.fifo(rel)
		told := 0
		calls := map[string]func() error{
			"session_start":       func() error { _, err := b.p.SessionStart(ctx, "", false); return err },
			"next_feature":        func() error { _, err := b.p.NextFeature(ctx, NextRequest{}); return err },
			"mark_feature_passed": func() error { _, err := b.p.MarkPassed(ctx, "F001", nil); return err },
			"append_progress": func() error {
				_, err := b.p.AppendProgress(ctx, Note{Notes: []string{"x"}, Decisions: []string{"y"}, NextSteps: []string{"z"}})
				return err
			},
			"add_features":  func() error { _, err := b.p.AddFeatures(ctx, items(1)); return err },
			"list_features": func() error { _, err := b.p.ListFeatures(ctx, Query{}); return err },
			"commit":        func() error { _, err := b.p.Commit(ctx, CommitRequest{Message: "x"}); return err },
			"rollback":      func() error { _, err := b.p.Rollback(ctx, "uncommitted", "x"); return err },
			"session_end": func() error {
				_, err := b.p.SessionEnd(ctx, Note{NextSteps: []string{"x"}}, "the file is gone")
				return err
			},
			"status": func() error { _, err := b.p.Status(ctx, true); return err },
		}
		for name, call := range calls {
			err := call()
			var r *Refusal
			if errors.As(err, &r) && r.Code == "unreadable" {
				told++
				if !strings.Contains(r.What, rel) {
					t.Errorf("%s is a FIFO; %s names another file: %v", rel, name, err)
				}
			} else if r != nil && r.Code == "busy" {
				t.Errorf("%s is a FIFO; %s answers %v", rel, name, err)
			}
		}
		if told == 0 {
			t.Errorf("%s is a FIFO, and no call says so", rel)
		}
	}
}

func TestSpecialFilesAreNotCommitted(t *testing.T) {
	b := newBench(t)
	b.set("claude", 2)
	b.start()
	b.fifo("pipe")
	b.write("plain", "text\n")
	l, err := net.Listen("unix", filepath.Join(b.dir, "socket"))
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	_, err = b.p.Commit(ctx, CommitRequest{Message: "x", Paths: []string{"plain", "pipe", "socket"}})
	r := b.refused(err, "bad-argument")
	if told := strings.Join(r.Missing, "\n"); !strings.Contains(told, "pipe is") || !strings.Contains(told, "socket is") || strings.Contains(told, "plain") {
		t.Errorf("missing = %q, want pipe and socket named", told)
	}
}

// TestGitsOwnFilesAreNotCommitted names the repository's settings in the ways in which some file system finds them.
func TestGitsOwnFilesAreNotCommitted(t *testing.T) {
	b := newBench(t)
	b.set("claude", 2)
	b.start()
	for _, name := range []string{".git/config", ".GIT/config", ".git./config", ".g\u200cit/config", "git~1/config", ".git::$INDEX_ALLOCATION/config"} {
		if name != ".git/config" {
			b.write(name, "[core]\n")
		}
		_, err := b.p.Commit(ctx, CommitRequest{Message: "x", Paths: []string{name}})
		if r := b.refused(err, "bad-argument"); len(r.Missing) != 1 || !strings.Contains(r.Missing[0], "is git's own") {
			t.Errorf("%q: missing = %q, want git's own", name, r.Missing)
		}
		if name != ".git/config" {
			if err := os.RemoveAll(filepath.Join(b.dir, filepath.Dir(name))); err != nil {
				t.Fatal(err)
			}
		}
	}
}
