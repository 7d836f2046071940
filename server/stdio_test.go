package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A client drives serve over real pipes. mcp-go has one stdio session a process, so these tests don't run in parallel.
type client struct {
	t    *testing.T
	in   *os.File
	out  *bufio.Scanner
	pipe *os.File // the end that out reads from
	done chan error
	stop context.CancelFunc
}

// dial serves two tools under the names of real ones: commit changes things, status only reads.
func dial(t *testing.T, commit, status server.ToolHandlerFunc) *client {
	t.Helper()
	s := server.NewMCPServer("t", "1", server.WithHooks(&server.Hooks{}), server.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("commit"), commit)
	s.AddTool(mcp.NewTool("status"), status)
	return dialServer(t, s)
}

func dialServer(t *testing.T, s *server.MCPServer) *client {
	t.Helper()
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	c := &client{t: t, in: inW, out: bufio.NewScanner(outR), pipe: outR, done: make(chan error, 1), stop: stop}
	c.out.Buffer(nil, 1<<20)
	go func() {
		err := serve(ctx, s, inR, outW, slog.New(slog.DiscardHandler))
		outW.Close()
		inR.Close()
		c.done <- err
	}()
	t.Cleanup(func() {
		inW.Close()
		stop()
		outR.Close()
	})
	return c
}

func (c *client) send(lines ...string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, strings.Join(lines, "\n")+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// receive is the next line, decoded.
func (c *client) receive() map[string]any {
	c.t.Helper()
	if !c.out.Scan() {
		c.t.Fatalf("the output ended: %v", c.out.Err())
	}
	var m map[string]any
	if err := json.Unmarshal(c.out.Bytes(), &m); err != nil {
		c.t.Fatalf("not JSON: %s", c.out.Bytes())
	}
	return m
}

func (c *client) wantID(want any) {
	c.t.Helper()
	if got := c.receive(); fmt.Sprint(got["id"]) != fmt.Sprint(want) {
		c.t.Fatalf("a reply to %v, want one to %v: %v", got["id"], want, got)
	}
}

// hangUp ends the input and returns the lines that still come.
func (c *client) hangUp() []string {
	c.t.Helper()
	c.in.Close()
	var rest []string
	for c.out.Scan() {
		rest = append(rest, c.out.Text())
	}
	if err := <-c.done; err != nil {
		c.t.Errorf("serve = %v, want nil", err)
	}
	return rest
}

func call(id any, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"tools/call","params":{"name":%q}}`, id, tool)
}

func ping(id any) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"ping"}`, id) }

func cancelOf(id any) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%v}}`, id)
}

func quick(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText("ok"), nil
}

func TestPipelinedCallsAreAnsweredInOrder(t *testing.T) {
	const n = 1000
	c := dial(t, quick, quick)
	go func() {
		for i := range n {
			tool := "commit"
			if i%3 == 0 {
				tool = "status"
			}
			fmt.Fprintln(c.in, call(i, tool))
		}
	}()
	for i := range n {
		c.wantID(i)
	}
	if rest := c.hangUp(); len(rest) > 0 {
		t.Errorf("more lines: %q", rest)
	}
}

func TestCallsRunOneAtATime(t *testing.T) {
	var running, most atomic.Int32
	once := func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		return mcp.NewToolResultText("ok"), nil
	}
	c := dial(t, once, once)
	for i := range 50 {
		c.send(call(i, []string{"commit", "status"}[i%2]))
	}
	if got := c.hangUp(); len(got) != 50 {
		t.Errorf("%d replies, want 50", len(got))
	}
	if most.Load() != 1 {
		t.Errorf("%d calls at once, want 1", most.Load())
	}
}

func TestEndOfInputLosesNothing(t *testing.T) {
	for range 20 {
		c := dial(t, quick, quick)
		var lines []string
		for i := range 40 {
			lines = append(lines, call(i, "commit"))
		}
		if _, err := io.WriteString(c.in, strings.Join(lines, "\n")); err != nil { // no newline at the end
			t.Fatal(err)
		}
		if got := c.hangUp(); len(got) != 40 {
			t.Fatalf("%d of 40 replies", len(got))
		}
	}
}

func TestQueuedCallThatIsCancelledIsNeitherRunNorAnswered(t *testing.T) {
	begun, release := make(chan bool, 9), make(chan bool)
	c := dial(t, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		begun <- true
		<-release
		return mcp.NewToolResultText("ok"), nil
	}, quick)
	c.send(call(1, "commit"), call(2, "commit"), call(3, "status"))
	<-begun
	c.send(cancelOf(2), ping(4))
	c.wantID(4)
	close(release)
	c.wantID(1)
	c.wantID(3)
	if rest := c.hangUp(); len(rest) > 0 || len(begun) > 0 {
		t.Errorf("%d more runs, more lines %q", len(begun), rest)
	}
}

func TestRunningCallThatIsCancelledEndsWithoutAnAnswer(t *testing.T) {
	begun := make(chan bool, 1)
	c := dial(t, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		begun <- true
		<-ctx.Done()
		return mcp.NewToolResultText("late"), nil
	}, quick)
	c.send(call(1, "commit"), call(2, "status"))
	<-begun
	c.send(cancelOf(1))
	c.wantID(2)
	if rest := c.hangUp(); len(rest) > 0 {
		t.Errorf("more lines: %q", rest)
	}
}

func TestCancelRightBehindTheCallIsNotLost(t *testing.T) {
	for range 50 {
		c := dial(t, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			return mcp.NewToolResultText("late"), nil
		}, quick)
		c.send(call(1, "commit"), cancelOf(1), call(2, "status"))
		c.wantID(2)
		if rest := c.hangUp(); len(rest) > 0 {
			t.Fatalf("more lines: %q", rest)
		}
	}
}

func TestPingPassesARunningCall(t *testing.T) {
	release := make(chan bool)
	c := dial(t, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-release
		return mcp.NewToolResultText("ok"), nil
	}, quick)
	c.send(call(1, "commit"), ping(2), ping(3))
	for range 2 {
		if id := c.receive()["id"]; id == float64(1) {
			t.Fatal("the call ended before it was released")
		}
	}
	close(release)
	c.wantID(1)
}

func TestCallWithoutIDIsNotRun(t *testing.T) {
	ran := false
	c := dial(t, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ran = true
		return mcp.NewToolResultText("ok"), nil
	}, quick)
	c.send(
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"commit"}}`,
		`{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"commit"}}`,
		`{"jsonrpc":"2.0","method":"notifications/unheard-of"}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":9,"result":{}}`,
		cancelOf(77), cancelOf(`"x"`), ``, "  \t",
		ping(1),
	)
	c.wantID(1)
	if rest := c.hangUp(); len(rest) > 0 || ran {
		t.Errorf("ran %v, more lines %q", ran, rest)
	}
}

