package main

import (
	"fmt"
	"sync"
	"time"
)

// measureFlight times calls one by one and 32 at a time.
func measureFlight(y yard, r *report) error {
	dir, err := y.project("flight", plan{features: 2000})
	if err != nil {
		return err
	}
	d, err := newDay(y, dir)
	if err != nil {
		return err
	}
	defer d.stop()
	if err := d.all(step{"", "session_start", `{"run_init":false}`}); err != nil {
		return err
	}
	t := r.table("Calls in flight", "2,000 features. How long a client waits for a call, and calls a second, with one call at a time and with 32 sent before the first reply.",
		"call", "1: median", "1: a second", "32: median", "32: a second")
	for _, tool := range []string{"status", "next_feature", "list_features"} {
		cells := []string{"`" + tool + "`"}
		for _, width := range []int{1, 32} {
			median, rate, err := d.crowd(tool, y.size.flight, width)
			if err != nil {
				return err
			}
			cells = append(cells, ms(median), fmt.Sprintf("%.0f", rate))
		}
		t.row(cells...)
	}
	return nil
}

// crowd makes n calls, width of them at a time.
func (d *day) crowd(tool string, n, width int) (median time.Duration, rate float64, err error) {
	var mu sync.Mutex
	var all series
	var group sync.WaitGroup
	began := time.Now()
	for range width {
		group.Go(func() {
			for range n / width {
				r, failed := d.do(tool, `{}`)
				mu.Lock()
				all = append(all, r.after)
				if failed != nil {
					err = failed
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return all.median(), float64(len(all)) / time.Since(began).Seconds(), err
}
