package artifacts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHandInsertedFeatureStaysRepairable puts a feature in front, in the middle and under another's id, lets a call pass
// over it, and asks for the sealed state.
func TestHandInsertedFeatureStaysRepairable(t *testing.T) {
	list := "feature_list.json"
	byHand := `  {"id": "H1", "description": "written by hand", "passes": false},` + "\n"
	cases := map[string]struct {
		edit     func(b *bench)
		tampered bool
		total    int
	}{
		"in front":      {func(b *bench) { b.replace(list, "[\n", "[\n"+byHand) }, false, 4},
		"in the middle": {func(b *bench) { b.between(byHand) }, false, 4},
		"renamed":       {func(b *bench) { b.replace(list, `"F002"`, `"F077"`) }, true, 4},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.set("root", 3)
			b.start()
			c.edit(b)
			for range 2 {
				if _, err := b.p.NextFeature(ctx, NextRequest{}); err != nil {
					t.Fatal(err)
				}
			}
			st := must[*StatusReply](b)(b.p.Status(ctx, false))
			if len(st.Tampered) > 0 != c.tampered || st.Counts.Total != c.total {
				t.Errorf("status: tampered %+v, total %d; want tampered %v and %d", st.Tampered, st.Counts.Total, c.tampered, c.total)
			}
			must[*RollbackReply](b)(b.p.Rollback(ctx, "feature_list", "put back"))
			b.replace(list, "thing number 3", "thing 3")
			must[*RollbackReply](b)(b.p.Rollback(ctx, "feature_list", "put back"))
			st = must[*StatusReply](b)(b.p.Status(ctx, false))
			if len(st.Tampered) > 0 || st.Counts.Total != 4 {
				t.Errorf("after the rollback: %+v, total %d", st.Tampered, st.Counts.Total)
			}
			if text := b.read(list); !strings.Contains(text, `"F002"`) || !strings.Contains(text, "thing number 3") {
				t.Errorf("the list lacks what was sealed:\n%s", text)
			}
		})
	}
}

// between puts a line in front of the second feature.
func (b *bench) between(line string) {
	b.Helper()
	text := b.read("feature_list.json")
	at := strings.LastIndex(text[:strings.Index(text, `"F002"`)], "  {")
	b.write("feature_list.json", text[:at]+line+text[at:])
}

func TestEditedCheckIsNeverRun(t *testing.T) {
	b := newBench(t)
	b.set("claude", 2)
	b.start()
	b.replace(".claude/features.json", "test -f done/F001", "touch pwned")
	r := must[*VerifyReply](b)(b.p.Verify(ctx, []string{"F001", "F002"}, "", 0))
	if len(r.Results) != 2 || r.Results[0].OK || r.Results[0].Code != "tampered" || len(r.Tampered) != 1 {
		t.Errorf("verify = %+v", r)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "pwned")); err == nil {
		t.Error("the edited check ran")
	}
}

func TestListPathIsPartOfTheSeal(t *testing.T) {
	b := newBench(t)
	b.set("claude", 2)
	b.write("package.json", `{"name":"pkg"}`)
	b.replace(".harness/config.json", ".claude/features.json", "package.json")
	st := must[*StatusReply](b)(b.p.Status(ctx, false))
	if len(st.Tampered) != 1 || st.Tampered[0].What != "policy" || st.Counts.Total != 2 {
		t.Errorf("status = %+v", st)
	}
	must[*RollbackReply](b)(b.p.Rollback(ctx, "feature_list", "put back"))
	if got := b.read("package.json"); got != `{"name":"pkg"}` {
		t.Errorf("package.json = %q", got)
	}
	if st = must[*StatusReply](b)(b.p.Status(ctx, false)); len(st.Tampered) > 0 {
		t.Errorf("Tampered = %+v", st.Tampered)
	}
}

func TestTamperedFilesStayOutOfTheClosingCommit(t *testing.T) {
	b := newBench(t)
	b.set("claude", 2)
	b.start()
	sealed := b.git("show", "HEAD:.claude/features.json")
	b.replace(".claude/features.json", "thing number 2", "thing 2")
	e := must[*EndReply](b)(b.p.SessionEnd(ctx, Note{}, "no time left"))
	if e.Complete || len(e.Tampered) != 1 || e.Commit == "" {
		t.Errorf("end = %+v", e)
	}
	if got := b.git("show", "HEAD:.claude/features.json"); got != sealed {
		t.Error("the edited list was committed")
	}
}

func TestSecretsDontHoldASessionUp(t *testing.T) {
	b := newBench(t)
	b.set("claude", 2)
	b.start()
	b.work("F001")
	b.write(".env", "TOKEN=x\n")
	b.write("key.txt", "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n")
	must[*MarkReply](b)(b.p.MarkPassed(ctx, "F001", nil))
	c := must[*CommittedReply](b)(b.p.Commit(ctx, CommitRequest{}))
	if len(c.LeftOut) != 2 {
		t.Errorf("LeftOut = %+v, want .env and key.txt", c.LeftOut)
	}
	_, err := b.p.Commit(ctx, CommitRequest{Message: "x", Paths: []string{"key.txt", "nope", ".env", "done"}})
	if r := b.refused(err, "secret-file"); len(r.Missing) != 4 {
		t.Errorf("Missing = %q, want all four", r.Missing)
	}
	e := b.end()
	if !e.Complete || !strings.Contains(e.Checklist[0].Note, ".gitignore") {
		t.Errorf("end = %+v", e)
	}
	for _, path := range []string{".env", "key.txt"} {
		if out := b.git("log", "--all", "--format=%h", "--", path); out != "" {
			t.Errorf("%s is in the commit %s", path, out)
		}
	}
}

