package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/longhaul-mcp/longhaul/tools"
)

const (
	mostReply   = 16_000
	mostMemory  = 512 << 20
	aLongWhile  = 2 * time.Minute // a reply that takes longer counts as none
	initProject = `{"project":"p","type":"cli","layout":"root","features":[` +
		`{"description":"adds two numbers","steps":["run add 1 2","it prints 3"]},` +
		`{"description":"names the sum","steps":["run add --name","it prints sum"]}]}`
)

// A wire is the program's own stdin and stdout, for lines that no client library would send.
type wire struct {
	t    *testing.T
	in   io.WriteCloser
	out  *bufio.Reader
	pipe *os.File
	pid  int
	next int
}

// wireTo starts the program in the folder project.
func wireTo(t *testing.T, project string, more ...string) *wire {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatalf("go build: %v", err)
	}
	command := exec.Command(program, "serve")
	command.Dir = project
	command.Env = append(append(os.Environ(), homeOf(t)...), more...)
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stdout, command.Stderr = outW, os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	outW.Close()
	t.Cleanup(func() {
		in.Close()
		if err := command.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
		outR.Close()
	})
	return &wire{t: t, in: in, out: bufio.NewReader(outR), pipe: outR, pid: command.Process.Pid}
}

// write sends text as it is, while replies can be read.
func (w *wire) write(text string) {
	go io.WriteString(w.in, text) //nolint:errcheck // a server that is gone gives no reply, which fails the test
}

// A message is a line of the server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Result struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
	} `json:"result"`
	bytes int
}

// read is the next message that is no notification.
func (w *wire) read() message {
	w.t.Helper()
	for {
		_ = w.pipe.SetReadDeadline(time.Now().Add(aLongWhile)) // where it can't be set, the test's own limit holds
		line, err := w.out.ReadBytes('\n')
		if err != nil {
			w.t.Fatalf("no reply: %v", err)
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			w.t.Fatalf("not JSON: %.200q", line)
		}
		if m.Method != "" {
			continue
		}
		m.bytes = len(line)
		return m
	}
}

// ask sends one call and returns its reply.
func (w *wire) ask(tool, arguments string) message {
	w.t.Helper()
	w.next++
	w.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", w.next, tool, arguments))
	m := w.read()
	if got, want := string(m.ID), strconv.Itoa(w.next); got != want && got != "null" {
		w.t.Fatalf("%s %.100s: a reply to %s, want one to %s", tool, arguments, got, want)
	}
	return m
}

func (w *wire) must(tool, arguments string) message {
	w.t.Helper()
	m := w.ask(tool, arguments)
	if m.Error != nil || m.Result.IsError {
		w.t.Fatalf("%s %s: %+v", tool, arguments, m)
	}
	return m
}

func (m message) text() string {
	if len(m.Result.Content) == 0 {
		return ""
	}
	return m.Result.Content[0].Text
}

// memory is the most that the process has held, 0 where the system doesn't tell.
func (w *wire) memory() int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.pid))
	if err != nil {
		return 0
	}
	found := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	if found == nil {
		return 0
	}
	kilobytes, _ := strconv.Atoi(string(found[1]))
	return kilobytes << 10
}

// hostileValues are JSON texts that no schema asks for.
func hostileValues() map[string]string {
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	values := map[string]string{
		"null": "null", "true": "true", "zero": "0", "minus": "-1", "huge exponent": "1e400", "fraction": "1.5", "minus zero": "-0",
		"big integer": strings.Repeat("9", 400), "NaN as text": `"NaN"`, "Infinity as text": `"-Infinity"`, "empty": `""`,
		"64 KB": quoted(strings.Repeat("long ", 13_000)), "one word of 64 KB": quoted(strings.Repeat("x", 64<<10)),
		"list": "[]", "list of all": `[null,true,0,"",[],{}]`, "object": "{}", "unknown key": `{"no_such_key":1}`, "key twice": `{"id":"a","id":"b"}`,
		"deep list": strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "deep object": strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000),
		"many": "[1" + strings.Repeat(",1", 20_000) + "]", "text of many": `"[1` + strings.Repeat(",1", 20_000) + `]"`,
		"bad UTF-8": "\"a\xff\xfeb\"", "overlong": "\"\xc0\xaf\"", "lone surrogate": `"\ud800"`, "surrogates reversed": `"\udc00\ud800"`,
		"NUL": `"a\u0000b"`, "controls": `"\u0001\u0007\b\f\u001b[2J\u001b]8;;http://x\u0007\u009b31m\u007f"`, "line ends": `"a\r\nb\rc\nd\u2028e\u2029f\u0085g"`,
		"right to left": quoted("\u202eabc\u2066def\u2069"), "zero width": quoted("a\u200bb\ufeffc\u2060"), "emoji": quoted("👩‍👩‍👧‍👦🏳️‍🌈é̂"),
		"percent": quoted("%2e%2e/%00%s%n%!d(string=x)"), "template": quoted("${HOME} $(touch x) `touch x` {{.}} <script>"),
		"up": quoted("../../../etc/passwd"), "absolute": quoted("/etc/passwd"), "drive": quoted(`C:\Windows`), "share": quoted(`\\host\share`), "stream": quoted("a.txt:stream"),
		"device": quoted("/dev/zero"), "process": quoted("/proc/self/mem"), "own git": quoted(".git/config"), "own git, upper case": quoted(".GIT/config"), "harness": quoted(".harness/ledger.jsonl"),
		"option": quoted("--output=x"), "pathspec": quoted(":(top)*"), "glob": quoted("**/*"), "expression": quoted("((((a*)*)*)*)*$"),
	}
	return values
}

