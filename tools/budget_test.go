package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

// day is one session with every tool in it, what each answer may weigh in bytes as a model is shown it, with lists of 200
// and of 2,000 features. The numbers are what it weighs: whoever makes an answer longer raises its budget here, and sees it.
var day = []struct {
	tool, arguments string
	most            [2]int
}{
	{"harness_init", `{"project":"demo","type":"web-app","import":"seed.json"}`, [2]int{496, 498}},
	{"session_end", `{"decisions":["One file holds the list"],"notes":["The server needs a second"],"next_steps":["Begin with the first feature"]}`, [2]int{398, 398}},
	{"session_start", `{}`, [2]int{1768, 1770}},
	{"next_feature", `{}`, [2]int{806, 808}},
	{"status", `{}`, [2]int{823, 825}},
	{"list_features", `{}`, [2]int{7354, 7356}},
	{"list_features", `{"ids":["F001"]}`, [2]int{674, 675}},
	{"mark_feature_passed", `{"id":"F001"}`, [2]int{361, 363}},
	{"verify_features", `{}`, [2]int{140, 140}},
	{"append_progress", `{"notes":["Rows come in the order of the last change"],"next_steps":["F002"]}`, [2]int{88, 88}},
	{"commit", `{"message":"things can be opened"}`, [2]int{191, 191}},
	{"add_features", `{"features":[{"description":"User can sort the things by the date of their last change","steps":["Click on the head of the column"]}]}`, [2]int{175, 178}},
	{"report_regression", `{"id":"F001","reason":"the table stays empty"}`, [2]int{216, 218}},
	{"rollback", `{"target":"uncommitted","reason":"it went wrong"}`, [2]int{154, 154}},
	{"session_end", `{"next_steps":["F001, which broke"],"incomplete_reason":"time is over"}`, [2]int{489, 489}},
}

// volatile is what differs from run to run; it counts with the length that it mostly has.
var volatile = []struct {
	pattern *regexp.Regexp
	length  string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?( ?[+-]\d\d:\d\d|Z)?`), "2026-01-31T14:30:00Z"},
	{regexp.MustCompile(`"seconds":[0-9.e-]+`), `"seconds":0.01`},
	{regexp.MustCompile(`~\d+ min`), "~1 min"},
	{regexp.MustCompile(`\b[0-9a-f]{40}\b`), strings.Repeat("f", 40)},
}

// TestEveryReplyKeepsItsBudget plays the day with lists of both sizes.
func TestEveryReplyKeepsItsBudget(t *testing.T) {
	ownGit(t)
	played := map[string]bool{}
	for size, n := range []int{200, 2000} {
		t.Run(fmt.Sprint(n, " features"), func(t *testing.T) {
			temp, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(temp, "demo")
			seed(t, dir, n)
			p := artifacts.Open(dir, artifacts.Options{Version: "test"})
			t.Cleanup(p.Close)
			for i, call := range day {
				tool, _ := Find(call.tool)
				r := tool.Call(t.Context(), p, json.RawMessage(call.arguments))
				if r.IsError {
					t.Fatalf("%s %s: %s", call.tool, call.arguments, textOf(t, r))
				}
				text := strings.ReplaceAll(string(r.StructuredContent.(json.RawMessage)), dir, "/home/ann/demo")
				for _, v := range volatile {
					text = v.pattern.ReplaceAllString(text, v.length)
				}
				if len(text) > call.most[size] {
					t.Errorf("call %d, %s %s: %d bytes, the budget is %d: %s", i, call.tool, call.arguments, len(text), call.most[size], text)
				}
				played[call.tool] = true
			}
		})
	}
	for _, tool := range All() {
		if !played[tool.Name()] {
			t.Errorf("%s has no budget", tool.Name())
		}
	}
}

// ownGit gives git an identity and none of the user's settings.
func ownGit(t *testing.T) {
	t.Helper()
	for key, value := range map[string]string{
		"HOME": t.TempDir(), "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.com",
		"GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.com",
	} {
		t.Setenv(key, value)
	}
}

// seed makes a repository with a list of n features to import, in the size that public ones have.
func seed(t *testing.T, dir string, n int) {
	t.Helper()
	var items []map[string]any
	for i := 1; i <= n; i++ {
		var steps []string
		for k := 1; k <= 5; k++ {
			steps = append(steps, fmt.Sprintf("Step %d: click on the button of thing %d and wait until the table shows it", k, i))
		}
		items = append(items, map[string]any{"category": "functional", "priority": "2", "steps": steps, "check": "test -f README.md",
			"description": fmt.Sprintf("User can open thing number %d, change each of its fields and see the change after a reload of the page", i)})
	}
	list, err := json.Marshal(map[string]any{"features": items})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"seed.json": list, "README.md": []byte("# Demo\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "feat: the code"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}
