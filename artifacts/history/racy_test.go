package history

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestQuickEditStaysSeen changes a file within the second in which git took it in, to one of the same size: git knows by the
// time of its index that it has to look at it again, and must still know after a commit of another file.
func TestQuickEditStaysSeen(t *testing.T) {
	acts := map[string]func(*Repo) error{
		"commit of a new file": func(r *Repo) error {
			_, err := r.Commit(t.Context(), CommitRequest{[]string{"new.txt"}, "new"})
			return err
		},
		"commit of a known file": func(r *Repo) error {
			_, err := r.Commit(t.Context(), CommitRequest{[]string{"b.txt"}, "known"})
			return err
		},
		"backup": func(r *Repo) error {
			_, err := r.Backup(t.Context(), "quick")
			return err
		},
	}
	for name, act := range acts {
		for _, native := range []bool{false, true} {
			if native && name == "backup" {
				continue
			}
			dir, r := newRepo(t)
			if native {
				r.git = nil
			}
			git(t, dir, "config", "core.trustctime", "false") // the test can't set that time
			at := time.Now().Add(-time.Hour).Truncate(time.Second)
			set := func(file string) {
				if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(file)), at, at); err != nil {
					t.Fatal(err)
				}
			}
			write(t, dir, "quick.txt", "one\n")
			set("quick.txt")
			commitAll(t, dir, "quick")
			set(".git/index")
			write(t, dir, "quick.txt", "two\n")
			set("quick.txt")
			write(t, dir, "new.txt", "n\n")
			write(t, dir, "b.txt", "changed\n")
			if got := git(t, dir, "diff", "--name-only", "--", "quick.txt"); got != "quick.txt" {
				t.Fatalf("before: git sees %q changed, want quick.txt", got)
			}
			set(".git/index")
			if err := act(r); err != nil {
				t.Fatal(err)
			}
			if got := git(t, dir, "diff", "--name-only", "--", "quick.txt"); got != "quick.txt" {
				t.Errorf("after a %s (native %v) git sees %q changed, want quick.txt", name, native, got)
			}
		}
	}
}
