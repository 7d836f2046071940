package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// program is the git program: its absolute path, and whether it is one we may use.
type program struct {
	path   string
	usable func() bool // at least 2.30; asked once
}

// installed looks the program up once. A name that leads to the working directory does not count.
var installed = sync.OnceValue(func() *program {
	path, err := exec.LookPath("git")
	if err != nil {
		return nil
	}
	p := &program{path: path}
	p.usable = sync.OnceValue(func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		out, err := p.run(ctx, call{args: []string{"version"}})
		return err == nil && atLeast(string(out), 2, 30)
	})
	return p
})

// program is the git program when there is a usable one, else nil.
func (r *Repo) program() *program {
	if r.git == nil || !r.git.usable() {
		return nil
	}
	return r.git
}

// atLeast reads "git version 2.39.5 (Apple Git-154)".
func atLeast(version string, major, minor int) bool {
	fields := strings.Fields(version)
	if len(fields) < 3 {
		return false
	}
	parts := strings.SplitN(fields[2], ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, errA := strconv.Atoi(parts[0])
	b, errB := strconv.Atoi(parts[1])
	return errA == nil && errB == nil && (a > major || a == major && b >= minor)
}

// call is one run of the program.
type call struct {
	dir   string
	args  []string
	env   []string // over all else
	stdin []byte   // nil: closed
	write bool     // may take locks
	user  bool     // runs the user's hooks: no setting of ours may reach them that changes what they see
}

// limit is how long a call may take at most: a hook can run a test suite, a prompt for a pass phrase never ends.
const limit = 10 * time.Minute

// exitError is a run that ended badly.
type exitError struct {
	args   []string
	code   int
	stderr string
}

func (e *exitError) Error() string {
	text := strings.TrimSpace(e.stderr)
	if text == "" {
		text = "exit status " + strconv.Itoa(e.code)
	}
	args := e.args
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return fmt.Sprintf("git %s: %s", args[0], text)
}

// run gives the standard output of a call; an exit other than 0 is an *exitError.
func (p *program) run(ctx context.Context, c call) ([]byte, error) {
	out, _, err := p.output(ctx, c)
	return out, err
}

// output is run with the standard error of a run that went well, too.
func (p *program) output(ctx context.Context, c call) (stdout []byte, stderr string, err error) {
	var out bytes.Buffer
	stderr, err = p.pipe(ctx, c, &out)
	return out.Bytes(), stderr, err
}

// pipe runs a call with its standard output going to out; an error of out ends the call.
func (p *program) pipe(ctx context.Context, c call, out io.Writer) (stderr string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := p.command(ctx, c)
	tail := &tailWriter{max: 1 << 16}
	cmd.Stdout, cmd.Stderr = out, tail
	err = cmd.Run()
	if ctx.Err() != nil {
		endGroup(cmd)
		return tail.String(), context.Cause(ctx)
	}
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrWaitDelay): // a hook left a process that holds the pipe
		return tail.String(), nil
	case errors.As(err, &exit):
		return tail.String(), &exitError{c.args, exit.ExitCode(), tail.String()}
	}
	return tail.String(), err
}

func (p *program) command(ctx context.Context, c call) *exec.Cmd {
	args := []string{"-c", "gc.auto=0", "-c", "maintenance.auto=false"}
	if !c.user {
		args = append(args, "-c", "core.quotePath=false", "-c", "protocol.allow=never")
	}
	cmd := exec.CommandContext(ctx, p.path, append(args, c.args...)...)
	cmd.Dir = c.dir
	cmd.Env = environment(os.Environ())
	if !c.user {
		cmd.Env = append(cmd.Env, "GIT_LITERAL_PATHSPECS=1", "GIT_NO_LAZY_FETCH=1")
	}
	if !c.write {
		cmd.Env = append(cmd.Env, "GIT_OPTIONAL_LOCKS=0")
	}
	cmd.Env = append(cmd.Env, c.env...)
	if c.stdin != nil {
		cmd.Stdin = bytes.NewReader(c.stdin)
	}
	cmd.WaitDelay = 2 * time.Second
	detach(cmd)
	return cmd
}

// environment is the given one without what would point git at another repository, index or editor. Identity and the
// place of the user's own settings stay. Messages are in English, for we read them; the character set stays the
// user's, for hooks read it.
func environment(given []string) []string {
	env := make([]string, 0, len(given)+8)
	all, ctype, lang := "", "", ""
	for _, entry := range given {
		name, value, _ := strings.Cut(entry, "=")
		switch upper := strings.ToUpper(name); {
		case strings.HasPrefix(upper, "GIT_") && !kept(upper):
		case upper == "LC_ALL":
			all = value
		case upper == "LC_CTYPE":
			ctype = value
		case upper == "LC_MESSAGES", upper == "LANGUAGE":
		case upper == "LANG":
			lang = value
			env = append(env, entry)
		default:
			env = append(env, entry)
		}
	}
	for _, charset := range []string{all, ctype, lang} {
		if charset != "" {
			env = append(env, "LC_CTYPE="+charset)
			break
		}
	}
	return append(env, "LC_MESSAGES=C", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true", "GIT_PAGER=cat")
}

func kept(name string) bool {
	for _, prefix := range []string{"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_SSH"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	switch name {
	case "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR":
		return true
	}
	return false
}

// tailWriter keeps the last max bytes.
type tailWriter struct {
	max  int
	data []byte
}

func (t *tailWriter) Write(p []byte) (int, error) {
	t.data = append(t.data, p...)
	if over := len(t.data) - t.max; over > t.max {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	return len(p), nil
}

func (t *tailWriter) String() string {
	return strings.ToValidUTF8(string(t.data[max(0, len(t.data)-t.max):]), "\uFFFD")
}
