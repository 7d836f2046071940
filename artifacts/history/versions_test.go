package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// told writes what Versions visits, one line each.
func told(t *testing.T, r *Repo, paths []string, since string) []string {
	t.Helper()
	var lines []string
	err := r.Versions(t.Context(), paths, since, func(v Version) error {
		text := strings.TrimSpace(string(v.Data))
		if v.Deleted {
			text = "DELETED"
		}
		lines = append(lines, fmt.Sprintf("%s: %s = %s from %d", v.Commit.Subject, v.Path, text, len(v.From)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestVersions(t *testing.T) {
	dir, _ := newRepo(t)
	r := open(t, dir)
	write(t, dir, "list.json", "1\n")
	one := commitAll(t, dir, "one")
	write(t, dir, "other", "x\n")
	commitAll(t, dir, "other")
	write(t, dir, "list.json", "2\n")
	commitAll(t, dir, "two")
	os.Remove(filepath.Join(dir, "list.json"))
	commitAll(t, dir, "gone")
	write(t, dir, "list.json", "3\n")
	commitAll(t, dir, "three")
	want := []string{"one: list.json = 1 from 1", "two: list.json = 2 from 1", "gone: list.json = DELETED from 1", "three: list.json = 3 from 1"}
	same(t, told(t, r, []string{"list.json", "never"}, ""), want)
	same(t, told(t, r, []string{"list.json"}, one), want[1:])
	same(t, told(t, r, []string{"list.json"}, one+"..HEAD~1"), want[1:3])
	same(t, told(t, r, []string{"never"}, ""), nil)
	native := open(t, dir)
	native.git = nil
	same(t, told(t, native, []string{"list.json"}, ""), want)
	git(t, dir, "gc", "-q")
	same(t, told(t, r, []string{"list.json"}, ""), want)
	stop := errors.New("stop")
	if err := r.Versions(t.Context(), []string{"list.json"}, "", func(Version) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("Versions() = %v, want the error of visit", err)
	}
	if err := r.Versions(t.Context(), []string{"list.json"}, "nonsense", nil); code(err) != "bad-argument" {
		t.Errorf("Versions(nonsense) = %v", err)
	}
}

func TestVersionsFollowRenames(t *testing.T) {
	dir, r := newRepo(t)
	write(t, dir, "tasks.json", "1\n")
	commitAll(t, dir, "one")
	git(t, dir, "mv", "tasks.json", "feature_list.json")
	commitAll(t, dir, "renamed")
	os.MkdirAll(filepath.Join(dir, ".claude"), 0o755)
	git(t, dir, "mv", "feature_list.json", ".claude/feature_list.json")
	write(t, dir, ".claude/feature_list.json", "2\n")
	commitAll(t, dir, "moved and edited")
	same(t, told(t, r, []string{".claude/feature_list.json"}, ""), []string{
		"one: tasks.json = 1 from 1",
		"renamed: tasks.json = DELETED from 1", "renamed: feature_list.json = 1 from 1",
		"moved and edited: feature_list.json = DELETED from 1", "moved and edited: .claude/feature_list.json = 2 from 1",
	})
}

func TestVersionsOfMerges(t *testing.T) {
	dir, r := newRepo(t)
	write(t, dir, "l", "base\n")
	commitAll(t, dir, "base")
	git(t, dir, "checkout", "-q", "-b", "side")
	write(t, dir, "l", "side\n")
	commitAll(t, dir, "side")
	git(t, dir, "checkout", "-q", "main")
	write(t, dir, "l", "main\n")
	commitAll(t, dir, "main")
	git(t, dir, "merge", "-q", "-s", "ours", "-m", "merge drops side", "side")
	from := map[string][]string{}
	names := map[string]string{}
	err := r.Versions(t.Context(), []string{"l"}, "", func(v Version) error {
		names[v.Commit.SHA] = v.Commit.Subject
		for _, sha := range v.From {
			from[v.Commit.Subject] = append(from[v.Commit.Subject], names[sha])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, from["merge drops side"], []string{"main", "side"})
	same(t, from["side"], []string{"base"})
	same(t, from["base"], []string{""})
}

func TestVersionsOfALongHistory(t *testing.T) {
	dir, r := newRepo(t)
	const n = 2000
	var stream strings.Builder
	for i := range n {
		data := fmt.Sprintf("{\"n\": %d}\n", i)
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter x <x@x> %d +0000\ndata 2\nc\n", 1700000000+i)
		if i == 0 {
			stream.WriteString("from refs/heads/main^0\n")
		}
		fmt.Fprintf(&stream, "M 100644 inline .claude/features.json\ndata %d\n%s\n", len(data), data)
	}
	if _, err := installed().run(t.Context(), call{dir: dir, write: true, stdin: []byte(stream.String()), args: []string{"fast-import", "--quiet"}}); err != nil {
		t.Fatal(err)
	}
	if got := told(t, r, []string{".claude/features.json"}, ""); len(got) != n || !strings.Contains(got[n-1], "1999") {
		t.Errorf("Versions() visited %d", len(got))
	}
	if commits, err := r.Undone(t.Context(), "HEAD~1500"); err != nil || len(commits) != 1500 {
		t.Errorf("Undone() = %d commits, %v", len(commits), err)
	}
}

// The log agrees with git's own on histories with merges.
func TestLogAgreesWithGit(t *testing.T) {
	dir, r := newRepo(t)
	for i := range 6 {
		git(t, dir, "checkout", "-q", "-b", fmt.Sprint("b", i))
		write(t, dir, fmt.Sprint("f", i), "x")
		date := fmt.Sprintf("2026-01-0%dT10:00:00 +0200", 6-i)
		t.Setenv("GIT_COMMITTER_DATE", date)
		commitAll(t, dir, fmt.Sprint("side ", i))
		git(t, dir, "checkout", "-q", "main")
		write(t, dir, "main", fmt.Sprint(i))
		t.Setenv("GIT_COMMITTER_DATE", fmt.Sprintf("2026-01-0%dT11:00:00 +0200", i+1))
		commitAll(t, dir, fmt.Sprint("main ", i))
		git(t, dir, "merge", "-q", "--no-ff", "-m", fmt.Sprint("merge ", i), fmt.Sprint("b", i))
	}
	for _, n := range []int{1, 5, 100} {
		commits, err := r.Log(n)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range commits {
			got = append(got, c.SHA+" "+c.Subject+" "+c.Author+" "+c.At.Format("2006-01-02T15:04:05-07:00")+" "+strings.Join(c.Parents, " "))
		}
		want := strings.Split(git(t, dir, "log", "--format=%H %s %an %cI %P", fmt.Sprint("-", n)), "\n")
		for i := range want {
			want[i] = strings.Replace(want[i], "Z ", "+00:00 ", 1)
		}
		same(t, got, want)
	}
	undone, err := r.Undone(t.Context(), "b3")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range undone {
		got = append(got, c.SHA)
	}
	same(t, got, strings.Split(git(t, dir, "rev-list", "b3..HEAD"), "\n"))
	changed, err := r.Changed(t.Context(), "b1", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	same(t, changed, strings.Split(git(t, dir, "diff", "--name-only", "--no-renames", "b1", "HEAD"), "\n"))
}

func TestTrailers(t *testing.T) {
	for _, c := range []struct {
		name, message, session string
		features               []string
	}{
		{"plain", "s\n\nHarness-Feature: F1\nHarness-Session: session-001\n", "session-001", []string{"F1"}},
		{"others' trailers", "s\n\nbody\n\nHarness-Feature: F1\n\nSigned-off-by: X <x@x>\nChange-Id: I1\n", "", []string{"F1"}},
		{"two", "s\n\nHarness-Feature: F1\nHarness-Feature: F2\n", "", []string{"F1", "F2"}},
		{"in the body", "s\n\nHarness-Feature: F1\n\nmore text\n", "", nil},
		{"in the subject", "Harness-Feature: F1\n", "", nil},
		{"prose before it", "s\n\nas said\nHarness-Feature: F1\n", "", nil},
		{"CRLF", "s\r\n\r\nHarness-Feature: F1\r\n", "", []string{"F1"}},
		{"folded", "s\n\nNote: a\n  b\nHarness-Feature: ü 1\n", "", []string{"ü 1"}},
	} {
		features, session := trailers(c.message)
		if !slices.Equal(features, c.features) || session != c.session {
			t.Errorf("%s: trailers() = %q, %q, want %q, %q", c.name, features, session, c.features, c.session)
		}
	}
}
