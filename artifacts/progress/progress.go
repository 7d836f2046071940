// Package progress is the letter of the hand-over files: the progress log, the
// decisions, the plan and its board. What is there already, in whatever shape
// or language, is kept byte for byte and only added to; what is added is data
// and can't be taken for structure. It performs no I/O.
package progress

// Header is what the head of a new file says. Empty fields are left out.
type Header struct {
	Project string
	Type    string
	Stack   string
	Started string // 2026-01-31
}

// Entry is one hand-over. Each text stands for itself, ids resolved
// ("F012: Dark mode"); none is trusted.
type Entry struct {
	Number    int    // of the session
	Continued bool   // a further entry of the same session
	At        string // 2026-01-31 14:30 +01:00
	Session   string // session-005
	Focus     string
	Duration  string // ~45 min

	Completed  []string
	InProgress []string
	Blockers   []string
	Decisions  []string
	NextSteps  []string
	Notes      []string
	Commits    []string // "a3f2b1c feat: dark mode"
}