func TestClosedOutputEndsServing(t *testing.T) {
	began := make(chan bool, 1)
	c := dial(t, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		began <- true
		<-ctx.Done()
		return nil, ctx.Err()
	}, quick)
	c.send(call(1, "commit"))
	<-began
	c.pipe.Close()
	// Where a pipe can't be asked the reply to this one tells; elsewhere nobody may be left to read it.
	_, _ = io.WriteString(c.in, ping(2)+"\n")
	if err := <-c.done; err != nil {
		t.Errorf("serve = %v, want nil", err)
	}
}

func TestClientThatLeavesEndsARunningCall(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a pipe can't be asked there")
	}
	began, ended := make(chan bool, 1), make(chan bool, 1)
	c := dial(t, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		began <- true
		<-ctx.Done()
		ended <- true
		return nil, ctx.Err()
	}, quick)
	c.send(call(1, "commit"))
	<-began
	c.in.Close()
	c.pipe.Close()
	<-ended
	if err := <-c.done; err != nil {
		t.Errorf("serve = %v, want nil", err)
	}
}

func TestSignalEndsServingThoughACallHangs(t *testing.T) {
	began, release := make(chan bool, 1), make(chan bool)
	defer close(release)
	c := dial(t, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		began <- true
		<-release
		return mcp.NewToolResultText("ok"), nil
	}, quick)
	c.send(call(1, "commit"))
	<-began
	c.stop()
	if err := <-c.done; err != nil {
		t.Errorf("serve = %v, want nil", err)
	}
}

