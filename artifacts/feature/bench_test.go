package feature

import (
	"fmt"
	"testing"
)

// bigList is a list of n features with five steps each, a third of them passed.
func bigList(tb testing.TB, n int) []byte {
	tb.Helper()
	items := make([]Item, n)
	for i := range items {
		items[i] = Item{Category: "core", Priority: fmt.Sprint(i%5 + 1), Description: fmt.Sprintf("A visitor finds entry %d of the catalogue by its title and by its author", i)}
		for s := range 5 {
			items[i].Steps = append(items[i].Steps, fmt.Sprintf("Do part %d of entry %d and look at the outcome on the page", s, i))
		}
		if i%7 == 6 {
			items[i].DependsOn = []string{position(i)}
		}
	}
	data, _, err := New("claude", Header{Project: "big", Type: "api", CreatedAt: at}, items)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func benchmark(b *testing.B, run func(b *testing.B, data []byte, l *List)) {
	for _, n := range []int{200, 2000, 20000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			data := bigList(b, n)
			l, err := Parse(data)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			b.ResetTimer()
			run(b, data, l)
		})
	}
}

func BenchmarkParse(b *testing.B) {
	benchmark(b, func(b *testing.B, data []byte, _ *List) {
		for b.Loop() {
			if _, err := Parse(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkNext(b *testing.B) {
	benchmark(b, func(b *testing.B, _ []byte, l *List) {
		for b.Loop() {
			l.Next(Situation{})
		}
	})
}

func BenchmarkCompare(b *testing.B) {
	benchmark(b, func(b *testing.B, _ []byte, l *List) {
		seals := l.Seals(nil)
		for b.Loop() {
			l.Compare(seals, nil)
		}
	})
}

func BenchmarkPass(b *testing.B) {
	benchmark(b, func(b *testing.B, _ []byte, l *List) {
		id := l.Features[len(l.Features)/2].ID
		for b.Loop() {
			if _, err := l.Pass(id, at, session); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	benchmark(b, func(b *testing.B, _ []byte, l *List) {
		for b.Loop() {
			if _, _, err := l.Append([]Item{{Description: "One more thing to see"}}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
