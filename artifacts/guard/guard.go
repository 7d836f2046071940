// Package guard judges the calls that an agent makes of its client's own tools: none may write a file that only Longhaul's
// tools write, and none may run a verb that is a person's. It performs no I/O: what a shell command would do is read off its text.
package guard

import (
	"encoding/json"
	"path"
	"strings"
)

// Call is a tool call that is about to be made.
type Call struct {
	Tool  string          // as Claude Code names it
	Input json.RawMessage // an object
	Dir   string          // absolute: where a shell command starts
	Home  string
	Root  string // the project's folder
}

// Kind says what a protected file is.
type Kind int

// The kinds of protected files.
const (
	List   Kind = iota // the feature list
	Ledger             // seals and proofs
	Policy             // .harness/config.json
	Plan               // plan.md
	State              // claims, sessions and locks
)

// File is a protected file, or with Tree a folder and all below it. Path is absolute, with slashes.
type File struct {
	Path string
	Kind Kind
	Tree bool
}

// Project is what an agent's own tools must leave alone.
type Project struct {
	Root  string
	Files []File
	Fold  bool // the disk does not tell upper from lower case
}

// Write is one thing that a call would do: write to a place, run a program text, or run a verb of longhaul.
type Write struct {
	Path   string   // absolute; may hold marks for what the text does not tell
	Tree   bool     // all below Path is written too
	Except []string // what a search leaves out
	Code   string   // a program text, run in Dir
	Dir    string
	Verb   string // a verb that is a person's
	Undo   bool   // git brings back an older state
	By     string // what does it, in words
}

// Exact says whether Path names one place.
func (w Write) Exact() bool { return w.Path != "" && !strings.ContainsFunc(w.Path, isMark) }

// fileTools are the tools that write one file, and the key that names it.
// Source: https://code.claude.com/docs/en/hooks
var fileTools = map[string]string{"Edit": "file_path", "Write": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}

// Writes lists what a call would write, as far as its text tells. An input that is not understood writes nothing.
func Writes(c Call) []Write {
	var input map[string]json.RawMessage
	if json.Unmarshal(c.Input, &input) != nil {
		return nil
	}
	text := func(key string) (s string) {
		_ = json.Unmarshal(input[key], &s)
		return s
	}
	if c.Tool == "Bash" {
		return shellWrites(text("command"), c)
	}
	name := text(fileTools[c.Tool])
	if name == "" {
		return nil
	}
	return []Write{{Path: absolute(slashes(name), slashes(c.Dir), slashes(c.Home)), By: c.Tool}}
}

// Judge says why a call that makes these writes is refused, "" when it may go on.
func (p Project) Judge(writes []Write) (reason string) {
	for _, w := range writes {
		if w.Verb != "" {
			return verbReason(w.Verb)
		}
		for _, f := range p.Files {
			if p.hits(w, f) {
				return p.reason(w, f)
			}
		}
	}
	return ""
}

func (p Project) hits(w Write, f File) bool {
	fold := func(s string) string {
		if p.Fold {
			return strings.ToLower(s)
		}
		return s
	}
	root, file := fold(p.Root), fold(f.Path)
	if w.Code != "" {
		return mentions(fold(w.Code), root, fold(w.Dir), file) && writing(w.Code)
	}
	for _, skip := range w.Except {
		if below(fold(skip), file) {
			return false
		}
	}
	pattern := fold(w.Path)
	switch {
	case !tells(pattern), strings.ContainsRune(pattern, unknown) && !f.distinct(pattern):
		return false
	case f.Tree && strings.HasPrefix(pattern, file+"/"), match(pattern, file):
		return true
	case !w.Tree:
		return false
	}
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if strings.ContainsRune(pattern, unknown) && (len(dir) <= len(root) || !strings.HasPrefix(dir, root)) {
			return false // of a place that is not known only a name inside the project says enough
		}
		if match(pattern, dir) {
			return true
		}
		if dir == path.Dir(dir) {
			return false
		}
	}
}

// distinct says whether a name in a place that is not known may well be this file: many projects have a config.json or a plan.md.
func (f File) distinct(pattern string) bool {
	switch f.Kind {
	case Policy:
		return strings.HasSuffix(pattern, ".harness/config.json") || path.Base(pattern) == ".harness"
	case Plan:
		return false
	}
	return true
}

// reason is what the model reads: what is refused, and the tool to call instead.
func (p Project) reason(w Write, f File) string {
	name := strings.TrimPrefix(f.Path, p.Root+"/")
	about := map[Kind]string{
		List:   "the feature list",
		Ledger: "the record of seals and proofs",
		Policy: "the policy",
		Plan:   "the plan, which is written once",
		State:  "the record of claims, sessions and sealed copies",
	}[f.Kind]
	next := map[Kind]string{
		List: `mark_feature_passed {"id":"…"} passes a feature, add_features appends, report_regression reopens, list_features reads; ` +
			`a wrong definition is a person's to change`,
		Ledger: `mark_feature_passed writes proof; rollback {"target":"feature_list","reason":"…"} mends what was changed`,
		Policy: "ask the person to run at a terminal: longhaul config set KEY VALUE",
		Plan:   "append_progress records how far it is; add_features adds to the list",
		State:  "session_start, next_feature and session_end keep it",
	}[f.Kind]
	if w.Undo {
		next = `rollback {"target":"uncommitted","reason":"…"} (or last_good, feature_list, a commit) goes back without losing features or proofs; ` +
			"or name only your own paths"
	}
	return w.By + " would change " + name + ", " + about + ". Only Longhaul's tools write it.\nNext: " + next
}

func verbReason(verb string) string {
	next := "tell the user why it is needed and leave it to them"
	switch verb {
	case "waive":
		next = `mark_feature_passed {"id":"…","waive":"why"} asks the person, where the client has a dialog; else ` + next
	case "restore":
		next = `rollback {"target":"feature_list","reason":"…"} puts back the sealed state`
	}
	return "longhaul " + verb + " is for a person at a terminal.\nNext: " + next
}
