package guard

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of what is followed. Deeper texts and further commands are allowed: the seals show at the next call what they did.
const (
	maxText  = 1 << 20
	maxDepth = 8     // texts inside texts, functions inside functions
	maxSteps = 5000  // commands
	maxOpen  = 10000 // brackets open at once, which the parser follows by recursion
)

// A reader follows a shell command and gathers what it writes.
type reader struct {
	home, root string
	writes     []Write
	commands   map[string]func(*reader, command)
	functions  map[string]*syntax.Stmt
	depth      int
	steps      int
}

// env is what a command finds: folder, variables, arguments, standard input.
type env struct {
	dir, before string
	vars        map[string][]string
	args        []string
	inside      bool     // of a condition or a loop: an assignment may not happen
	words       []string // what a pipe brings in, as words
	text        string   // the same as text, where it is known
}

func (e *env) copy() *env {
	c := *e
	c.vars = maps.Clone(e.vars)
	return &c
}

func (e *env) set(name string, values []string) {
	if e.inside {
		values = append(slices.Clone(values), e.vars[name]...)
	}
	e.vars[name] = values[:min(len(values), maxTexts)]
}

// shellWrites lists what a shell command would write. It follows folders, variables, loops, functions, pipes into xargs and
// shells, and texts given to other shells. What is too long or cannot be parsed is taken as a program text.
func shellWrites(text string, c Call) []Write {
	r := &reader{home: slashes(c.Home), root: slashes(c.Root), commands: commands(), functions: map[string]*syntax.Stmt{}}
	dir := slashes(c.Dir)
	r.script(text, &env{dir: dir, before: string(unknown), vars: map[string][]string{}})
	return r.writes
}

func (r *reader) deep() bool { return r.depth >= maxDepth || r.steps >= maxSteps }

func (r *reader) add(w Write) { r.writes = append(r.writes, w) }

func (r *reader) script(text string, e *env) {
	if r.deep() {
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	if len(text) > maxText || tangled(text) {
		r.add(Write{Code: text, Dir: e.dir, By: "a long command"})
		return
	}
	for _, lang := range []syntax.LangVariant{syntax.LangBash, syntax.LangZsh} {
		file, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(text), "")
		if err == nil {
			r.stmts(file.Stmts, e)
			return
		}
	}
	r.add(Write{Code: text, Dir: e.dir, By: "a command"})
}

// tangled says whether more brackets or keywords may be open at once than the parser's stack is good for.
func tangled(text string) bool {
	open := 0
	for _, c := range text {
		switch c {
		case '(', '{', '[':
			open++
		case ')', '}', ']':
			open = max(open-1, 0)
		}
		if open > maxOpen {
			return true
		}
	}
	for _, word := range []string{"if", "while", "until", "for", "case", "time", "coproc", "`", "!", "|", "&&", "function"} {
		if strings.Count(text, word) > maxOpen {
			return true
		}
	}
	return false
}

func (r *reader) stmts(list []*syntax.Stmt, e *env) {
	for _, s := range list {
		r.stmt(s, e)
	}
}

func (r *reader) stmt(s *syntax.Stmt, e *env) {
	if r.steps++; r.steps > maxSteps || s == nil {
		return
	}
	for _, redirect := range s.Redirs {
		r.redirect(redirect, e)
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.call(c, s, e)
	case *syntax.Block:
		r.stmts(c.Stmts, e)
	case *syntax.Subshell:
		r.stmts(c.Stmts, e.copy())
	case *syntax.BinaryCmd:
		r.binary(c, e)
	case *syntax.IfClause:
		r.branches(c, e)
	case *syntax.WhileClause:
		r.maybe(e, c.Cond, c.Do)
	case *syntax.ForClause:
		if w, ok := c.Loop.(*syntax.WordIter); ok && w.Name != nil {
			var values []string
			for _, texts := range r.fields(w.Items, e) {
				values = append(values, texts...)
			}
			if len(values) == 0 {
				values = slices.Concat(e.args, []string{string(unknown)})
			}
			e.vars[w.Name.Value] = values[:min(len(values), maxTexts)]
		}
		r.maybe(e, c.Do)
	case *syntax.CaseClause:
		for _, item := range c.Items {
			r.maybe(e, item.Stmts)
		}
	case *syntax.FuncDecl:
		if c.Name != nil {
			r.functions[c.Name.Value] = c.Body
		}
		if !r.deep() {
			r.depth++
			r.stmt(c.Body, e.copy())
			r.depth--
		}
	case *syntax.DeclClause:
		for _, a := range c.Args {
			r.assign(a, e)
		}
	case *syntax.TimeClause:
		r.stmt(c.Stmt, e)
	case *syntax.CoprocClause:
		r.stmt(c.Stmt, e.copy())
	case *syntax.TestClause, *syntax.LetClause, *syntax.ArithmCmd:
		r.substitutions(c, e)
	}
}

