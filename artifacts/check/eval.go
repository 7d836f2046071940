package check

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// eval follows a line over all the ways it can go.
type eval struct {
	level     kind // of the commands whose failure must not be hidden
	seen      kind // highest kind met
	functions map[string]*syntax.Stmt
	ids       map[identity]int // index in texts
	texts     []string
	first     string // the first test met
	src       string
	steps     int
	nested    int
	tangled   bool
	broken    bool   // bash would not read the text to its end, or reads it another way
	calls     int    // functions entered
	loops     int    // loops entered
	endless   bool   // there is a way that need not end
	said      string // found on the way
	unseen    string // commands that are not in the text
	written   string // a test that the text names
}

// script follows a text from a state to its ends.
func (e *eval) script(text string, s state) []state {
	list, err := parse(text)
	if err != nil && strings.Contains(text, "((") {
		// bash takes what is no arithmetic for a group in a group.
		apart := strings.ReplaceAll(text, "((", "( (")
		if other, also := parse(apart); also == nil {
			text, list, err = apart, other, nil
		}
	}
	if err != nil {
		e.broken = true
	}
	outer := e.src
	e.src = text
	defer func() { e.src = outer }()
	for _, c := range commandsIn(text, "", 4) {
		if e.written == "" && c.words[0] != "false" && kindOf(c.words) == test { // reached or not
			e.written = clip(strings.Join(c.words, " "))
		}
	}
	ends := e.list(list, []state{s}, false)
	for i := range ends {
		ends[i].flow, ends[i].levels = on, 0
		if err != nil {
			ends[i].code = 2
		}
	}
	return e.trapped(ends)
}

// parse gives the commands up to where the text can't be read on.
func parse(text string) (list []*syntax.Stmt, err error) {
	for stmt, also := range syntax.NewParser().StmtsSeq(strings.NewReader(text)) { // it may go on after an error
		switch {
		case err != nil:
		case also != nil:
			err = also
		default:
			list = append(list, stmt)
		}
	}
	return list, err
}

// trapped runs the EXIT trap of each way.
func (e *eval) trapped(ends []state) (out []state) {
	for _, s := range ends {
		text := s.trap
		s.trap = ""
		if text == "" || e.deep() {
			out = append(out, s)
			continue
		}
		for _, t := range e.inner(text, s, false) {
			if t.flow != exits {
				t.code = s.code
			}
			t.hid = s.hid
			t.flow = on
			out = append(out, e.blame([]state{t}, s, "trap "+clip(text))...)
		}
	}
	return merge(out)
}

// inner follows a text in the same shell: eval, trap.
func (e *eval) inner(text string, s state, asked bool) []state {
	outer := e.src
	e.src = text
	e.nested++
	defer func() { e.src = outer; e.nested-- }()
	list, err := parse(text)
	e.broken = e.broken || err != nil
	return e.list(list, []state{s}, asked)
}

// deep ends what calls itself, and what takes too long.
func (e *eval) deep() bool {
	if e.nested > 8 || e.steps > maxSteps {
		e.tangled = e.tangled || e.steps > maxSteps
		return true
	}
	return false
}

// list follows commands one after another; asked is true where somebody looks at how they end.
func (e *eval) list(list []*syntax.Stmt, ways []state, asked bool) (out []state) {
	for i, stmt := range list {
		var next []state
		for _, s := range ways {
			if s.flow != on {
				out = append(out, s)
				continue
			}
			after := e.stmt(stmt, s, asked)
			if i > 0 {
				after = e.blame(after, s, "; "+e.text(stmt))
			}
			next = append(next, after...)
		}
		ways = merge(next)
	}
	return merge(append(out, ways...))
}

// blame notes what turned a failure into a success.
func (e *eval) blame(ways []state, before state, what string) []state {
	for i, s := range ways {
		if s.code == 0 && s.hid == 0 && (s.mark == ended || s.mark == caught) && before.code != 0 {
			ways[i].hid = 1 + e.word(what)
		}
	}
	return ways
}

// word keeps a text for a message.
func (e *eval) word(text string) int {
	if i := slices.Index(e.texts, text); i >= 0 {
		return i
	}
	e.texts = append(e.texts, text)
	return len(e.texts) - 1
}

// text is the source of a node, cut for a message.
func (e *eval) text(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(e.src) {
		return "a command"
	}
	return clip(strings.TrimRight(strings.TrimSpace(e.src[from:to]), ";"))
}

// clip keeps a message short.
func clip(text string) string {
	const most = 40
	text = strings.Join(strings.Fields(text), " ")
	for i := range text {
		if i >= most {
			return text[:i] + "…"
		}
	}
	return text
}

