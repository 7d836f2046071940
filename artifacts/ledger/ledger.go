// Package ledger reads and writes the record of a harness: seals, proofs, regressions, sessions, one JSON object a line.
// It performs no I/O.
package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
)

// Kinds of record.
const (
	Seal       = "seal"       // a definition, when a feature is adopted or added
	Passed     = "proof"      // a feature passed, with what stands behind it
	Attempt    = "attempt"    // a mark that its gate refused
	Regression = "regression" // a passed feature failed again
	Verified   = "verified"   // a check run again by verify_features
	Park       = "park"       // a blocker keeps a feature from being offered
	Unpark     = "unpark"
	Entry      = "entry" // what a log entry says is in progress or blocked
	Start      = "session-start"
	End        = "session-end"
	Policy     = "policy"   // the policy in force
	Accept     = "accept"   // a person took the list as it is
	Rollback   = "rollback" // the work tree went back
)

// Note is a line about what is open, of a feature when it has an ID.
type Note struct {
	ID   string `json:"id,omitempty"`
	Text string `json:"text,omitempty"`
}

// Evidence is what was seen for one step.
type Evidence struct {
	Step     int    `json:"step"`
	Observed string `json:"observed,omitempty"`
	Artifact string `json:"artifact,omitempty"`
	Hash     string `json:"hash,omitempty"` // of the artifact
}

// Proof is what stands behind a pass or behind the refusal of one.
type Proof struct {
	Kind     string            `json:"kind"` // observed, attested, waived, adopted
	Command  string            `json:"command,omitempty"`
	Cwd      string            `json:"cwd,omitempty"`
	Shell    string            `json:"shell,omitempty"`
	ExitCode *int              `json:"exit_code,omitempty"`
	Seconds  float64           `json:"seconds,omitempty"`
	Tail     string            `json:"tail,omitempty"`
	Evidence []Evidence        `json:"evidence,omitempty"`
	Head     string            `json:"head,omitempty"`
	Dirty    map[string]string `json:"dirty,omitempty"`       // path -> fingerprint of what HEAD does not hold
	Files    map[string]string `json:"files,omitempty"`       // path -> fingerprint of what the feature says it covers
	Own      map[string]string `json:"check_files,omitempty"` // path -> fingerprint of files that the command names
	Changed  []string          `json:"changed,omitempty"`
	By       string            `json:"by,omitempty"`
}

// Record is one line. Which fields are set depends on Kind.
type Record struct {
	Kind      string            `json:"kind"`
	At        string            `json:"at"` // RFC 3339
	Session   string            `json:"session,omitempty"`
	ID        string            `json:"id,omitempty"`
	Pos       bool              `json:"pos,omitempty"`     // seal: the id is a position
	Keys      map[string]string `json:"keys,omitempty"`    // seal
	Adopted   bool              `json:"passed,omitempty"`  // seal: passed before Longhaul came
	Retired   bool              `json:"retired,omitempty"` // seal
	Before    string            `json:"before,omitempty"`  // seal: the sealed feature that it stands in front of; else last
	List      string            `json:"list,omitempty"`    // policy: the path of the list
	Broken    bool              `json:"broken,omitempty"`  // seal: not usable when adopted (duplicate id, unreadable state)
	Proof     *Proof            `json:"proof,omitempty"`
	Was       feature.Was       `json:"was,omitempty"` // proof: the state keys before
	Code      string            `json:"code,omitempty"`
	Reason    string            `json:"reason,omitempty"`
	Hash      string            `json:"hash,omitempty"` // policy
	IDs       []string          `json:"ids,omitempty"`  // session-end: passed; accept, rollback: the features concerned
	Claimed   []string          `json:"claimed,omitempty"`
	Focus     string            `json:"focus,omitempty"`
	Doing     []Note            `json:"doing,omitempty"`      // entry
	Blockers  []Note            `json:"blockers,omitempty"`   // entry, those without a feature
	Open      bool              `json:"incomplete,omitempty"` // session-end without all items of the checklist
	By        string            `json:"by,omitempty"`         // the person
	Commit    string            `json:"commit,omitempty"`
	BackupRef string            `json:"backup_ref,omitempty"`
}

