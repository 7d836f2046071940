package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestSeries(t *testing.T) {
	tests := []struct {
		took         series
		median, best string
	}{
		{nil, "-", "-"},
		{series{1500 * time.Microsecond}, "1.50 ms", "1.50 ms"},
		{series{time.Second, 20 * time.Millisecond, 3 * time.Millisecond}, "20.0 ms", "3.00 ms"},
		{series{200 * time.Millisecond, 150 * time.Millisecond}, "200 ms", "150 ms"},
	}
	for _, tt := range tests {
		if median, best := ms(tt.took.median()), ms(tt.took.best()); median != tt.median || best != tt.best {
			t.Errorf("%v: median %s, best %s, want %s, %s", tt.took, median, best, tt.median, tt.best)
		}
	}
}

func TestGrows(t *testing.T) {
	for _, tt := range []struct {
		base, top time.Duration
		factor    int
		want      string
	}{
		{10, 0, 100, "-"},
		{0, 10, 100, "-"},
		{10, 19, 100, "flat"},
		{10, 20, 100, "slowly"},
		{10, 499, 100, "slowly"},
		{10, 500, 100, "as the size"},
	} {
		if got := grows(tt.base, tt.top, tt.factor); got != tt.want {
			t.Errorf("grows(%d, %d, %d) = %s, want %s", tt.base, tt.top, tt.factor, got, tt.want)
		}
	}
}

func TestPageSaysWhatIsMissed(t *testing.T) {
	r := &report{machine: "a machine", load: "0.5", size: full}
	r.within("a start", "nothing", series{10 * time.Millisecond}, series{15 * time.Millisecond}, 1.5)
	r.within("a commit", "git", series{10 * time.Millisecond}, series{15 * time.Millisecond}, 1.4)
	r.count("a reply", "", 301, 300)
	r.table("Start", "About it.", "what", "took").row("a start", "15 ms")
	page := r.page()
	for _, want := range []string{
		"| a start | nothing 10.0 ms; best 10.0 ms | 15.0 ms, 1.50 x; best 15.0 ms, 1.50 x | <= 1.5 x the floor | yes |",
		"| <= 1.4 x the floor | **no** |",
		"| a reply |  | 301 tokens | <= 300 tokens | **no** |",
		"## Start\n\nAbout it.\n\n| what | took |\n| --- | --- |\n| a start | 15 ms |\n",
		"a machine; load 0.5",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q:\n%s", want, page)
		}
	}
}

// TestListIsOfTheSizeThatListsHave keeps the figures comparable: 200 features of five steps are 117 KB in public lists.
func TestListIsOfTheSizeThatListsHave(t *testing.T) {
	text, err := list(200)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(text); n < 110_000 || n > 170_000 {
		t.Errorf("%d bytes", n)
	}
	var observed []string
	if err := json.Unmarshal([]byte(evidence(7)), &observed); err != nil || len(observed) != 5 {
		t.Errorf("evidence(7) = %v, %v, want one for each of five steps", observed, err)
	}
	if !strings.Contains(text, fmt.Sprintf("thing number %d,", 200)) {
		t.Error("feature 200 is missing")
	}
}
