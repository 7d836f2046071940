package feature

import (
	"slices"
	"strings"
)

// List is a feature list as it was read. Its bytes never change: the writers
// return new ones. Callers may override the State of a Feature; selection and
// counts follow it, the writers follow the file.
type List struct {
	Features      []Feature
	Project, Type string // from the header, "" when it has none

	src        string
	nodes      []node
	shape      string
	containers []container
	records    []record
	index      map[string]int32 // first feature of an id
	ascii      bool             // non-ASCII characters are written as \u escapes
}

// container is an array or a map that holds features.
type container struct {
	node  int
	group int    // the object of the group it lies in, -1 for none
	name  string // of that group
	from  int    // its features are Features[from:to]
	to    int
	keyed bool // a map whose keys are ids
	count bool // a map whose keys are "0", "1", …
}

// record is what the file says about one feature, by the nodes that say it.
type record struct {
	object int32
	key    int32 // in a map: the node of its key, else -1
	passes int32 // the nodes of the values of the state keys, -1 for none
	status int32
	state  int32 // only when it holds a word that agrees with status
	was    State
	word   string // the state in words, "" for none
	bad    string // why the state counts for nothing
	twice  bool   // a key is there more than once
}

// Parse reads a feature list in any shape it is found in. The error is a
// *SyntaxError: what can't be read is never an empty list.
func Parse(data []byte) (*List, error) {
	src := string(data)
	if err := unfit(src); err != nil {
		return nil, err
	}
	from := len(src) - len(strings.TrimPrefix(src, bom))
	nodes, fault := scan(src, from)
	if fault != nil {
		return nil, explain(src, fault)
	}
	l := &List{src: src, nodes: nodes}
	if err := l.locate(); err != nil {
		return nil, err
	}
	if err := l.read(); err != nil {
		return nil, err
	}
	l.name()
	l.judge()
	l.header()
	return l, nil
}

// Holds reports whether data is what the list was parsed from.
func (l *List) Holds(data []byte) bool { return string(data) == l.src }

// Clone returns a list whose features can be overridden apart from this one's.
func (l *List) Clone() *List {
	c := *l
	c.Features = slices.Clone(l.Features)
	return &c
}

// Bytes returns the list as it was parsed.
func (l *List) Bytes() []byte { return []byte(l.src) }

// Shape names where the features lie: "array", "object[features]",
// "object{features}", "object[phases].*[features]" and so on.
func (l *List) Shape() string { return l.shape }

// Find returns the feature with exactly this id, nil when there is none. Of
// features that share an id it returns the first.
func (l *List) Find(id string) *Feature {
	i, ok := l.index[id]
	if !ok {
		return nil
	}
	return &l.Features[i]
}

func (l *List) reindex() {
	l.index = make(map[string]int32, len(l.Features))
	for i := range l.Features {
		if _, taken := l.index[l.Features[i].ID]; !taken {
			l.index[l.Features[i].ID] = int32(i)
		}
	}
}

// header finds the project's name and type at the top or in its metadata.
func (l *List) header() {
	if l.nodes[0].kind != object {
		return
	}
	for _, o := range l.heads() {
		if l.Project == "" {
			l.Project = l.word(o, "project", "project_name", "projectName", "name", "app")
		}
		if l.Type == "" {
			l.Type = l.word(o, "type", "project_type", "projectType")
		}
	}
}

// heads returns the objects that describe the list: the top and its metadata.
func (l *List) heads() []int {
	heads := []int{0}
	for _, key := range []string{"metadata", "meta", "_meta", "config"} {
		if v := l.member(0, key); v >= 0 && l.nodes[v].kind == object {
			heads = append(heads, v)
		}
	}
	return heads
}
