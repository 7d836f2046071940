package artifacts

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
	"github.com/longhaul-mcp/longhaul/artifacts/progress"
)

// AppendProgress writes one entry to the log. Completed features, commits and the duration are filled in here; decisions go
// to the architecture file too, and a blocker with an id parks that feature.
func (p *Project) AppendProgress(ctx context.Context, n Note) (*AppendReply, error) {
	if n.empty() {
		return nil, refuse("bad-argument", "the entry is empty", "give at least one of focus, completed, in_progress, blockers, decisions, next_steps, notes")
	}
	var reply *AppendReply
	err := p.update(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true, session: true}); err != nil {
			return err
		}
		if err := v.checkNote(n); err != nil {
			return err
		}
		if err := v.writeEntry(n, true); err != nil {
			return err
		}
		reply = &AppendReply{Session: v.mine.ID, Path: v.conf.Files.Progress, Tampered: firstTampered(v.tampered), Warnings: v.notPassed(n.Completed), Next: v.nextStep()}
		if v.mine.Claim == "" && !v.mine.Init && len(v.tampered) == 0 {
			reply.Next = "commit, then " + v.endCall()
		}
		return nil
	})
	return reply, err
}

func (n Note) empty() bool {
	texts := slices.Concat([]string{n.Focus}, n.Completed, n.Decisions, n.NextSteps, n.Notes)
	for _, i := range slices.Concat(n.InProgress, n.Blockers) {
		texts = append(texts, i.ID, i.Note)
	}
	return strings.TrimSpace(strings.Join(texts, "")) == ""
}

// ids are the features that the note speaks of as open.
func (n Note) ids() []string {
	var ids []string
	for _, i := range slices.Concat(n.InProgress, n.Blockers) {
		if i.ID != "" {
			ids = append(ids, i.ID)
		}
	}
	return ids
}

// checkNote refuses ids that the list does not have.
func (v *view) checkNote(n Note) error {
	for _, id := range n.ids() {
		if _, err := v.find(id); err != nil {
			return err
		}
	}
	return nil
}

// notPassed names features that an entry calls completed and that have not passed.
func (v *view) notPassed(completed []string) []string {
	var warnings []string
	for i := range v.list.Features {
		f := &v.list.Features[i]
		if f.State == feature.Passed {
			continue
		}
		for _, text := range completed {
			if mentions(text, f.ID) {
				warnings = append(warnings, f.ID+" is called completed but has not passed: mark_feature_passed is what counts")
				break
			}
		}
	}
	return firsts(warnings, 5)
}

// mentions finds an id as a word of its own.
func mentions(text, id string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], id)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(id)
		if (start == 0 || !wordByte(text[start-1])) && (end == len(text) || !wordByte(text[end])) {
			return true
		}
		at = start + 1
	}
}

func wordByte(b byte) bool {
	return b == '_' || b == '-' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b >= 0x80
}

// writeEntry writes the log, the decisions and the parked features of a note; with log false only what the truth of the
// list asks for.
func (v *view) writeEntry(n Note, log bool) error {
	for _, b := range n.Blockers {
		v.park(b)
	}
	for _, id := range n.ids() {
		v.mine.Note(id)
	}
	if n.Focus != "" {
		v.mine.Focus = clip(oneLine(n.Focus), 200)
	}
	file := v.conf.Files.Progress
	old, err := readMaybe(v.path(file))
	if err != nil {
		return err
	}
	text := old
	if text == nil {
		text = progress.NewLog(v.conf.Layout, v.header())
	}
	if log {
		text = progress.Append(v.conf.Layout, text, v.entry(n))
		v.mine.Entries++
		v.mine.ToldPassed, v.mine.ToldCommits = len(v.mine.Passed), len(v.mine.Commits)
		v.mine.NextDone = v.mine.NextDone || len(n.NextSteps) > 0
		v.recordOpen(n)
	}
	if v.conf.Layout == "plan" {
		text = progress.UpdateBoard(text, v.board(n))
	}
	v.putLog(file, old, text)
	return v.writeDecisions(n.Decisions)
}

// recordOpen keeps what is in progress and what blocks, for status and the next session.
func (v *view) recordOpen(n Note) {
	r := ledger.Record{Kind: ledger.Entry}
	for _, i := range n.InProgress {
		r.Doing = append(r.Doing, ledger.Note{ID: i.ID, Text: clip(oneLine(i.Note), 300)})
	}
	for _, b := range n.Blockers {
		if b.ID == "" {
			r.Blockers = append(r.Blockers, ledger.Note{Text: clip(oneLine(b.Note), 300)})
		}
	}
	if len(n.InProgress) == 0 {
		r.Doing = v.ledger.Doing // an entry that does not speak of it changes nothing
	}
	if len(n.Blockers) == 0 && v.mine.Entries > 1 {
		r.Blockers = v.ledger.Blockers
	}
	if len(r.Doing)+len(r.Blockers)+len(v.ledger.Doing)+len(v.ledger.Blockers) > 0 {
		v.record(r)
	}
}

// putLog appends where the old text stays in front, and replaces the file where the new entry goes on top.
func (v *view) putLog(file string, old, text []byte) {
	if bytes.Equal(old, text) {
		return
	}
	if old != nil && bytes.HasPrefix(text, old) {
		v.changes = append(v.changes, change{Path: v.path(file), Append: text[len(old):], Offset: int64(len(old))})
		return
	}
	v.put(file, text)
}

