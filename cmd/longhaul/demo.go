package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// demo plays a working day: an agent over a real MCP connection, on a sample project in a folder of its own.
func demo(s streams, args []string) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	keep := flags.Bool("keep", false, "keep the sample project afterwards")
	if err := wordless(flags, args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "longhaul-demo-")
	if err != nil {
		return err
	}
	if !*keep {
		defer os.RemoveAll(dir)
	}
	ctx, stop := interruptible()
	defer stop()
	if err := play(ctx, s.out, dir); err != nil {
		return err
	}
	if *keep {
		fmt.Fprintf(s.out, "\nThe sample project is in %s\n", filepath.Join(dir, "pocket"))
	}
	return nil
}

// play runs the scenes in order and stops at the first reply that is not the expected one.
func play(ctx context.Context, out io.Writer, dir string) error {
	a, err := newAgent(ctx, out, dir)
	if err != nil {
		return err
	}
	defer a.leave()
	for i, scene := range workday() {
		fmt.Fprintf(out, "\n== %d. %s\n", i+1, scene.title)
		for _, step := range scene.steps {
			if err := step(a); err != nil {
				return fmt.Errorf("scene %d: %w", i+1, err)
			}
		}
	}
	return a.leave()
}
