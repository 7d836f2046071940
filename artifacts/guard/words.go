package guard

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxTexts bounds how many values a word is followed with.
const maxTexts = 32

// fields are the arguments that words make, a position each, and for each position its possible texts.
func (r *reader) fields(words []*syntax.Word, e *env) [][]string {
	var out [][]string
	for _, w := range words {
		if !syntax.SplitBraces(w) {
			out = append(out, r.split(w, e)...)
			continue
		}
		for _, one := range braces(w) {
			out = append(out, r.split(one, e)...)
		}
	}
	return out
}

// split parts the value of an unquoted variable at its spaces.
func (r *reader) split(w *syntax.Word, e *env) [][]string {
	texts := r.word(w, e)
	loose := false
	for _, p := range w.Parts {
		switch p.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst:
			loose = true
		}
	}
	if !loose {
		return [][]string{texts}
	}
	var positions [][]string
	for i, text := range texts {
		for n, field := range strings.Fields(text) {
			if i == 0 || n >= len(positions) {
				positions = append(positions, []string{field})
				continue
			}
			positions[n] = append(positions[n], field)
		}
	}
	return positions
}

// braces are the words that {a,b} makes of one.
func braces(w *syntax.Word) []*syntax.Word {
	for i, part := range w.Parts {
		b, ok := part.(*syntax.BraceExp)
		if !ok {
			continue
		}
		var out []*syntax.Word
		for _, elem := range b.Elems {
			parts := append(append(append([]syntax.WordPart{}, w.Parts[:i]...), elem.Parts...), w.Parts[i+1:]...)
			for _, one := range braces(&syntax.Word{Parts: parts}) {
				if out = append(out, one); len(out) >= maxTexts {
					return out
				}
			}
		}
		return out
	}
	return []*syntax.Word{w}
}

// word is every text that a word may stand for, with marks for what is not known.
func (r *reader) word(w *syntax.Word, e *env) []string {
	if w == nil {
		return []string{""}
	}
	return r.parts(w.Parts, false, e)
}

func (r *reader) parts(parts []syntax.WordPart, quoted bool, e *env) []string {
	texts := []string{""}
	for i, part := range parts {
		var more []string
		switch p := part.(type) {
		case *syntax.Lit:
			more = []string{literal(p.Value, quoted, i == 0 && !quoted, r.home)}
		case *syntax.SglQuoted:
			more = []string{p.Value}
		case *syntax.DblQuoted:
			more = r.parts(p.Parts, true, e)
		case *syntax.ParamExp:
			more = r.param(p, e)
		case *syntax.CmdSubst:
			sub := e.copy()
			more = r.output(p.Stmts, sub)
			r.stmts(p.Stmts, sub)
		case *syntax.ProcSubst:
			r.stmts(p.Stmts, e.copy())
			more = []string{"/dev/fd/63"}
		case *syntax.ExtGlob:
			more = []string{string(all)}
		default:
			more = []string{string(unknown)}
		}
		texts = cross(texts, more)
	}
	return texts
}

func cross(heads, tails []string) []string {
	size := 0
	for _, text := range slices.Concat(heads, tails) {
		size += len(text)
	}
	if len(heads)*len(tails) > maxTexts || size > maxText {
		return []string{string(unknown)}
	}
	out := make([]string, 0, len(heads)*len(tails))
	for _, h := range heads {
		for _, t := range tails {
			out = append(out, h+t)
		}
	}
	return out
}

// literal takes the backslashes out and, outside quotes, puts marks in for patterns.
func literal(text string, quoted, first bool, home string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] == '\n' {
				continue
			}
			if quoted && !strings.ContainsRune("$`\"\\", rune(text[i])) {
				b.WriteByte('\\')
			}
			b.WriteByte(text[i])
		case quoted:
			b.WriteByte(c)
		case c == '*':
			b.WriteRune(anyRun)
		case c == '?':
			b.WriteRune(one)
		case c == '[' && strings.IndexByte(text[i:], ']') > 1:
			i += strings.IndexByte(text[i:], ']')
			b.WriteRune(one)
		case c == '~' && i == 0 && first && (len(text) == 1 || text[1] == '/'):
			b.WriteString(home)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// param is the value of a variable.
