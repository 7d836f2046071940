package server

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// A road is a lane between a client and a loop that the test plays itself.
type road struct {
	*lane
	t   *testing.T
	out bytes.Buffer
}

func newRoad(t *testing.T) *road {
	r := &road{t: t}
	r.lane = newLane(&r.out, func(tool string) bool { return tool == "status" }, func() {})
	return r
}

func (r *road) takes(lines ...string) {
	for _, line := range lines {
		r.take([]byte(line))
	}
}

// forwarded is what the loop may read now: the lane's ids of requests, or the methods of the rest.
func (r *road) forwarded() []string {
	r.t.Helper()
	r.mu.Lock()
	n := len(r.forward)
	r.mu.Unlock()
	b := make([]byte, n)
	if n > 0 {
		if _, err := io.ReadFull(r.lane, b); err != nil {
			r.t.Fatal(err)
		}
	}
	var got []string
	for line := range strings.Lines(string(b)) {
		m, fault := parse([]byte(line))
		if fault != nil {
			r.t.Fatalf("%s", fault)
		}
		got = append(got, strings.Trim(m.id+m.about, `"`))
	}
	return got
}

func (r *road) want(want ...string) {
	r.t.Helper()
	if got := r.forwarded(); !slices.Equal(got, want) {
		r.t.Errorf("forwarded %q, want %q", got, want)
	}
}

func (r *road) answers(inner string) {
	r.t.Helper()
	fmt.Fprintf(r.lane, "{\"jsonrpc\":\"2.0\",\"id\":%q,\"result\":{}}\n", inner)
}

func TestReadOnlyCallPassesALongScript(t *testing.T) {
	r := newRoad(t)
	r.takes(call(1, "commit"), call(2, "commit"), call(3, "status"), call(4, "status"))
	r.want("~1")
	r.setLong(true)
	r.want("~3")
	r.answers("~3")
	r.want("~4")
	r.setLong(false)
	r.answers("~4")
	r.want()
	r.answers("~1")
	r.want("~2")
}

func TestReadOnlyCallWaitsWithoutALongScript(t *testing.T) {
	r := newRoad(t)
	r.takes(call(1, "commit"), call(2, "status"), call(3, "commit"))
	r.want("~1")
	r.answers("~1")
	r.want("~2")
	r.answers("~2")
	r.want("~3")
}

func TestLongScriptEndsWithItsCall(t *testing.T) {
	r := newRoad(t)
	r.takes(call(1, "commit"), call(2, "commit"), call(3, "status"))
	r.want("~1")
	r.setLong(true)
	r.want("~3")
	r.answers("~1")
	r.want()
	r.answers("~3")
	r.want("~2")
	r.takes(call(4, "status"))
	r.want()
}

func TestNothingOvertakesInitialize(t *testing.T) {
	r := newRoad(t)
	r.takes(call(1, "commit"), `{"jsonrpc":"2.0","id":2,"method":"initialize"}`, ping(3), call(4, "commit"), ping(5))
	r.want("~1", "~2")
	r.answers("~2")
	r.want("~3", "~5")
	r.answers("~1")
	r.want("~4")
}

func TestCancelledParkedRequestIsForgotten(t *testing.T) {
	r := newRoad(t)
	r.takes(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, ping(2), ping(3), cancelOf(2), cancelOf(1))
	r.want("~1")
	r.answers("~1")
	r.want("~3")
}

func TestInputEndsWhenAllIsAnswered(t *testing.T) {
	r := newRoad(t)
	r.takes(call(1, "commit"), `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen"}`)
	r.want("~1", "l")
	r.end()
	ended := make(chan error)
	go func() {
		_, err := r.Read(make([]byte, 1))
		ended <- err
	}()
	r.answers("~1")
	if err := <-ended; err != io.EOF {
		t.Errorf("Read = %v, want io.EOF", err)
	}
}

func TestProgressOfAnAnsweredRequestIsDropped(t *testing.T) {
	progress := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":"p"}}` + "\n"
	r := newRoad(t)
	r.takes(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"commit","_meta":{"progressToken":"p"}}}`)
	r.want("~1")
	io.WriteString(r.lane, progress)
	r.answers("~1")
	io.WriteString(r.lane, progress)
	if got := strings.Count(r.out.String(), "progressToken"); got != 1 {
		t.Errorf("%d progress lines, want 1:\n%s", got, r.out.String())
	}
}

func TestNothingIsHeldAtTheEnd(t *testing.T) {
	r := newRoad(t)
	r.takes(call(1, "commit"), call(2, "commit"), cancelOf(2), ping(3), call(4, "status"))
	r.want("~1", "~3")
	r.answers("~1")
	r.answers("~3")
	r.want("~4")
	r.answers("~4")
	if r.held != 0 || len(r.owed) != 0 || len(r.latest) != 0 {
		t.Errorf("held %d bytes, owed %v, latest %v", r.held, r.owed, r.latest)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{ping(1), call(`"a"`, "commit"), cancelOf(1), `{"id":1,"ID":2,"method":"x"}`, `{"id" : "\u0031" ,"method":"m"}`, `[]`, "\xff", `{"method":"ping","id":-0}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m, fault := parse(line)
		if fault != nil {
			if _, _, ok := reply(fault); !ok {
				t.Errorf("parse(%q): a fault that is no reply: %s", line, fault)
			}
			return
		}
		if m.id == "" {
			return
		}
		again, fault := parse(m.with(`"~1"`))
		if fault != nil || again.id != `"~1"` || again.kind != m.kind || again.tool != m.tool {
			t.Errorf("parse(%q) under another id: %+v, %s", line, again, fault)
		}
	})
}