// identity tells commands apart: one in a loop, with the same words, is the same again.
type identity struct {
	node  syntax.Node
	words string
}

func (e *eval) id(i identity, text string) int {
	if at, ok := e.ids[i]; ok {
		return at
	}
	e.texts = append(e.texts, text)
	e.ids[i] = len(e.texts) - 1
	return e.ids[i]
}

func (e *eval) stmt(stmt *syntax.Stmt, s state, asked bool) []state {
	if e.steps++; e.deep() {
		return []state{s}
	}
	before := s
	run := func(s state) []state {
		ways := []state{s}
		for _, r := range stmt.Redirs {
			ways = each(each(ways, e.within(r.Word)), e.within(r.Hdoc))
		}
		return each(ways, func(s state) []state { return e.command(stmt, s, asked || stmt.Negated) })
	}
	if stmt.Background || stmt.Coprocess || stmt.Disown {
		ways := e.apart(s, run)
		for i := range ways {
			ways[i].behind, ways[i].code = ways[i].code, 0
		}
		return e.blameNew(ways, before, "a trailing &")
	}
	ways := run(s)
	for i, w := range ways {
		if w.flow != on {
			continue
		}
		if stmt.Negated {
			ways[i].code = truth(w.code != 0)
			if ways[i].code == 0 && w.hid == 0 && (w.mark == ended || w.mark == caught) {
				ways[i].hid = 1 + e.word("! turns its failure into success")
			}
			continue
		}
		if w.errexit && w.code != 0 && !asked && !decides(stmt.Cmd) {
			ways[i].flow = exits
		}
	}
	return merge(ways)
}

// each follows all ways.
func each(ways []state, f func(state) []state) (out []state) {
	for _, s := range ways {
		out = append(out, f(s)...)
	}
	return merge(out)
}

// blameNew is blame for a failure that was hidden where it happened.
func (e *eval) blameNew(ways []state, before state, what string) []state {
	for i, s := range ways {
		if s.code == 0 && s.hid == 0 && s.mark == ended && (before.mark != ended || before.who != s.who) {
			ways[i].hid = 1 + e.word(what)
		}
	}
	return ways
}

// decides reports lists whose first part may fail without end, under set -e.
func decides(c syntax.Command) bool {
	switch c := c.(type) {
	case *syntax.BinaryCmd:
		return c.Op == syntax.AndStmt || c.Op == syntax.OrStmt
	case *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause, *syntax.Block:
		return true // what is in them has been asked
	}
	return false
}

func truth(ok bool) int {
	if ok {
		return 0
	}
	return 1
}

func (e *eval) command(stmt *syntax.Stmt, s state, asked bool) []state {
	switch c := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		return e.call(c, stmt.Redirs, s, asked)
	case *syntax.BinaryCmd:
		return e.binary(c, s, asked)
	case *syntax.Block:
		return e.list(c.Stmts, []state{s}, asked)
	case *syntax.Subshell:
		return e.apart(s, func(s state) []state { return e.list(c.Stmts, []state{s}, asked) })
	case *syntax.IfClause:
		return e.ifClause(c, s, asked)
	case *syntax.WhileClause:
		return e.while(c, s, asked)
	case *syntax.ForClause:
		return e.forClause(c, s, asked)
	case *syntax.CaseClause:
		return e.caseClause(c, s, asked)
	case *syntax.FuncDecl:
		if c.Name != nil {
			e.functions[c.Name.Value] = c.Body
		}
	case *syntax.DeclClause:
		return e.declare(c, s)
	case *syntax.TestClause:
		yes, known := testExpr(c.X, s)
		return e.decided(c, s, yes, known)
	case *syntax.ArithmCmd:
		value, known := arithm(c.X, &s)
		return e.decided(c, s, value != 0, known)
	case *syntax.LetClause:
		value, known := 0, true
		for _, x := range c.Exprs {
			value, known = arithm(x, &s)
		}
		return e.decided(c, s, value != 0, known)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return e.stmt(c.Stmt, s, asked)
		}
	case *syntax.CoprocClause:
		ways := e.apart(s, func(s state) []state { return e.stmt(c.Stmt, s, false) })
		for i := range ways {
			ways[i].behind, ways[i].code = ways[i].code, 0
		}
		return e.blameNew(ways, s, "coproc")
	}
	s.code = 0
	return []state{s}
}