// Bytes is the record as a line, newline included.
func (r Record) Bytes() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		panic(err) // strings, numbers and maps of strings always marshal
	}
	return b.Bytes()
}

// A LineError says which line can't be read and why.
type LineError struct {
	Line     int
	Cause    string
	Conflict bool
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Cause) }

// Session is what the ledger knows of one session.
type Session struct {
	ID        string
	Number    int
	Started   string
	Ended     string
	Complete  bool
	Completed []string
	Claimed   []string
	Focus     string
}

// State is what all records together say. The zero value is an empty ledger.
type State struct {
	Seals     []feature.Seal
	Standing  map[string]*Record // what each passed feature stands on; absent: not passed
	Regressed map[string]string  // id -> reason
	Parked    map[string]string  // id -> note
	Broken    map[string]bool
	Doing     []Note // of the newest entry
	Blockers  []Note
	Retired   map[string]bool // retired when sealed
	List      string          // the path of the feature list
	Policy    string
	Rollbacks []string // the commits that rollbacks made
	Lines     int
	Changes   int // grows with each change of Seals

	sealed   map[string]int
	sessions map[string]*Session
	order    []string
	proofs   map[string][]*Record
}

// Fold reads all lines of a ledger. The error is a *LineError.
func Fold(data []byte) (*State, error) {
	s := &State{}
	if err := s.Add(data); err != nil {
		return nil, err
	}
	return s, nil
}

// Add reads further lines. After an error the state is not to be used.
func (s *State) Add(data []byte) error {
	for len(data) > 0 {
		s.Lines++
		line := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line, data = data[:i], data[i+1:]
		} else {
			data = nil
		}
		line = bytes.TrimSpace(line)
		if s.Lines == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if len(line) == 0 {
			continue
		}
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			return s.broken(line, err)
		}
		s.take(&r)
	}
	return nil
}

func (s *State) broken(line []byte, err error) error {
	for _, mark := range []string{"<<<<<<<", "=======", ">>>>>>>", "|||||||"} {
		if bytes.HasPrefix(line, []byte(mark)) {
			return &LineError{Line: s.Lines, Cause: "conflict markers of a merge", Conflict: true}
		}
	}
	return &LineError{Line: s.Lines, Cause: strings.TrimPrefix(err.Error(), "json: ")}
}

func (s *State) take(r *Record) {
	switch r.Kind {
	case Seal:
		s.seal(r)
	case Passed:
		set(&s.Standing, r.ID, r)
		delete(s.Regressed, r.ID)
		delete(s.Parked, r.ID)
		s.note(r)
	case Attempt, Verified:
		s.note(r)
	case Regression:
		delete(s.Standing, r.ID)
		set(&s.Regressed, r.ID, r.Reason)
		s.note(r)
	case Park:
		set(&s.Parked, r.ID, r.Reason)
	case Unpark:
		delete(s.Parked, r.ID)
	case Policy:
		s.Policy = r.Hash
		if r.List != "" {
			s.List = r.List
		}
	case Rollback:
		if r.Commit != "" {
			s.Rollbacks = append(s.Rollbacks, r.Commit)
		}
		for _, id := range r.IDs {
			delete(s.Standing, id)
			set(&s.Regressed, id, r.Reason)
		}
	case Entry:
		s.Doing, s.Blockers = r.Doing, r.Blockers
	case Start:
		s.session(r.Session).Started = r.At
	case End:
		e := s.session(r.Session)
		e.Ended, e.Complete, e.Completed, e.Claimed, e.Focus = r.At, !r.Open, r.IDs, r.Claimed, r.Focus
	case Accept:
		s.accept(r)
	}
}

