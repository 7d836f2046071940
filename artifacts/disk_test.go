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
