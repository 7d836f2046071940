package artifacts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
)

func TestDayInEachLayout(t *testing.T) {
	for layout, list := range map[string]string{"claude": ".claude/features.json", "root": "feature_list.json", "plan": ".harness/features.json"} {
		t.Run(layout, func(t *testing.T) {
			b := newBench(t)
			if r := b.set(layout, 3); r.List != list {
				t.Fatalf("List = %s, want %s", r.List, list)
			}
			if dirty := b.git("status", "--porcelain"); dirty != "" {
				t.Errorf("after the first session git status says %q, want nothing", dirty)
			}
			s := b.start()
			if s.State != "feature" || s.Feature.ID != "F001" || !s.Init.OK || s.Session != "session-002" {
				t.Fatalf("session_start = %+v", s)
			}
			if _, err := b.p.MarkPassed(ctx, "F001", nil); err == nil {
				t.Fatal("a failing check passed")
			}
			b.work("F001")
			m := must[*MarkReply](b)(b.p.MarkPassed(ctx, "F001", nil))
			if !m.Passed || !m.Changed || m.Counts.Passed != 1 || m.Proof.Kind != "observed" {
				t.Errorf("mark = %+v", m)
			}
			again := must[*MarkReply](b)(b.p.MarkPassed(ctx, "F001", nil))
			if !again.Passed || again.Changed {
				t.Errorf("a second mark = %+v, want passed and not changed", again)
			}
			_, err := b.p.NextFeature(ctx, NextRequest{})
			b.refused(err, "session-limit")
			must[*AppendReply](b)(b.p.AppendProgress(ctx, Note{Decisions: []string{"files over a database"}, NextSteps: []string{"do F002"}}))
			c := must[*CommittedReply](b)(b.p.Commit(ctx, CommitRequest{}))
			if !strings.HasSuffix(c.Subject, "(F001)") || !strings.HasPrefix(c.Subject, "feat: ") {
				t.Errorf("Subject = %q", c.Subject)
			}
			if trailers := b.git("log", "-1", "--format=%(trailers)"); !strings.Contains(trailers, "Harness-Feature: F001\nHarness-Session: session-002") {
				t.Errorf("trailers = %q", trailers)
			}
			e := must[*EndReply](b)(b.p.SessionEnd(ctx, Note{}, ""))
			if !e.Closed || !e.Complete {
				t.Errorf("end = %+v", e)
			}
			if dirty := b.git("status", "--porcelain"); dirty != "" {
				t.Errorf("git status = %q, want nothing", dirty)
			}
			b.git("fsck", "--strict")
			st := must[*StatusReply](b)(b.p.Status(ctx, true))
			if !st.Integrity.OK || st.Percent != 33 || len(st.Integrity.Findings) > 0 {
				t.Errorf("status = %+v", st)
			}
		})
	}
}

func TestRefusalsChangeNothing(t *testing.T) {
	b := newBench(t)
	b.set("claude", 3)
	before := b.files()
	_, err := b.p.MarkPassed(ctx, "F001", nil)
	b.refused(err, "no-session")
	_, err = b.p.AddFeatures(ctx, items(1))
	b.refused(err, "no-session")
	_, err = b.p.Commit(ctx, CommitRequest{Message: "x"})
	b.refused(err, "no-session")
	_, err = b.p.SessionEnd(ctx, Note{}, "")
	b.refused(err, "no-session")
	_, err = b.p.Init(ctx, InitRequest{Project: "again", Type: "cli", Features: items(2)})
	b.refused(err, "already-initialized")
	b.unchanged(before)

	b.start()
	before = b.files()
	for _, c := range []struct{ id, code string }{{"F002", "not-claimed"}, {"F0", "unknown-feature"}, {"f001", "unknown-feature"}, {"", "bad-argument"}} {
		_, err = b.p.MarkPassed(ctx, c.id, nil)
		b.refused(err, c.code)
	}
	_, err = b.p.ReportRegression(ctx, "F001", "broke")
	b.refused(err, "not-passed")
	_, err = b.p.SessionEnd(ctx, Note{}, "")
	r := b.refused(err, "end-checklist")
	if len(r.Missing) != 3 {
		t.Errorf("Missing = %q, want the feature, the entry and the next steps", r.Missing)
	}
	_, err = b.p.AddFeatures(ctx, []Incoming{{Item: feature.Item{Description: "done already"}, Passes: true}})
	b.refused(err, "bad-argument")
	_, err = b.p.AddFeatures(ctx, []Incoming{{Item: feature.Item{Description: "a check that hides", Check: "make test || true"}}})
	b.refused(err, "check-masked")
	_, err = b.p.Commit(ctx, CommitRequest{Paths: []string{"../x"}})
	b.refused(err, "outside-project")
	b.unchanged(before)
	_, err = b.p.MarkPassed(ctx, "F001", nil)
	b.refused(err, "check-failed")
	b.unchanged(before, ".harness/ledger.jsonl")
}