func (v *view) writeDecisions(decisions []string) error {
	file := v.conf.Files.Architecture
	if len(decisions) == 0 || file == "" {
		return nil
	}
	old, err := readMaybe(v.path(file))
	if err != nil {
		return err
	}
	text := old
	if text == nil {
		text = progress.NewArchitecture(v.header())
	}
	v.putLog(file, old, progress.AppendDecisions(text, stamp(v.at), v.mine.ID, decisions))
	return nil
}

func (v *view) header() progress.Header {
	return progress.Header{Project: v.list.Project, Type: v.list.Type, Started: v.at.Format("2006-01-02")}
}

func (v *view) park(b NoteItem) {
	if b.ID == "" {
		return
	}
	v.record(ledger.Record{Kind: ledger.Park, ID: b.ID, Reason: clip(b.Note, 500)})
	if v.mine.Claim == b.ID {
		v.mine.Release()
	}
}

func (v *view) entry(n Note) progress.Entry {
	e := progress.Entry{
		Number: v.mine.Number, Continued: v.mine.Entries > 0, At: stamp(v.at), Session: v.mine.ID,
		Focus: n.Focus, Duration: duration(v.at.Sub(v.mine.Started)),
		InProgress: v.resolve(n.InProgress), Blockers: v.resolve(n.Blockers),
		Decisions: n.Decisions, NextSteps: n.NextSteps, Notes: n.Notes,
	}
	if e.Focus == "" && !e.Continued {
		e.Focus = v.focusText()
	}
	for _, id := range v.mine.Passed[min(v.mine.ToldPassed, len(v.mine.Passed)):] {
		e.Completed = append(e.Completed, v.named1(id))
	}
	for _, text := range n.Completed {
		if !slices.ContainsFunc(v.mine.Passed, func(id string) bool { return mentions(text, id) }) {
			e.Completed = append(e.Completed, text)
		}
	}
	for _, c := range v.mine.Commits[min(v.mine.ToldCommits, len(v.mine.Commits)):] {
		e.Commits = append(e.Commits, short(c.SHA)+" "+c.Subject)
	}
	return e
}

// focusText is what the session was about when the note does not say.
func (v *view) focusText() string {
	if v.mine.Focus != "" {
		return v.mine.Focus
	}
	ids := v.mine.Claimed
	if len(ids) == 0 {
		return ""
	}
	return v.named1(ids[len(ids)-1])
}

func duration(d time.Duration) string {
	minutes := max(int(d.Round(time.Minute).Minutes()), 1)
	if minutes < 120 {
		return fmt.Sprintf("~%d min", minutes)
	}
	return fmt.Sprintf("~%d h %d min", minutes/60, minutes%60)
}

func (v *view) resolve(items []NoteItem) []string {
	var lines []string
	for _, i := range items {
		switch {
		case i.ID == "":
			lines = append(lines, i.Note)
		case i.Note == "":
			lines = append(lines, v.named1(i.ID))
		default:
			lines = append(lines, i.ID+": "+v.text(i.ID, 80)+" ("+i.Note+")")
		}
	}
	return lines
}

// named1 is a feature in a line: "F012: Dark mode toggle".
func (v *view) named1(id string) string { return id + ": " + v.text(id, 120) }

// text is what a feature is called.
func (v *view) text(id string, n int) string {
	f := v.list.Find(id)
	if f == nil {
		return ""
	}
	if f.Title != "" {
		return clip(oneLine(f.Title), n)
	}
	return clip(oneLine(f.Description), n)
}

// board is progress.md of the plan layout, from the truth.
func (v *view) board(n Note) progress.Board {
	var b progress.Board
	notes := map[string]string{}
	for _, d := range v.ledger.Doing {
		notes[d.ID] = cmp.Or(d.Text, "begun")
	}
	for _, i := range n.InProgress {
		notes[i.ID] = cmp.Or(i.Note, "begun")
	}
	b.Blocked = v.openBlockers(n)
	for i := range v.list.Features {
		f := &v.list.Features[i]
		line := v.named1(f.ID)
		switch {
		case f.State == feature.Passed:
			b.Completed = append(b.Completed, line)
		case v.mine != nil && v.mine.Claim == f.ID || notes[f.ID] != "":
			if note := notes[f.ID]; note != "" {
				line += " (" + note + ")"
			}
			b.InProgress = append(b.InProgress, line)
		case v.parked(f.ID, n) != "":
			b.Blocked = append(b.Blocked, line+" ("+v.parked(f.ID, n)+")")
		}
	}
	b.Next = n.NextSteps
	if len(b.Next) == 0 {
		if f, _ := v.list.Next(v.situation("")); f != nil {
			b.Next = []string{v.named1(f.ID)}
		}
	}
	return b
}

// openBlockers are the blockers without a feature: those of the note, else of the entry before.
func (v *view) openBlockers(n Note) []string {
	var texts []string
	for _, i := range n.Blockers {
		if i.ID == "" {
			texts = append(texts, i.Note)
		}
	}
	if len(n.Blockers) > 0 {
		return texts
	}
	for _, b := range v.ledger.Blockers {
		texts = append(texts, b.Text)
	}
	return texts
}

func (v *view) parked(id string, n Note) string {
	for _, b := range n.Blockers {
		if b.ID == id {
			return cmp.Or(b.Note, "parked")
		}
	}
	if note, ok := v.ledger.Parked[id]; ok {
		return cmp.Or(note, "parked")
	}
	return ""
}