func TestPipelinedInitializeIsAnsweredFirst(t *testing.T) {
	for range 20 {
		c := dial(t, quick, quick)
		c.send(
			`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			ping(1), call(2, "commit"), `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`,
		)
		c.wantID("i")
		if got := c.hangUp(); len(got) != 3 {
			t.Fatalf("%d replies behind initialize, want 3", len(got))
		}
	}
}

func TestIDsComeBackAsTheyWere(t *testing.T) {
	for _, id := range []string{`0`, `-7`, `9007199254740993`, `123456789012345678901234567890`, `""`, `"a\"b\u00e9"`, `"1"`, `1`, `"~1"`, `1.5`} {
		c := dial(t, quick, quick)
		c.send(call(id, "commit"), fmt.Sprintf(`{"method":"ping","jsonrpc":"2.0","id" : %s }`, id))
		for _, line := range c.hangUp() {
			if want := `{"jsonrpc":"2.0","id":` + id + `,"result":`; !strings.HasPrefix(line, want) {
				t.Errorf("a reply to %s begins %.80s", id, line)
			}
		}
	}
}

func TestTwoCallsUnderOneIDAreBothAnswered(t *testing.T) {
	c := dial(t, quick, quick)
	c.send(call(1, "commit"), call(1, "status"))
	c.wantID(1)
	c.wantID(1)
}

func TestFaultyLinesAreAnsweredAndSurvived(t *testing.T) {
	tests := []struct {
		name, line string
		code       float64
		id         any
	}{
		{"no JSON", `hello`, mcp.PARSE_ERROR, nil},
		{"a cut line", `{"jsonrpc":"2.0","id":1,`, mcp.PARSE_ERROR, nil},
		{"a batch", `[` + ping(1) + `]`, mcp.INVALID_REQUEST, nil},
		{"a number", `7`, mcp.INVALID_REQUEST, nil},
		{"no method", `{"jsonrpc":"2.0","id":5}`, mcp.INVALID_REQUEST, 5.0},
		{"a method that is no string", `{"jsonrpc":"2.0","id":5,"method":7}`, mcp.INVALID_REQUEST, nil},
		{"another version", `{"jsonrpc":"1.0","id":5,"method":"ping"}`, mcp.INVALID_REQUEST, 5.0},
		{"an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, mcp.INVALID_REQUEST, nil},
		{"an id twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, mcp.INVALID_REQUEST, nil},
		{"an id in another case", `{"jsonrpc":"2.0","id":1,"ID":null,"method":"ping"}`, mcp.INVALID_REQUEST, nil},
		{"request and answer in one", `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, mcp.INVALID_REQUEST, 1.0},
		{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, mcp.METHOD_NOT_FOUND, 1.0},
		{"an unknown tool", call(1, "no_such"), mcp.INVALID_PARAMS, 1.0},
		{"a number beyond all numbers", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"commit","arguments":{"a":1e400}}}`, mcp.INVALID_PARAMS, 1.0},
		{"a number of many digits", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"commit","arguments":{"a":` + strings.Repeat("9", 400) + `}}}`, mcp.INVALID_PARAMS, 1.0},
		{"nested too deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, mcp.PARSE_ERROR, nil},
		{"params that are a list", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, mcp.INVALID_REQUEST, 1.0},
	}
	c := dial(t, quick, quick)
	for _, tt := range tests {
		c.send(tt.line)
		got := c.receive()
		fault, _ := got["error"].(map[string]any)
		if got["id"] != tt.id || fault == nil || fault["code"] != tt.code {
			t.Errorf("%s: %v, want id %v and code %v", tt.name, got, tt.id, tt.code)
		}
	}
	c.send("\r", call(9, "commit")+"\r")
	c.wantID(9)
}

func TestErrorsOfLongNamesAreShort(t *testing.T) {
	long := strings.Repeat("ü", 100_000)
	c := dial(t, quick, quick)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"` + long + `"}`,
		call(1, long),
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x://` + long + `"}}`,
	} {
		c.send(line)
		got := c.receive()
		fault, _ := got["error"].(map[string]any)
		message, _ := fault["message"].(string)
		if got["id"] != 1.0 || message == "" || len(message) > 2*mostFault {
			t.Errorf("%.60s: id %v and a text of %d bytes, want a short one", line, got["id"], len(message))
		}
	}
}

func TestByteOrderMarkIsSkipped(t *testing.T) {
	c := dial(t, quick, quick)
	c.send("\uFEFF" + ping(1))
	c.wantID(1)
}

func TestReadLineDropsWhatIsTooLong(t *testing.T) {
	long := "head" + strings.Repeat("x", 4000) + "tail\n"
	r := bufio.NewReaderSize(strings.NewReader("short\n"+long+"after"), 16)
	want := []struct {
		line string
		lost bool
	}{{"short\n", false}, {long[:edge] + long[len(long)-edge:], true}, {"after", false}}
	for _, w := range want {
		line, lost, _ := readLine(r, 1500)
		if string(line) != w.line || lost != w.lost {
			t.Errorf("readLine = %q, %v, want %q, %v", line, lost, w.line, w.lost)
		}
	}
}

// A client that sends too much hears which of its requests that was, wherever it writes the id.
func TestTooLongLineIsAnsweredByItsID(t *testing.T) {
	much := strings.Repeat("a", mostLine)
	tests := []struct {
		name, line string
		id         any
	}{
		{"the id first", `{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":"` + much + `"}}`, 5.0},
		{"the id last", `{"method":"ping","params":{"a":"` + much + `"},"jsonrpc":"2.0","id":"five"}`, "five"},
		{"an id inside", `{"jsonrpc":"2.0","method":"ping","params":{"id":5,"a":"` + much + `","id":6}}`, nil},
		{"no JSON", much + "a", nil},
	}
	c := dial(t, quick, quick)
	for _, tt := range tests {
		go fmt.Fprintln(c.in, tt.line)
		got := c.receive()
		fault, _ := got["error"].(map[string]any)
		if got["id"] != tt.id || fault == nil || fault["code"] != float64(mcp.INVALID_REQUEST) {
			t.Errorf("%s: %v, want id %v and code %v", tt.name, got, tt.id, mcp.INVALID_REQUEST)
		}
	}
	c.send(ping(9))
	c.wantID(9)
}
