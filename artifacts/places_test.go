package artifacts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// at is the bench with its project in another folder of the same repository.
func (b *bench) at(dir string) *bench {
	b.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	other := &bench{TB: b.TB, dir: dir, clock: b.clock}
	other.p = other.open()
	return other
}

func TestMonorepoFolderIsTheProject(t *testing.T) {
	b := newBench(t)
	b.write("other/file", "one\n")
	b.git("add", ".")
	b.git("commit", "-qm", "start")
	app := b.at(filepath.Join(b.dir, "app"))
	app.set("root", 2)
	if _, err := os.Stat(filepath.Join(b.dir, "feature_list.json")); err == nil {
		t.Error("the list lies at the git root")
	}
	app.start()
	app.work("F001")
	b.write("other/file", "two\n")
	must[*MarkReply](app)(app.p.MarkPassed(ctx, "F001", nil))
	c := must[*CommittedReply](app)(app.p.Commit(ctx, CommitRequest{}))
	if got := b.git("show", "--name-only", "--format=", "HEAD"); strings.Contains(got, "other/file") || !strings.Contains(got, "app/done/F001") {
		t.Errorf("the commit %s holds %q", c.SHA, got)
	}
	if got := b.git("status", "--porcelain"); strings.TrimSpace(got) != "M other/file" {
		t.Errorf("git status = %q, want the file outside alone", got)
	}
	deep := app.at(filepath.Join(app.dir, "src", "deep"))
	if got := deep.p.Root(); got != app.dir {
		t.Errorf("Root from below = %s, want %s", got, app.dir)
	}
}

func TestWorktreesShareClaimsAndNothingElse(t *testing.T) {
	b := newBench(t)
	b.set("claude", 3)
	linked := filepath.Join(filepath.Dir(b.dir), "linked")
	b.git("worktree", "add", "-q", linked, "-b", "side")
	one := b.start()
	before := b.files()
	w := b.at(linked)
	two := w.start()
	if two.Session == one.Session || two.Feature.ID == one.Feature.ID {
		t.Errorf("the linked worktree got %s %s, the main one %s %s", two.Session, two.Feature.ID, one.Session, one.Feature.ID)
	}
	_, err := w.p.NextFeature(ctx, NextRequest{ID: one.Feature.ID})
	w.refused(err, "claimed-by")
	w.work(two.Feature.ID)
	must[*MarkReply](w)(w.p.MarkPassed(ctx, two.Feature.ID, nil))
	must[*CommittedReply](w)(w.p.Commit(ctx, CommitRequest{}))
	w.end()
	b.unchanged(before)
	if st := must[*StatusReply](b)(b.p.Status(ctx, false)); len(st.Tampered) > 0 || st.Counts.Passed != 0 {
		t.Errorf("the main worktree says %+v", st)
	}
	b.git("fsck", "--strict")
}

func TestWithoutGit(t *testing.T) {
	b := newBench(t)
	if err := os.RemoveAll(filepath.Join(b.dir, ".git")); err != nil {
		t.Fatal(err)
	}
	r := must[*InitializedReply](b)(b.p.Init(ctx, InitRequest{Project: "x", Type: "cli", Features: items(2)}))
	if r.Commit != "" {
		t.Errorf("Commit = %q, want none", r.Commit)
	}
	if _, err := os.Stat(filepath.Join(b.dir, ".git")); err == nil {
		t.Error("harness_init made a repository")
	}
	b.end()
	b.start()
	b.work("F001")
	must[*MarkReply](b)(b.p.MarkPassed(ctx, "F001", nil))
	_, err := b.p.Commit(ctx, CommitRequest{})
	b.refused(err, "no-git")
	if e := b.end(); !e.Complete {
		t.Errorf("end = %+v", e)
	}
	b.write("wanted", "")
	b.replace(".claude/features.json", "thing number 2", "thing 2")
	must[*RollbackReply](b)(b.p.Rollback(ctx, "feature_list", "edited"))
	if st := must[*StatusReply](b)(b.p.Status(ctx, false)); len(st.Tampered) > 0 || st.Counts.Passed != 1 {
		t.Errorf("status = %+v", st)
	}
	if text := b.read(".harness/local/.gitignore"); text != "*\n" {
		t.Errorf(".gitignore = %q", text)
	}
}

