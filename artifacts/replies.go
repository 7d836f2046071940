package artifacts

import (
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
)

// A Refusal is an answer that says no: a stable code, what is wrong, all that is missing, the next step.
type Refusal struct {
	Code    string
	What    string
	Missing []string
	Next    string
}

// Error is the text a client's model reads.
func (r *Refusal) Error() string {
	var b strings.Builder
	b.WriteString(r.Code + ": " + r.What)
	for _, m := range r.Missing {
		b.WriteString("\n- " + m)
	}
	if r.Next != "" {
		b.WriteString("\nNext: " + r.Next)
	}
	return b.String()
}

// Tampering is one thing that the list, ledger or policy holds against the rules.
type Tampering struct {
	ID     string `json:"id"`
	What   string `json:"what"` // deleted, edited, moved, duplicated, passed, unpassed, ledger, policy
	Detail string `json:"detail,omitempty"`
}

// FeatureReply is a feature in full.
type FeatureReply struct {
	ID          string   `json:"id"`
	Category    string   `json:"category,omitempty"`
	Priority    string   `json:"priority,omitempty"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Steps       []string `json:"steps,omitempty"`
	Check       string   `json:"check,omitempty"`
	Cwd         string   `json:"cwd,omitempty"`
	Files       []string `json:"files,omitempty"`
	DependsOn   []string `json:"depends_on,omitempty"`
	Status      string   `json:"status,omitempty"` // failing, passed, unproven, retired, blocked, claimed, regressed
	Why         string   `json:"why,omitempty"`    // of blocked
	Proof       *Proof   `json:"proof,omitempty"`  // list_features with ids
}

// Proof is what stands behind a pass.
type Proof struct {
	Kind     string     `json:"kind"` // observed, attested, waived, adopted
	Command  string     `json:"command,omitempty"`
	Cwd      string     `json:"cwd,omitempty"`
	ExitCode *int       `json:"exit_code,omitempty"`
	Seconds  float64    `json:"seconds,omitempty"`
	Tail     string     `json:"tail,omitempty"`
	Evidence []Evidence `json:"evidence,omitempty"`
	Head     string     `json:"head,omitempty"`
	Session  string     `json:"session,omitempty"`
	At       string     `json:"at,omitempty"`
	Changed  []string   `json:"changed,omitempty"` // test files that changed since the claim
	Stale    bool       `json:"stale,omitempty"`
	By       string     `json:"by,omitempty"`
	Reason   string     `json:"reason,omitempty"`
}

// ProjectReply says where the call acted.
type ProjectReply struct {
	Root   string `json:"root,omitempty"`
	Name   string `json:"name,omitempty"`
	Branch string `json:"branch,omitempty"`
	Layout string `json:"layout,omitempty"`
	List   string `json:"list,omitempty"`
}

// CommitReply is a commit in a line.
type CommitReply struct {
	SHA     string `json:"sha"`
	Subject string `json:"subject"`
}

// GitReply is the state of the work tree.
type GitReply struct {
	Clean   bool          `json:"clean,omitempty"`
	Changed []string      `json:"changed,omitempty"`
	Commits []CommitReply `json:"commits,omitempty"`
}

// ProgressReply is the newest entry of the log.
type ProgressReply struct {
	Session string `json:"session,omitempty"`
	Text    string `json:"text,omitempty"`
}

// Process is a background process that a script left running.
type Process struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
}

// InitReply says how init.sh and the smoke test went. ExitCode is nil when nothing ran.
type InitReply struct {
	Ran        bool      `json:"ran"`
	OK         bool      `json:"ok"`
	Code       string    `json:"code,omitempty"`
	ExitCode   *int      `json:"exit_code,omitempty"`
	Seconds    float64   `json:"seconds,omitempty"`
	Tail       string    `json:"tail,omitempty"`
	Background []Process `json:"background,omitempty"`
}

// StartReply answers session_start.
type StartReply struct {
	Session  string          `json:"session"`
	Resumed  bool            `json:"resumed,omitempty"`
	Project  ProjectReply    `json:"project"`
	Git      GitReply        `json:"git"`
	Progress *ProgressReply  `json:"progress,omitempty"`
	Counts   feature.Counts  `json:"counts"`
	Init     InitReply       `json:"init"`
	Swept    []CheckResult   `json:"swept,omitempty"` // passed features checked again
	State    string          `json:"state"`           // feature, all_passed, none_defined, blocked, repair, session_done
	Feature  *FeatureReply   `json:"feature,omitempty"`
	Todos    []string        `json:"todos,omitempty"`
	Limits   Limits          `json:"limits"`
	Blocked  []feature.Block `json:"blocked,omitempty"`
	Tampered []Tampering     `json:"tampered,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
	Next     string          `json:"next"`
}