func (s *State) seal(r *Record) {
	s.Changes++
	seal := feature.Seal{ID: r.ID, Positional: r.Pos, Keys: r.Keys}
	if r.Retired {
		set(&s.Retired, r.ID, true)
	}
	if r.Broken {
		set(&s.Broken, r.ID, true)
		s.Seals = append(s.Seals, seal)
		return
	}
	at, front := s.sealed[r.Before]
	if i, ok := s.sealed[r.ID]; ok {
		// Two branches may have given one id to two features: both stay sealed. The same definition twice is one.
		if !maps.Equal(s.Seals[i].Keys, r.Keys) {
			s.Seals = append(s.Seals, seal)
		}
	} else if front && r.Before != "" {
		s.Seals = slices.Insert(s.Seals, at, seal)
		for i := at; i < len(s.Seals); i++ {
			set(&s.sealed, s.Seals[i].ID, i)
		}
	} else {
		set(&s.sealed, r.ID, len(s.Seals))
		s.Seals = append(s.Seals, seal)
	}
	if r.Adopted {
		set(&s.Standing, r.ID, r)
	}
}

// accept begins a new set of seals: the records that follow in the same act hold them.
func (s *State) accept(r *Record) {
	s.Changes++
	s.Seals, s.sealed, s.Broken = nil, nil, nil
	standing := map[string]*Record{}
	for _, id := range r.IDs {
		standing[id] = s.Standing[id]
		if standing[id] == nil {
			standing[id] = &Record{Kind: Seal, ID: id, At: r.At, Adopted: true}
		}
	}
	s.Standing = standing
}

func (s *State) note(r *Record) {
	if s.proofs == nil {
		s.proofs = map[string][]*Record{}
	}
	s.proofs[r.ID] = append(s.proofs[r.ID], r)
}

func (s *State) session(id string) *Session {
	if e, ok := s.sessions[id]; ok {
		return e
	}
	e := &Session{ID: id, Number: Number(id)}
	set(&s.sessions, id, e)
	s.order = append(s.order, id)
	return e
}

// History is every proof, attempt and regression of a feature, oldest first.
func (s *State) History(id string) []*Record { return s.proofs[id] }

// Sessions are all sessions, newest first.
func (s *State) Sessions() []Session {
	var all []Session
	for i := len(s.order) - 1; i >= 0; i-- {
		all = append(all, *s.sessions[s.order[i]])
	}
	return all
}

// Highest is the highest session number, 0 for none.
func (s *State) Highest() int {
	n := 0
	for _, e := range s.sessions {
		n = max(n, e.Number)
	}
	return n
}

// Unproven are the features that pass because they did so before Longhaul came.
func (s *State) Unproven(id string) bool {
	r := s.Standing[id]
	return r != nil && r.Kind == Seal
}

// ClaimedBefore says whether a session other than the given one had claimed the feature.
func (s *State) ClaimedBefore(id, session string) bool {
	for _, e := range s.sessions {
		if e.ID == session {
			continue
		}
		for _, c := range e.Claimed {
			if c == id {
				return true
			}
		}
	}
	return false
}

// SessionID is the id of session n: "session-006".
func SessionID(n int) string { return fmt.Sprintf("session-%03d", n) }

// Number is the n of a session id, 0 when it has none.
func Number(id string) int {
	n, err := strconv.Atoi(id[strings.LastIndexByte(id, '-')+1:])
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func set[V any](m *map[string]V, key string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = v
}

// Missing counts the lines of want that have does not hold, each as often as it stands there; blank lines don't count.
func Missing(have, want []byte) int {
	if bytes.HasPrefix(have, want) {
		return 0
	}
	seen := map[string]int{}
	for line := range bytes.Lines(have) {
		seen[string(bytes.TrimSpace(line))]++
	}
	missing := 0
	for line := range bytes.Lines(want) {
		key := string(bytes.TrimSpace(line))
		if key == "" {
			continue
		}
		if seen[key] == 0 {
			missing++
			continue
		}
		seen[key]--
	}
	return missing
}

// Read parses one line.
func Read(line []byte) (Record, error) {
	var r Record
	err := json.Unmarshal(line, &r)
	return r, err
}
