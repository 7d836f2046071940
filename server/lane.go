package server

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"sync"
)

// A lane stands between the client and mcp-go's stdio loop, as its reader and its writer. It sees every line
// of both directions and decides which may go on when:
//
//   - Tool calls go one at a time, in the order they came. A read-only one may overtake while the call before
//     it waits for a long script or for the person at the client.
//   - Nothing overtakes initialize. Everything else goes on at once.
//   - A cancelled request is never answered; a cancelled call that still waits is never run.
//   - At the end of input the loop is kept reading until every reply that is owed was written.
//   - An error that is the client's gets the code that says so.
//
// Requests go on under ids of the lane's own, so that an id of any size comes back as it was written and two
// requests with one id are kept apart.
type lane struct {
	out      io.Writer
	readOnly func(tool string) bool
	broken   func() // called once, when out can't be written to

	outMu sync.Mutex // out; never taken to wait for mu

	mu      sync.Mutex
	change  sync.Cond
	forward []byte              // what the loop may read now
	parked  []*request          // came while initialize was not answered
	calls   []*request          // tool calls that wait for their turn
	owed    map[string]*request // by the lane's id: forwarded, not answered
	latest  map[string]*request // by the client's id: the newest not answered
	dialogs map[string]bool     // by mcp-go's id: questions to the person at the client
	next    int
	held    int // bytes that wait
	running count
	long    bool // the running call waits for a script
	ended   bool // no more input
	stopped bool
}

// count is how many of a sort are forwarded and not answered.
type count struct{ openings, calls, readers int }

// mostHeld bounds the bytes that wait: a client that sends faster is no longer read from.
const mostHeld = 32 << 20

type request struct {
	kind      kind
	inner     string // the lane's id, as JSON
	outer     string // the client's id, as JSON
	token     string // the progress token, as JSON
	asked     inquiry
	line      []byte
	reader    bool // a tool call that changes nothing
	cancelled bool
}

func newLane(out io.Writer, readOnly func(string) bool, broken func()) *lane {
	l := &lane{
		out:      out,
		readOnly: readOnly,
		broken:   sync.OnceFunc(broken),
		owed:     map[string]*request{},
		latest:   map[string]*request{},
		dialogs:  map[string]bool{},
	}
	l.change.L = &l.mu
	return l
}

// take lets one line of the client in. It waits while too much is held.
func (l *lane) take(line []byte) {
	m, fault := parse(line)
	if fault != nil {
		l.refuse(fault)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.held > mostHeld && !l.stopped {
		l.change.Wait()
	}
	switch m.kind {
	case cancellation:
		l.cancel(m.about)
	case notification:
		l.pass(m.line)
	case answer:
		l.answered(m)
	case ignored:
	default:
		l.enqueue(l.request(m))
	}
}

// refuse answers a line that is not served.
func (l *lane) refuse(fault []byte) { l.write(fault) }

func (l *lane) request(m message) *request {
	l.next++
	r := &request{
		kind:   m.kind,
		outer:  m.id,
		inner:  `"~` + strconv.Itoa(l.next) + `"`,
		token:  m.token,
		asked:  m.asked,
		reader: m.kind == toolCall && l.readOnly(m.tool),
	}
	if m.kind == listen {
		// Its notifications carry the id of the request, so it keeps the client's.
		r.inner = m.id
	}
	r.line = m.with(r.inner)
	l.latest[r.outer] = r
	return r
}

func (l *lane) enqueue(r *request) {
	switch {
	case l.running.openings > 0:
		l.parked = append(l.parked, r)
		l.held += len(r.line)
	case r.kind == toolCall:
		l.calls = append(l.calls, r)
		l.held += len(r.line)
		l.pump()
	default:
		l.send(r)
	}
}

// unpark lets go what came behind initialize, up to the next one.
func (l *lane) unpark() {
	for len(l.parked) > 0 && l.running.openings == 0 {
		r := l.parked[0]
		l.parked = l.parked[1:]
		l.held -= len(r.line)
		l.enqueue(r)
	}
}

// pump sends on the calls whose turn it is.
func (l *lane) pump() {
	for {
		i := l.turn()
		if i < 0 {
			return
		}
		r := l.calls[i]
		l.calls = without(l.calls, i)
		l.held -= len(r.line)
		l.send(r)
	}
}

// turn is the place of the call that may go now, -1 when none may.
func (l *lane) turn() int {
	switch {
	case len(l.calls) == 0:
		return -1
	case l.running.calls == 0:
		return 0
	case l.long && l.running.readers == 0:
		return slices.IndexFunc(l.calls, func(r *request) bool { return r.reader })
	}
	return -1
}

func without(list []*request, i int) []*request {
	if i == 0 {
		return list[1:]
	}
	return slices.Delete(list, i, i+1)
}

func (l *lane) send(r *request) {
	l.owed[r.inner] = r
	l.running.add(r, 1)
	l.pass(r.line)
	r.line = nil
}

func (c *count) add(r *request, n int) {
	switch {
	case r.kind == opening:
		c.openings += n
	case r.kind == toolCall:
		c.calls += n
	}
	if r.reader {
		c.readers += n
	}
}

func (l *lane) pass(line []byte) {
	l.forward = append(append(l.forward, line...), '\n')
	l.held += len(line) + 1
	l.change.Broadcast()
}

// cancel ends the newest request that the client sent under id. What waits is forgotten, what runs is told.
func (l *lane) cancel(id string) {
	r := l.latest[id]
	if r == nil || r.kind == opening {
		return
	}
	delete(l.latest, id)
	r.cancelled = true
	for _, list := range []*[]*request{&l.calls, &l.parked} {
		if i := slices.Index(*list, r); i >= 0 {
			*list = without(*list, i)
			l.held -= len(r.line)
			l.change.Broadcast()
			return
		}
	}
	l.pass(cancelLine(r.inner))
}

// wasCancelled reports whether the client cancelled the request before mcp-go could be told.
func (l *lane) wasCancelled(inner string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.owed[inner]
	return r != nil && r.cancelled
}

// setLong notes that the running call waits for a script, or does no more.
func (l *lane) setLong(running bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.long = running
	l.pump()
}

// answered lets an answer to an open question in; any other asks for nothing.
func (l *lane) answered(m message) {
	if !l.dialogs[m.about] {
		return
	}
	delete(l.dialogs, m.about)
	l.long = false
	l.pass(m.line)
}

// asks notes a question to the client. Whoever reads may go on until it is answered.
func (l *lane) asks(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		l.pass(goneLine(id))
		return
	}
	l.dialogs[id] = true
	l.long = true
	l.pump()
}