func TestAttestedProofNeedsEachStep(t *testing.T) {
	b := newBench(t)
	all := items(1)
	all[0].Check = ""
	must[*InitializedReply](b)(b.p.Init(ctx, InitRequest{Project: "demo", Type: "web-app", Features: all, Commit: true}))
	b.end()
	b.start()
	_, err := b.p.MarkPassed(ctx, "F001", nil)
	b.refused(err, "evidence-required")
	_, err = b.p.MarkPassed(ctx, "F001", []Evidence{{Observed: "the page showed a table with three rows"}})
	b.refused(err, "evidence-incomplete")
	_, err = b.p.MarkPassed(ctx, "F001", []Evidence{{Observed: "ok"}, {Observed: "n/a"}})
	b.refused(err, "evidence-incomplete")
	good := []Evidence{{Observed: "page 1 opened with the title Things", Artifact: "shots/one.png"}, {Observed: "a row named thing 1 stood in the table"}}
	_, err = b.p.MarkPassed(ctx, "F001", good)
	b.refused(err, "artifact-missing")
	b.write("shots/one.png", "no image")
	_, err = b.p.MarkPassed(ctx, "F001", good)
	b.refused(err, "artifact-missing")
	b.write("shots/one.png", "\x89PNG\r\n\x1a\n and so on")
	m := must[*MarkReply](b)(b.p.MarkPassed(ctx, "F001", good))
	if m.Proof.Kind != "attested" {
		t.Errorf("Kind = %s, want attested", m.Proof.Kind)
	}
	detail := must[*ListReply](b)(b.p.ListFeatures(ctx, Query{IDs: []string{"F001"}}))
	if p := detail.Features[0].Proof; p == nil || len(p.Evidence) != 2 || p.Evidence[0].Artifact != "shots/one.png" {
		t.Errorf("Proof = %+v", p)
	}
}

func TestTamperingIsNamedAndRolledBack(t *testing.T) {
	list := ".claude/features.json"
	cases := map[string]struct {
		edit func(b *bench)
		id   string
		what string
	}{
		"deleted":        {func(b *bench) { b.cut("F002") }, "F002", "deleted"},
		"edited":         {func(b *bench) { b.replace(list, "thing number 2", "thing 2") }, "F002", "edited"},
		"check weakened": {func(b *bench) { b.replace(list, "test -f done/F002", "true") }, "F002", "edited"},
		"passed":         {func(b *bench) { b.replace(list, `"passes": false`, `"passes": true`) }, "F002", "passed"},
		"unpassed":       {func(b *bench) { b.replace(list, `"passes": true`, `"passes": false`) }, "F001", "unpassed"},
		"policy": {func(b *bench) {
			b.replace(".harness/config.json", `"version"`, `"policy":{"max_features_per_session":9},"version"`)
		}, ".harness/config.json", "policy"},
		"ledger gone":      {func(b *bench) { b.write(".harness/ledger.jsonl", "") }, ".harness/ledger.jsonl", "ledger"},
		"ledger forged":    {func(b *bench) { b.forge("F003") }, ".harness/ledger.jsonl", "ledger"},
		"list not there":   {func(b *bench) { os.Remove(filepath.Join(b.dir, list)) }, "", ""},
		"list cut":         {func(b *bench) { b.write(list, b.read(list)[:200]) }, "", ""},
		"config cut":       {func(b *bench) { b.write(".harness/config.json", "{") }, "", ""},
		"ledger line torn": {func(b *bench) { b.write(".harness/ledger.jsonl", b.read(".harness/ledger.jsonl")+"{\"kind\":") }, "", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.set("claude", 3)
			b.start()
			b.work("F001")
			must[*MarkReply](b)(b.p.MarkPassed(ctx, "F001", nil))
			must[*CommittedReply](b)(b.p.Commit(ctx, CommitRequest{}))
			sealed := b.files()
			c.edit(b)
			edited := b.files()
			if c.what == "" {
				_, err := b.p.Status(ctx, false)
				b.refused(err, "unreadable")
				_, err = b.p.AddFeatures(ctx, items(1))
				b.refused(err, "unreadable")
			} else {
				st := must[*StatusReply](b)(b.p.Status(ctx, false))
				if len(st.Tampered) != 1 || st.Tampered[0].ID != c.id || st.Tampered[0].What != c.what {
					t.Fatalf("Tampered = %+v, want %s %s", st.Tampered, c.id, c.what)
				}
				if st.Counts.Total != 3 {
					t.Errorf("Total = %d, want 3", st.Counts.Total)
				}
				_, err := b.p.AddFeatures(ctx, items(1))
				b.refused(err, "tampered")
				_, err = b.p.Commit(ctx, CommitRequest{Message: "x"})
				b.refused(err, "tampered")
			}
			b.unchanged(edited)
			r := must[*RollbackReply](b)(b.p.Rollback(ctx, "feature_list", "put back"))
			if len(r.Restored) == 0 || r.BackupRef == "" {
				t.Errorf("rollback = %+v", r)
			}
			b.unchanged(sealed, ".harness/ledger.jsonl")
			st := must[*StatusReply](b)(b.p.Status(ctx, false))
			if len(st.Tampered) > 0 || st.Counts.Passed != 1 || st.Counts.Total != 3 {
				t.Errorf("after the rollback: %+v", st)
			}
			fresh := b.open()
			if st, err := fresh.Status(ctx, false); err != nil || len(st.Tampered) > 0 {
				t.Errorf("another server says %+v, %v", st, err)
			}
		})
	}
}

