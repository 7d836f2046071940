package artifacts

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
)

// BenchmarkAudit walks 5,000 commits of a list of 200 features. In one every commit touches the list, in the other every
// tenth. The most memory in use meanwhile is told for 500 commits too, for it is not to grow with history.
func BenchmarkAudit(b *testing.B) {
	for _, every := range []int{1, 10} {
		for _, commits := range []int{500, 5000} {
			b.Run(fmt.Sprintf("commits=%d/list-in-every=%d", commits, every), func(b *testing.B) {
				p := longHistory(b, 200, commits, every)
				peak := watchMemory()
				for b.Loop() {
					found, err := p.Audit(ctx, "")
					if err != nil || len(found) != 1 || found[0].Kind != "passed" {
						b.Fatalf("Audit() = %+v, %v; want the one pass without a proof", found, err)
					}
				}
				b.ReportMetric(float64(peak())/(1<<20), "peak-MB")
			})
		}
	}
}

// longHistory is a project of so many commits after its adoption. Features are passed with their proofs on the way, the 20th
// without.
func longHistory(b *testing.B, features, commits, every int) *Project {
	b.Helper()
	dir := b.TempDir()
	p := Open(dir, Options{})
	b.Cleanup(p.Close)
	if _, err := p.Init(ctx, InitRequest{Project: "bench", Type: "cli", Features: wordy(features), Commit: true}); err != nil {
		b.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(dir, ".claude/features.json"))
	if err != nil {
		b.Fatal(err)
	}
	proofs, err := os.ReadFile(filepath.Join(dir, ledgerPath))
	if err != nil {
		b.Fatal(err)
	}
	var stream bytes.Buffer
	passed := 0
	for i := range commits {
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter B <b@example.com> %d +0000\ndata 4\nwork\n", 1800000000+i)
		if i == 0 {
			fmt.Fprintln(&stream, "from refs/heads/main^0")
		}
		put(&stream, "src/main.go", fmt.Appendln(nil, i))
		if i%every == 0 {
			if due := (i + 1) * features / commits; due > passed {
				passed++
				id := fmt.Sprintf("F%03d", passed)
				list = bytes.Replace(list, []byte(`"passes": false`), []byte(`"passes": true`), 1)
				if passed != 20 {
					proofs = append(proofs, ledger.Record{Kind: ledger.Passed, ID: id, Proof: &ledger.Proof{Kind: "observed", Command: "true"}}.Bytes()...)
				}
			}
			put(&stream, ".claude/features.json", bytes.Replace(list, []byte("{"), fmt.Appendf(nil, "{\n  \"run\": %d,", i), 1))
			put(&stream, ledgerPath, proofs)
		}
	}
	cmd := exec.Command("git", "-C", dir, "fast-import", "--quiet", "--force")
	cmd.Stdin = &stream
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("git fast-import: %v %s", err, out)
	}
	if out, err := exec.Command("git", "-C", dir, "reset", "-q", "--hard").CombinedOutput(); err != nil {
		b.Fatalf("git reset: %v %s", err, out)
	}
	return p
}

func put(stream *bytes.Buffer, path string, data []byte) {
	fmt.Fprintf(stream, "M 100644 inline %s\ndata %d\n%s\n", path, len(data), data)
}

// watchMemory samples the heap in use until the most of it is asked for.
func watchMemory() (peak func() uint64) {
	runtime.GC()
	var most uint64
	done := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	return func() uint64 {
		close(done)
		watcher.Wait()
		return most
	}
}
