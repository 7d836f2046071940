package feature

import "math/bits"

// The bounds of what is read. A node deeper than maxNodes levels is checked
// but not kept: the deepest thing of interest is the text of a step of a
// feature in a group of a group.
const (
	maxDepth = 1000
	maxNodes = 12
	maxBytes = 1 << 30

	// maxValues bounds the memory that a file of nothing but small values
	// takes; a list of features has one value in 20 to 30 bytes.
	maxValues = 1 << 20
)

type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	array
	object
)

func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// node is the span of one JSON value. An object's children are key, value,
// key, value …; a key is a text node.
type node struct {
	start, end uint32
	next       uint32 // index of the node after this one and all below it
	kind       kind
	escaped    bool // a text with a backslash in it
}

// scanner reads a JSON document once: it checks the grammar of RFC 8259 and
// keeps the span of every value.
type scanner struct {
	src   string
	pos   int
	nodes []node
	open  []int // offsets of the containers that are open
	fault *fault
}

// fault is where and why a scan stopped.
type fault struct {
	pos   int
	cause string
	cut   bool // the text ended too early
	tail  bool // the document is complete, but more follows
}

// scan returns the nodes of the document in src that starts at from.
func scan(src string, from int) ([]node, *fault) {
	s := scanner{src: src, pos: from, nodes: make([]node, 0, len(src)/20+8)}
	s.space()
	if !s.value() {
		return nil, s.fault
	}
	s.space()
	if s.pos < len(src) {
		return nil, &fault{pos: s.pos, cause: "more data after the end of the JSON document", tail: true}
	}
	return s.nodes, nil
}

func (s *scanner) fail(cause string) bool {
	s.fault = &fault{pos: s.pos, cause: cause}
	if s.pos >= len(s.src) {
		s.fault.pos = len(s.src)
		s.fault.cut = true
	}
	return false
}

func (s *scanner) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\n', '\t', '\r':
			s.pos++
		default:
			return
		}
	}
}

// begin opens a node and returns its index, or -1 when it lies too deep to be kept.
func (s *scanner) begin(k kind) int {
	if len(s.open) > maxNodes {
		return -1
	}
	s.nodes = append(s.nodes, node{start: uint32(s.pos), kind: k})
	return len(s.nodes) - 1
}

func (s *scanner) finish(n int) bool {
	if n >= 0 {
		s.nodes[n].end = uint32(s.pos)
		s.nodes[n].next = uint32(len(s.nodes))
	}
	return true
}

func (s *scanner) value() bool {
	if s.pos >= len(s.src) {
		return s.fail("a value is missing")
	}
	if len(s.nodes) > maxValues {
		return s.fail("more than a million values")
	}
	switch c := s.src[s.pos]; {
	case c == '"':
		return s.text()
	case c == '{':
		return s.object()
	case c == '[':
		return s.array()
	case c == 't':
		return s.literal("true", boolean)
	case c == 'f':
		return s.literal("false", boolean)
	case c == 'n':
		return s.literal("null", null)
	case c == '-', c >= '0' && c <= '9':
		return s.number()
	}
	return s.fail("a value is missing")
}

func (s *scanner) object() bool {
	if len(s.open) >= maxDepth {
		return s.fail("nested too deep")
	}
	n := s.begin(object)
	s.open = append(s.open, s.pos)
	s.pos++
	s.space()
	if s.pos < len(s.src) && s.src[s.pos] == '}' {
		return s.close(n)
	}
	for {
		if s.pos >= len(s.src) || s.src[s.pos] != '"' {
			return s.fail("a key in double quotes is missing")
		}
		if !s.text() {
			return false
		}
		s.space()
		if s.pos >= len(s.src) || s.src[s.pos] != ':' {
			return s.fail("a colon is missing after the key")
		}
		s.pos++
		s.space()
		if !s.value() {
			return false
		}
		if more, ok := s.comma('}'); !ok {
			return false
		} else if !more {
			return s.close(n)
		}
	}
}

func (s *scanner) array() bool {
	if len(s.open) >= maxDepth {
		return s.fail("nested too deep")
	}
	n := s.begin(array)
	s.open = append(s.open, s.pos)
	s.pos++
	s.space()
	if s.pos < len(s.src) && s.src[s.pos] == ']' {
		return s.close(n)
	}
	for {
		if !s.value() {
			return false
		}
		if more, ok := s.comma(']'); !ok {
			return false
		} else if !more {
			return s.close(n)
		}
	}
}

