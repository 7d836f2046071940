package history

import (
	"context"
	"path"
	"slices"
	"strings"
)

// Versions visits, parents before children, every state of the given project paths in the commits of HEAD that are not
// in since ("" for all; "A..B" for the commits of B that are not in A): a commit is visited for each path that differs
// from any of its parents, merges included. A file that came to one of the names by a rename is followed under its
// older names. Contents are read one at a time; per commit only ids are kept. An error of visit ends the walk.
func (r *Repo) Versions(ctx context.Context, paths []string, since string, visit func(Version) error) error {
	from, to, ranged := strings.Cut(since, "..")
	if !ranged || to == "" {
		to = "HEAD"
	}
	h, err := r.readHead()
	if err != nil || to == "HEAD" && h.Unborn {
		return err
	}
	tip := h.SHA
	if to != "HEAD" {
		if tip, err = r.Resolve(to); err != nil {
			return err
		}
	}
	o := r.objects()
	defer o.close()
	var skip map[string]bool
	if from != "" {
		base, err := r.Resolve(from)
		if err != nil {
			return err
		}
		if skip, err = o.ancestors(ctx, base); err != nil {
			return err
		}
	}
	w := &versionWalk{objects: o, skip: skip, last: map[string]string{}}
	for _, name := range paths {
		if full, ok := r.full(name); ok && !slices.Contains(w.names, full) {
			w.names = append(w.names, full)
		}
	}
	order, err := o.parentsFirst(ctx, tip, skip)
	if err != nil {
		return err
	}
	if err := w.gather(ctx, order); err != nil {
		return err
	}
	for i := range order {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.visit(&order[i], visit); err != nil {
			return err
		}
	}
	return nil
}

// parentsFirst lists the commits behind a tip so that each comes after its parents, a side branch right before its
// merge.
func (o *objects) parentsFirst(ctx context.Context, tip string, skip map[string]bool) ([]node, error) {
	type frame struct {
		node
		next int // parent to look at
	}
	var order []node
	var stack []frame
	seen := map[string]bool{}
	push := func(sha string) error {
		if seen[sha] || skip[sha] {
			return nil
		}
		seen[sha] = true
		n, err := o.commit(sha)
		stack = append(stack, frame{node: n})
		return err
	}
	if err := push(tip); err != nil {
		return nil, err
	}
	for len(stack) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		top := &stack[len(stack)-1]
		if top.next == len(top.Parents) {
			order = append(order, top.node)
			stack = stack[:len(stack)-1]
			continue
		}
		parent := top.Parents[top.next]
		top.next++
		if err := push(parent); err != nil {
			return nil, err
		}
	}
	return order, nil
}

// states holds the entry of each followed path that a commit has, by its full name. Equal ones are shared.
type states map[string]entry

type versionWalk struct {
	*objects
	skip   map[string]bool
	names  []string          // followed, from the root
	nodes  map[string]*node  // of the range
	states map[string]states // of each commit
	last   map[string]string // commit -> the commit whose version is in force there
}

// gather reads the followed paths of every commit. Where a file turns out to have had another name before, that name
// is followed too and all is read again.
func (w *versionWalk) gather(ctx context.Context, order []node) error {
	w.nodes = make(map[string]*node, len(order))
	for i := range order {
		w.nodes[order[i].SHA] = &order[i]
	}
	for {
		known := len(w.names)
		w.states = make(map[string]states, len(order))
		trees := map[string]states{}
		for i := range order {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := w.read(&order[i], trees); err != nil {
				return err
			}
		}
		if len(w.names) == known {
			return nil
		}
	}
}

// read takes the states of a commit, and looks for the origin of what is new in it.
func (w *versionWalk) read(n *node, trees map[string]states) error {
	s, ok := trees[n.tree]
	if !ok {
		var err error
		if s, err = w.at(n.tree); err != nil {
			return err
		}
		trees[n.tree] = s
	}
	w.states[n.SHA] = s
	if len(n.Parents) == 0 {
		return nil
	}
	parent := w.nodes[n.Parents[0]]
	if parent == nil {
		return nil
	}
	return w.follow(parent, n, w.states[parent.SHA], s)
}

// at gives the states that a root tree has.
func (w *versionWalk) at(tree string) (states, error) {
	s := states{}
	for _, full := range w.names {
		e, found, err := w.find(tree, full)
		if err != nil {
			return nil, err
		}
		if found && !e.isTree() && !e.isGitlink() {
			s[full] = e
		}
	}
	return s, nil
}

// follow looks where a path that is new in a commit came from: a file that the commit removed, of the same content, or
// of the same name in another folder.
func (w *versionWalk) follow(parent, n *node, before, now states) error {
	var news []string
	for full := range now {
		if _, had := before[full]; !had {
			news = append(news, full)
		}
	}
	if len(news) == 0 {
		return nil
	}
	a, err := w.subtree(parent.tree)
	if err != nil {
		return err
	}
	b, err := w.subtree(n.tree)
	if err != nil {
		return err
	}
	return w.diff(a, b, w.repo.prefix, func(old string, was, is entry) {
		if is.id != "" || was.id == "" || was.isGitlink() || slices.Contains(w.names, old) {
			return
		}
		from := func(full string) bool { return now[full].id == was.id || path.Base(full) == path.Base(old) }
		if slices.ContainsFunc(news, from) {
			w.names = append(w.names, old)
		}
	})
}

// visit reports what one commit did to the followed paths, and says which version is in force in it.
func (w *versionWalk) visit(n *node, visit func(Version) error) error {
	now := w.states[n.SHA]
	var before []states
	var from []string
	for _, parent := range n.Parents {
		s, err := w.parent(parent)
		if err != nil {
			return err
		}
		before = append(before, s)
		from = append(from, w.last[parent])
	}
	changed := w.changed(now, before)
	if len(changed) == 0 {
		if len(from) > 0 {
			w.last[n.SHA] = from[0]
		}
		return nil
	}
	w.last[n.SHA] = n.SHA
	for _, full := range changed {
		name, _ := w.repo.within(full)
		v := Version{Commit: n.Commit, Path: name, From: from}
		e, there := now[full]
		v.Deleted = !there
		if there {
			data, err := w.kind(e.id, "blob")
			if err != nil {
				return err
			}
			v.Data = data
		}
		if err := visit(v); err != nil {
			return err
		}
	}
	return nil
}

// parent gives the states of a parent. One before the range is read now, and stands for itself.
func (w *versionWalk) parent(sha string) (states, error) {
	if _, known := w.last[sha]; !known && w.skip[sha] {
		n, err := w.commit(sha)
		if err != nil {
			return nil, err
		}
		s, err := w.at(n.tree)
		if err != nil {
			return nil, err
		}
		w.states[sha] = s
		if w.last[sha] = ""; len(s) > 0 {
			w.last[sha] = sha
		}
	}
	return w.states[sha], nil
}

// changed are the followed paths that differ from one parent at least, removed ones first.
func (w *versionWalk) changed(now states, before []states) []string {
	if len(before) == 0 {
		before = []states{nil}
	}
	var gone, there []string
	for _, full := range w.names {
		e, has := now[full]
		differs := slices.ContainsFunc(before, func(s states) bool {
			old, had := s[full]
			return had != has || old != e
		})
		switch {
		case differs && has:
			there = append(there, full)
		case differs:
			gone = append(gone, full)
		}
	}
	return append(gone, there...)
}
