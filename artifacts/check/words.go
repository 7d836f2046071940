package check

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// within follows the commands in the substitutions of a node. The status of the last of them stays.
func (e *eval) within(n syntax.Node) func(state) []state {
	return func(s state) []state {
		ways := []state{s}
		for _, list := range substitutions(n) {
			ways = each(ways, func(s state) []state {
				if e.deep() {
					return []state{s}
				}
				return e.apart(s, func(s state) []state { return e.list(list, []state{s}, false) })
			})
		}
		return ways
	}
}

// substitutions are the outermost command and process substitutions of a node, in order.
func substitutions(n syntax.Node) (lists [][]*syntax.Stmt) {
	if w, ok := n.(*syntax.Word); ok && w == nil {
		return nil
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			lists = append(lists, n.Stmts)
			return false
		case *syntax.ProcSubst:
			lists = append(lists, n.Stmts)
			return false
		}
		return true
	})
	return lists
}

// assign follows NAME=VALUE.
func (s *state) assign(a *syntax.Assign) {
	if a.Name == nil || a.Naked {
		return
	}
	value, known := "", true
	if a.Value != nil {
		value, known = expand(a.Value, *s)
	}
	s.set(a.Name.Value, value, known && !a.Append && a.Index == nil && a.Array == nil)
}

// expand is the text of a word, if the line alone tells it.
func expand(w *syntax.Word, s state) (text string, known bool) {
	if w == nil {
		return "", true
	}
	var b strings.Builder
	known = true
	expandParts(w.Parts, s, &b, &known)
	return b.String(), known
}

func expandParts(parts []syntax.WordPart, s state, b *strings.Builder, known *bool) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			expandParts(p.Parts, s, b, known)
		case *syntax.ParamExp:
			value, ok := parameter(p, s)
			b.WriteString(value)
			*known = *known && ok
		case *syntax.ArithmExp:
			value, ok := arithm(p.X, &s)
			b.WriteString(strconv.Itoa(value))
			*known = *known && ok
		default:
			*known = false
		}
	}
}

// unescape takes the backslashes out of unquoted text.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if i++; text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func parameter(p *syntax.ParamExp, s state) (value string, known bool) {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.IsSet || p.Slice != nil || p.Repl != nil || p.Names != 0 {
		return "", false
	}
	if p.Index != nil {
		w, ok := p.Index.(*syntax.Word)
		if !ok || p.Exp != nil {
			return "", false
		}
		at, err := strconv.Atoi(w.Lit())
		if p.Param.Value == "PIPESTATUS" && err == nil && at >= 0 && at < len(s.pipe) {
			return s.pipe[at : at+1], true
		}
		return "", false
	}
	value, known = s.special(p.Param.Value)
	if p.Exp == nil {
		return value, known
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if known && value != "" {
			return value, true
		}
	}
	return "", false
}

// arithm is the value of an arithmetic expression, if the line alone tells it. Assignments in it are followed.
func arithm(x syntax.ArithmExpr, s *state) (value int, known bool) {
	switch x := x.(type) {
	case *syntax.Word:
		text, known := expand(x, *s)
		if known && text != "" && isName(text) {
			text, known = s.variable(text)
		}
		n, err := strconv.Atoi(strings.TrimSpace(text))
		return n, known && err == nil
	case *syntax.ParenArithm:
		return arithm(x.X, s)
	case *syntax.UnaryArithm:
		return unary(x, s)
	case *syntax.BinaryArithm:
		return binaryArithm(x, s)
	}
	return 0, false
}

func isName(text string) bool {
	return strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == "" && strings.IndexByte("0123456789", text[0]) < 0
}

func unary(x *syntax.UnaryArithm, s *state) (int, bool) {
	value, known := arithm(x.X, s)
	switch x.Op {
	case syntax.Not:
		return 1 - truthless(value), known
	case syntax.Minus:
		return -value, known
	case syntax.Plus:
		return value, known
	case syntax.Inc, syntax.Dec:
		next := value + 1
		if x.Op == syntax.Dec {
			next = value - 1
		}
		next = max(min(next, 3), -3) // few values keep the ways few
		assignTo(x.X, s, next, known)
		if x.Post {
			return value, known
		}
		return next, known
	}
	return 0, false
}

// truthless is 1 for any value but 0.
func truthless(n int) int {
	if n != 0 {
		return 1
	}
	return 0
}

func assignTo(target syntax.ArithmExpr, s *state, value int, known bool) {
	if w, ok := target.(*syntax.Word); ok {
		s.set(w.Lit(), strconv.Itoa(value), known)
	}
}

