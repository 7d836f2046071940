package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// A series is one thing timed several times.
type series []time.Duration

// median is the middle one, 0 of none.
func (s series) median() time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[len(sorted)/2]
}

// best is the shortest one, which a busy machine disturbs least; 0 of none.
func (s series) best() time.Duration {
	if len(s) == 0 {
		return 0
	}
	return slices.Min(s)
}

// ms is a duration in milliseconds with three figures, "-" for none.
func ms(d time.Duration) string {
	switch v := d.Seconds() * 1000; {
	case d == 0:
		return "-"
	case v < 10:
		return fmt.Sprintf("%.2f ms", v)
	case v < 100:
		return fmt.Sprintf("%.1f ms", v)
	default:
		return fmt.Sprintf("%.0f ms", v)
	}
}

// ratio is a/b, 0 when there is no b.
func ratio(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// timed runs act and adds how long it took.
func (s *series) timed(act func() error) error {
	began := time.Now()
	err := act()
	*s = append(*s, time.Since(began))
	return err
}

// replaceFile is the least that a safe write of a file costs: write, sync, rename, sync the folder.
func replaceFile(path string, data []byte) error {
	f, err := os.Create(path + ".tmp")
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil || runtime.GOOS == "windows" {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