// decided is a command whose end is known from the text, or else one that says something.
func (e *eval) decided(n syntax.Node, s state, yes, known bool) []state {
	if known {
		s.code = truth(yes)
		return []state{s}
	}
	return e.end(identity{node: n}, e.text(n), real, true, s)
}

// end is how a command of a kind can end.
func (e *eval) end(n identity, text string, k kind, same bool, s state) []state {
	e.seen = max(e.seen, k)
	well, badly := s, s
	well.code, badly.code = 0, 1
	if k < e.level {
		return []state{well, badly}
	}
	who := e.id(n, text)
	if k == test && e.first == "" {
		e.first = text
	}
	badly.mark, badly.who, badly.hid = ended, who, 0
	switch {
	case e.level < test && !same && (s.mark == ended || s.mark == caught):
		// A command that nobody knows by name does not make a failure good.
	case e.level == test && s.mark == ended && !(same && s.who == who):
		// A test that ended badly stays so when another one ends well.
	default:
		well.mark, well.who, well.hid = passed, who, 0
	}
	if k == test && text == "false" {
		return []state{badly}
	}
	return []state{well, badly}
}

// apart follows commands in a shell of their own.
func (e *eval) apart(s state, run func(state) []state) []state {
	inner := s
	inner.trap = ""
	ends := run(inner)
	for i := range ends {
		ends[i].flow, ends[i].levels = on, 0
	}
	ends = e.trapped(ends)
	for i, t := range ends {
		kept := s
		kept.code, kept.mark, kept.who, kept.hid = t.code, t.mark, t.who, t.hid
		ends[i] = kept
	}
	return merge(ends)
}

func (e *eval) binary(c *syntax.BinaryCmd, s state, asked bool) (out []state) {
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		return e.pipe(c, s)
	}
	for _, x := range e.stmt(c.X, s, true) {
		if x.flow != on || (x.code == 0) != (c.Op == syntax.AndStmt) {
			out = append(out, x)
			continue
		}
		if c.Op == syntax.OrStmt {
			x = x.handled()
		}
		operator := c.Op.String() + " "
		out = append(out, e.blame(e.stmt(c.Y, x, asked), x, operator+e.text(c.Y))...)
	}
	return merge(out)
}

// handled is a way on which what follows runs because something failed.
func (s state) handled() state {
	if s.mark == ended {
		s.mark = caught
	}
	return s
}

func (e *eval) pipe(c *syntax.BinaryCmd, s state) (out []state) {
	for _, x := range e.apartPipe(c.X, s) {
		y := x
		y.code, y.pipe = s.code, s.pipe
		for _, y := range e.apartPipe(c.Y, y) {
			y.pipe = x.pipe + y.pipe
			if s.pipefail && y.code == 0 {
				y.code = x.code
			}
			out = append(out, e.blame([]state{y}, x, "| "+e.text(c.Y))...)
		}
	}
	return merge(out)
}

// apartPipe is a part of a pipe; its pipe state holds the status of its own parts.
func (e *eval) apartPipe(stmt *syntax.Stmt, s state) []state {
	if b, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll) && !stmt.Negated {
		return e.pipe(b, s)
	}
	ways := e.apart(s, func(s state) []state { return e.stmt(stmt, s, false) })
	for i, w := range ways {
		ways[i].pipe = strconv.Itoa(min(w.code, 9))
	}
	return merge(ways)
}

func (e *eval) ifClause(c *syntax.IfClause, s state, asked bool) (out []state) {
	for _, w := range e.list(c.Cond, []state{s}, true) {
		switch {
		case w.flow != on:
			out = append(out, w)
		case w.code == 0:
			out = append(out, e.blame(e.list(c.Then, []state{w}, asked), s, "if hides it")...)
		case c.Else == nil:
			failed := w
			w = w.handled()
			w.code = 0
			out = append(out, e.blame([]state{w}, failed, "an if without else")...)
		case len(c.Else.Cond) == 0:
			out = append(out, e.blame(e.list(c.Else.Then, []state{w.handled()}, asked), w, "else hides it")...)
		default:
			out = append(out, e.ifClause(c.Else, w.handled(), asked)...)
		}
	}
	return merge(out)
}

// rounds is how often a loop is followed; its ways repeat long before.
const rounds = 8

// loop follows the body once from each way and sorts what comes out.
func (e *eval) loop(body []*syntax.Stmt, ways []state, asked bool) (again, left []state) {
	e.loops++
	ends := e.list(body, ways, asked)
	e.loops--
	for _, w := range ends {
		switch {
		case (w.flow == breaks || w.flow == continues) && w.levels > 1:
			w.levels--
			left = append(left, w)
		case w.flow == breaks:
			w.flow, w.levels = on, 0
			left = append(left, w)
		case w.flow == continues:
			w.flow, w.levels = on, 0
			again = append(again, w)
		case w.flow == on:
			again = append(again, w)
		default:
			left = append(left, w)
		}
	}
	return merge(again), left
}

