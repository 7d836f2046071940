package artifacts

import (
	"fmt"
	"testing"
)

// BenchmarkNext is next_feature in an open session: the whole call, from the lock to the answer.
func BenchmarkNext(b *testing.B) {
	for _, n := range []int{200, 2000, 20000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := benchProject(b, n)
			for b.Loop() {
				if _, err := p.NextFeature(ctx, NextRequest{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMark is a mark and the regression that takes it back: list, ledger and session written durably, twice.
func BenchmarkMark(b *testing.B) {
	for _, n := range []int{200, 2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := benchProject(b, n)
			for b.Loop() {
				if _, err := p.NextFeature(ctx, NextRequest{ID: "F001"}); err != nil {
					b.Fatal(err)
				}
				if _, err := p.MarkPassed(ctx, "F001", nil); err != nil {
					b.Fatal(err)
				}
				if _, err := p.ReportRegression(ctx, "F001", "again"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func benchProject(b *testing.B, n int) *Project {
	b.Helper()
	p := Open(b.TempDir(), Options{})
	b.Cleanup(p.Close)
	all := wordy(n)
	for i := range all {
		all[i].Check = "test 1 = 1"
	}
	if _, err := p.Init(ctx, InitRequest{Project: "bench", Type: "cli", Features: all, Commit: true}); err != nil {
		b.Fatal(err)
	}
	if _, err := p.SessionStart(ctx, "", false); err != nil {
		b.Fatal(err)
	}
	return p
}
