package scaffold

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// freePort is one that nobody listens on right now.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

var serverID = regexp.MustCompile(`\(process (\d+)\)`)

func TestStartWaitsForTheServer(t *testing.T) {
	needs(t, "npm")
	dir, port := t.TempDir(), freePort(t)
	write(t, dir, map[string]string{
		"package.json": `{"scripts":{"dev":"exec node server.js"}}`,
		"server.js":    "setTimeout(() => require('http').createServer((q, r) => r.end('here')).listen(process.env.PORT), 500)",
	})
	script, err := InitScript("node", "start")
	if err != nil {
		t.Fatal(err)
	}
	logs := t.TempDir()
	stop := fmt.Sprintf("http://localhost:%s/", port)
	output, err := run(t, dir, script, "PORT="+port, "HEALTH_URL="+stop, "TMPDIR="+logs)
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	id := serverID.FindStringSubmatch(output)
	if id == nil {
		t.Fatalf("output names no process:\n%s", output)
	}
	t.Cleanup(func() { endTree(t, id[1]) })
	reply, err := http.Get(stop)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if body, _ := io.ReadAll(reply.Body); string(body) != "here" {
		t.Errorf("the server says %q, want %q", body, "here")
	}
	again, err := run(t, dir, script, "PORT="+port, "TMPDIR="+logs)
	if err != nil || !strings.Contains(again, "answers already") {
		t.Errorf("second run: %v\n%s", err, again)
	}
}

func endTree(t *testing.T, pid string) {
	t.Helper()
	end := `end() { local c; for c in $(pgrep -P "$1"); do end "$c"; done; kill "$1"; }; end ` + pid
	if output, err := run(t, t.TempDir(), []byte(end)); err != nil {
		t.Errorf("ending the server: %v\n%s", err, output)
	}
}

func TestStartGivesUp(t *testing.T) {
	tests := []struct{ name, command, want string }{
		{"ends", "echo cannot bind; exit 7", "cannot bind"},
		{"never answers", "echo warming up; sleep 30", "did not answer within 1 seconds"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			script, err := InitScript("other", "start")
			if err != nil {
				t.Fatal(err)
			}
			output, err := run(t, t.TempDir(), script, "PORT="+freePort(t), "WAIT_SECONDS=1",
				"START_COMMAND="+test.command, "TMPDIR="+t.TempDir())
			if err == nil || !strings.Contains(output, test.want) {
				t.Errorf("error = %v, output:\n%s\nwant a failure that says %q", err, output, test.want)
			}
		})
	}
}

func TestStartNeedsSuccessAtHealthURL(t *testing.T) {
	needs(t, "curl")
	server := &http.Server{Handler: http.NotFoundHandler()}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	script, _ := InitScript("other", "start")
	url := "http://" + listener.Addr().String() + "/health"
	output, err := run(t, t.TempDir(), script, "HEALTH_URL="+url, "WAIT_SECONDS=1", "START_COMMAND=sleep 30", "TMPDIR="+os.TempDir())
	if err == nil {
		t.Errorf("a health URL that answers 404 is taken for health:\n%s", output)
	}
}
