package artifacts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
)

// link makes a link in the project; where links can't be made the test is skipped.
func (b *bench) link(target, rel string) {
	b.Helper()
	if err := os.Symlink(target, filepath.Join(b.dir, rel)); err != nil {
		b.Skip(err)
	}
}

// TestFilesOfTheHarnessShowNothing offers files that change by themselves as what was seen.
func TestFilesOfTheHarnessShowNothing(t *testing.T) {
	b := newBench(t)
	plain := items(2)
	plain[0].Check, plain[1].Check = "", ""
	must[*InitializedReply](b)(b.p.Init(ctx, InitRequest{Project: "demo", Type: "cli", Stack: "other", Features: plain, Commit: true}))
	b.end()
	b.start()
	b.link(".git/index", "index.txt")
	if err := os.Link(filepath.Join(b.dir, ".harness", "ledger.jsonl"), filepath.Join(b.dir, "ledger.txt")); err != nil {
		t.Skip(err)
	}
	b.git("status")
	evidence := func(artifact string) []Evidence {
		return []Evidence{{Observed: "The page shows the first thing, with its name", Artifact: artifact}, {Observed: "Below it stands what thing 1 costs"}}
	}
	for _, name := range []string{".git/longhaul/sessions.json", ".git/longhaul/lock", "index.txt", "ledger.txt", ".harness/ledger.jsonl", ".claude/features.json", ".claude/progress.md"} {
		_, err := b.p.MarkPassed(ctx, "F001", evidence(name))
		r := b.refused(err, "artifact-missing")
		if told := strings.Join(r.Missing, " "); !strings.Contains(told, "of git or of the harness") {
			t.Errorf("%s: %s", name, told)
		}
	}
	b.write("seen.txt", "thing 1\n")
	must[*MarkReply](b)(b.p.MarkPassed(ctx, "F001", evidence("seen.txt")))
}

// TestFolderBehindALinkIsOutside: what leads out of the project by a link is refused when it comes in, not when it is run.
func TestFolderBehindALinkIsOutside(t *testing.T) {
	b := newBench(t)
	b.set("claude", 2)
	b.start()
	b.link(b.TempDir(), "away")
	b.link("done", "near")
	b.work("F001")
	item := func(change func(*feature.Item)) []Incoming {
		in := items(3)[2:]
		in[0].Description = "User can log out on every page"
		change(&in[0].Item)
		return in
	}
	before := b.read(".claude/features.json")
	for name, bad := range map[string][]Incoming{
		"cwd":             item(func(i *feature.Item) { i.Cwd = "away" }),
		"cwd below it":    item(func(i *feature.Item) { i.Cwd = "away/deep/er" }),
		"files":           item(func(i *feature.Item) { i.Files = []string{"away/x.go"} }),
		"pattern":         item(func(i *feature.Item) { i.Files = []string{"away/**/*.go"} }),
		"pattern further": item(func(i *feature.Item) { i.Files = []string{"near/../away/*"} }),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.p.AddFeatures(ctx, bad)
			b.refused(err, "outside-project")
			other := newBench(t)
			other.link(t.TempDir(), "away")
			_, err = other.p.Init(ctx, InitRequest{Project: "x", Type: "cli", Features: bad, Commit: true})
			other.refused(err, "outside-project")
		})
	}
	if got := b.read(".claude/features.json"); got != before {
		t.Error("the list changed")
	}
	must[*AddedReply](b)(b.p.AddFeatures(ctx, item(func(i *feature.Item) { i.Cwd = "near" })))
}

// TestCommitMessageIsPlainText has a message hold what a terminal would obey, in 7 bits and in 8, and what turns text round.
func TestCommitMessageIsPlainText(t *testing.T) {
	b := newBench(t)
	b.set("claude", 2)
	b.start()
	b.work("F001")
	evil := "safe \x1b[31m\u009b2J\u009d0;title\x07\u0090q\u202eturned\u2066\u0007\u0085 end 👩‍👧"
	must[*AppendReply](b)(b.p.AppendProgress(ctx, Note{Focus: evil, Notes: []string{evil}, Decisions: []string{evil}, NextSteps: []string{evil}}))
	must[*MarkReply](b)(b.p.MarkPassed(ctx, "F001", nil))
	must[*CommittedReply](b)(b.p.Commit(ctx, CommitRequest{Message: evil, Body: evil}))
	must[*RollbackReply](b)(b.p.Rollback(ctx, "HEAD~1", evil))
	for name, text := range map[string]string{
		"git log": b.git("log", "--format=%B"), "progress.md": b.read(".claude/progress.md"), "architecture.md": b.read(".claude/architecture.md"),
	} {
		if i := strings.IndexFunc(text, func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
		}); i >= 0 {
			t.Errorf("%s holds a control: %q", name, text[max(0, i-20):min(len(text), i+20)])
		}
		if !strings.Contains(text, "turned") || !strings.Contains(text, "👩‍👧") {
			t.Errorf("%s lost the words: %q", name, text)
		}
	}
}