func (b *bench) replace(rel, old, text string) {
	b.Helper()
	before := b.read(rel)
	if !strings.Contains(before, old) {
		b.Fatalf("%s does not hold %q", rel, old)
	}
	b.write(rel, strings.Replace(before, old, text, 1))
}

// cut takes a feature out of the claude layout's list.
func (b *bench) cut(id string) {
	b.Helper()
	text := b.read(".claude/features.json")
	at := strings.Index(text, `"id": "`+id+`"`)
	start := strings.LastIndex(text[:at], "{")
	end := at + strings.Index(text[at:], "{")
	b.write(".claude/features.json", text[:start]+text[end:])
}

func (b *bench) forge(id string) {
	b.write(".harness/ledger.jsonl", b.read(".harness/ledger.jsonl")+`{"kind":"proof","at":"2026-01-01T00:00:00Z","id":"`+id+`","proof":{"kind":"observed"}}`+"\n")
}

func TestHandAppendedFeaturesAreWelcome(t *testing.T) {
	b := newBench(t)
	b.set("root", 2)
	text := strings.TrimRight(b.read("feature_list.json"), "\n")
	text = strings.TrimSuffix(text, "\n]") + ",\n  {\"id\": \"F003\", \"description\": \"written by a person\", \"odd\": [1.0], \"passes\": false}\n]\n"
	b.write("feature_list.json", text)
	s := b.start()
	if s.Counts.Total != 3 || len(s.Tampered) > 0 || !strings.Contains(strings.Join(s.Warnings, " "), "F003") {
		t.Errorf("start = %+v, want three features, F003 reported", s)
	}
	b.replace("feature_list.json", "written by a person", "written by somebody")
	if st := must[*StatusReply](b)(b.p.Status(ctx, false)); len(st.Tampered) != 1 || st.Tampered[0].ID != "F003" {
		t.Errorf("Tampered = %+v, want F003: it is sealed now", st.Tampered)
	}
}

