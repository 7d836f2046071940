package artifacts

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
)

// TestCrowd has six servers claim, mark and write at the same instant while a reader loops on the list.
func TestCrowd(t *testing.T) {
	const servers = 6
	b := newBench(t)
	b.set("claude", servers*2)
	var all []*Project
	for range servers {
		all = append(all, b.elsewhere())
	}
	for i := range servers * 2 {
		b.work(fmt.Sprintf("F%03d", i+1))
	}
	stop := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			data, err := os.ReadFile(filepath.Join(b.dir, ".claude/features.json"))
			if err != nil {
				t.Errorf("reading: %v", err)
				return
			}
			if _, err := feature.Parse(data); err != nil {
				t.Errorf("a reader saw a list that does not parse: %v", err)
				return
			}
			if st, err := b.p.Status(ctx, false); err != nil || len(st.Tampered) > 0 {
				t.Errorf("status meanwhile = %+v, %v", st, err)
				return
			}
		}
	})
	for round := range 2 {
		claimed := make([]string, servers)
		together(servers, func(i int) {
			s, err := all[i].SessionStart(ctx, "", false)
			if err != nil || s.Feature == nil {
				t.Errorf("session_start: %+v, %v", s, err)
				return
			}
			claimed[i] = s.Feature.ID
		})
		once := map[string]bool{}
		for i, id := range claimed {
			if once[id] {
				t.Errorf("round %d: server %d got %s, which another has: %v", round, i, id, claimed)
			}
			once[id] = true
		}
		together(servers, func(i int) {
			if _, err := all[i].AppendProgress(ctx, Note{Notes: []string{fmt.Sprint("round ", round, " server ", i)}, NextSteps: []string{"go on"}}); err != nil {
				t.Errorf("append_progress: %v", err)
			}
			if m, err := all[i].MarkPassed(ctx, claimed[i], nil); err != nil || !m.Changed {
				t.Errorf("mark %s: %+v, %v", claimed[i], m, err)
			}
		})
		together(servers, func(i int) {
			if _, err := all[i].SessionEnd(ctx, Note{}, "the tree is shared"); err != nil {
				t.Errorf("session_end: %v", err)
			}
		})
	}
	close(stop)
	reader.Wait()
	st := must[*StatusReply](b)(b.p.Status(ctx, false))
	if st.Counts.Passed != servers*2 || len(st.Tampered) > 0 {
		t.Errorf("in the end: %+v", st)
	}
	b.git("fsck", "--strict")
}

func together(n int, do func(i int)) {
	var wg sync.WaitGroup
	gate := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-gate
			do(i)
		})
	}
	close(gate)
	wg.Wait()
}

// TestCommitsAtOnceLeaveTheIndexWhole has three servers commit the same new files at the same instant.
func TestCommitsAtOnceLeaveTheIndexWhole(t *testing.T) {
	const servers = 3
	for range 4 {
		b := newBench(t)
		b.set("claude", servers)
		var all []*Project
		for range servers {
			p := b.elsewhere()
			must[*StartReply](b)(p.SessionStart(ctx, "", false))
			all = append(all, p)
		}
		for i := range 8 {
			b.write(fmt.Sprint("file", i), "new\n")
		}
		var mu sync.Mutex
		done := 0
		together(servers, func(i int) {
			_, err := all[i].Commit(ctx, CommitRequest{Message: "all"})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				done++
				return
			}
			b.refused(err, "nothing-to-commit")
		})
		if status := b.git("status", "--porcelain"); done == 0 || status != "" {
			t.Fatalf("%d commits went through, git status says %q", done, status)
		}
	}
}

// TestClaimHasOneWinner has eight servers ask for the same feature at once, ten times.
func TestClaimHasOneWinner(t *testing.T) {
	const servers, rounds = 8, 10
	b := newBench(t)
	b.set("root", 2)
	var all []*Project
	for range servers {
		p := b.elsewhere()
		must[*StartReply](b)(p.SessionStart(ctx, "", false))
		all = append(all, p)
	}
	for _, p := range all {
		_, _ = p.NextFeature(ctx, NextRequest{Release: "for the race"})
	}
	for round := range rounds {
		var mu sync.Mutex
		var winners []*Project
		together(servers, func(i int) {
			_, err := all[i].NextFeature(ctx, NextRequest{ID: "F002"})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				winners = append(winners, all[i])
				return
			}
			b.refused(err, "claimed-by")
		})
		if len(winners) != 1 {
			t.Fatalf("round %d has %d winners", round, len(winners))
		}
		must[*NextReply](b)(winners[0].NextFeature(ctx, NextRequest{Release: "next round"}))
	}
}
