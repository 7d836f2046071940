package artifacts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/runner"
)

// TestMain keeps the developer's own git configuration and home folder out of the tests.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "longhaul-home")
	if err != nil {
		panic(err)
	}
	for key, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "xdg"), "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "", "LONGHAUL_PROJECT": "", "CLAUDE_PROJECT_DIR": "",
	} {
		if value == "" {
			os.Unsetenv(key)
			continue
		}
		os.Setenv(key, value)
	}
	config := "[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

var ctx = context.Background()

// A bench is a project folder with a Project on it whose clock the test moves.
type bench struct {
	testing.TB
	dir   string
	p     *Project
	clock time.Time
}

// newBench is an empty git repository.
func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{TB: t, dir: filepath.Join(t.TempDir(), "my proj ü #1"), clock: time.Now()}
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	b.dir = dir
	b.git("init", "-q")
	b.p = b.open()
	return b
}

func (b *bench) open() *Project {
	p := Open(b.dir, Options{Version: "test"})
	p.now = func() time.Time { return b.clock }
	b.Cleanup(p.Close)
	return p
}

// elsewhere is a Project of another live process.
func (b *bench) elsewhere() *Project {
	b.Helper()
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	p := b.open()
	p.who.PID, p.who.Born = cmd.Process.Pid, runner.Born(cmd.Process.Pid)
	return p
}

func (b *bench) git(args ...string) string {
	b.Helper()
	cmd := exec.Command("git", append([]string{"-C", b.dir}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (b *bench) write(rel, text string) {
	b.Helper()
	path := filepath.Join(b.dir, rel)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) read(rel string) string {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, rel))
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

// files are all files of the project, git's own left out.
func (b *bench) files() map[string]string {
	b.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" || d.Name() == "local" {
				return fs.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(b.dir, path)
		all[rel] = string(data)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return all
}

// unchanged fails when a file differs from an earlier look, but for the given ones.
func (b *bench) unchanged(before map[string]string, but ...string) {
	b.Helper()
	now := b.files()
	for _, rel := range but {
		delete(before, rel)
		delete(now, rel)
	}
	for rel, text := range before {
		if now[rel] != text {
			b.Errorf("%s changed", rel)
		}
	}
	for rel := range now {
		if _, ok := before[rel]; !ok {
			b.Errorf("%s is new", rel)
		}
	}
}

// refused fails unless err is a Refusal with the code.
func (b *bench) refused(err error, code string) *Refusal {
	b.Helper()
	var r *Refusal
	if !errors.As(err, &r) || r.Code != code {
		b.Fatalf("got %v, want the refusal %s", err, code)
	}
	if r.Next == "" || r.What == "" {
		b.Errorf("%s: a refusal says what is wrong and the next step: %q", code, r)
	}
	return r
}

func must[T any](t *bench) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("refused: %v", err)
		}
		return v
	}
}

func (b *bench) start() *StartReply {
	b.Helper()
	return must[*StartReply](b)(b.p.SessionStart(ctx, "", true))
}

func (b *bench) end() *EndReply {
	b.Helper()
	return must[*EndReply](b)(b.p.SessionEnd(ctx, Note{NextSteps: []string{"go on"}}, ""))
}

// items are n features whose checks ask for a file of the feature's name.
func items(n int) []Incoming {
	var all []Incoming
	for i := 1; i <= n; i++ {
		all = append(all, Incoming{Item: feature.Item{
			Description: fmt.Sprintf("User can do the thing number %d from end to end", i), Category: "core", Priority: "1",
			Steps: []string{fmt.Sprintf("Open page %d", i), fmt.Sprintf("See that thing %d is there", i)},
			Check: fmt.Sprintf("test -f done/F%03d", i),
		}})
	}
	return all
}

// set makes a harness with n features and ends the initializer's session.
func (b *bench) set(layout string, n int) *InitializedReply {
	b.Helper()
	r := must[*InitializedReply](b)(b.p.Init(ctx, InitRequest{Project: "demo", Type: "cli", Layout: layout, Stack: "other", Features: items(n), Commit: true}))
	if r.Commit == "" {
		b.Fatalf("harness_init did not commit: %v", r.Warnings)
	}
	b.end()
	return r
}

// work makes the check of a feature green.
func (b *bench) work(id string) { b.write("done/"+id, "it works\n") }