// Limits are what the policy gives a session, and what it has used.
type Limits struct {
	Features       int `json:"features"`
	Minutes        int `json:"minutes"`
	Used           int `json:"minutes_used,omitempty"`
	ContextPercent int `json:"context_percent"` // of the context window: then hand over
}

// Held is a claim of somebody else.
type Held struct {
	ID    string `json:"id"`
	By    string `json:"by"`
	Since string `json:"since"`
}

// NextReply answers next_feature.
type NextReply struct {
	State    string          `json:"state"`
	Feature  *FeatureReply   `json:"feature,omitempty"`
	Held     []Held          `json:"held,omitempty"`
	Blocked  []feature.Block `json:"blocked,omitempty"`
	Counts   feature.Counts  `json:"counts"`
	Tampered []Tampering     `json:"tampered,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
	Next     string          `json:"next"`
}

// MarkReply answers mark_feature_passed.
type MarkReply struct {
	ID      string         `json:"id"`
	Passed  bool           `json:"passed"`
	Changed bool           `json:"changed"`
	Proof   *Proof         `json:"proof,omitempty"`
	Counts  feature.Counts `json:"counts"`
	Next    string         `json:"next"`
}

// RegressionReply answers report_regression.
type RegressionReply struct {
	ID      string         `json:"id"`
	Passed  bool           `json:"passed"`
	Changed bool           `json:"changed"`
	Counts  feature.Counts `json:"counts"`
	Next    string         `json:"next"`
}

// AppendReply answers append_progress.
type AppendReply struct {
	Session  string      `json:"session"`
	Path     string      `json:"path"`
	Tampered []Tampering `json:"tampered,omitempty"`
	Warnings []string    `json:"warnings,omitempty"`
	Next     string      `json:"next"`
}

// LeftOut is a path that a commit did not take.
type LeftOut struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// CommittedReply answers commit.
type CommittedReply struct {
	SHA      string    `json:"sha"`
	Subject  string    `json:"subject"`
	Files    []string  `json:"files"`
	LeftOut  []LeftOut `json:"left_out,omitempty"`
	Hooks    []string  `json:"hooks,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
	Next     string    `json:"next"`
}

// InitializedReply answers harness_init.
type InitializedReply struct {
	Root     string         `json:"root"`
	Layout   string         `json:"layout"`
	List     string         `json:"list"`
	Created  []string       `json:"created,omitempty"`
	Kept     []string       `json:"kept,omitempty"`
	Counts   feature.Counts `json:"counts"`
	Commit   string         `json:"commit,omitempty"`
	Session  string         `json:"session,omitempty"`
	Progress *ProgressReply `json:"progress,omitempty"` // of an adopted log
	Warnings []string       `json:"warnings,omitempty"`
	Next     string         `json:"next"`
}

// AddedReply answers add_features.
type AddedReply struct {
	IDs      []string       `json:"ids"`
	Counts   feature.Counts `json:"counts"`
	Warnings []string       `json:"warnings,omitempty"`
	Next     string         `json:"next"`
}

