package artifacts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/config"
	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
	"github.com/longhaul-mcp/longhaul/artifacts/progress"
)

// Status says how far the project is. It changes nothing; with audit it walks all of git history.
func (p *Project) Status(ctx context.Context, audit bool) (*StatusReply, error) {
	reply := &StatusReply{}
	err := p.read(ctx, func(v *view) error {
		if err := v.require(needs{list: true}); err != nil {
			return err
		}
		v.summarize(reply)
		return nil
	})
	if err != nil || !audit {
		return reply, err
	}
	findings, err := p.Audit(ctx, "")
	if err != nil {
		return nil, err
	}
	reply.Integrity.Audited = true
	reply.Integrity.OK = reply.Integrity.OK && !slices.ContainsFunc(findings, Finding.Violation)
	for _, f := range findings {
		if len(reply.Integrity.Findings) == 50 {
			reply.Warnings = append(reply.Warnings, fmt.Sprintf("%d more findings: longhaul audit", len(findings)-50))
			break
		}
		reply.Integrity.Findings = append(reply.Integrity.Findings, f)
	}
	return reply, nil
}

func (v *view) summarize(r *StatusReply) {
	r.Project = v.project()
	r.Counts = v.counts()
	if n := r.Counts.Total - r.Counts.Retired; n > 0 {
		r.Percent = 100 * r.Counts.Passed / n
	}
	r.Bar = bar(r.Percent)
	r.Tampered = firstTampered(v.tampered)
	r.Warnings = v.allWarnings()
	for _, s := range v.book.Sessions {
		if s.Claim != "" && s.Scope == v.who().Scope {
			r.InProgress = append(r.InProgress, NoteItem{ID: s.Claim, Note: clip(v.text(s.Claim, 100), 100) + " (" + s.ID + ")"})
		}
	}
	r.InProgress = firstItems(v.addDoing(r.InProgress))
	for i := range v.list.Features {
		id := v.list.Features[i].ID
		if note, ok := v.ledger.Parked[id]; ok && v.list.Features[i].State == feature.Failing {
			r.Blockers = append(r.Blockers, NoteItem{ID: id, Note: clip(note, 200)})
		}
	}
	for _, b := range v.ledger.Blockers {
		r.Blockers = append(r.Blockers, NoteItem{Note: b.Text})
	}
	r.Blockers = firstItems(r.Blockers)
	r.Sessions = v.recent(5)
	r.Integrity = v.integrity()
	r.Next = "session_start"
	switch {
	case !v.adopted:
		r.Next = `harness_init {"project":"NAME","type":"…"} adopts this list`
	case len(v.tampered) > 0:
		r.Next = `rollback {"target":"feature_list","reason":"…"}`
	case v.mine != nil:
		r.Next = v.nextStep()
	}
	if f, _ := v.list.Next(v.situation("")); f != nil {
		line := v.line(f, v.situation(""))
		r.NextFeature = &line
	}
}

// addDoing adds what the newest log entry says is in progress.
func (v *view) addDoing(items []NoteItem) []NoteItem {
	for _, d := range v.ledger.Doing {
		f := v.list.Find(d.ID)
		if f != nil && f.State != feature.Failing {
			continue
		}
		at := slices.IndexFunc(items, func(i NoteItem) bool { return i.ID == d.ID && d.ID != "" })
		switch {
		case at >= 0 && d.Text != "":
			items[at].Note += ": " + d.Text
		case at < 0 && f != nil:
			items = append(items, NoteItem{ID: d.ID, Note: strings.TrimSuffix(v.text(d.ID, 100)+": "+d.Text, ": ")})
		case at < 0:
			items = append(items, NoteItem{Note: d.Text})
		}
	}
	return items
}