func TestPositionsFollowTheSealedOrder(t *testing.T) {
	b := newBench(t)
	b.write("feature_list.json", `[
  {"description": "one can be seen", "passes": false},
  {"description": "two can be seen", "passes": false},
  {"description": "three can be seen", "passes": false}
]
`)
	must[*InitializedReply](b)(b.p.Init(ctx, InitRequest{Project: "x", Type: "cli", Commit: true}))
	b.replace("feature_list.json", `  {"description": "two can be seen", "passes": false},`+"\n", "")
	st := must[*StatusReply](b)(b.p.Status(ctx, false))
	if len(st.Tampered) != 1 || st.Tampered[0].ID != "F002" || st.Tampered[0].What != "deleted" || st.Counts.Total != 3 {
		t.Errorf("status = %+v, want F002 deleted of 3", st)
	}
	l := must[*ListReply](b)(b.p.ListFeatures(ctx, Query{IDs: []string{"F003"}}))
	if l.Features[0].Description != "three can be seen" {
		t.Errorf("F003 = %q", l.Features[0].Description)
	}
}

func TestUnsafeFoldersAreRefused(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, dir := range []string{"/", home, filepath.Dir(home)} {
		p := Open(dir, Options{})
		_, err := p.Status(ctx, false)
		(&bench{TB: t}).refused(err, "unsafe-project")
		_, err = p.Init(ctx, InitRequest{Project: "x", Type: "cli", Commit: true})
		(&bench{TB: t}).refused(err, "unsafe-project")
	}
	if left, _ := os.ReadDir(home); len(left) > 0 {
		t.Errorf("files were made in the home folder: %v", left)
	}
}

func TestListBehindALinkOutsideIsRefused(t *testing.T) {
	b := newBench(t)
	outside := filepath.Join(t.TempDir(), "list.json")
	save(t, outside, `[{"description":"it works","passes":false}]`)
	if err := os.Symlink(outside, filepath.Join(b.dir, "feature_list.json")); err != nil {
		t.Skip(err)
	}
	_, err := b.p.Status(ctx, false)
	b.refused(err, "outside-project")
	_, err = b.p.Init(ctx, InitRequest{Project: "x", Type: "cli", Commit: true})
	b.refused(err, "outside-project")
	if load(outside) != `[{"description":"it works","passes":false}]` {
		t.Error("the file outside changed")
	}
}

func TestAuditNamesWhatHistoryDid(t *testing.T) {
	list := "feature_list.json"
	one := `{"id":"F001","description":"one can be seen","passes":false}`
	two := `{"id":"F002","description":"two can be seen","passes":false}`
	three := `{"id":"F003","description":"three can be seen","passes":false}`
	passed := strings.Replace(one, "false", "true", 1)
	text := func(features ...string) string { return "[\n  " + strings.Join(features, ",\n  ") + "\n]\n" }
	cases := map[string]struct {
		versions []string
		want     string
	}{
		"clean":      {[]string{text(one, two), text(one, two, three)}, ""},
		"deleted":    {[]string{text(one, two), text(two)}, "F001 deleted"},
		"edited":     {[]string{text(one, two), text(strings.Replace(one, "one", "1", 1), two)}, "F001 edited"},
		"moved":      {[]string{text(one, two, three), text(two, three, one)}, "F001 moved"},
		"unpassed":   {[]string{text(passed, two), text(one, two)}, "F001 unpassed"},
		"unreadable": {[]string{text(one, two), text(one, two)[:30]}, " unreadable"},
		"duplicated": {[]string{text(one, two), text(one, two, two)}, "F002 duplicated"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			for _, v := range c.versions {
				b.write(list, v)
				b.git("add", ".")
				b.git("commit", "-qm", "change")
			}
			found, err := b.p.Audit(ctx, "")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				got = append(got, f.Feature+" "+f.Kind)
				if f.When != "unadopted" || !f.Violation() || f.Commit != strings.TrimSpace(b.git("rev-parse", "HEAD")) {
					t.Errorf("finding = %+v", f)
				}
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("findings %q, want %q", got, c.want)
			}
		})
	}
}