func (e *eval) while(c *syntax.WhileClause, s state, asked bool) (out []state) {
	ways := []state{s}
	seen := map[state]bool{}
	feeds := reads(c.Cond)
	for round := range rounds {
		var entered []state
		for _, w := range ways {
			if seen[w] {
				e.endless = true
				continue
			}
			seen[w] = true
			body := w.code
			if round == 0 {
				body = 0
			}
			for _, t := range e.list(c.Cond, []state{w}, true) {
				switch {
				case t.flow != on:
					out = append(out, t)
				case (t.code == 0) != c.Until:
					if c.Until {
						t = t.handled()
					}
					entered = append(entered, t)
				case round == 0 && feeds:
					// A loop over what it reads is taken to read something.
				default:
					failed := t
					if !c.Until {
						t = t.handled()
					}
					t.code = body
					out = append(out, e.blame([]state{t}, failed, "a while ends well when its condition fails")...)
				}
			}
		}
		if len(entered) == 0 {
			break
		}
		again, left := e.loop(c.Do, merge(entered), asked)
		out = append(out, left...)
		ways = again
	}
	return merge(out)
}

// reads reports a loop over lines.
func reads(cond []*syntax.Stmt) bool {
	if len(cond) != 1 {
		return false
	}
	call, ok := cond[0].Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && call.Args[0].Lit() == "read"
}

// forClause is taken to run at least once where something may stand in its list.
func (e *eval) forClause(c *syntax.ForClause, s state, asked bool) (out []state) {
	iter, words := c.Loop.(*syntax.WordIter)
	var values []string
	exact := words && iter.InPos.IsValid() && !c.Select
	ways := []state{s}
	if words {
		for _, w := range iter.Items {
			ways = each(ways, e.within(w))
			value, known := expand(w, s)
			exact = exact && known && !strings.ContainsAny(value, "*?[{")
			values = append(values, value)
		}
	}
	if exact && len(values) == 0 {
		s.code = 0
		return []state{s}
	}
	for round := range rounds {
		if words {
			for i := range ways {
				if exact && round < len(values) {
					ways[i].set(iter.Name.Value, values[round], true)
				} else {
					ways[i].set(iter.Name.Value, "", false)
				}
			}
		}
		again, left := e.loop(c.Do, ways, asked)
		out = append(out, left...)
		ways = again
		if last := exact && round == len(values)-1; last || !exact || round == rounds-1 {
			out = append(out, ways...)
			if last {
				break
			}
		}
		if len(ways) == 0 {
			break
		}
	}
	return merge(out)
}

func (e *eval) caseClause(c *syntax.CaseClause, s state, asked bool) []state {
	return each(e.within(c.Word)(s), func(s state) []state { return e.cases(c, s, asked) })
}

func (e *eval) cases(c *syntax.CaseClause, s state, asked bool) (out []state) {
	value, known := expand(c.Word, s)
	if !known && real >= e.level { // which way it goes says something
		e.seen = max(e.seen, real)
		s.mark, s.who, s.hid = passed, e.id(identity{node: c}, e.text(c.Word)), 0
	}
	for _, item := range c.Items {
		hit, sure := false, known
		for _, p := range item.Patterns {
			pattern, plain := expand(p, s)
			switch {
			case pattern == "*" && plain:
				hit = true
			case !plain || strings.ContainsAny(pattern, "*?[\\"):
				sure = false
			case pattern == value:
				hit = true
			}
		}
		if !hit && sure {
			continue
		}
		body := s
		body.code = 0
		out = append(out, e.blame(e.list(item.Stmts, []state{body}, asked), s, "case hides it")...)
		if hit {
			return merge(out)
		}
	}
	nothing := s
	nothing.code = 0
	return merge(append(out, e.blame([]state{nothing}, s, "case hides it")...))
}

func (e *eval) declare(c *syntax.DeclClause, s state) []state {
	ways := []state{s}
	for _, a := range c.Args {
		ways = each(ways, e.within(a))
		for i := range ways {
			ways[i].assign(a)
		}
	}
	for i := range ways {
		ways[i].code = truth(c.Variant.Value != "local" || e.calls > 0)
	}
	return e.blameNew(merge(ways), s, clip(e.text(c))+" loses the status of what is in it")
}
