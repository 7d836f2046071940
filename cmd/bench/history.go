package main

import (
	"fmt"
	"strings"
)

// measureHistory times calls on projects with a past: more and more sessions, a long log, a long ledger.
func measureHistory(y yard, r *report) error {
	days := map[int]*day{}
	for _, n := range y.size.sessions {
		d, err := y.past(fmt.Sprintf("sessions%d", n), plan{features: 200, sessions: n})
		if err != nil {
			return err
		}
		days[n] = d
	}
	r.past(y.size.sessions, days)
	t := r.table("A long past", "200 features. Medians; each project is small but for what the column names.",
		"call", fmt.Sprintf("log of %d MB", y.size.log>>20), fmt.Sprintf("ledger of %d lines", y.size.ledger))
	log, err := y.past("log", plan{features: 200, log: y.size.log})
	if err != nil {
		return err
	}
	ledger, err := y.past("ledger", plan{features: 200, ledger: y.size.ledger})
	if err != nil {
		return err
	}
	for _, name := range order {
		t.row(quoted(name), ms(log.took[name].median()), ms(ledger.took[name].median()))
	}
	return nil
}

func (y yard) past(name string, p plan) (*day, error) {
	dir, err := y.project(name, p)
	if err != nil {
		return nil, err
	}
	d, err := newDay(y, dir)
	if err != nil {
		return nil, err
	}
	for range max(y.size.rounds/2, 2) {
		if err := d.work(); err != nil {
			return nil, err
		}
	}
	return d, d.stop()
}

// quoted is the name of a row as the page shows it.
func quoted(name string) string {
	tool, rest, _ := strings.Cut(name, ",")
	if rest != "" {
		rest = "," + rest
	}
	return "`" + tool + "`" + rest
}