func TestCrashedSessionGoesOn(t *testing.T) {
	b := newBench(t)
	b.set("claude", 3)
	s := b.start()
	dead := Open(b.dir, Options{})
	dead.who.PID, dead.who.Born = 1<<22+1, "gone"
	err := b.p.update(ctx, func(v *view) error {
		v.mine.PID, v.mine.Born = dead.who.PID, dead.who.Born
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	p := b.open()
	r := must[*StartReply](b)(p.SessionStart(ctx, "", false))
	if !r.Resumed || r.Session != s.Session || r.Feature.ID != s.Feature.ID {
		t.Errorf("after a crash = %+v, want %s resumed with %s", r, s.Session, s.Feature.ID)
	}
}

func TestTwoServersTakeDifferentFeatures(t *testing.T) {
	b := newBench(t)
	b.set("claude", 3)
	one := b.start()
	other := b.elsewhere()
	two := must[*StartReply](b)(other.SessionStart(ctx, "", false))
	if two.Resumed || two.Session == one.Session || two.Feature.ID == one.Feature.ID {
		t.Errorf("second server: %+v, first had %s %s", two, one.Session, one.Feature.ID)
	}
}

func TestAPersonMayAcceptSetAndWaive(t *testing.T) {
	list := ".claude/features.json"
	b := newBench(t)
	b.set("claude", 3)
	b.cut("F002")
	b.replace(list, `"passes": false`, `"passes": true`)
	b.replace(".harness/config.json", `"version"`, `"policy":{"session_minutes":9},"version"`)
	shown, err := b.p.Tampered(ctx)
	if err != nil {
		t.Fatal(err)
	}
	// The same key is changed again while the person reads.
	b.replace(".harness/config.json", `"session_minutes":9`, `"session_minutes":8`)
	before := b.files()
	_, err = b.p.Accept(ctx, "ada", shown)
	b.refused(err, "busy")
	b.unchanged(before)
	b.replace(".harness/config.json", `"session_minutes":8`, `"session_minutes":9`)
	taken, err := b.p.Accept(ctx, "ada", shown)
	if err != nil || len(taken) != 3 {
		t.Fatalf("Accept = %+v, %v; want the deletion, the pass and the policy", taken, err)
	}
	st := must[*StatusReply](b)(b.p.Status(ctx, false))
	if len(st.Tampered) > 0 || st.Counts.Total != 2 || st.Counts.Passed != 1 || st.Counts.Unproven != 1 {
		t.Errorf("status = %+v, want two features, one unproven", st)
	}
	if err := b.p.SetPolicy(ctx, "max_features_per_session", "2", "ada"); err != nil {
		t.Fatal(err)
	}
	if got := b.p.Policy(); got.MaxFeaturesPerSession != 2 || got.SessionMinutes != 9 {
		t.Errorf("Policy = %+v", got)
	}
	if _, err := b.p.Waive(ctx, "F003", "", "ada"); err == nil {
		t.Error("a waiver without a reason went through")
	}
	if _, err := b.p.Waive(ctx, "F003", "the shop is closed", "ada"); err != nil {
		t.Fatal(err)
	}
	l := must[*ListReply](b)(b.p.ListFeatures(ctx, Query{IDs: []string{"F003"}}))
	if p := l.Features[0].Proof; p == nil || p.Kind != "waived" || p.By != "ada" || p.Reason != "the shop is closed" {
		t.Errorf("Proof = %+v", p)
	}
	b.git("add", "-A")
	b.git("commit", "-qm", "as we want it")
	if st = must[*StatusReply](b)(b.p.Status(ctx, true)); !st.Integrity.OK {
		t.Errorf("integrity = %+v", st.Integrity)
	}
}

func TestSweepFindsWhatBroke(t *testing.T) {
	b := newBench(t)
	b.write(".harness/config.json", `{"policy": {"sweep_on_start": 2}}`)
	b.set("claude", 3)
	b.start()
	b.work("F001")
	must[*MarkReply](b)(b.p.MarkPassed(ctx, "F001", nil))
	must[*CommittedReply](b)(b.p.Commit(ctx, CommitRequest{}))
	b.end()
	s := b.start()
	if len(s.Swept) != 1 || !s.Swept[0].OK || s.Feature.ID != "F002" {
		t.Errorf("start = %+v, want F001 swept and green", s)
	}
	if err := os.Remove(filepath.Join(b.dir, "done/F001")); err != nil {
		t.Fatal(err)
	}
	s = b.start()
	if len(s.Swept) != 1 || s.Swept[0].OK || !strings.HasPrefix(s.Next, `report_regression {"id":"F001"`) {
		t.Errorf("start = %+v, want F001 swept and red", s)
	}
	must[*RegressionReply](b)(b.p.ReportRegression(ctx, "F001", "the file is gone"))
	_, _ = b.p.NextFeature(ctx, NextRequest{Release: "F001 first"})
	if n := must[*NextReply](b)(b.p.NextFeature(ctx, NextRequest{})); n.Feature.ID != "F001" {
		t.Errorf("next = %s, want F001 offered first", n.Feature.ID)
	}
}

func TestProofGoesStaleWithTheCodeItCovers(t *testing.T) {
	b := newBench(t)
	b.write("check.sh", "test -f done/F001\n")
	all := items(2)
	all[0].Check = "sh check.sh"
	must[*InitializedReply](b)(b.p.Init(ctx, InitRequest{Project: "demo", Type: "cli", Features: all, Commit: true}))
	b.git("add", "check.sh")
	b.git("commit", "-qm", "check")
	b.end()
	b.start()
	b.work("F001")
	must[*MarkReply](b)(b.p.MarkPassed(ctx, "F001", nil))
	stale := func() bool {
		t.Helper()
		l := must[*ListReply](b)(b.p.ListFeatures(ctx, Query{IDs: []string{"F001"}}))
		return l.Features[0].Proof.Stale
	}
	if stale() {
		t.Error("stale right after the pass")
	}
	must[*CommittedReply](b)(b.p.Commit(ctx, CommitRequest{}))
	if stale() {
		t.Error("stale after the commit of what was proved")
	}
	b.write("src/other", "new\n")
	if !stale() {
		t.Error("not stale though there is new code")
	}
	if err := os.RemoveAll(filepath.Join(b.dir, "src")); err != nil {
		t.Fatal(err)
	}
	if stale() {
		t.Error("stale though all is as it was")
	}
	b.write("check.sh", "true\n")
	if !stale() {
		t.Error("not stale though the check's own file changed")
	}
	r := must[*VerifyReply](b)(b.p.Verify(ctx, nil, "stale", 0))
	if len(r.Results) != 1 || r.Results[0].ID != "F001" {
		t.Errorf("verify stale = %+v", r)
	}
	if stale() {
		t.Error("stale after a green check of the code as it is")
	}
}
