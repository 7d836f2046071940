package feature

import "strings"

// style is how a list writes an object: the white space around its parts.
type style struct {
	open, gap, shut             string // after {, after a comma, before }
	colon                       string // between key and value, the colon included
	listOpen, listGap, listShut string // the same of a list of strings
	ascii                       bool
}

// field is one key of a new feature; a list holds raw JSON values.
type field struct {
	key    string
	role   role
	raw    string
	list   []string
	isList bool
	inline bool // a list on one line
}

// object writes the fields in the style.
func (s *style) object(fields []field) string {
	var b strings.Builder
	b.WriteString("{" + s.open)
	for i, f := range fields {
		if i > 0 {
			b.WriteString("," + s.gap)
		}
		b.WriteString(quote(f.key, s.ascii) + s.colon)
		if f.isList && f.inline {
			b.WriteString("[" + strings.Join(f.list, ", ") + "]")
		} else if f.isList {
			s.writeList(&b, f.list)
		} else {
			b.WriteString(f.raw)
		}
	}
	b.WriteString(s.shut + "}")
	return b.String()
}

func (s *style) writeList(b *strings.Builder, list []string) {
	if len(list) == 0 {
		b.WriteString("[]")
		return
	}
	b.WriteString("[" + s.listOpen + strings.Join(list, ","+s.listGap) + s.listShut + "]")
}

// indented is the style of an object whose line starts with indent.
func indented(eol, indent, unit string) style {
	inner := eol + indent + unit
	return style{
		open: inner, gap: inner, shut: eol + indent, colon: ": ",
		listOpen: inner + unit, listGap: inner + unit, listShut: inner,
	}
}

// oneLine is the style of an object in a list without line breaks.
func oneLine(gap, colon string) style {
	return style{gap: gap, colon: colon, listGap: gap}
}

// styleOf reads the style off an object of the list.
func (l *List) styleOf(obj int) style {
	var keys []int
	l.each(obj, func(k, _ int) { keys = append(keys, k) })
	if len(keys) == 0 {
		return indented(l.eol(), l.indent(obj), l.unit())
	}
	n := l.nodes
	s := style{
		open:  l.src[n[obj].start+1 : n[keys[0]].start],
		colon: l.src[n[keys[0]].end:n[keys[0]+1].start],
		shut:  l.src[n[keys[len(keys)-1]+1].end : n[obj].end-1],
	}
	s.gap = l.commonGap(keys, s.open)
	s.listOpen, s.listGap, s.listShut = "", " ", ""
	if list := l.exampleList(obj); list >= 0 {
		l.listStyle(&s, list)
		return s
	}
	if strings.Contains(s.gap, "\n") {
		s.listOpen, s.listGap, s.listShut = s.gap+l.unit(), s.gap+l.unit(), s.gap
	} else {
		s.listGap = s.gap
	}
	return s
}

// commonGap returns the white space that most often follows a comma between
// members; alone, a member says nothing, and the space after { stands in.
func (l *List) commonGap(keys []int, open string) string {
	if len(keys) == 1 {
		if strings.Contains(open, "\n") {
			return open
		}
		return " "
	}
	count, best := map[string]int{}, ""
	for i := range keys[1:] {
		gap := afterComma(l.src[l.nodes[keys[i]+1].end:l.nodes[keys[i+1]].start])
		count[gap]++
		if i == 0 || count[gap] > count[best] {
			best = gap
		}
	}
	return best
}

// exampleList finds a list that shows how lists are written: in this object
// one of several elements, or one of an object near the end of the list.
func (l *List) exampleList(obj int) int {
	if list := l.listIn(obj); list >= 0 {
		return list
	}
	for i := len(l.records) - 1; i >= max(0, len(l.records)-200); i-- {
		if list := l.listIn(int(l.records[i].object)); list >= 0 {
			return list
		}
	}
	return -1
}

func (l *List) listIn(obj int) (list int) {
	list = -1
	best := 0
	l.each(obj, func(_, v int) {
		if l.nodes[v].kind != array {
			return
		}
		size := l.size(v)
		if size > best && l.nodes[l.first(v)].kind != object {
			list, best = v, size
		}
	})
	return list
}

func (l *List) listStyle(s *style, list int) {
	first := l.first(list)
	last, second := first, -1
	for e := l.after(first); e < l.after(list); e = l.after(e) {
		if second < 0 {
			second = e
		}
		last = e
	}
	s.listOpen = l.src[l.nodes[list].start+1 : l.nodes[first].start]
	s.listShut = l.src[l.nodes[last].end : l.nodes[list].end-1]
	switch {
	case second >= 0:
		s.listGap = afterComma(l.src[l.nodes[first].end:l.nodes[second].start])
	case strings.Contains(s.listOpen, "\n"):
		s.listGap = s.listOpen
	}
}

// eol returns the line end that the list uses.
func (l *List) eol() string {
	i := strings.IndexByte(l.src, '\n')
	switch {
	case i > 0 && l.src[i-1] == '\r':
		return "\r\n"
	case i < 0 && strings.Contains(l.src, "\r"):
		return "\r"
	}
	return "\n"
}

// indent returns the white space at the start of the line that a node starts on.
func (l *List) indent(n int) string {
	start := strings.LastIndexAny(l.src[:l.nodes[n].start], "\r\n") + 1
	line := strings.TrimPrefix(l.src[start:l.nodes[n].start], bom)
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// unit returns one step of indentation: that of the first indented line.
func (l *List) unit() string {
	rest := l.src
	for {
		i := strings.IndexAny(rest, "\r\n")
		if i < 0 {
			return "  "
		}
		rest = strings.TrimLeft(rest[i:], "\r\n")
		if space := rest[:len(rest)-len(strings.TrimLeft(rest, " \t"))]; space != "" {
			return space
		}
	}
}
