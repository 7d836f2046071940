package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// measureRepositories holds commit and session_start against the git program, in repositories of several sizes. Each
// commit is made a second time by hand in a twin of the repository, with the same bytes in the same paths.
func measureRepositories(y yard, r *report) error {
	t := r.table("Repositories", "200 features. `git add` and `git commit` of the same paths with the same bytes in a twin of the repository; `git status` and `git log -5` beside `session_start` without the init script.",
		"files", "`commit`", "git add, commit", "ratio", "`session_start`", "git status, log", "ratio")
	for _, files := range y.size.files {
		c, err := y.compare(files)
		if err != nil {
			return err
		}
		commit, start := ratio(c.commit.median(), c.byHand.median()), ratio(c.start.median(), c.status.median())
		t.row(fmt.Sprint(files), ms(c.commit.median()), ms(c.byHand.median()), fmt.Sprintf("%.2f", commit),
			ms(c.start.median()), ms(c.status.median()), fmt.Sprintf("%.2f", start))
		if files == 10000 {
			r.within("commit in 10000 files", "git add, git commit", c.byHand, c.commit, 1.3)
			r.within("session_start in 10000 files", "git status, git log", c.status, c.start, 1.5)
		}
	}
	return nil
}

// A comparison is ours beside git's.
type comparison struct{ commit, byHand, start, status series }

func (y yard) compare(files int) (c comparison, err error) {
	dir, err := y.project(fmt.Sprintf("files%d", files), plan{features: 200, files: files})
	if err != nil {
		return c, err
	}
	twin := dir + "-twin"
	if err := os.CopyFS(twin, os.DirFS(dir)); err != nil {
		return c, err
	}
	for _, at := range []string{dir, twin} {
		if err := output(at, nil, "git", "status", "--porcelain"); err != nil { // both indexes know the files' times now
			return c, err
		}
	}
	d, err := newDay(y, dir)
	if err != nil {
		return c, err
	}
	defer func() { _ = d.stop() }()
	if err := d.all(step{"", "session_start", `{"run_init":false}`}); err != nil {
		return c, err
	}
	for range y.size.rounds {
		if err := c.round(d, twin); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (c *comparison) round(d *day, twin string) error {
	if err := d.change(); err != nil {
		return err
	}
	said, err := d.do("session_start", `{"run_init":false}`)
	if err != nil {
		return err
	}
	c.start = append(c.start, said.after)
	err = c.status.timed(func() error {
		if err := output(d.dir, nil, "git", "status", "--porcelain"); err != nil {
			return err
		}
		return output(d.dir, nil, "git", "log", "-5", "--oneline")
	})
	if err != nil {
		return err
	}
	if said, err = d.do("commit", `{"message":"work","type":"chore"}`); err != nil {
		return err
	}
	c.commit = append(c.commit, said.after)
	var done struct{ Files []string }
	if err := json.Unmarshal([]byte(said.structured), &done); err != nil {
		return err
	}
	for _, path := range done.Files {
		text, err := os.ReadFile(filepath.Join(d.dir, path))
		if err != nil {
			return err
		}
		if err := write(filepath.Join(twin, path), string(text)); err != nil {
			return err
		}
	}
	return c.byHand.timed(func() error {
		if err := output(twin, nil, "git", append([]string{"add", "--"}, done.Files...)...); err != nil {
			return err
		}
		return output(twin, nil, "git", "commit", "-q", "-m", "chore: work")
	})
}