func binaryArithm(x *syntax.BinaryArithm, s *state) (int, bool) {
	if op, ok := assigning[x.Op]; ok {
		right, known := arithm(x.Y, s)
		if x.Op != syntax.Assgn {
			left, also := arithm(x.X, s)
			right, known = op(left, right), known && also
		}
		assignTo(x.X, s, right, known)
		return right, known
	}
	left, a := arithm(x.X, s)
	right, b := arithm(x.Y, s)
	if op, ok := operators[x.Op]; ok {
		return op(left, right), a && b
	}
	return 0, false
}

var operators = map[syntax.BinAritOperator]func(a, b int) int{
	syntax.Add:     func(a, b int) int { return a + b },
	syntax.Sub:     func(a, b int) int { return a - b },
	syntax.Mul:     func(a, b int) int { return a * b },
	syntax.Or:      func(a, b int) int { return a | b },
	syntax.And:     func(a, b int) int { return a & b },
	syntax.Eql:     func(a, b int) int { return 1 - truth(a == b) },
	syntax.Neq:     func(a, b int) int { return 1 - truth(a != b) },
	syntax.Lss:     func(a, b int) int { return 1 - truth(a < b) },
	syntax.Gtr:     func(a, b int) int { return 1 - truth(a > b) },
	syntax.Leq:     func(a, b int) int { return 1 - truth(a <= b) },
	syntax.Geq:     func(a, b int) int { return 1 - truth(a >= b) },
	syntax.AndArit: func(a, b int) int { return 1 - truth(a != 0 && b != 0) },
	syntax.OrArit:  func(a, b int) int { return 1 - truth(a != 0 || b != 0) },
	syntax.Comma:   func(_, b int) int { return b },
}

var assigning = map[syntax.BinAritOperator]func(a, b int) int{
	syntax.Assgn:    nil,
	syntax.AddAssgn: operators[syntax.Add],
	syntax.SubAssgn: operators[syntax.Sub],
	syntax.OrAssgn:  operators[syntax.Or],
	syntax.AndAssgn: operators[syntax.And],
	syntax.MulAssgn: operators[syntax.Mul],
}

// testExpr is the end of [[ … ]], if the line alone tells it.
func testExpr(x syntax.TestExpr, s state) (yes, known bool) {
	switch x := x.(type) {
	case *syntax.Word:
		text, known := expand(x, s)
		return text != "", known
	case *syntax.ParenTest:
		return testExpr(x.X, s)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			yes, known := testExpr(x.X, s)
			return !yes, known
		}
		if w, ok := x.X.(*syntax.Word); ok {
			text, known := expand(w, s)
			return testWords([]string{x.Op.String(), text}, known)
		}
	case *syntax.BinaryTest:
		left, leftWord := x.X.(*syntax.Word)
		right, rightWord := x.Y.(*syntax.Word)
		if leftWord && rightWord && x.Op != syntax.AndTest && x.Op != syntax.OrTest {
			a, knowA := expand(left, s)
			b, knowB := expand(right, s)
			return testWords([]string{a, x.Op.String(), b}, knowA && knowB)
		}
		a, knowA := testExpr(x.X, s)
		b, knowB := testExpr(x.Y, s)
		switch x.Op {
		case syntax.AndTest:
			return a && b, knowA && knowB || knowA && !a || knowB && !b
		case syntax.OrTest:
			return a || b, knowA && knowB || knowA && a || knowB && b
		}
	}
	return false, false
}

// testWords is the end of test(1), if its words alone tell it.
func testWords(words []string, known bool) (yes, sure bool) {
	if len(words) > 0 && words[0] == "!" {
		yes, sure = testWords(words[1:], known)
		return !yes, sure
	}
	if slices.Contains(words, "-a") || slices.Contains(words, "-o") {
		return false, false
	}
	switch len(words) {
	case 0:
		return false, true
	case 1:
		return words[0] != "", known
	case 2:
		switch words[0] {
		case "-n":
			return words[1] != "", known
		case "-z":
			return words[1] == "", known
		case "-e", "-d", "-r", "-x":
			if slices.Contains([]string{".", "..", "/", "./"}, words[1]) {
				return true, known
			}
		}
	case 3:
		a, errA := strconv.Atoi(words[0])
		b, errB := strconv.Atoi(words[2])
		numbers := known && errA == nil && errB == nil
		switch words[1] {
		case "=", "==":
			return words[0] == words[2], known && !strings.ContainsAny(words[2], "*?[")
		case "!=":
			return words[0] != words[2], known && !strings.ContainsAny(words[2], "*?[")
		case "-eq":
			return a == b, numbers
		case "-ne":
			return a != b, numbers
		case "-lt":
			return a < b, numbers
		case "-le":
			return a <= b, numbers
		case "-gt":
			return a > b, numbers
		case "-ge":
			return a >= b, numbers
		}
	}
	return false, false
}
