package tools

import (
	"context"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

// reporting has long runs tell the client how far they are, when it sent a progress token. Nothing is
// sent once end was called.
func reporting(ctx context.Context, r mcp.CallToolRequest) (with context.Context, end func()) {
	if r.Params.Meta == nil || r.Params.Meta.ProgressToken == nil {
		return ctx, func() {}
	}
	s := server.ServerFromContext(ctx)
	if s == nil {
		return ctx, func() {}
	}
	b := &beat{send: func(progress float64, message string) {
		// A client that can't be told is no reason to stop the work.
		_ = s.SendNotificationToClient(ctx, string(mcp.MethodNotificationProgress), map[string]any{
			"progressToken": r.Params.Meta.ProgressToken,
			"progress":      progress,
			"message":       message,
		})
	}}
	return artifacts.WithProgress(ctx, b.report), b.end
}

// A beat passes reports on in strictly increasing order until it ends.
type beat struct {
	send func(progress float64, message string)

	mu    sync.Mutex
	last  float64
	ended bool
}

func (b *beat) report(elapsed time.Duration, last string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return
	}
	now := elapsed.Round(100 * time.Millisecond).Seconds()
	if now <= b.last {
		now = b.last + 0.1
	}
	b.last = now
	b.send(now, fmt.Sprintf("%.0f s: %s", elapsed.Seconds(), firstBytes(last, 200)))
}

func (b *beat) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
}

// firstBytes is s up to n bytes, whole characters only.
func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