// substitutions follows the commands inside words that are not looked at otherwise.
func (r *reader) substitutions(n syntax.Node, e *env) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CmdSubst); ok {
			r.stmts(c.Stmts, e.copy())
			return false
		}
		return true
	})
}

// maybe follows commands that may run or not.
func (r *reader) maybe(e *env, lists ...[]*syntax.Stmt) {
	was := e.inside
	e.inside = true
	for _, list := range lists {
		r.stmts(list, e)
	}
	e.inside = was
}

func (r *reader) branches(c *syntax.IfClause, e *env) {
	for ; c != nil; c = c.Else {
		r.maybe(e, c.Cond, c.Then)
	}
}

func (r *reader) binary(c *syntax.BinaryCmd, e *env) {
	if c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
		r.stmt(c.X, e)
		r.stmt(c.Y, e)
		return
	}
	left, right := e.copy(), e.copy()
	r.stmt(c.X, left)
	if !r.deep() {
		r.depth++
		right.words = r.prints(c.X, e.copy())
		r.depth--
	}
	right.text = strings.Join(right.words, "\n")
	r.stmt(c.Y, right)
}

func (r *reader) redirect(d *syntax.Redirect, e *env) {
	switch d.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.DplOut, syntax.RdrClob, syntax.AppClob,
		syntax.RdrAll, syntax.RdrAllClob, syntax.AppAll, syntax.AppAllClob:
		for _, texts := range r.fields([]*syntax.Word{d.Word}, e) {
			for _, text := range texts {
				r.write(text, e, "a redirect", false)
			}
		}
	}
}

// write notes a place that a command names.
func (r *reader) write(name string, e *env, by string, tree bool) {
	if name != "" {
		r.add(Write{Path: absolute(name, e.dir, r.home), Tree: tree, By: by})
	}
}

func (r *reader) assign(a *syntax.Assign, e *env) {
	if a.Name == nil || a.Naked {
		return
	}
	var values []string
	if a.Array != nil {
		for _, elem := range a.Array.Elems {
			values = append(values, strings.Join(r.word(elem.Value, e), " "))
		}
		values = []string{strings.Join(values, " ")}
	} else {
		values = r.word(a.Value, e)
	}
	if a.Append {
		values = cross(append(slices.Clone(e.vars[a.Name.Value]), ""), values)
	}
	if len(values) > 0 {
		e.set(a.Name.Value, values)
	}
}

// stdin is the text that a command finds on its standard input, "" when it is not known.
func (r *reader) stdin(s *syntax.Stmt, e *env) string {
	for _, d := range s.Redirs {
		switch d.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			return strings.Join(r.word(d.Hdoc, e), "\n")
		case syntax.WordHdoc:
			return strings.Join(r.word(d.Word, e), "\n")
		}
	}
	return e.text
}

// call follows a simple command.
func (r *reader) call(c *syntax.CallExpr, s *syntax.Stmt, e *env) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(a, e)
		}
		return
	}
	at := e
	if len(c.Assigns) > 0 {
		at = e.copy()
		for _, a := range c.Assigns {
			r.assign(a, at)
		}
	}
	given := r.stdin(s, at)
	for _, a := range c.Assigns {
		if a.Value != nil {
			given += "\n" + strings.Join(r.word(a.Value, e), "\n") // a program may read it from there
		}
	}
	for _, v := range vectors(r.fields(c.Args, at)) {
		r.command(v, given, e)
	}
}