// comma steps over the comma after a value, or stands at the closing bracket.
func (s *scanner) comma(closing byte) (more, ok bool) {
	s.space()
	if s.pos >= len(s.src) {
		return false, s.fail("")
	}
	switch s.src[s.pos] {
	case closing:
		return false, true
	case ',':
	default:
		return false, s.fail("a comma or " + string(closing) + " is missing")
	}
	comma := s.pos
	s.pos++
	s.space()
	if s.pos < len(s.src) && s.src[s.pos] == closing {
		s.pos = comma
		return false, s.fail("a comma before " + string(closing))
	}
	return true, true
}

func (s *scanner) close(n int) bool {
	s.pos++
	s.open = s.open[:len(s.open)-1]
	return s.finish(n)
}

func (s *scanner) literal(word string, k kind) bool {
	if len(s.src)-s.pos < len(word) || s.src[s.pos:s.pos+len(word)] != word {
		if word[:min(len(word), len(s.src)-s.pos)] == s.src[s.pos:] {
			s.pos = len(s.src)
		}
		return s.fail("a value is missing")
	}
	n := s.begin(k)
	s.pos += len(word)
	return s.finish(n)
}

func (s *scanner) number() bool {
	n := s.begin(number)
	if s.src[s.pos] == '-' {
		s.pos++
	}
	leading := s.pos < len(s.src) && s.src[s.pos] == '0'
	if digits := s.digits(); digits == 0 || leading && digits > 1 {
		return s.fail("not a number as JSON writes it")
	}
	if s.pos < len(s.src) && s.src[s.pos] == '.' {
		s.pos++
		if s.digits() == 0 {
			return s.fail("not a number as JSON writes it")
		}
	}
	if s.pos < len(s.src) && (s.src[s.pos] == 'e' || s.src[s.pos] == 'E') {
		s.pos++
		if s.pos < len(s.src) && (s.src[s.pos] == '+' || s.src[s.pos] == '-') {
			s.pos++
		}
		if s.digits() == 0 {
			return s.fail("not a number as JSON writes it")
		}
	}
	return s.finish(n)
}

func (s *scanner) digits() int {
	from := s.pos
	for s.pos < len(s.src) && s.src[s.pos] >= '0' && s.src[s.pos] <= '9' {
		s.pos++
	}
	return s.pos - from
}

func (s *scanner) text() bool {
	n := s.begin(text)
	start := s.pos
	s.pos++
	for {
		s.plain()
		if s.pos >= len(s.src) {
			return s.fail("")
		}
		switch s.src[s.pos] {
		case '"':
			s.pos++
			return s.finish(n)
		case '\\':
			if n >= 0 {
				s.nodes[n].escaped = true
			}
			if !s.escape() {
				return false
			}
		case '\n', '\r':
			s.pos = start
			return s.fail("a string is not closed on its line")
		default:
			return s.fail("a control character in a string")
		}
	}
}

// plain steps over the characters of a string up to the next quote,
// backslash or control character, eight at a time.
func (s *scanner) plain() {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	src, i := s.src, s.pos
	for ; i+8 <= len(src); i += 8 {
		b := src[i : i+8]
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		// The lowest bit that is set is right; those above it may be echoes.
		hit := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & highs
		if hit != 0 {
			s.pos = i + bits.TrailingZeros64(hit)/8
			return
		}
	}
	for i < len(src) && src[i] != '"' && src[i] != '\\' && src[i] >= ' ' {
		i++
	}
	s.pos = i
}

func (s *scanner) escape() bool {
	s.pos++
	if s.pos >= len(s.src) {
		return s.fail("")
	}
	switch s.src[s.pos] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
		return true
	case 'u':
		s.pos++
		for range 4 {
			if s.pos >= len(s.src) || !hexDigit(s.src[s.pos]) {
				return s.fail(`\u needs four hexadecimal digits`)
			}
			s.pos++
		}
		return true
	}
	s.pos--
	return s.fail("a backslash that escapes nothing")
}

func hexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
