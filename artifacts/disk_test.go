package artifacts

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestActCutAnywhereIsFinishedOrUndone cuts an act on three files after each of its steps, as a kill would.
func TestActCutAnywhereIsFinishedOrUndone(t *testing.T) {
	for cut := 0; cut <= 7; cut++ {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			dir := t.TempDir()
			state := filepath.Join(dir, "state")
			if err := os.Mkdir(state, 0o755); err != nil {
				t.Fatal(err)
			}
			ledger, list, fresh := filepath.Join(dir, "ledger"), filepath.Join(dir, "list"), filepath.Join(dir, "sub", "new")
			save(t, ledger, "one\n")
			save(t, list, "old")
			changes := []change{
				{Path: ledger, Append: []byte("two\n"), Offset: 4},
				{Path: list, data: []byte("new"), Before: hash([]byte("old"))},
				{Path: fresh, data: []byte("made")},
			}
			done := cutAct(t, state, changes, cut)
			if err := recoverAct(state); err != nil {
				t.Fatal(err)
			}
			sweep([]string{list, fresh, filepath.Join(state, "journal.json")})
			got := load(ledger) + "|" + load(list) + "|" + load(fresh)
			want := "one\n|old|"
			if done {
				want = "one\ntwo\n|new|made"
			}
			if got != want {
				t.Errorf("cut %d: got %q, want %q", cut, got, want)
			}
			if litter := left(t, dir); litter != "" {
				t.Errorf("cut %d leaves %s", cut, litter)
			}
		})
	}
}

// cutAct does the first n steps of act. It says whether the act is bound to be finished.
func cutAct(t *testing.T, state string, changes []change, n int) bool {
	t.Helper()
	step := 0
	do := func(err error) bool {
		if err != nil {
			t.Fatal(err)
		}
		step++
		return step > n
	}
	for i := range changes {
		if step == n {
			return false
		}
		if do(changes[i].prepare()) {
			return false
		}
	}
	if step == n {
		return false
	}
	do(writeJournal(filepath.Join(state, "journal.json"), changes))
	for _, c := range changes {
		if step == n {
			return true
		}
		do(c.finish())
	}
	return true
}

func save(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func load(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}

func left(t *testing.T, dir string) string {
	t.Helper()
	var litter []string
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() && (strings.Contains(path, tempSuffix) || strings.Contains(path, "journal")) {
			litter = append(litter, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(litter, " ")
}

func TestHandEditAfterACutActIsKept(t *testing.T) {
	dir := t.TempDir()
	list, ledger := filepath.Join(dir, "list"), filepath.Join(dir, "ledger")
	save(t, list, "old")
	changes := []change{{Path: ledger, Append: []byte("two\n")}, {Path: list, data: []byte("new"), Before: hash([]byte("old"))}}
	cutAct(t, dir, changes, 3)
	save(t, list, "edited by hand")
	if err := recoverAct(dir); err != nil {
		t.Fatal(err)
	}
	if got := load(list); got != "edited by hand" {
		t.Errorf("list = %q, want the hand's edit", got)
	}
}

func TestReplaceKeepsModeAndLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and links are of another kind there")
	}
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "link.json")
	save(t, real, "old")
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.json", link); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(tempName(real), 0o755); err != nil { // something else of that name
		t.Fatal(err)
	}
	if err := act(dir, []change{{Path: link, data: []byte("new")}}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
	info, err = os.Stat(real)
	if err != nil || info.Mode().Perm() != 0o640 || load(real) != "new" {
		t.Errorf("mode %v, text %q, %v; want 0640 and new", info.Mode(), load(real), err)
	}
}

func TestReadOnlyFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	list := filepath.Join(dir, "list")
	save(t, list, "old")
	if err := os.Chmod(list, 0o444); err != nil {
		t.Fatal(err)
	}
	err := explain(act(dir, []change{{Path: list, data: []byte("new")}}))
	if r, ok := err.(*Refusal); !ok || r.Code != "read-only" || !strings.Contains(r.What, list) {
		t.Errorf("got %v, want read-only naming %s", err, list)
	}
	if load(list) != "old" || left(t, dir) != "" {
		t.Errorf("list %q, litter %s", load(list), left(t, dir))
	}
}

// TestActThatFailsLeavesAllAsItWas has the last file of an act fail, then its second.
func TestActThatFailsLeavesAllAsItWas(t *testing.T) {
	dir := t.TempDir()
	log, list := filepath.Join(dir, "log"), filepath.Join(dir, "list")
	save(t, log, "one\n")
	save(t, list, "old")
	fresh := filepath.Join(dir, "fresh")
	changes := []change{
		{Path: list, data: []byte("new")},
		{Path: log, Append: []byte("two\n"), Offset: 4, Before: hash([]byte("one\n"))},
		{Path: fresh, Append: []byte("first\n")},
	}
	for i := range changes {
		if err := changes[i].prepare(); err != nil {
			t.Fatal(err)
		}
	}
	journal := filepath.Join(dir, "journal.json")
	if err := writeJournal(journal, changes); err != nil {
		t.Fatal(err)
	}
	for _, c := range changes[1:] {
		if err := c.finish(); err != nil {
			t.Fatal(err)
		}
	}
	if !takenBack(changes, journal) {
		t.Fatal("takenBack() = false, want true: no file was replaced")
	}
	dropTemps(changes)
	if got, want := load(log)+"|"+load(list)+"|"+load(fresh), "one\n|old|"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if litter := left(t, dir); litter != "" {
		t.Errorf("%s is left", litter)
	}
}

// TestHardLinksKeepTheirBytes: a snapshot made of hard links is not written through.
func TestHardLinksKeepTheirBytes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the number of links is not known there")
	}
	b := newBench(t)
	b.set("claude", 2)
	snapshot := t.TempDir()
	names := []string{".claude/features.json", ".claude/progress.md", ".harness/ledger.jsonl"}
	want := map[string]string{}
	for _, name := range names {
		if err := os.Link(filepath.Join(b.dir, name), filepath.Join(snapshot, filepath.Base(name))); err != nil {
			t.Skip(err)
		}
		want[name] = b.read(name)
	}
	b.work("F001")
	must[*StartReply](b)(b.p.SessionStart(ctx, "", false))
	must[*AppendReply](b)(b.p.AppendProgress(ctx, Note{Notes: []string{"linked"}}))
	if _, err := b.p.MarkPassed(ctx, "F001", nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if got := load(filepath.Join(snapshot, filepath.Base(name))); got != want[name] {
			t.Errorf("the other name of %s was written through", name)
		}
		if b.read(name) == want[name] {
			t.Errorf("%s did not change", name)
		}
	}
}

// TestLockRemovedByHand: a call whose lock file is taken away writes nothing, the next one works.
func TestLockRemovedByHand(t *testing.T) {
	b := newBench(t)
	b.set("claude", 2)
	lock := filepath.Join(b.dir, ".git", "longhaul", "lock")
	before := b.read(".claude/progress.md")
	err := b.p.update(ctx, func(v *view) error {
		v.put(v.conf.Files.Progress, []byte("overwritten"))
		if err := os.Remove(lock); err != nil {
			t.Skip("an open file can't be removed here: ", err)
		}
		return nil
	})
	b.refused(err, "busy")
	if got := b.read(".claude/progress.md"); got != before {
		t.Errorf("the log is %q, want %q", got, before)
	}
	must[*StartReply](b)(b.p.SessionStart(ctx, "", false))
}
