package history

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func bigRepo(b *testing.B, files int) (string, *Repo) {
	b.Helper()
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for i := range files {
		name := filepath.Join(dir, fmt.Sprint("d", i%100), fmt.Sprint("f", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(fmt.Sprintln(i)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "first"}} {
		if out, err := tryGit(dir, args...); err != nil {
			b.Fatal(out)
		}
	}
	r, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	return dir, r
}

func BenchmarkHead(b *testing.B) {
	_, r := bigRepo(b, 100)
	for b.Loop() {
		if _, err := r.Head(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	dir, _ := bigRepo(b, 100)
	for b.Loop() {
		if _, err := Open(dir); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLog5(b *testing.B) {
	_, r := bigRepo(b, 100)
	for b.Loop() {
		if _, err := r.Log(5); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCommit10k is to be held against BenchmarkAddCommit10k, which does the same by hand.
func BenchmarkCommit10k(b *testing.B) {
	dir, r := bigRepo(b, 10_000)
	for i := 0; b.Loop(); i++ {
		_, err := r.Commit(b.Context(), CommitRequest{change(b, dir, i), "m"})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAddCommit10k(b *testing.B) {
	dir, _ := bigRepo(b, 10_000)
	for i := 0; b.Loop(); i++ {
		paths := change(b, dir, i)
		for _, args := range [][]string{{"add", "--", paths[0], paths[1]}, {"commit", "-q", "-m", "m"}} {
			if out, err := tryGit(dir, args...); err != nil {
				b.Fatal(out)
			}
		}
	}
}

func BenchmarkStatus10k(b *testing.B) {
	_, r := bigRepo(b, 10_000)
	for b.Loop() {
		if _, err := r.Status(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func change(b *testing.B, dir string, i int) []string {
	b.Helper()
	paths := []string{"d1/f1", fmt.Sprint("new", i)}
	for _, name := range paths {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(fmt.Sprintln("run", i)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return paths
}