// ListReply answers list_features: lines, or features in full when ids were asked for.
type ListReply struct {
	Features []FeatureReply `json:"features"`
	Total    int            `json:"total"`
	Matched  int            `json:"matched"`
	Cursor   string         `json:"cursor,omitempty"`
	Tampered []Tampering    `json:"tampered,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
	Next     string         `json:"next"`
}

// CheckResult is one check of verify_features.
type CheckResult struct {
	ID       string  `json:"id"`
	OK       bool    `json:"ok"`
	ExitCode *int    `json:"exit_code,omitempty"`
	Seconds  float64 `json:"seconds,omitempty"`
	Code     string  `json:"code,omitempty"`
	Tail     string  `json:"tail,omitempty"`
}

// VerifyReply answers verify_features.
type VerifyReply struct {
	Results  []CheckResult `json:"results"`
	Left     []string      `json:"left,omitempty"`     // matched but over the limit
	NoCheck  []string      `json:"no_check,omitempty"` // matched but without a check
	Tampered []Tampering   `json:"tampered,omitempty"`
	Next     string        `json:"next"`
}

// RollbackReply answers rollback.
type RollbackReply struct {
	Target    string   `json:"target"`
	Restored  []string `json:"restored,omitempty"`
	BackupRef string   `json:"backup_ref,omitempty"`
	Reopened  []string `json:"reopened,omitempty"`
	Commit    string   `json:"commit,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
	Next      string   `json:"next"`
}

// ChecklistItem is one line of the end checklist.
type ChecklistItem struct {
	Item string `json:"item"`
	OK   bool   `json:"ok"`
	Note string `json:"note,omitempty"`
}

// EndReply answers session_end.
type EndReply struct {
	Session   string          `json:"session"`
	Closed    bool            `json:"closed"`
	Complete  bool            `json:"complete"`
	Checklist []ChecklistItem `json:"checklist"`
	Commit    string          `json:"commit,omitempty"`
	Tampered  []Tampering     `json:"tampered,omitempty"`
	Warnings  []string        `json:"warnings,omitempty"`
	Next      string          `json:"next"`
}

// SessionReply is a session in a line.
type SessionReply struct {
	Session   string   `json:"session"`
	At        string   `json:"at,omitempty"`
	Open      bool     `json:"open,omitempty"`
	Completed []string `json:"completed,omitempty"`
	Focus     string   `json:"focus,omitempty"`
}

// Integrity says whether the harness can be believed.
type Integrity struct {
	OK          bool        `json:"ok"`
	Unproven    []string    `json:"unproven,omitempty"`
	Uncommitted []string    `json:"uncommitted,omitempty"` // passed, but no commit of the feature yet
	Tampered    []Tampering `json:"tampered,omitempty"`
	Audited     bool        `json:"audited,omitempty"`
	Findings    []Finding   `json:"findings,omitempty"` // of an audit
}

// Finding is one thing an audit found in history.
type Finding struct {
	Commit  string `json:"commit"`
	Feature string `json:"feature,omitempty"`
	Kind    string `json:"kind"` // deleted, edited, moved, duplicated, unpassed, passed, unreadable, ledger, policy
	When    string `json:"when"` // unadopted, before-adoption, repaired, after-adoption
	Detail  string `json:"detail,omitempty"`
}

// StatusReply answers status.
type StatusReply struct {
	Project     ProjectReply   `json:"project"`
	Counts      feature.Counts `json:"counts"`
	Percent     int            `json:"percent"`
	Bar         string         `json:"bar,omitempty"`
	InProgress  []NoteItem     `json:"in_progress,omitempty"`
	NextFeature *FeatureReply  `json:"next_feature,omitempty"`
	Sessions    []SessionReply `json:"sessions,omitempty"`
	Blockers    []NoteItem     `json:"blockers,omitempty"`
	Integrity   Integrity      `json:"integrity"`
	Tampered    []Tampering    `json:"tampered,omitempty"`
	Warnings    []string       `json:"warnings,omitempty"`
	Next        string         `json:"next"`
}

// Document is a file of the harness as a resource.
type Document struct {
	Text string
	MIME string
}
