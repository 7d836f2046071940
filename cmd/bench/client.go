package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// A server is a running MCP server and its client in one.
type server struct {
	cmd *exec.Cmd
	in  io.WriteCloser

	mu      sync.Mutex
	last    int
	waiting map[int]chan answer
	gone    error
}

// An answer is a reply to one request.
type answer struct {
	line   []byte
	result json.RawMessage
	after  time.Duration
}

// A reply is what a tool said.
type reply struct {
	wire       int    // bytes of the line
	structured string // what a model is shown of a success
	text       string // what a model is shown of a refusal
	refused    bool
	after      time.Duration
}

// start starts an MCP server in dir and shakes hands. The duration is that from before the start to the first reply.
func start(dir, name string, args ...string) (*server, time.Duration, error) {
	s := &server{cmd: exec.Command(name, args...), waiting: map[int]chan answer{}}
	s.cmd.Dir = dir
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, 0, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	s.in = in
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, 0, err
	}
	go s.listen(out)
	_, err = s.ask("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "bench", "version": "1"}})
	took := time.Since(began)
	if err == nil {
		_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	if err != nil {
		return nil, 0, errors.Join(err, s.stop())
	}
	return s, took, nil
}

// stop closes the input and waits for the end.
func (s *server) stop() error { return errors.Join(s.in.Close(), s.cmd.Wait()) }

// listen hands each reply to who waits for it.
func (s *server) listen(out io.Reader) {
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			s.leave(err)
			return
		}
		var m struct {
			ID     *int            `json:"id"`
			Result json.RawMessage `json:"result"`
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue // a notification
		}
		s.mu.Lock()
		to := s.waiting[*m.ID]
		delete(s.waiting, *m.ID)
		s.mu.Unlock()
		if to != nil {
			to <- answer{line: line, result: m.Result}
		}
	}
}

// leave tells everybody who waits that nothing comes any more.
func (s *server) leave(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = fmt.Errorf("the server left: %w", err)
	for _, to := range s.waiting {
		close(to)
	}
	s.waiting = nil
}

func (s *server) ask(method string, params any) (answer, error) {
	to := make(chan answer, 1)
	s.mu.Lock()
	if s.gone != nil {
		s.mu.Unlock()
		return answer{}, s.gone
	}
	s.last++
	id := s.last
	s.waiting[id] = to
	s.mu.Unlock()
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return answer{}, err
	}
	began := time.Now()
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		return answer{}, err
	}
	a, ok := <-to
	a.after = time.Since(began)
	switch {
	case !ok:
		return a, s.gone
	case a.result == nil:
		return a, fmt.Errorf("%s: %s", method, a.line)
	}
	return a, nil
}

// call calls a tool with arguments as JSON. A refusal is a reply, too.
func (s *server) call(tool, arguments string) (reply, error) {
	a, err := s.ask("tools/call", map[string]any{"name": tool, "arguments": json.RawMessage(arguments)})
	if err != nil {
		return reply{}, err
	}
	var result struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(a.result, &result); err != nil {
		return reply{}, err
	}
	var texts []string
	for _, c := range result.Content {
		texts = append(texts, c.Text)
	}
	return reply{wire: len(a.line), structured: string(result.StructuredContent), text: strings.Join(texts, "\n"),
		refused: result.IsError, after: a.after}, nil
}

// do is call where a refusal is an error.
func (s *server) do(tool, arguments string) (reply, error) {
	r, err := s.call(tool, arguments)
	if err == nil && r.refused {
		return r, fmt.Errorf("%s %s: %s", tool, arguments, r.text)
	}
	return r, err
}