func bar(percent int) string {
	const width = 20
	full := percent * width / 100
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

func firstItems(items []NoteItem) []NoteItem {
	if len(items) <= 10 {
		return items
	}
	return append(items[:10:10], NoteItem{Note: fmt.Sprintf("… and %d more", len(items)-10)})
}

func firstTampered(list []Tampering) []Tampering {
	if len(list) <= 20 {
		return list
	}
	return append(list[:20:20], Tampering{ID: "…", What: "more", Detail: fmt.Sprintf("%d more", len(list)-20)})
}

// recent are the newest sessions, open ones first; for a project not adopted yet those of its log.
func (v *view) recent(n int) []SessionReply {
	var list []SessionReply
	for _, s := range v.ledger.Sessions() {
		if len(list) == n {
			return list
		}
		r := SessionReply{Session: s.ID, At: s.Started, Completed: s.Completed, Focus: clip(s.Focus, 100)}
		for _, open := range v.book.Sessions {
			if open.ID == s.ID && open.Scope == v.who().Scope {
				r.Open, r.Completed, r.Focus = true, open.Passed, clip(open.Focus, 100)
			}
		}
		list = append(list, r)
	}
	if v.adopted {
		return list
	}
	log, _ := v.foundLog()
	for _, id := range progress.Sessions(log) {
		if len(list) == n {
			break
		}
		list = append(list, SessionReply{Session: id})
	}
	return list
}

// foundLog is the log that an adoption would take.
func (v *view) foundLog() (data []byte, path string) {
	for _, name := range config.LogNames {
		if data, err := readFile(v.path(name)); err == nil {
			return data, name
		}
	}
	return nil, ""
}

func (v *view) integrity() Integrity {
	i := Integrity{OK: len(v.tampered) == 0}
	var unproven []string
	for n := range v.list.Features {
		f := &v.list.Features[n]
		if f.State != feature.Passed {
			continue
		}
		if v.unproven(f) {
			unproven = append(unproven, f.ID)
		}
	}
	i.Unproven, i.Uncommitted = firsts(unproven, 20), firsts(v.uncommitted(), 20)
	return i
}

// uncommitted are the features whose proof HEAD does not hold yet.
func (v *view) uncommitted() []string {
	if v.repo == nil || !v.adopted {
		return nil
	}
	committed, err := v.headLedger()
	if err != nil {
		return nil
	}
	state, err := ledger.Fold(committed)
	if err != nil {
		return nil
	}
	var ids []string
	for n := range v.list.Features {
		f := &v.list.Features[n]
		r := v.ledger.Standing[f.ID]
		if f.State == feature.Passed && r != nil && r.Kind == ledger.Passed && (state.Standing[f.ID] == nil || state.Standing[f.ID].At != r.At) {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// documentBudget bounds a resource.
const documentBudget = 60 << 10

// Document is one of the harness files as text: progress, architecture, plan or init-script. A long log is cut to its newest
// end, any other file to its beginning.
func (p *Project) Document(name string) (Document, error) {
	var d Document
	err := p.read(context.Background(), func(v *view) error {
		file := map[string]string{
			"progress": v.conf.Files.Progress, "architecture": v.conf.Files.Architecture,
			"plan": v.conf.Files.Plan, "init-script": v.conf.Files.InitScript,
		}[name]
		if name == "progress" && !v.adopted {
			_, file = v.foundLog()
		}
		if file == "" && name == "plan" {
			d = Document{Text: "This project has no plan file: its plan is the feature list, harness://features\n", MIME: "text/plain"}
			return nil
		}
		if file == "" {
			return refuse("not-initialized", "this project has no "+name, "harness_init, or read another resource")
		}
		data, err := readFile(v.path(file))
		if errors.Is(err, fs.ErrNotExist) {
			return refuse("not-initialized", file+" does not exist", "harness_init makes what is missing")
		}
		if err != nil {
			return err
		}
		d = Document{Text: clip(strings.ToValidUTF8(string(data), "\uFFFD"), documentBudget), MIME: mime(file)}
		if name == "progress" && len(data) > documentBudget {
			text, _ := progress.Tail(data, documentBudget)
			d.Text = "(cut: the newest part; harness://progress/{session} shows one session)\n" + text
		}
		return nil
	})
	return d, err
}

func mime(file string) string {
	switch {
	case strings.HasSuffix(file, ".md"):
		return "text/markdown"
	case strings.HasSuffix(file, ".sh"):
		return "text/x-shellscript"
	}
	return "text/plain"
}

// SessionLog is what the log says of one session; "006" and "6" stand for session-006.
func (p *Project) SessionLog(id string) (Document, error) {
	var d Document
	err := p.read(context.Background(), func(v *view) error {
		log, err := v.log()
		if err != nil {
			return err
		}
		for _, name := range []string{id, ledger.SessionID(ledger.Number(id))} {
			if text, ok := progress.Find(log, name, documentBudget); ok {
				d = Document{Text: text, MIME: "text/markdown"}
				return nil
			}
		}
		return refuse("bad-argument", "the log has no session "+quote(id), "harness://progress shows the log")
	})
	return d, err
}

func (v *view) log() ([]byte, error) {
	if !v.adopted {
		data, _ := v.foundLog()
		return data, nil
	}
	return readMaybe(v.path(v.conf.Files.Progress))
}

// FeatureJSON is one feature in full.
func (p *Project) FeatureJSON(id string) (Document, error) {
	var d Document
	err := p.read(context.Background(), func(v *view) error {
		if err := v.require(needs{list: true}); err != nil {
			return err
		}
		f, err := v.find(id)
		if err != nil {
			return err
		}
		d, err = jsonDocument(fit(*v.show(f, false), documentBudget))
		return err
	})
	return d, err
}

// EvidenceJSON is every proof, failed attempt and regression of a feature, the newest first.
func (p *Project) EvidenceJSON(id string) (Document, error) {
	var d Document
	err := p.read(context.Background(), func(v *view) error {
		if err := v.require(needs{adopted: true, list: true}); err != nil {
			return err
		}
		f, err := v.find(id)
		if err != nil {
			return err
		}
		e := evidence{ID: f.ID, Passed: f.State == feature.Passed, Stale: v.stale(context.Background(), id)}
		if r := v.ledger.Standing[id]; r != nil && r.Kind == ledger.Seal {
			e.Adopted = true
		}
		h := v.ledger.History(id)
		for i := len(h) - 1; i >= 0 && jsonSize(e) < documentBudget-8000; i-- {
			e.Records = append(e.Records, h[i])
		}
		e.More = len(h) - len(e.Records)
		d, err = jsonDocument(e)
		return err
	})
	return d, err
}

type evidence struct {
	ID      string           `json:"id"`
	Passed  bool             `json:"passed"`
	Adopted bool             `json:"adopted,omitempty"` // passed before Longhaul came
	Stale   bool             `json:"stale,omitempty"`
	Records []*ledger.Record `json:"records,omitempty"`
	More    int              `json:"older,omitempty"`
}

func jsonDocument(v any) (Document, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return Document{Text: strings.TrimSuffix(b.String(), "\n"), MIME: "application/json"}, err
}

// FeatureIDs are the ids of the list, for completion.
func (p *Project) FeatureIDs() []string {
	var ids []string
	_ = p.read(context.Background(), func(v *view) error {
		if v.list != nil {
			for i := range v.list.Features {
				ids = append(ids, v.list.Features[i].ID)
			}
		}
		return nil
	})
	return ids
}

// SessionIDs are the sessions of the log and the ledger, newest first, for completion.
func (p *Project) SessionIDs() []string {
	var ids []string
	_ = p.read(context.Background(), func(v *view) error {
		for _, s := range v.ledger.Sessions() {
			ids = append(ids, s.ID)
		}
		log, err := v.log()
		for _, id := range progress.Sessions(log) {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		return err
	})
	return ids
}

// Policy are the rules that a project may tune.
type Policy = config.Policy

// Policy is the policy in force, the default where there is none yet.
func (p *Project) Policy() Policy {
	policy := config.Default("").Policy
	_ = p.read(context.Background(), func(v *view) error {
		policy = v.conf.Policy
		return nil
	})
	return policy
}
