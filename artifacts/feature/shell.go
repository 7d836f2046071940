package feature

import "strings"

// command is a simple command of a shell line, or a group of them, and what
// stands before it.
type command struct {
	before string   // ";", "&&", "||", "|", "&", ";;" or "" for the first
	words  []string // quotes removed
	quoted []string // for each word its text when it was quoted, else ""
	group  []command
	behind bool // the group's last command runs in the background
}

// shell reads a command line as far as its lists and groups go. What stands
// in quotes, comments, here-documents and substitutions is no command of it.
type shell struct {
	src     string
	pos     int
	heredoc []string
	depth   int
}

// split returns the commands of a line and whether the last runs in the background.
func split(line string) (list []command, background bool) {
	s := &shell{src: line}
	return s.list("")
}

// list reads commands up to the closing bracket, or to the end for "".
func (s *shell) list(closing string) (list []command, background bool) {
	before := ""
	var c command
	end := func(operator string) {
		if len(c.words) > 0 || c.group != nil {
			c.before = before
			list = append(list, c)
			before, background = operator, operator == "&"
		} else if operator != ";" {
			before = operator
		}
		c = command{}
	}
	for s.pos < len(s.src) {
		switch b := s.src[s.pos]; {
		case b == ' ' || b == '\t' || b == '\r':
			s.pos++
		case strings.HasPrefix(s.src[s.pos:], "\\\n"):
			s.pos += 2
		case strings.HasPrefix(s.src[s.pos:], "\\\r\n"):
			s.pos += 3
		case b == '\n':
			s.pos++
			s.skipHeredocs()
			end(";")
		case b == '#':
			s.skipLine()
		case b == ';' || b == '&' || b == '|':
			if s.redirects() {
				c.add(s.word())
				continue
			}
			end(s.operator())
		case b == '(' && s.depth < 100:
			s.pos++
			s.depth++
			c.group, c.behind = s.list(")")
			s.depth--
		case b == '(':
			s.pos++ // nested deeper than any check: no group of its own
		case b == ')':
			s.pos++
			if closing == ")" {
				last := background
				end(";")
				return list, last && background
			}
			end(";;") // the pattern of a case
		default:
			s.wordOrGroup(&c)
			if closing == "}" && len(c.words) == 1 && c.words[0] == "}" {
				c.words = nil
				end(";")
				return list, background
			}
		}
	}
	if len(c.words) > 0 || c.group != nil {
		end("")
	}
	return list, background
}

// wordOrGroup reads the next word, or a group if it is a lone brace.
func (s *shell) wordOrGroup(c *command) {
	word, quoted := s.word()
	if word == "{" && quoted == "" && len(c.words) == 0 && s.depth < 100 {
		s.depth++
		c.group, c.behind = s.list("}")
		s.depth--
		return
	}
	c.add(word, quoted)
}

func (c *command) add(word, quoted string) {
	c.words = append(c.words, word)
	c.quoted = append(c.quoted, quoted)
}

// redirects reports that "&" at pos is part of a redirection: &> or &>>.
func (s *shell) redirects() bool { return strings.HasPrefix(s.src[s.pos:], "&>") }

func (s *shell) operator() string {
	for _, op := range []string{"&&", "||", ";;", "|&", ";", "&", "|"} {
		if strings.HasPrefix(s.src[s.pos:], op) {
			s.pos += len(op)
			return strings.TrimSuffix(op, "|&") + strings.Repeat("|", strings.Count(op, "|&"))
		}
	}
	return ""
}

func (s *shell) skipLine() {
	if i := strings.IndexByte(s.src[s.pos:], '\n'); i >= 0 {
		s.pos += i
		return
	}
	s.pos = len(s.src)
}

// skipHeredocs steps over the bodies of the here-documents begun on the line above.
func (s *shell) skipHeredocs() {
	for _, mark := range s.heredoc {
		for s.pos < len(s.src) {
			line, _, _ := strings.Cut(s.src[s.pos:], "\n")
			s.pos = min(s.pos+len(line)+1, len(s.src))
			if strings.TrimSpace(line) == mark {
				break
			}
		}
	}
	s.heredoc = nil
}

