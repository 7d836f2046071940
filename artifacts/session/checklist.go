package session

import (
	"slices"
	"strings"
)

// Item is one line of the end checklist.
type Item struct {
	Item string
	OK   bool
	Note string // what is missing, when it is not OK
}

// Facts are what the end checklist is judged by.
type Facts struct {
	Git         bool
	Uncommitted []string // what the session changed and did not commit, harness files apart
	LeftOut     []string // what no commit may take, with the reason
	Regressed   []string // features of the session that no longer pass
	Entry       bool     // this call brings a log entry
	NextSteps   bool     // this call names next steps
	AllPassed   bool
	Todos       []string // "path:line: text" in added lines
	Smoke       bool     // a smoke test is set
	SmokeOK     bool
	SmokeNote   string
}

// End is the end checklist: what must be true before a session closes as complete.
func (s Session) End(f Facts) []Item {
	items := []Item{
		committed(f),
		verdict("claimed features passed or noted", len(s.open(f)) == 0,
			some(s.open(f))+": mark_feature_passed, or give an in_progress or blockers item with this id"),
		verdict("progress entry", s.Entries > 0 || f.Entry, "give focus, in_progress, notes or next_steps here"),
		verdict("next steps named", s.NextDone || f.NextSteps || f.AllPassed, "give next_steps: what the next session should do"),
		verdict("no TODO comments in added lines", len(f.Todos) == 0, some(f.Todos)),
	}
	if f.Smoke {
		items = append(items, verdict("smoke test", f.SmokeOK, f.SmokeNote))
	}
	return items
}

func (s Session) open(f Facts) []string {
	var open []string
	for _, id := range s.Claimed {
		done := slices.Contains(s.Passed, id) && !slices.Contains(f.Regressed, id)
		if !done && !slices.Contains(s.Noted, id) {
			open = append(open, id)
		}
	}
	return open
}

// committed asks for a commit of what the session changed. Secrets and the like don't hold a session up, but are told.
func committed(f Facts) Item {
	i := verdict("all changes committed", len(f.Uncommitted) == 0, "commit these, or name them in paths: "+some(f.Uncommitted))
	if i.OK && len(f.LeftOut) > 0 {
		i.Note = "never committed, so put them into .gitignore: " + some(f.LeftOut)
	}
	return i
}

func verdict(item string, ok bool, missing string) Item {
	if ok {
		return Item{Item: item, OK: true}
	}
	return Item{Item: item, Note: missing}
}

func some(list []string) string {
	const shown = 8
	if len(list) <= shown {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:shown], ", ") + ", …"
}
