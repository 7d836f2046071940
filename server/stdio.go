package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/longhaul-mcp/longhaul/artifacts"
	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
	"github.com/longhaul-mcp/longhaul/tools"
)

const (
	mostLine = 8 << 20               // bytes of one message
	goodbye  = 80 * time.Millisecond // that running calls get to end when ctx has
	grace    = 2 * time.Second       // that scripts get to end when in has
)

// Serve answers JSON-RPC lines from in on out until in ends and every reply is written, the other end of out
// is closed, or ctx ends, as it does at a signal; running calls are then cancelled and not waited for long.
// Only JSON-RPC goes to out. The caller has SIGPIPE ignored. One Serve at a time: mcp-go's stdio loop has one
// session a process.
func Serve(ctx context.Context, project *artifacts.Project, version string, role tools.Role, in io.Reader, out io.Writer, log *slog.Logger) error {
	return serve(ctx, New(project, version, role), in, out, log)
}

func serve(ctx context.Context, s *server.MCPServer, in io.Reader, out io.Writer, log *slog.Logger) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watch(ctx, out, cancel)
	l := newLane(out, isReadOnly, cancel)
	tellLate(s, l)
	loop := server.NewStdioServer(s)
	loop.SetErrorLogger(slog.NewLogLogger(log.Handler(), slog.LevelDebug))
	leaving, leave := context.WithCancel(ctx)
	defer leave()
	loop.SetContextFunc(func(ctx context.Context) context.Context {
		return artifacts.WithLeaving(artifacts.WithLong(ctx, l.setLong), leaving)
	})
	server.WithWorkerPoolSize(2)(loop) // a call, and a read-only one beside a long script

	go func() {
		feed(in, l)
		time.AfterFunc(grace, leave) // a client that has left waits for no script
	}()
	done := make(chan error, 1)
	go func() { done <- loop.Listen(ctx, l, l) }()
	select {
	case err := <-done:
		l.stop()
		return ending(err)
	case <-ctx.Done():
	}
	l.stop()
	select {
	case err := <-done:
		return ending(err)
	case <-time.After(goodbye):
		return nil
	}
}

// tellLate repeats a cancel that came when mcp-go had read the request but not yet entered it in its books.
func tellLate(s *server.MCPServer, l *lane) {
	again := func(ctx context.Context, id any) {
		inner, err := json.Marshal(id)
		if err == nil && l.wasCancelled(string(inner)) {
			s.HandleMessage(ctx, cancelLine(string(inner)))
		}
	}
	s.GetHooks().AddBeforeCallTool(func(ctx context.Context, id any, _ *mcp.CallToolRequest) { again(ctx, id) })
	s.GetHooks().AddBeforeSubscriptionsListen(func(ctx context.Context, id any, _ *mcp.SubscriptionsListenRequest) { again(ctx, id) })
}

// ending is err unless it only says that the client or a signal ended the session.
func ending(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}

func isReadOnly(tool string) bool {
	t, ok := tools.Find(tool)
	return ok && t.ReadOnly()
}

// feed takes every line of in to the lane, the last one without a newline too.
func feed(in io.Reader, l *lane) {
	defer l.end()
	r := bufio.NewReaderSize(in, 64<<10)
	for first := true; ; first = false {
		line, lost, err := readLine(r, mostLine)
		if first {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if lost {
			l.refuse(faultLine(idAtEdge(line), mcp.INVALID_REQUEST, fmt.Sprintf("a message is at most %d bytes; nothing of this one was read", mostLine)))
		} else {
			l.take(line)
		}
		if err != nil {
			return
		}
	}
}

// edge is how much of the beginning and of the end of a line that is too long is kept, for its id.
const edge = 512

// readLine reads to the next newline. Of a line of more than most bytes only the edges are kept, and lost is true.
func readLine(r *bufio.Reader, most int) (line []byte, lost bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		lost = lost || len(line) > most
		if lost && len(line) > 2*edge {
			line = append(line[:edge], line[len(line)-edge:]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, lost, err
		}
	}
}

// Clients write the id right behind jsonrpc or at the very end.
var (
	firstID = pattern.Lazy(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?[0-9]{1,18}|"[^"\\]{1,64}")\s*,`)
	lastID  = pattern.Lazy(`,\s*"id"\s*:\s*(-?[0-9]{1,18}|"[^"\\]{1,64}")\s*\}\s*$`)
)

// idAtEdge is the id of a message of which only the edges are left, null when they don't tell it. Without it the
// client would wait for a reply that never names its request.
func idAtEdge(line []byte) string {
	for _, id := range []*regexp.Regexp{firstID(), lastID()} {
		if m := id.FindSubmatch(line); m != nil && json.Valid(m[1]) {
			return string(m[1])
		}
	}
	return "null"
}
