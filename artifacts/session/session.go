// Package session is the state machine of sessions: who works, on which feature, since when, and what is missing at the end.
// It performs no I/O: time and the life of processes come in as values.
package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Who is a process that asks.
type Who struct {
	Scope    string // the project inside its repository: linked worktrees share it
	Worktree string // the project's folder
	Host     string
	PID      int
	Born     string // tells two processes with one pid apart
	Call     bool   // a one-shot call, not a server
	Client   Client // of a server
}

// Client is the process that started a server.
type Client struct {
	PID  int    `json:"pid"`
	Born string `json:"born,omitempty"`
}

// Commit is a commit that a session made.
type Commit struct {
	SHA     string `json:"sha"`
	Subject string `json:"subject"`
}

// Session is an open session.
type Session struct {
	ID          string            `json:"id"`
	Number      int               `json:"number"`
	Scope       string            `json:"scope,omitempty"`
	Worktree    string            `json:"worktree"`
	Host        string            `json:"host"`
	PID         int               `json:"pid"`
	Born        string            `json:"born,omitempty"`
	Call        bool              `json:"call,omitempty"`
	Client      Client            `json:"client,omitzero"`
	Started     time.Time         `json:"started"`
	Seen        time.Time         `json:"seen"`
	Claim       string            `json:"claim,omitempty"`
	ClaimAt     time.Time         `json:"claim_at,omitzero"`
	Claimed     []string          `json:"claimed,omitempty"` // every feature it has claimed
	Passed      []string          `json:"passed,omitempty"`
	Noted       []string          `json:"noted,omitempty"` // features with an in_progress or blocker note
	Entries     int               `json:"entries,omitempty"`
	NextDone    bool              `json:"next_steps,omitempty"`
	Init        bool              `json:"init,omitempty"` // the initializer's: it lists features and builds none
	Focus       string            `json:"focus,omitempty"`
	Commits     []Commit          `json:"commits,omitempty"`
	Head        string            `json:"head,omitempty"`         // HEAD when it began
	Dirty       map[string]string `json:"dirty,omitempty"`        // path -> fingerprint of what was changed before it began
	ToldPassed  int               `json:"told_passed,omitempty"`  // passes that the log holds already
	ToldCommits int               `json:"told_commits,omitempty"` // the same of commits
	Told        string            `json:"told,omitempty"`         // what the last hand-over said
	ClaimRev    string            `json:"claim_rev,omitempty"`    // HEAD at the claim
}

// Book holds the open sessions of a repository.
type Book struct {
	Version  int       `json:"version"`
	Sessions []Session `json:"sessions"`
	Last     int       `json:"last"` // highest number given out
}

// Read parses a book; no bytes are an empty book.
func Read(data []byte) (Book, error) {
	b := Book{Version: 1}
	if len(data) == 0 {
		return b, nil
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return Book{}, err
	}
	return b, nil
}

// Bytes is the book as JSON.
func (b Book) Bytes() []byte {
	out, err := json.MarshalIndent(b, "", " ")
	if err != nil {
		panic(err) // times and strings always marshal
	}
	return append(out, '\n')
}

// World answers what a pure package can't see.
type World struct {
	Now   time.Time
	Host  string               // where this process runs
	Lease time.Duration        // a session unseen for longer is over
	Alive func(s Session) bool // the process of a server session exists; unknown (another host) counts as alive
}

// Lapsed says whether the lease of a session has run out. One seen further ahead than a lease was written by a clock that
// has been set back since: it would never end, so only a process that is known to live keeps it.
func (w World) Lapsed(s Session) bool {
	ago := w.Now.Sub(s.Seen)
	return ago > w.Lease || (ago < -w.Lease && !(s.Host == w.Host && w.served(s)))
}

// served says whether a live server holds the session.
func (w World) served(s Session) bool { return !s.Call && w.Alive(s) }

func (who Who) owns(s Session) bool {
	return !s.Call && !who.Call && s.PID == who.PID && s.Born == who.Born && s.Host == who.Host && s.here(who)
}

func (s Session) here(who Who) bool { return s.Scope == who.Scope && s.Worktree == who.Worktree }

