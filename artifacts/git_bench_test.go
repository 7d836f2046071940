package artifacts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkGit holds session_start and commit, whole calls with all their checks, against the git commands that a person
// would give in their place.
func BenchmarkGit(b *testing.B) {
	for _, files := range []int{100, 10_000, 50_000} {
		p, dir := crowdedProject(b, files)
		b.Run(fmt.Sprintf("files=%d/session_start", files), func(b *testing.B) {
			for b.Loop() {
				if _, err := p.SessionStart(ctx, "", false); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("files=%d/git-status-and-log", files), func(b *testing.B) {
			for b.Loop() {
				gitIn(b, dir, "status", "--porcelain", "-uall")
				gitIn(b, dir, "log", "-5", "--oneline")
			}
		})
		edits := 0
		edit := func() []string {
			edits++
			names := []string{"d1/f1", fmt.Sprint("new", edits)}
			for _, name := range names {
				if err := os.WriteFile(filepath.Join(dir, name), fmt.Appendln(nil, "edit", edits), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			return names
		}
		b.Run(fmt.Sprintf("files=%d/commit", files), func(b *testing.B) {
			for b.Loop() {
				edit()
				if _, err := p.Commit(ctx, CommitRequest{Message: "edit"}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("files=%d/git-status-add-commit", files), func(b *testing.B) {
			for b.Loop() {
				names := edit()
				gitIn(b, dir, "status", "--porcelain", "-uall")
				gitIn(b, dir, append([]string{"add", "--"}, names...)...)
				gitIn(b, dir, "commit", "-q", "-m", "edit")
			}
		})
	}
}

// crowdedProject is a project among so many tracked files, in an open session.
func crowdedProject(b *testing.B, files int) (*Project, string) {
	b.Helper()
	dir := b.TempDir()
	for i := range files {
		name := filepath.Join(dir, fmt.Sprint("d", i%100), fmt.Sprint("f", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, fmt.Appendln(nil, i), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	gitIn(b, dir, "init", "-q")
	gitIn(b, dir, "add", "-A")
	gitIn(b, dir, "commit", "-q", "-m", "all")
	p := Open(dir, Options{})
	b.Cleanup(p.Close)
	if _, err := p.Init(ctx, InitRequest{Project: "bench", Type: "cli", Features: wordy(20), Commit: true}); err != nil {
		b.Fatal(err)
	}
	if _, err := p.SessionStart(ctx, "", false); err != nil {
		b.Fatal(err)
	}
	return p, dir
}

func gitIn(b *testing.B, dir string, args ...string) {
	b.Helper()
	if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
		b.Fatalf("git %v: %v %s", args, err, out)
	}
}
