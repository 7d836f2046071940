// Package runner runs init scripts, smoke tests and checks, each in a process
// tree of its own that can be ended as a whole. It knows nothing of features,
// sessions or git.
package runner

import (
	"context"
	"math"
	"os"
	"os/exec"
	"time"
)

// settle is how long what a finished command left behind may take to end by
// itself, such as the tee of "exec > >(tee log)" that still holds the last lines.
const settle = 250 * time.Millisecond

// backgroundLimit is how many background processes a result names.
const backgroundLimit = 20

// A Command is a shell command line or a script file, and how to run it.
type Command struct {
	// Line is run by bash -o pipefail, by sh where there is no bash, and by
	// cmd.exe on Windows without either.
	Line string
	// Script is the absolute path of a script file, run when Line is empty. Its
	// shebang names the interpreter; without one it is bash, else sh. It needs no
	// x bit.
	Script string
	// Dir is the working directory.
	Dir string
	// Timeout ends the whole tree; 0 is no limit.
	Timeout time.Duration
	// Progress, unless nil, is called at least every five seconds while the
	// command runs, with its last line of output. It is not called after Run has
	// returned.
	Progress func(elapsed time.Duration, last string)
	// Keep leaves the background processes of a successful command running.
	Keep bool
	// Shepherd says that the running program, given "shepherd" for its first
	// argument, hands the others to the function Shepherd. On Linux the command then
	// runs under such a process, and nothing that it starts can leave the tree.
	Shepherd bool
}

// A Process is a background process that a command left running.
type Process struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
}

// A Result says how a command ended.
type Result struct {
	OK       bool    // exit code 0 within the limit
	ExitCode int     // 128 + signal when a signal ended it; -1 when TimedOut or Canceled
	Seconds  float64 // until the command itself ended
	Tail     string  // the end of stdout and stderr as plain text, at most 4,000 characters
	Output   string  // a longer end of it, at most 65,536 characters, to be read by TestsRan
	Cut      bool    // Tail is not all of it
	TimedOut bool
	Canceled bool   // the context ended first
	Shell    string // what ran it: "bash", "sh", "python3", "cmd", …
	// Background and Leftover are set only after a successful command with Keep
	// that left something running.
	Background []Process
	Leftover   *Tree
}

// An Error says why a command could not be started, with a code of the public
// contract: "script-crlf", "init-failed" for a script, "check-failed" for a line.
type Error struct{ Code, Text string }

// Error gives code and text.
func (e *Error) Error() string { return e.Code + ": " + e.Text }

// Run runs c to its end, the end of its time limit or the end of ctx, whichever
// comes first. Standard input is empty. Whatever the command left running is ended
// before Run returns, except after success with Keep. The error is an *Error and
// means that nothing was started.
func Run(ctx context.Context, c Command) (Result, error) {
	p, err := c.program()
	if err != nil {
		return Result{}, err
	}
	if p.missing != "" {
		return Result{ExitCode: 127, Tail: p.missing, Output: p.missing, Shell: p.shell}, nil
	}
	if ctx.Err() != nil {
		return Result{ExitCode: -1, Canceled: true, Shell: p.shell}, nil
	}
	r, err := start(c, p)
	if err != nil {
		return Result{}, &Error{c.code(), err.Error()}
	}
	return r.finish(ctx, c), nil
}

// code is the code of a command that can't be started.
func (c Command) code() string {
	if c.Line == "" {
		return "init-failed"
	}
	return "check-failed"
}

// A running is a started command.
type running struct {
	shell   string
	began   time.Time
	tree    *Tree
	tail    *tail
	exited  chan int      // the exit code
	drained chan struct{} // closed at the end of the output
}

func start(c Command, p program) (*running, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	cmd := exec.Command(p.path, p.args...)
	cmd.Dir = c.Dir
	// One open file for both keeps their order and, being a file, spares Wait
	// from waiting for grandchildren that hold the pipe.
	cmd.Stdout, cmd.Stderr = in, in
	family, err := launch(cmd, p, out, c.Shepherd)
	if err != nil {
		out.Close()
		return nil, err
	}
	r := &running{
		shell:   p.shell,
		began:   time.Now(),
		tree:    &Tree{family: family, output: out},
		tail:    &tail{},
		exited:  make(chan int, 1),
		drained: make(chan struct{}),
	}
	go func() { r.exited <- family.wait() }()
	go func() {
		defer close(r.drained)
		// It drains for as long as anybody writes: a kept server must neither
		// block on a full pipe nor die of a closed one.
		chunk := make([]byte, 32<<10)
		for {
			n, err := out.Read(chunk)
			r.tail.Write(chunk[:n])
			if err != nil {
				return
			}
		}
	}()
	return r, nil
}

// finish waits for the end and tidies up.
func (r *running) finish(ctx context.Context, c Command) Result {
	quiet := r.report(c.Progress)
	result := r.wait(ctx, c.Timeout)
	result.Seconds = math.Round(time.Since(r.began).Seconds()*1000) / 1000
	quiet()

	left := r.settle(ctx)
	if len(left) > 0 && result.OK && c.Keep && ctx.Err() == nil {
		result.Background, result.Leftover = left[:min(len(left), backgroundLimit)], r.tree
	} else {
		r.tree.family.end()
		r.flush()
		r.tree.release()
	}
	result.Shell = r.shell
	result.Output, _ = r.tail.end(outputLimit)
	result.Tail, result.Cut = r.tail.end(tailLimit)
	return result
}

// wait waits for the command itself and ends the tree when it may run no longer.
func (r *running) wait(ctx context.Context, limit time.Duration) Result {
	var expired <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		expired = timer.C
	}
	pause := 20 * time.Millisecond
	look := time.NewTimer(pause)
	defer look.Stop()
	for {
		select {
		case code := <-r.exited:
			return Result{OK: code == 0, ExitCode: code}
		case <-expired:
			r.tree.family.end()
			return Result{ExitCode: -1, TimedOut: true}
		case <-ctx.Done():
			r.tree.family.end()
			return Result{ExitCode: -1, Canceled: true}
		case <-look.C:
			r.tree.family.observe()
			pause = min(pause*3/2, time.Second)
			look.Reset(pause)
		}
	}
}

// settle gives what is left a moment to end by itself and says what does not.
func (r *running) settle(ctx context.Context) []Process {
	deadline := time.NewTimer(settle)
	defer deadline.Stop()
	var again <-chan time.Time
	drained := r.drained
	for {
		select {
		case <-drained:
			drained = nil
		case <-again:
		case <-ctx.Done():
			return r.tree.family.members()
		case <-deadline.C:
			return r.tree.family.members()
		}
		left := r.tree.family.members()
		if len(left) == 0 {
			return nil
		}
		again = time.After(20 * time.Millisecond)
	}
}

// flush reads what is still in the pipe; all writers that could be ended are gone.
func (r *running) flush() {
	select {
	case <-r.drained:
	case <-time.After(settle):
	}
}

// report calls progress now and then until the returned function is called.
func (r *running) report(progress func(time.Duration, string)) (stop func()) {
	if progress == nil {
		return func() {}
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		pause := time.NewTimer(time.Second)
		defer pause.Stop()
		for {
			select {
			case <-quit:
				return
			case <-pause.C:
				progress(time.Since(r.began), r.tail.last())
				pause.Reset(3 * time.Second)
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}
