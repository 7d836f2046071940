// Package feature is the law and the letter of the feature list: it reads
// every shape a list is found in, changes only the bytes it must, and says
// what may change at all. Values in, values out; it performs no I/O.
package feature

// State is what a list says about a feature.
type State int

// The states: everything that is neither passed nor retired is failing.
const (
	Failing State = iota
	Passed
	Retired
)

// String returns the state in lower case.
func (s State) String() string {
	switch s {
	case Passed:
		return "passed"
	case Retired:
		return "retired"
	}
	return "failing"
}

// Feature is one feature as its list has it.
type Feature struct {
	ID          string   // own id (a number as its decimal text) or, when it has none, its position "F001"
	Positional  bool     // ID is a position and is not in the file
	Category    string   // category, area, module, group or phase, else the name of the group it lies in
	Title       string   // title or name when the description is another key
	Description string   // what is wanted
	Priority    string   // as written: "1", "P0", "high"; "" when missing
	Rank        float64  // the priority as a number, smaller first; +Inf when missing
	Steps       []string // how to verify it; never empty: the description is the one step
	Check       string   // shell command that proves it, "" when there is none
	Cwd         string   // folder to run Check in
	Files       []string // globs it covers
	DependsOn   []string // ids, or prose where the list has prose
	State       State    // as the file says
	Status      string   // the state as written: "true", "pending", "" when there is no state key
	Problem     string   // "", "duplicate-id" or "bad-passes": such a feature is blocked
	Why         string   // what the problem is, naming the feature
	Line        int      // 1-based line where the object starts
}

// Item is a feature on its way in.
type Item struct {
	ID          string
	Category    string
	Priority    string // as text; written as a number when it is one
	Description string
	Steps       []string
	Check       string
	Cwd         string
	Files       []string
	DependsOn   []string
}

// Block says why a feature can't be worked on.
type Block struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// Counts are the totals of a list: Total = Passed + Failing + Retired;
// Blocked are among the failing, Unproven among the passed.
type Counts struct {
	Total    int `json:"total"`
	Passed   int `json:"passed"`
	Failing  int `json:"failing"`
	Blocked  int `json:"blocked"`
	Retired  int `json:"retired"`
	Unproven int `json:"unproven"`
}