func (r *reader) param(p *syntax.ParamExp, e *env) []string {
	none := []string{string(unknown)}
	if p.Param == nil || p.Excl || p.Length || p.Slice != nil || p.Repl != nil || p.Names != 0 {
		return none
	}
	values := e.vars[p.Param.Value]
	switch p.Param.Value {
	case "PWD":
		values = []string{e.dir}
	case "OLDPWD":
		values = []string{e.before}
	case "HOME":
		values = []string{r.home}
	case "CLAUDE_PROJECT_DIR", "LONGHAUL_PROJECT":
		values = []string{r.root}
	case "@", "*":
		if joined := strings.Join(e.args, " "); joined != "" {
			values = []string{joined}
		}
	}
	if p.Exp != nil {
		switch p.Exp.Op {
		case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
			more := r.word(p.Exp.Word, e)
			if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
				e.set(p.Param.Value, more)
			}
			return append(more, values...)
		case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
			return r.word(p.Exp.Word, e)
		case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		default:
			return none
		}
	}
	if len(values) == 0 {
		return none
	}
	return values
}

// output is what a command substitution prints, where the text tells it.
func (r *reader) output(stmts []*syntax.Stmt, e *env) []string {
	none := []string{string(unknown)}
	if len(stmts) != 1 || r.deep() {
		return none
	}
	r.depth++
	defer func() { r.depth-- }()
	words := r.prints(stmts[0], e)
	if len(words) == 0 || len(words) > maxTexts {
		return none
	}
	return words
}

// prints are the words that a command is known to print: names of files that it was told to list, texts that it was given.
func (r *reader) prints(s *syntax.Stmt, e *env) []string {
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			return r.prints(c.X, e)
		}
		return append(r.prints(c.X, e), r.prints(c.Y, e)...)
	case *syntax.CallExpr:
		for _, v := range vectors(r.fields(c.Args, e)) {
			if words := r.printed(v, s, e); len(words) > 0 {
				return words
			}
		}
	}
	return nil
}

func (r *reader) printed(v []string, s *syntax.Stmt, e *env) []string {
	args := operands(v[1:], "")
	each := func(change func(string) string) (out []string) {
		for _, a := range args {
			out = append(out, change(a))
		}
		return out
	}
	switch path.Base(v[0]) {
	case "echo", "realpath", "readlink":
		return each(func(a string) string { return a })
	case "printf":
		return append(each(func(a string) string { return a }), strings.Join(args, ""))
	case "dirname":
		return each(path.Dir)
	case "basename":
		return each(path.Base)
	case "pwd":
		return []string{e.dir}
	case "ls", "stat", "grep", "egrep", "rg", "fd":
		return each(func(a string) string { return a })
	case "cat":
		return []string{r.stdin(s, e)}
	case "find":
		found, _ := searched(v[1:], e.dir, r.home)
		return found
	case "git":
		if strings.Join(v[1:], " ") == "rev-parse --show-toplevel" {
			return []string{r.root}
		}
		if len(args) > 1 && args[0] == "ls-files" {
			return args[1:]
		}
	}
	return nil
}

// vectors are the argument lists that positions with several texts make.
func vectors(positions [][]string) [][]string {
	n := 0
	for _, p := range positions {
		n = max(n, len(p))
	}
	var out [][]string
	for i := range n {
		var v []string
		for _, p := range positions {
			if len(p) > 0 {
				v = append(v, p[min(i, len(p)-1)])
			}
		}
		if len(v) > 0 {
			out = append(out, v)
		}
	}
	return out
}