// word reads one word with its quotes removed; quoted is the text of its
// quoted parts.
func (s *shell) word() (word, quoted string) {
	var b, q strings.Builder
	start := s.pos
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case strings.HasPrefix(s.src[s.pos:], "&>"):
			b.WriteString("&>")
			s.pos += 2
			continue
		case c == '&' && s.pos > start && (s.src[s.pos-1] == '>' || s.src[s.pos-1] == '<'):
			b.WriteByte(c)
			s.pos++
			continue
		case c == '|' && s.pos > start && s.src[s.pos-1] == '>':
			b.WriteByte(c)
			s.pos++
			continue
		case strings.IndexByte(" \t\r\n;&|()", c) >= 0:
			s.noteHeredoc(b.String())
			return b.String(), q.String()
		case c == '\'':
			text := s.single()
			b.WriteString(text)
			q.WriteString(text)
		case c == '"':
			text := s.double()
			b.WriteString(text)
			q.WriteString(text)
		case c == '`':
			s.backtick()
			b.WriteString("``")
		case strings.HasPrefix(s.src[s.pos:], "$("), strings.HasPrefix(s.src[s.pos:], "<("), strings.HasPrefix(s.src[s.pos:], ">("):
			s.pos += 2
			s.substitution()
			b.WriteString("$()")
		case strings.HasPrefix(s.src[s.pos:], "${"):
			s.pos += 2
			s.braces()
			b.WriteString("${}")
		case c == '\\' && s.pos+1 < len(s.src):
			if s.src[s.pos+1] != '\n' {
				b.WriteByte(s.src[s.pos+1])
			}
			s.pos += 2
		default:
			b.WriteByte(c)
			s.pos++
		}
	}
	s.noteHeredoc(b.String())
	return b.String(), q.String()
}

// noteHeredoc remembers the mark of a here-document, <<MARK or << MARK.
func (s *shell) noteHeredoc(word string) {
	_, mark, ok := strings.Cut(word, "<<")
	if !ok || strings.HasPrefix(mark, "<") {
		return
	}
	mark = strings.TrimPrefix(mark, "-")
	for mark == "" && s.pos < len(s.src) && (s.src[s.pos] == ' ' || s.src[s.pos] == '\t') {
		s.pos++
	}
	if mark == "" {
		mark, _ = s.word()
	}
	if mark != "" {
		s.heredoc = append(s.heredoc, mark)
	}
}

func (s *shell) single() string {
	text, _, ok := strings.Cut(s.src[s.pos+1:], "'")
	s.pos += len(text) + 1
	if ok {
		s.pos++
	}
	return text
}

func (s *shell) double() string {
	var b strings.Builder
	for s.pos++; s.pos < len(s.src); {
		switch c := s.src[s.pos]; {
		case c == '"':
			s.pos++
			return b.String()
		case c == '\\' && s.pos+1 < len(s.src):
			b.WriteByte(s.src[s.pos+1])
			s.pos += 2
		case strings.HasPrefix(s.src[s.pos:], "$("):
			s.pos += 2
			s.substitution()
		case c == '`':
			s.backtick()
		default:
			b.WriteByte(c)
			s.pos++
		}
	}
	return b.String()
}

func (s *shell) backtick() {
	for s.pos++; s.pos < len(s.src) && s.src[s.pos] != '`'; s.pos++ {
		if s.src[s.pos] == '\\' {
			s.pos++
		}
	}
	s.pos = min(s.pos+1, len(s.src))
}

// substitution steps over a command substitution: its status is not the line's.
func (s *shell) substitution() {
	if s.depth >= 100 {
		s.pos = len(s.src)
		return
	}
	s.depth++
	s.list(")")
	s.depth--
}

func (s *shell) braces() {
	for depth := 1; s.pos < len(s.src) && depth > 0; s.pos++ {
		switch s.src[s.pos] {
		case '{':
			depth++
		case '}':
			depth--
		case '\\':
			s.pos++
		}
	}
	s.pos = min(s.pos, len(s.src))
}