func TestAuditAfterAdoption(t *testing.T) {
	b := newBench(t)
	b.set("root", 3)
	good := b.read("feature_list.json")
	b.write("feature_list.json", strings.Replace(good, `"passes": false`, `"passes": true`, 1))
	b.git("commit", "-qam", "pass by hand")
	found, err := b.p.Audit(ctx, "")
	if err != nil || len(found) != 1 || found[0].Kind != "passed" || found[0].When != "after-adoption" {
		t.Fatalf("findings = %+v, %v; want one passed after adoption", found, err)
	}
	must[*RollbackReply](b)(b.p.Rollback(ctx, "feature_list", "passed by hand"))
	b.git("commit", "-qam", "put back")
	found, err = b.p.Audit(ctx, "")
	if err != nil || len(found) != 1 || found[0].When != "repaired" {
		t.Errorf("findings = %+v, %v; want one repaired", found, err)
	}
	if found, err = b.p.Audit(ctx, "HEAD~1..HEAD"); err != nil || len(found) != 0 {
		t.Errorf("the last commit alone: %+v, %v; want nothing", found, err)
	}
}

func TestRollbackToLastGood(t *testing.T) {
	b := newBench(t)
	b.set("claude", 3)
	b.start()
	b.work("F001")
	must[*MarkReply](b)(b.p.MarkPassed(ctx, "F001", nil))
	must[*CommittedReply](b)(b.p.Commit(ctx, CommitRequest{}))
	b.end()
	b.start()
	b.work("F002")
	must[*MarkReply](b)(b.p.MarkPassed(ctx, "F002", nil))
	must[*CommittedReply](b)(b.p.Commit(ctx, CommitRequest{}))
	before := strings.TrimSpace(b.git("rev-list", "--count", "HEAD"))
	b.write("done/F001", "broken\n")
	b.write("scratch", "untracked\n")
	r := must[*RollbackReply](b)(b.p.Rollback(ctx, "uncommitted", "wrong way"))
	if b.read("done/F001") != "it works\n" || b.read("scratch") != "untracked\n" {
		t.Errorf("after rollback uncommitted: %v", b.files())
	}
	b.git("rev-parse", "--verify", r.BackupRef)
	first := strings.TrimSpace(b.git("log", "--format=%H", "--grep=Harness-Feature: F001"))
	r = must[*RollbackReply](b)(b.p.Rollback(ctx, first, "F002 broke the build"))
	if len(r.Reopened) != 1 || r.Reopened[0] != "F002" || r.Commit == "" {
		t.Fatalf("rollback = %+v, want F002 reopened by a commit", r)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "done/F002")); err == nil {
		t.Error("done/F002 is still there")
	}
	if after := strings.TrimSpace(b.git("rev-list", "--count", "HEAD")); after == before {
		t.Error("no commit was made")
	}
	st := must[*StatusReply](b)(b.p.Status(ctx, true))
	if len(st.Tampered) > 0 || st.Counts.Passed != 1 || st.NextFeature.ID != "F002" || len(st.Integrity.Findings) > 0 {
		t.Errorf("status = %+v", st)
	}
	b.git("fsck", "--strict")
}

func TestServerStartedBesideTheListFindsTheProject(t *testing.T) {
	b := newBench(t)
	b.write("docs/features.json", `[{"id":"F001","description":"one works","passes":false}]`)
	must[*InitializedReply](b)(b.p.Init(ctx, InitRequest{Project: "x", Type: "cli", Commit: true}))
	below := b.at(filepath.Join(b.dir, "docs"))
	if got := below.p.Root(); got != b.dir {
		t.Errorf("Root = %s, want %s", got, b.dir)
	}
}
