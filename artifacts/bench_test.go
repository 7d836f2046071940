package artifacts

import (
	"fmt"
	"testing"
)

// onLists runs a benchmark on projects in whose open session the first of n features is claimed.
func onLists(b *testing.B, run func(b *testing.B, t *bench)) {
	for _, n := range []int{200, 2000, 20000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			t := newBench(b)
			t.write(".harness/config.json", `{"policy":{"max_features_per_session":1000}}`)
			all := wordy(n)
			for i := range all {
				all[i].Check = ""
			}
			must[*InitializedReply](t)(t.p.Init(ctx, InitRequest{Project: "demo", Type: "cli", Stack: "other", Features: all, Commit: true}))
			t.end()
			must[*StartReply](t)(t.p.SessionStart(ctx, "", false))
			b.ReportAllocs()
			b.ResetTimer()
			run(b, t)
		})
	}
}

func BenchmarkNextAgain(b *testing.B) {
	onLists(b, func(b *testing.B, t *bench) {
		for b.Loop() {
			must[*NextReply](t)(t.p.NextFeature(ctx, NextRequest{}))
		}
	})
}

// BenchmarkNextClaims gives the claim back and claims again: two calls that write the book of sessions.
func BenchmarkNextClaims(b *testing.B) {
	onLists(b, func(b *testing.B, t *bench) {
		for b.Loop() {
			must[*NextReply](t)(t.p.NextFeature(ctx, NextRequest{Release: "later"}))
			must[*NextReply](t)(t.p.NextFeature(ctx, NextRequest{}))
		}
	})
}

func BenchmarkStatus(b *testing.B) {
	onLists(b, func(b *testing.B, t *bench) {
		for b.Loop() {
			must[*StatusReply](t)(t.p.Status(ctx, false))
		}
	})
}

func BenchmarkListFeatures(b *testing.B) {
	onLists(b, func(b *testing.B, t *bench) {
		for b.Loop() {
			must[*ListReply](t)(t.p.ListFeatures(ctx, Query{}))
		}
	})
}

// BenchmarkMark passes a feature and reports it broken, which has it offered first: three writes of list and ledger.
func BenchmarkMark(b *testing.B) {
	onLists(b, func(b *testing.B, t *bench) {
		for b.Loop() {
			var seen []Evidence
			for step, what := range []string{"the table came up", "the button answered at once", "a row was added for it", "the total went up by one", "a reload kept all of it"} {
				seen = append(seen, Evidence{Step: step + 1, Observed: what})
			}
			must[*MarkReply](t)(t.p.MarkPassed(ctx, "F001", seen))
			must[*RegressionReply](t)(t.p.ReportRegression(ctx, "F001", "the table stays empty"))
			must[*NextReply](t)(t.p.NextFeature(ctx, NextRequest{}))
		}
	})
}