func TestPolicyWrittenBeforehandIsKept(t *testing.T) {
	b := newBench(t)
	b.write(".harness/config.json", `{"policy": {"max_features_per_session": 2}}`)
	b.write("feature_list.json", `[{"id":"A1","description":"one works","passes":true},{"id":"A2","description":"two works","passes":false}]`)
	r := must[*InitializedReply](b)(b.p.Init(ctx, InitRequest{Project: "x", Type: "cli", Commit: true}))
	if r.List != "feature_list.json" || r.Counts.Passed != 1 || r.Counts.Unproven != 1 {
		t.Errorf("init = %+v", r)
	}
	st := must[*StatusReply](b)(b.p.Status(ctx, false))
	if len(st.Tampered) > 0 || b.p.Policy().MaxFeaturesPerSession != 2 {
		t.Errorf("status = %+v, policy %+v", st, b.p.Policy())
	}
}

// TestTwoBranchesGaveOneID merges two branches that added different features under one id.
func TestTwoBranchesGaveOneID(t *testing.T) {
	b := newBench(t)
	b.set("root", 2)
	add := func(branch, text string) {
		b.git("switch", "-qc", branch, "main")
		b.start()
		one := items(1)
		one[0].Description = text
		r := must[*AddedReply](b)(b.p.AddFeatures(ctx, one))
		if r.IDs[0] != "F003" {
			t.Fatalf("IDs = %v", r.IDs)
		}
		must[*EndReply](b)(b.p.SessionEnd(ctx, Note{NextSteps: []string{"merge"}}, "only planning"))
	}
	add("left", "Left wing lights up at night")
	left := b.read("feature_list.json")
	leftLedger := b.read(".harness/ledger.jsonl")
	add("right", "Right wing lights up at night")
	_ = exec.Command("git", "-C", b.dir, "merge", "-q", "left").Run() // conflicts
	for _, rel := range []string{"feature_list.json", ".harness/ledger.jsonl"} {
		if !strings.Contains(b.read(rel), "<<<<<<<") {
			t.Fatalf("no conflict in %s", rel)
		}
	}
	_, err := b.p.Rollback(ctx, "feature_list", "conflict")
	b.refused(err, "merge-in-progress")
	_, err = b.p.Status(ctx, false)
	b.refused(err, "merge-conflict")
	b.git("checkout", "--ours", ".")
	at := strings.LastIndex(left, "\n  {")
	b.write("feature_list.json", strings.TrimSuffix(strings.TrimRight(b.read("feature_list.json"), "\n"), "\n]")+","+left[at:])
	have := b.read(".harness/ledger.jsonl")
	for line := range strings.Lines(leftLedger) {
		if !strings.Contains(have, line) {
			have += line
		}
	}
	b.write(".harness/ledger.jsonl", have)
	b.git("add", ".")
	b.git("commit", "-qm", "merge")
	st := must[*StatusReply](b)(b.p.Status(ctx, false))
	if len(st.Tampered) > 0 || st.Counts.Total != 4 || st.Counts.Blocked != 2 || !strings.Contains(strings.Join(st.Warnings, " "), "F003") {
		t.Errorf("status = %+v, want both F003 blocked and named", st)
	}
	before := b.read("feature_list.json")
	must[*RollbackReply](b)(b.p.Rollback(ctx, "feature_list", "to be sure"))
	if b.read("feature_list.json") != before {
		t.Error("rollback changed the merged list")
	}
	if s := b.start(); s.Feature == nil || s.Feature.ID != "F001" {
		t.Errorf("start = %+v, want F001 offered", s)
	}
}

func TestAuditFollowsALinkedList(t *testing.T) {
	b := newBench(t)
	b.write("shared/f.json", `[{"id":"F001","description":"one works","passes":false},{"id":"F002","description":"two works","passes":false}]`)
	if err := os.Symlink("shared/f.json", filepath.Join(b.dir, "feature_list.json")); err != nil {
		t.Skip(err)
	}
	must[*InitializedReply](b)(b.p.Init(ctx, InitRequest{Project: "x", Type: "cli", Commit: true}))
	e := must[*EndReply](b)(b.p.SessionEnd(ctx, Note{NextSteps: []string{"go"}}, ""))
	if dirty := b.git("status", "--porcelain"); dirty != "" {
		t.Errorf("%+v leaves %q", e, dirty)
	}
	if found, err := b.p.Audit(ctx, ""); err != nil || len(found) > 0 {
		t.Errorf("findings = %+v, %v; want none", found, err)
	}
	b.replace("shared/f.json", `{"id":"F001","description":"one works","passes":false},`, "")
	b.git("commit", "-qam", "less work")
	found, err := b.p.Audit(ctx, "")
	if err != nil || len(found) != 1 || found[0].Kind != "deleted" || found[0].Feature != "F001" {
		t.Errorf("findings = %+v, %v; want F001 deleted", found, err)
	}
}
