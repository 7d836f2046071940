package artifacts

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/runner"
)

// A scriptRun is what to run, found under the lock and run without it.
type scriptRun struct {
	command runner.Command
	missing string // a warning instead
	smoke   string
	dir     string
	timeout time.Duration
}

func (v *view) initRun() scriptRun {
	policy := v.conf.Policy
	run := scriptRun{smoke: policy.SmokeTest, dir: v.root, timeout: time.Duration(policy.InitTimeout) * time.Second}
	script := v.conf.Files.InitScript
	if script == "" {
		return run
	}
	if _, err := os.Stat(v.path(script)); err != nil {
		run.missing = "there is no " + script
		return run
	}
	run.command = runner.Command{Script: v.path(script), Dir: v.root, Timeout: run.timeout, Keep: true}
	return run
}

func (v *view) smokeRun() scriptRun {
	policy := v.conf.Policy
	return scriptRun{command: runner.Command{Line: policy.SmokeTest, Dir: v.root, Timeout: time.Duration(policy.CheckTimeout) * time.Second}}
}

// runInit runs init.sh and then the smoke test.
func (p *Project) runInit(ctx context.Context, run scriptRun) InitReply {
	p.Close() // what an earlier run left would stand in the way of its successor
	var reply InitReply
	if run.command.Script != "" {
		reply = p.runScript(ctx, run)
		if !reply.OK {
			return reply
		}
	}
	if run.smoke == "" {
		return reply
	}
	smoke := p.runScript(ctx, scriptRun{command: runner.Command{Line: run.smoke, Dir: run.dir, Timeout: run.timeout}})
	if !smoke.OK {
		smoke.Tail = "smoke test: " + run.smoke + "\n" + smoke.Tail
		smoke.Background = reply.Background
		return smoke
	}
	if !reply.Ran {
		return smoke
	}
	reply.Seconds += smoke.Seconds
	return reply
}

func (p *Project) runScript(ctx context.Context, run scriptRun) InitReply {
	result, err := p.run(ctx, run.command)
	var failed *runner.Error
	if errors.As(err, &failed) {
		return InitReply{Code: failed.Code, Tail: failed.Text}
	}
	if err != nil {
		return InitReply{Code: "init-failed", Tail: cause(err)}
	}
	reply := InitReply{Ran: true, OK: result.OK, ExitCode: &result.ExitCode, Seconds: seconds(result)}
	for _, b := range result.Background {
		reply.Background = append(reply.Background, Process{PID: b.PID, Command: clip(b.Command, 100)})
	}
	if result.OK {
		reply.Tail = clipFront(result.Tail, 200)
		return reply
	}
	reply.Tail = clipFront(result.Tail, 1200)
	reply.Code = "init-failed"
	if result.TimedOut {
		reply.Code = "init-timeout"
	}
	return reply
}

// run runs a command without the lock and keeps what it leaves running.
func (p *Project) run(ctx context.Context, c runner.Command) (runner.Result, error) {
	c.Shepherd = p.options.Shepherd
	c.Progress, _ = contextValue[func(time.Duration, string)](ctx, progressKey)
	if tell, ok := contextValue[func(bool)](ctx, longKey); ok {
		tell(true)
		defer tell(false)
	}
	if leaving, ok := contextValue[context.Context](ctx, leavingKey); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(leaving, cancel)()
	}
	result, err := runner.Run(ctx, c)
	if result.Leftover != nil {
		p.mu.Lock()
		p.trees = append(p.trees, result.Leftover)
		p.mu.Unlock()
	}
	return result, err
}

// Shell is the program that runs scripts and checks, "" where there is none.
func Shell() string { return runner.Shell() }
