package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/longhaul-mcp/longhaul/artifacts"
	"github.com/longhaul-mcp/longhaul/server"
	"github.com/longhaul-mcp/longhaul/tools"
)

// serve answers MCP requests until the client closes standard input or asks to stop.
func serve(s streams, args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	project := projectFlag(flags)
	part := roleFlag(flags)
	level := slog.LevelWarn
	flags.TextVar(&level, "log-level", level, "debug, info, warn or error")
	if err := wordless(flags, args); err != nil {
		return err
	}
	role, err := tools.ParseRole(*part)
	if err != nil {
		return usageError{err.Error()}
	}
	// A log line to a client that has left must not end the process half way through a write.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	log := logger(s.err, level)
	p := open(*project, "serve", log)
	defer p.Close()
	return server.Serve(ctx, p, release(), role, s.in, s.out, log)
}

// projectFlag is the flag that every verb on a project takes.
func projectFlag(flags *flag.FlagSet) *string {
	return flags.String("project", "", "the project's folder")
}

// roleFlag is the flag of the verbs that run tools.
func roleFlag(flags *flag.FlagSet) *string {
	return flags.String("role", os.Getenv("LONGHAUL_ROLE"), "initializer, coder or evaluator: only its tools")
}

// open opens the project that the flag or, without it, the environment names.
func open(project, kind string, log *slog.Logger) *artifacts.Project {
	return artifacts.Open(artifacts.StartFolder(project), artifacts.Options{Version: release(), Call: kind == "call", Log: log, Shepherd: true})
}

func logger(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

// quiet is the logger of verbs, whose errors reach the user by themselves.
func quiet(w io.Writer) *slog.Logger { return logger(w, slog.LevelError) }

// interruptible is a context that ends at Ctrl-C, so that scripts and checks are ended too.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// refused prints a refusal as the tools word it and ends the verb with exit code 1.
func refused(s streams, err error) error {
	fmt.Fprintln(s.err, plainLines(err.Error()))
	return errRefused
}
