package artifacts

import (
	"context"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
)

// NextRequest asks for the claimed feature, for another one by ID, or gives the claim back.
type NextRequest struct {
	ID      string
	Focus   string
	Release string // the reason; gives the claim back when not empty
}

// Evidence is what was seen for one step. Step counts from 1; 0 takes the place in the list.
type Evidence struct {
	Step     int    `json:"step,omitempty"`
	Observed string `json:"observed,omitempty"`
	Artifact string `json:"artifact,omitempty"`
}

// NoteItem is one line of a progress entry, about a feature when ID is set.
type NoteItem struct {
	ID   string `json:"id,omitempty"`
	Note string `json:"note,omitempty"`
}

// Note is what the agent hands over in a progress entry.
type Note struct {
	Focus      string
	Completed  []string
	InProgress []NoteItem
	Blockers   []NoteItem
	Decisions  []string
	NextSteps  []string
	Notes      []string
}

// CommitRequest says what to commit; empty fields are filled in from the session.
type CommitRequest struct {
	Message string
	Type    string
	Feature string
	Body    string
	Paths   []string
}

// Incoming is a feature on its way in. Passes is there to be refused when true.
type Incoming struct {
	feature.Item
	Passes bool
}

// InitRequest sets a project up or adopts what is there.
type InitRequest struct {
	Project     string
	Type        string
	Description string
	Stack       string
	Layout      string
	Features    []Incoming
	Import      string // path of a list or plan, or its text
	InitScript  string // the script's text, or "prepare" / "start" for a template
	SmokeTest   string
	Commit      bool
}

// Query narrows a listing. Status is failing, passed, blocked, claimed or all.
type Query struct {
	IDs      []string
	Status   string
	Category string
	Query    string
	Cursor   string
	Limit    int
}

type contextKey int

const (
	progressKey contextKey = iota
	longKey
	leavingKey
)

// WithProgress has report called at least every five seconds while a script or check runs.
func WithProgress(ctx context.Context, report func(elapsed time.Duration, last string)) context.Context {
	return context.WithValue(ctx, progressKey, report)
}

// WithLeaving has scripts and checks ended when leaving is: the client has gone, though calls may still answer.
func WithLeaving(ctx, leaving context.Context) context.Context {
	return context.WithValue(ctx, leavingKey, leaving)
}

// WithLong has tell called with true when a script or check starts and with false when it has ended.
func WithLong(ctx context.Context, tell func(running bool)) context.Context {
	return context.WithValue(ctx, longKey, tell)
}