// goneLine answers a question that nobody will.
func goneLine(id string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32000,"message":"the client has left"}}`)
}

// end notes that the client sends no more and that nobody will answer.
func (l *lane) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	for id := range l.dialogs {
		l.pass(goneLine(id))
	}
	clear(l.dialogs)
	l.change.Broadcast()
}

// stop makes the loop's reader end now and drops whatever is written after.
func (l *lane) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
	l.change.Broadcast()
}

// Read gives the loop what may go on. It ends when the client has sent all and was told all.
func (l *lane) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.forward) == 0 {
		if l.stopped || l.ended && len(l.calls)+len(l.parked) == 0 && !l.owing() {
			return 0, io.EOF
		}
		l.change.Wait()
	}
	n := copy(p, l.forward)
	l.forward = l.forward[n:]
	l.held -= n
	if len(l.forward) == 0 {
		l.forward = nil
	}
	l.change.Broadcast()
	return n, nil
}

// owing reports whether a reply is still to come. A listen stream has none of its own.
func (l *lane) owing() bool {
	for _, r := range l.owed {
		if r.kind != listen {
			return true
		}
	}
	return false
}

// Write takes one line of the loop, which writes one at a time.
func (l *lane) Write(line []byte) (int, error) {
	id, rest, isReply := reply(line)
	l.mu.Lock()
	r := l.owed[id]
	dropped := l.stopped || r != nil && r.cancelled || !isReply && l.stale(line)
	l.mu.Unlock()
	if r != nil {
		line = append([]byte(replyHead+r.outer), shortFault(r.asked.corrected(rest))...)
		defer l.finish(r)
	} else if isReply && bytes.HasPrefix(rest, []byte(`,"method":`)) {
		l.asks(id)
	}
	if !dropped {
		l.write(line)
	}
	return len(line), nil
}

func (l *lane) finish(r *request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.owed, r.inner)
	if l.latest[r.outer] == r {
		delete(l.latest, r.outer)
	}
	l.running.add(r, -1)
	if l.running.calls == 0 {
		l.long = false
		clear(l.dialogs)
	}
	l.unpark()
	l.pump()
	l.change.Broadcast()
}

// stale reports whether line tells of the progress of a request that was answered.
func (l *lane) stale(line []byte) bool {
	token, ok := progressToken(line)
	if !ok {
		return false
	}
	for _, r := range l.owed {
		if r.token == token && !r.cancelled {
			return false
		}
	}
	return true
}

func (l *lane) write(line []byte) {
	l.outMu.Lock()
	defer l.outMu.Unlock()
	if _, err := l.out.Write(line); err != nil {
		l.broken()
	}
}

func cancelLine(inner string) []byte {
	return []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + inner + `}}`)
}

const replyHead = `{"jsonrpc":"2.0","id":`

// reply splits a reply of mcp-go, which writes jsonrpc and id first, into its id and the rest.
func reply(line []byte) (id string, rest []byte, ok bool) {
	after, ok := bytes.CutPrefix(line, []byte(replyHead))
	if !ok {
		return "", nil, false
	}
	d := json.NewDecoder(bytes.NewReader(after))
	var raw json.RawMessage
	if d.Decode(&raw) != nil {
		return "", nil, false
	}
	return string(raw), after[d.InputOffset():], true
}

func progressToken(line []byte) (string, bool) {
	if !bytes.Contains(line, []byte(`"notifications/progress"`)) {
		return "", false
	}
	var n struct {
		Method string `json:"method"`
		Params struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &n) != nil || n.Method != "notifications/progress" {
		return "", false
	}
	return string(n.Params.Token), true
}