// places are the ways to put a value into the arguments of a tool, by the tool's own schema: for each property, and for
// each property of the objects in it, the whole arguments with %s there. Needed ones beside it have a plain value.
func places(t *testing.T, tool tools.Tool) map[string]string {
	t.Helper()
	var s schema
	if err := json.Unmarshal(tool.Definition().RawInputSchema, &s); err != nil {
		t.Fatal(err)
	}
	return s.places()
}

type schema struct {
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Items      *schema           `json:"items"`
	Enum       []string          `json:"enum"`
}

func (s schema) places() map[string]string {
	found := map[string]string{}
	for name, property := range s.Properties {
		put := func(at, value string) {
			members := []string{strconv.Quote(name) + ":" + value}
			for _, need := range s.Required {
				if need != name {
					members = append(members, strconv.Quote(need)+":"+s.Properties[need].plain())
				}
			}
			found[at] = "{" + strings.Join(members, ",") + "}"
		}
		put(name, "%s")
		if property.Items == nil {
			continue
		}
		put(name+"[]", "[%s]")
		for inner, text := range property.Items.places() {
			put(name+"[]."+inner, "["+text+"]")
		}
	}
	return found
}

func (s schema) plain() string {
	switch {
	case len(s.Enum) > 0:
		return strconv.Quote(s.Enum[0])
	case s.Items != nil:
		return "[" + s.Items.plain() + "]"
	case len(s.Required) > 0:
		var members []string
		for _, need := range s.Required {
			members = append(members, strconv.Quote(need)+":"+s.Properties[need].plain())
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	return `"plain"`
}

// TestHostileArguments sends every odd value in every place of every tool over the program's own stdin.
func TestHostileArguments(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes under the race detector, which does not see the program")
	}
	_, codes := codesOfSource(t)
	values := hostileValues()
	for _, tool := range tools.All() {
		t.Run(tool.Name(), func(t *testing.T) {
			t.Parallel()
			project := t.TempDir()
			w := wireTo(t, project)
			w.must("harness_init", initProject)
			before := snapshot(t, project)
			send := func(arguments, what string) {
				t.Helper()
				if w.hostile(tool.Name(), arguments, what, codes) {
					before = snapshot(t, project)
				} else if after := snapshot(t, project); !maps.Equal(before, after) {
					t.Errorf("%s: refused, but files changed", what)
					before = after
				}
			}
			all := places(t, tool)
			for _, place := range slices.Sorted(maps.Keys(all)) {
				for _, name := range slices.Sorted(maps.Keys(values)) {
					send(strings.Replace(all[place], "%s", values[name], 1), place+" = "+name)
				}
			}
			for _, name := range slices.Sorted(maps.Keys(values)) {
				send(values[name], "arguments = "+name)
			}
			if got := w.memory(); got > mostMemory {
				t.Errorf("%d MB were held, want at most %d", got>>20, mostMemory>>20)
			}
		})
	}
}

// hostile sends one call and reports whether it was served. If it was not, a code says why.
func (w *wire) hostile(tool, arguments, what string, codes map[string]bool) (served bool) {
	w.t.Helper()
	m := w.ask(tool, arguments)
	if m.bytes > mostReply {
		w.t.Errorf("%s: a reply of %d bytes, want at most %d", what, m.bytes, mostReply)
	}
	switch {
	case m.Error != nil:
		return false
	case !m.Result.IsError:
		return true
	}
	if code, _, ok := strings.Cut(m.text(), ":"); !ok || !codes[code] || code == "busy" {
		w.t.Errorf("%s: refused with %.300q, want a code", what, m.text())
	}
	return false
}

// snapshot is what a user would call the state of the project: its files and where its branches stand.
func snapshot(t *testing.T, project string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(project, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(project, path)
		name = filepath.ToSlash(name)
		if err != nil || entry.IsDir() {
			if name == ".git/longhaul" || name == ".git/objects" || name == ".git/logs" {
				return filepath.SkipDir
			}
			return err
		}
		if name == ".git/index" { // its times are brought up to date by reading
			return nil
		}
		data, err := os.ReadFile(path)
		all[name] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestHostileFrames sends lines that no client should. Each is answered, the answers fit, and the connection goes on.
func TestHostileFrames(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes under the race detector, which does not see the program")
	}
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	call := func(arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_features","arguments":` + arguments + `}}`
	}
	most := 8<<20 - 1000
	tests := []struct {
		name, line string
		code       int // of the JSON-RPC error, 0 for none
	}{
		{"64 MB in one line", strings.Repeat("x", 64<<20), -32600},
		{"64 MB in one argument", call(`{"features":"` + strings.Repeat("x", 64<<20) + `"}`), -32600},
		{"a long argument", call(`{"features":"` + strings.Repeat("x", most) + `"}`), 0},
		{"an argument of escapes", call(`{"features":"` + strings.Repeat(`\u0001`, most/6) + `"}`), 0},
		{"millions of numbers", call(`{"features":[1` + strings.Repeat(",1", most/2) + `]}`), 0},
		{"millions of objects", call(`{"features":[{}` + strings.Repeat(",{}", most/3) + `]}`), 0},
		{"millions of lists", call(`{"features":[[]` + strings.Repeat(",[]", most/3) + `]}`), 0},
		{"one key a million times", call(`{"features":1` + strings.Repeat(`,"a":1`, most/6) + `}`), 0},
		{"100,000 deep", call(`{"features":` + nested(100_000) + `}`), -32700},
		{"9,000 deep", call(`{"features":` + nested(9_000) + `}`), 0},
		{"params 9,000 deep", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":` + nested(9_000) + `}}`, 0},
		{"two messages in a line", `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, -32700},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600},
		{"CR before the line end", `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r", 0},
		{"an id of 100 KB", `{"jsonrpc":"2.0","id":"` + strings.Repeat("i", 100_000) + `","method":"ping"}`, 0},
		{"a fraction as id", `{"jsonrpc":"2.0","id":1.5e300,"method":"ping"}`, 0},
		{"a list as id", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, -32600},
		{"an empty method", `{"jsonrpc":"2.0","id":1,"method":""}`, -32600},
		{"a method of controls", `{"jsonrpc":"2.0","id":1,"method":"tools\u0000call\u001b[2J"}`, -32601},
		{"a method of 1 MB", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("m", 1<<20) + `"}`, -32601},
		{"a tool of 1 MB", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat("m", 1<<20) + `"}}`, -32602},
		{"a resource of 1 MB", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"harness://features/` + strings.Repeat("m", 1<<20) + `"}}`, -32002},
		{"bytes that are no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}", -32601},
		{"NUL bytes", "\x00\x00\x00", -32700},
	}
	w := wireTo(t, t.TempDir())
	for _, tt := range tests {
		w.write(tt.line + "\n")
		m := w.read()
		got := 0
		if m.Error != nil {
			got = m.Error.Code
		}
		if got != tt.code {
			t.Errorf("%s: code %d, want %d: %.300s", tt.name, got, tt.code, fmt.Sprint(m.Error))
		}
		if m.bytes > mostReply && len(m.ID) < 1000 {
			t.Errorf("%s: a reply of %d bytes, want at most %d", tt.name, m.bytes, mostReply)
		}
	}
	w.ask("status", "{}")
	if got := w.memory(); got > mostMemory {
		t.Errorf("%d MB were held, want at most %d", got>>20, mostMemory>>20)
	}
}

// TestFloods sends more than anybody waits for.
func TestFloods(t *testing.T) {
	const many = 10_000
	w := wireTo(t, t.TempDir())
	var b strings.Builder
	for i := range many {
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","method":"notifications/flood%d","params":{"a":[1,2,3]}}`+"\n", i)
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none-%d"}}`+"\n", i)
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"list_features","arguments":{"limit":0}}}`+"\n", i)
	}
	w.write(b.String())
	for i := range many {
		m := w.read()
		if string(m.ID) != strconv.Itoa(i) || !strings.HasPrefix(m.text(), "bad-argument: ") {
			t.Fatalf("reply %d: id %s, %.200q", i, m.ID, m.text())
		}
	}
	if got := w.memory(); got > mostMemory {
		t.Errorf("%d MB were held, want at most %d", got>>20, mostMemory>>20)
	}
}
