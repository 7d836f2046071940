package history

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseSettings(t *testing.T) {
	text := "\ufeff; comment\n[user]\n\tname = A  B # comment\n\temail = \"a # b\" ; c\n[core] editor = vim\n" +
		"[Remote \"Up \\\"x]\"]\n url = a\\\n b\n[branch.Dev]\n\tmerge\n[filter \"lfs\"]\r\n\tclean = git-lfs \\\"clean\\\" -- %f\r\n[a] [b]\n\tx = 1\n"
	want := []setting{{"user.name", "A  B"}, {"user.email", "a # b"}, {"core.editor", "vim"}, {`remote.Up "x].url`, "a b"},
		{"branch.dev.merge", "true"}, {"filter.lfs.clean", `git-lfs "clean" -- %f`}, {"b.x", "1"}}
	got := parseSettings([]byte(text))
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("parseSettings() =\n%q\nwant\n%q", got, want)
	}
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(strings.TrimPrefix(text, "\ufeff")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range want {
		if out := git(t, filepath.Dir(file), "config", "-f", file, "--get", s.name); out != s.value && s.value != "true" {
			t.Errorf("git has %s = %q, want %q", s.name, out, s.value)
		}
	}
}

func FuzzParseSettings(f *testing.F) {
	f.Add([]byte("[a \"b\"]\n\tc = d\\\n e # f\n"))
	f.Add([]byte("[[]]\n\\"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, s := range parseSettings(data) {
			if !strings.Contains(s.name, ".") {
				t.Errorf("name %q has no section", s.name)
			}
		}
	})
}

func FuzzScanIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00" + strings.Repeat("x", 20)))
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01" + strings.Repeat("\x00", 100)))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, n := range []int{20, 32} {
			names, err := scanIndex(data, n)
			if err == nil && len(names)*40 > len(data) {
				t.Errorf("%d names from %d bytes", len(names), len(data))
			}
		}
	})
}

func FuzzParseCommit(f *testing.F) {
	f.Add([]byte("tree 1\nparent 2\nauthor A <a@b> 1 +0100\ncommitter A <a@b> 1 +0100\n\ns\n\nHarness-Feature: F1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := parseCommit("x", data)
		if strings.Contains(n.Subject, "\n") {
			t.Errorf("subject %q", n.Subject)
		}
	})
}