// Mine finds the open session that a process acts in: a server its own, a call the worktree's newest that no live server
// holds. Nil when there is none.
func (b *Book) Mine(who Who, w World) *Session {
	for i := len(b.Sessions) - 1; i >= 0; i-- {
		s := &b.Sessions[i]
		if who.owns(*s) {
			return s
		}
		if who.Call && s.here(who) && !w.served(*s) && !w.Lapsed(*s) {
			return s
		}
	}
	return nil
}

// Resume takes over the worktree's newest session whose process is gone, within its lease. Nil when there is none.
func (b *Book) Resume(who Who, w World) *Session {
	if s := b.Mine(who, w); s != nil {
		return s
	}
	for i := len(b.Sessions) - 1; i >= 0; i-- {
		s := &b.Sessions[i]
		if s.here(who) && !w.served(*s) && !w.Lapsed(*s) {
			s.Host, s.PID, s.Born, s.Call, s.Client = who.Host, who.PID, who.Born, who.Call, who.Client
			return s
		}
	}
	return nil
}

// Reap takes out the sessions that can never go on: lapsed, and held by no live server.
func (b *Book) Reap(w World) (over []Session) {
	b.Sessions = slices.DeleteFunc(b.Sessions, func(s Session) bool {
		gone := w.Lapsed(s) && !w.served(s)
		if gone {
			over = append(over, s)
		}
		return gone
	})
	return over
}

// Open adds a new session. Its number follows the highest of the book and of known, the highest elsewhere.
func (b *Book) Open(who Who, known int, now time.Time) *Session {
	b.Last = max(b.Last, known) + 1
	b.Sessions = append(b.Sessions, Session{
		ID: fmt.Sprintf("session-%03d", b.Last), Number: b.Last, Scope: who.Scope, Worktree: who.Worktree,
		Host: who.Host, PID: who.PID, Born: who.Born, Call: who.Call, Client: who.Client, Started: now, Seen: now,
	})
	return &b.Sessions[len(b.Sessions)-1]
}

// Close takes a session out of the book.
func (b *Book) Close(id string) {
	b.Sessions = slices.DeleteFunc(b.Sessions, func(s Session) bool { return s.ID == id })
}

// Holder is the session other than mine that holds a feature, nil when the feature is free. A claim is free when its
// process is gone or its lease has run out, except that a call's session, which has no process, keeps it for the lease.
func (b *Book) Holder(id, mine, scope string, w World) *Session {
	for i := range b.Sessions {
		s := &b.Sessions[i]
		if s.Claim != id || s.ID == mine || s.Scope != scope || w.Lapsed(*s) {
			continue
		}
		if s.Call || w.Alive(*s) {
			return s
		}
	}
	return nil
}

// Claim gives a feature to a session and takes it from any whose claim was free.
func (b *Book) Claim(mine *Session, id, head string, now time.Time) {
	for i := range b.Sessions {
		s := &b.Sessions[i]
		if s.ID != mine.ID && s.Scope == mine.Scope && s.Claim == id {
			s.Claim = ""
		}
	}
	if mine.Claim == id {
		return
	}
	mine.Claim, mine.ClaimAt, mine.ClaimRev = id, now, head
	mine.Noted = slices.DeleteFunc(mine.Noted, func(n string) bool { return n == id }) // taken up again
	if !slices.Contains(mine.Claimed, id) {
		mine.Claimed = append(mine.Claimed, id)
	}
}

// Release ends the session's claim.
func (s *Session) Release() { s.Claim, s.ClaimAt, s.ClaimRev = "", time.Time{}, "" }

// Pass counts a pass and ends the claim.
func (s *Session) Pass(id string) {
	s.Passed = append(s.Passed, id)
	if s.Claim == id {
		s.Release()
	}
}

// Note remembers that a feature has an in_progress or blocker note.
func (s *Session) Note(id string) {
	if id != "" && !slices.Contains(s.Noted, id) {
		s.Noted = append(s.Noted, id)
	}
}

// Full says whether the session has reached its limit of passes.
func (s Session) Full(limit int) bool { return len(s.Passed) >= limit }
