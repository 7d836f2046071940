package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// order is that of the rows: what is called most comes first.
var order = []string{"ping", "session_start", "next_feature, asks again", "next_feature, claims", "mark_feature_passed, evidence", "mark_feature_passed, check",
	"append_progress", "commit", "session_end", "status", "list_features, page", "list_features, one id", "add_features", "verify_features",
	"report_regression", "rollback, uncommitted", "harness_init, mends"}

// A day is one project with a server on it, and how long its calls took.
type day struct {
	*server
	dir   string
	took  map[string]series
	floor series // of a safe write of the list's bytes
	next  int    // the feature to work on
	runs  int    // of every file that is made
}

func newDay(y yard, dir string) (*day, error) {
	s, _, err := start(dir, y.longhaul)
	if err != nil {
		return nil, err
	}
	return &day{server: s, dir: dir, took: map[string]series{}, next: 1}, nil
}

// timed is a call whose time is kept under name.
func (d *day) timed(name, tool, arguments string) (reply, error) {
	r, err := d.do(tool, arguments)
	d.took[name] = append(d.took[name], r.after)
	return r, err
}

// step is one call of a round.
type step struct{ name, tool, arguments string }

func (d *day) all(steps ...step) error {
	for _, s := range steps {
		var err error
		if s.name == "" {
			_, err = d.do(s.tool, s.arguments)
		} else {
			_, err = d.timed(s.name, s.tool, s.arguments)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// change makes a new file.
func (d *day) change() error {
	d.runs++
	return write(filepath.Join(d.dir, "src", fmt.Sprintf("new%05d.txt", d.runs)), fmt.Sprintln("work", d.runs))
}

const (
	note    = `{"notes":["the table keeps its order"],"next_steps":["the next feature"]}`
	another = `{"features":[{"description":"User can sort the things by the date of their last change, newest first","steps":["Click on the head of the column"]}]}`
)

// look calls what changes nothing.
func (d *day) look() error {
	a, err := d.ask("ping", map[string]any{})
	if err != nil {
		return err
	}
	d.took["ping"] = append(d.took["ping"], a.after)
	return d.all(
		step{"status", "status", `{}`},
		step{"list_features, page", "list_features", `{}`},
		step{"list_features, one id", "list_features", `{"ids":["F001"]}`},
	)
}

// work is one session on a list that holds features: two of them, one with evidence and one with a check.
func (d *day) work() error {
	first, second := d.next, d.next+1
	d.next += 2
	if err := d.all(step{"session_start", "session_start", `{"run_init":false}`}); err != nil {
		return err
	}
	if err := d.look(); err != nil {
		return err
	}
	if err := d.change(); err != nil {
		return err
	}
	for _, s := range []step{
		{"next_feature, asks again", "next_feature", `{}`},
		{"", "next_feature", `{"release":"another machine takes it"}`},
		{"next_feature, claims", "next_feature", `{}`},
		{"", "next_feature", claim(first)},
		{"mark_feature_passed, evidence", "mark_feature_passed", fmt.Sprintf(`{"id":"F%03d","evidence":%s}`, first, evidence(first))},
		{"", "next_feature", claim(second)},
		{"mark_feature_passed, check", "mark_feature_passed", fmt.Sprintf(`{"id":"F%03d"}`, second)},
	} {
		if err := d.all(s); err != nil {
			return err
		}
		if s.tool == "mark_feature_passed" {
			if err := d.safeWrite(); err != nil {
				return err
			}
		}
	}
	if err := d.all(
		step{"verify_features", "verify_features", fmt.Sprintf(`{"ids":["F%03d"]}`, second)},
		step{"append_progress", "append_progress", note},
		step{"commit", "commit", `{"message":"things can be opened"}`},
		step{"add_features", "add_features", another},
		step{"report_regression", "report_regression", fmt.Sprintf(`{"id":"F%03d","reason":"the table stays empty"}`, second)},
		step{"", "commit", `{"message":"what is left","type":"chore"}`},
	); err != nil {
		return err
	}
	if err := d.change(); err != nil {
		return err
	}
	return d.all(
		step{"rollback, uncommitted", "rollback", `{"target":"uncommitted","reason":"it went wrong"}`},
		step{"harness_init, mends", "harness_init", `{"project":"demo","type":"cli"}`},
		step{"session_end", "session_end", `{"next_steps":["the next feature"],"incomplete_reason":"time is over"}`},
	)
}

func claim(n int) string { return fmt.Sprintf(`{"id":"F%03d"}`, n) }

// safeWrite times a safe write of the bytes that the list has now, beside the project.
func (d *day) safeWrite() error {
	list, err := os.ReadFile(filepath.Join(d.dir, ".claude", "features.json"))
	if err != nil {
		return err
	}
	return d.floor.timed(func() error { return replaceFile(filepath.Join(d.dir, ".git", "floor"), list) })
}

// idle is what can be called where the list is empty. What it adds is committed at once and does not stay the point.
func (d *day) idle() error {
	if err := d.all(step{"session_start", "session_start", `{"run_init":false}`}); err != nil {
		return err
	}
	a, err := d.ask("ping", map[string]any{})
	if err != nil {
		return err
	}
	d.took["ping"] = append(d.took["ping"], a.after)
	if err := d.change(); err != nil {
		return err
	}
	return d.all(
		step{"status", "status", `{}`},
		step{"list_features, page", "list_features", `{}`},
		step{"next_feature, asks again", "next_feature", `{}`},
		step{"append_progress", "append_progress", note},
		step{"commit", "commit", `{"message":"work","type":"chore"}`},
		step{"harness_init, mends", "harness_init", `{"project":"demo","type":"cli"}`},
		step{"session_end", "session_end", `{"next_steps":["the next feature"],"incomplete_reason":"time is over"}`},
	)
}

// measureTools times each tool at each size of the list.
func measureTools(y yard, r *report) error {
	days := map[int]*day{}
	for _, n := range y.size.features {
		d, err := y.day(n)
		if err != nil {
			return err
		}
		days[n] = d
		r.holds(n, d)
		if err := d.stop(); err != nil {
			return err
		}
	}
	t := r.table("Calls by the size of the list", "Median time of a call as the client sees it, one call at a time. The last row is the safe write of as many bytes as the list has (write, sync, rename, sync of the folder).",
		append([]string{"call"}, headers(y.size.features, "features")...)...)
	for _, name := range order {
		cells := []string{quoted(name)}
		for _, n := range y.size.features {
			cells = append(cells, ms(days[n].took[name].median()))
		}
		t.row(cells...)
	}
	cells := []string{"safe write of the list"}
	for _, n := range y.size.features {
		cells = append(cells, ms(days[n].floor.median()))
	}
	t.row(cells...)
	r.growth(y.size.features, days)
	return nil
}

// day makes a project with n features and plays its rounds.
func (y yard) day(n int) (*day, error) {
	dir, err := y.project(fmt.Sprintf("tools%d", n), plan{features: n, files: 100})
	if err != nil {
		return nil, err
	}
	d, err := newDay(y, dir)
	if err != nil {
		return nil, err
	}
	round := d.work
	if n == 0 {
		round = d.idle
	}
	for range y.size.rounds {
		if err := round(); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func headers(sizes []int, what string) []string {
	var all []string
	for _, n := range sizes {
		all = append(all, fmt.Sprintf("%d %s", n, what))
	}
	return all
}

// holds notes what was reached with a list of n features, as long as the server runs.
func (r *report) holds(n int, d *day) {
	most := map[int]float64{200: 1, 2000: 3, 20000: 15}[n]
	if most == 0 {
		return
	}
	of := fmt.Sprintf(", %d features", n)
	trip := d.took["ping"]
	for _, name := range []string{"next_feature, asks again", "next_feature, claims"} {
		took := d.took[name]
		r.target(name+of, fmt.Sprintf("round trip %s; best %s", ms(trip.median()), ms(trip.best())),
			fmt.Sprintf("%s; best %s", ms(took.median()), ms(took.best())), took.median().Seconds()*1000, most, "ms")
	}
	if n <= 2000 {
		r.within("mark_feature_passed, evidence"+of, "safe write", d.floor, d.took["mark_feature_passed, evidence"], 4)
	}
	if n == 20000 {
		held := memory(d.cmd.Process.Pid)
		r.target("memory with 20000 features in use", "", mib(held), float64(held)/(1<<20), 60, "MiB")
	}
}
