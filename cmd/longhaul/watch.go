package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

// watchEvery is how often the files and the size of the terminal are looked at.
const watchEvery = 300 * time.Millisecond

// watch shows the status on the whole terminal, anew whenever a file of the harness or the size of the terminal
// changes, until q or Ctrl-C is typed or the terminal is closed.
func watch(ctx context.Context, s streams, p *artifacts.Project) error {
	at := screenOf(s.out)
	if !at.moves {
		return errors.New("--watch needs a terminal whose cursor can be moved")
	}
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	if in, ok := s.in.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		before, err := term.MakeRaw(int(in.Fd()))
		if err != nil {
			return err
		}
		defer term.Restore(int(in.Fd()), before)
		go hear(in, quit)
	}
	// The other screen of the terminal, without a cursor; what stood there before comes back at the end.
	if _, err := io.WriteString(s.out, "\x1b[?1049h\x1b[?25l"); err != nil {
		return err
	}
	defer io.WriteString(s.out, "\x1b[?25h\x1b[?1049l")
	look := time.NewTicker(watchEvery)
	defer look.Stop()
	for {
		marks := p.Marks()
		if _, err := io.WriteString(s.out, frame(page(ctx, p, at), at)); err != nil {
			return err
		}
		for maps.Equal(marks, p.Marks()) && at == screenOf(s.out) {
			select {
			case <-ctx.Done():
				return nil
			case <-look.C:
			}
		}
		at = screenOf(s.out)
	}
}

// hear calls quit when q or Ctrl-C is typed, which no signal tells of in raw mode, and when the terminal is closed.
func hear(in io.Reader, quit func()) {
	defer quit()
	typed := make([]byte, 64)
	for {
		n, err := in.Read(typed)
		if err != nil || bytes.ContainsAny(typed[:n], "qQ\x03\x04") {
			return
		}
	}
}

// page is the status, or why there is none.
func page(ctx context.Context, p *artifacts.Project, at screen) string {
	var b strings.Builder
	reply, err := p.Status(ctx, false)
	if err != nil {
		return plainLines(err.Error())
	}
	printStatus(&b, reply, at)
	printRest(&b, rest(ctx, p, at), at)
	return b.String()
}

// frame draws over what the screen shows: each line is cut to the width and cleared behind, and what is left of the
// screen is cleared. Raw mode needs the carriage returns.
func frame(text string, at screen) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	lines = append(lines[:min(len(lines), max(at.height-1, 1))], at.paint(faint, "q ends"))
	for i, line := range lines {
		lines[i] = fit(line, at.width) + "\x1b[K"
	}
	return "\x1b[H" + strings.Join(lines, "\r\n") + "\x1b[J"
}
