package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDiskFaults has system calls fail as a full, broken or foreign disk does: the reply says so, every byte of the project is
// as it was, or the reply says that the next call finishes what is begun, and the next call works.
func TestDiskFaults(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed: it has system calls fail")
	}
	tests := []struct {
		fault string
		want  string // a part of the refusal
	}{
		{"inject=pwrite64:error=ENOSPC", "disk-full:"},
		{"inject=pwrite64:error=EDQUOT", "disk-full:"},
		{"inject=fsync:error=ENOSPC", "disk-full:"},
		{"inject=fsync:error=EIO:when=1", "input/output error"},
		{"inject=fsync:error=EIO:when=2", "input/output error"},
		{"inject=fsync:error=EIO:when=3", "input/output error"},
		{"inject=renameat,renameat2:error=ENOSPC", "disk-full:"},
		{"inject=fchmod:error=EROFS", "read-only:"},
		{"inject=flock:error=ENOLCK", "no locks"},
		{"inject=flock:error=EOPNOTSUPP", "no locks"},
		{"inject=flock:error=ENOSYS", "no locks"},
	}
	const third = `{"features":[{"description":"A third note can be added with its date","steps":["run it"]}]}`
	y := newYard(t, false)
	y.keep()
	before := y.bytes()
	for _, tt := range tests {
		t.Run(tt.fault, func(t *testing.T) {
			y.T = t
			y.restore()
			err := y.under(tt.fault, "add_features", third)
			if err == nil {
				t.Fatal("the call succeeds")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("it says %q, want %q", err, tt.want)
			}
			after := y.bytes()
			if strings.Contains(err.Error(), "finished by the next call") {
				after = before // a file had taken its place already; whole looks at the end of it
			}
			for path, want := range before {
				if got := after[path]; got != want {
					t.Errorf("%s has changed", path)
				}
			}
			for path := range after {
				if _, ok := before[path]; !ok {
					t.Errorf("%s is new", path)
				}
			}
			y.must("add_features", third)
			y.whole(tt.fault)
		})
	}
}

// bytes are the files of the project and of Longhaul's own folder.
func (y *yard) bytes() map[string]string {
	y.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(y.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(y.dir, path)
		if strings.HasPrefix(rel, ".git"+string(filepath.Separator)) && !strings.Contains(rel, "longhaul") {
			return nil
		}
		data, err := os.ReadFile(path)
		all[rel] = string(data)
		return err
	})
	if err != nil {
		y.Fatal(err)
	}
	return all
}
