package feature

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	many := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(f(i))
		}
		return b.String()
	}
	cases := map[string]func() string{
		"numbers": func() string { return "[" + strings.Repeat("1,", 32<<20) + "1]" },
		"numbers8M": func() string {
			return `[{"id":"A","description":"a","n":[` + strings.Repeat("1,", 8<<20-50) + `1],"passes":false}]`
		},
		"steps": func() string {
			return `[{"id":"A","description":"a","passes":false,"steps":[` + many(4000000, func(i int) string { return `"s"` }) + "]}]"
		},
		"objsteps": func() string {
			return `[{"id":"A","description":"a","passes":false,"steps":[` + many(1000000, func(i int) string { return `{"text":"s"}` }) + "]}]"
		},
		"deep": func() string {
			return `[{"id":"A","description":"a","x":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + "}]"
		},
		"deep900": func() string {
			return `[{"id":"A","description":"a","passes":false,"x":` + strings.Repeat(`{"a":[`, 440) + strings.Repeat("]}", 440) + "}]"
		},
		"dupkey": func() string {
			return `[{"id":"A","description":"a","passes":false},{"id":"B","description":"b","passes":false,` + many(200000, func(i int) string { return `"k":1` }) + "}]"
		},
		"dupfeatures": func() string {
			return `{` + many(200000, func(i int) string { return `"features":[{"id":"A","description":"a","passes":false}]` }) + "}"
		},
		"duppasses": func() string {
			return `[{"id":"A","description":"a","passes":false},{"id":"B","description":"b",` + many(200000, func(i int) string { return `"passes":false` }) + "}]"
		},
		"distinct keys": func() string {
			return `[{"id":"A","description":"a","passes":false,` + many(200000, func(i int) string { return fmt.Sprintf(`"k%d":1`, i) }) + "}]"
		},
		"dup ids": func() string {
			return `[` + many(200000, func(i int) string { return `{"id":"A","description":"a","passes":false}` }) + "]"
		},
		"empty": func() string { return `[` + many(1000000, func(i int) string { return `{}` }) + "]" },
		"groups": func() string {
			return `{"phases":[` + many(200000, func(i int) string { return `{"name":"p","features":[{"description":"a","passes":false}]}` }) + "]}"
		},
		"deps": func() string {
			return `[{"id":"A","description":"a","passes":false,"depends_on":[` + many(1000000, func(i int) string { return fmt.Sprintf(`"x%d"`, i) }) + `]}]`
		},
		"selfdeps": func() string {
			return `[` + many(3000, func(i int) string {
				return fmt.Sprintf(`{"id":"F%d","description":"a","passes":false,"depends_on":["F%d","F%d"]}`, i, (i+1)%3000, i)
			}) + `]`
		},
		"hugestring": func() string {
			return `[{"id":"A","passes":false,"description":"` + strings.Repeat("a b \\n", 10<<20) + `"}]`
		},
		"hugeid": func() string {
			return `[{"id":"` + strings.Repeat("a", 10<<20) + `","passes":false,"description":"x"},{"id":"B","description":"b"}]`
		},
		"states": func() string {
			return `[` + many(100000, func(i int) string { return fmt.Sprintf(`{"id":"F%d","description":"a","status":"s%d"}`, i, i) }) + `]`
		},
		"rootmap": func() string {
			return `{` + many(200000, func(i int) string { return fmt.Sprintf(`"F%d":{"description":"a","status":"open"}`, i) }) + `}`
		},
		"prefixids": func() string {
			return `[` + many(200000, func(i int) string { return fmt.Sprintf(`{"id":"%d","description":"a","status":"open"}`, i) }) + `]`
		},
	}
	for name, mk := range cases {
		src := []byte(mk())
		timed := func(what string, f func()) {
			runtime.GC()
			var a, b runtime.MemStats
			runtime.ReadMemStats(&a)
			s := time.Now()
			f()
			d := time.Since(s)
			runtime.ReadMemStats(&b)
			if d > 300*time.Millisecond || b.TotalAlloc-a.TotalAlloc > 500<<20 {
				fmt.Printf("%-14s %-8s %6.2fs alloc %d MB sys %d MB (src %d MB)\n", name, what, d.Seconds(), (b.TotalAlloc-a.TotalAlloc)>>20, b.Sys>>20, len(src)>>20)
			}
		}
		var l *List
		var err error
		timed("parse", func() { l, err = Parse(src) })
		if err != nil {
			fmt.Printf("%-14s %v\n", name, err)
			continue
		}
		var seals []Seal
		timed("seals", func() { seals = l.Seals(nil) })
		timed("align", func() { l.Align(seals, nil) })
		timed("compare", func() { l.Compare(seals, nil) })
		timed("next", func() { l.Next(Situation{}) })
		timed("warn", func() { l.Warnings() })
		timed("nearest", func() { l.Nearest("zz") })
		timed("matches", func() { l.Matches(l.Features[0].ID, "zz") })
		if l.Features[0].Problem == "" {
			timed("pass", func() {
				var out []byte
				out, err = l.Pass(l.Features[0].ID, "2026-01-01T00:00:00Z", "s")
				if err != nil {
					fmt.Println(name, "pass:", clip(err.Error(), 200))
				}
				_ = out
			})
		}
		timed("append", func() {
			_, _, err = l.Append([]Item{{Description: "new thing here"}})
			if err != nil {
				fmt.Println(name, "append:", clip(err.Error(), 200))
			}
		})
		timed("check", func() { changed := strings.Replace(string(src), `"a"`, `"b"`, 1); Check(src, []byte(changed)) })
		timed("check del", func() {
			changed := strings.Replace(string(src), `"description":"a"`, `"x":1`, 1)
			Check(src, []byte(changed))
		})
	}
}
