package feature

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"
)

// naming gives ids to new features in the list's own style.
type naming struct {
	l        *List
	taken    map[string]bool
	series   map[string]*series // by what stands before the number
	prefixes map[string]string  // the series that new features of a category join
	none     bool               // the list has no ids
	free     func(int) string
	position int
}

// series is a run of ids that differ in the number they end with.
type series struct {
	highest string // decimal, without leading zeros
	width   int
	number  bool // the ids are JSON numbers
}

func (l *List) naming() *naming {
	n := &naming{l: l, taken: map[string]bool{}, series: map[string]*series{}, prefixes: map[string]string{}}
	positional := 0
	for i := range l.Features {
		f := &l.Features[i]
		n.taken[f.ID] = true
		if f.Positional {
			positional++
			n.position = max(n.position, positionNumber(f.ID))
			continue
		}
		n.learn(i)
	}
	n.none = positional*2 > len(l.Features)
	n.free = freePosition(n.taken)
	n.position = max(n.position, len(l.Features))
	return n
}

// learn adds a feature's id to its series.
func (n *naming) learn(i int) {
	prefix, digits := splitNumber(n.l.Features[i].ID)
	if digits == "" {
		return
	}
	s := n.series[prefix]
	if s == nil {
		s = &series{highest: "0", width: len(digits)}
		n.series[prefix] = s
	}
	if more := strings.TrimLeft(digits, "0"); larger(more, s.highest) {
		s.highest = more
	}
	s.width = min(s.width, len(digits))
	v := n.l.member(int(n.l.records[i].object), "id")
	s.number = v >= 0 && n.l.nodes[v].kind == number
}

// splitNumber splits the digits off the end of an id.
func splitNumber(id string) (prefix, digits string) {
	end := len(id)
	for end > 0 && id[end-1] >= '0' && id[end-1] <= '9' {
		end--
	}
	return id[:end], id[end:]
}

func larger(a, b string) bool {
	return len(a) > len(b) || len(a) == len(b) && a > b
}

// next returns the id of a new feature and the JSON to write, "" for a list
// without ids.
func (n *naming) next(item *Item) (id, raw string, err error) {
	switch {
	case n.none:
		n.position++
		id = n.free(n.position)
		n.position = positionNumber(id)
		return id, "", nil
	case item.ID != "":
		id = item.ID
		if n.taken[id] {
			return "", "", &RuleError{Rule: "duplicate-id", ID: id, Detail: "the list has this id already"}
		}
		prefix, digits := splitNumber(id)
		if s := n.series[prefix]; s != nil && larger(strings.TrimLeft(digits, "0"), s.highest) {
			s.highest = strings.TrimLeft(digits, "0")
		}
	default:
		id = n.make(item)
	}
	n.taken[id] = true
	prefix, _ := splitNumber(id)
	if s := n.series[prefix]; s != nil && s.number && prefix == "" && gjson.Valid(id) {
		return id, id, nil
	}
	return id, quote(id, n.l.ascii), nil
}

func (n *naming) make(item *Item) string {
	if len(n.l.Features) == 0 {
		if n.series["F"] == nil {
			n.series["F"] = &series{highest: "0", width: 3}
		}
		n.prefixes[item.Category] = "F"
	}
	prefix, ok := n.prefixes[item.Category]
	if !ok {
		prefix, ok = n.choose(item.Category)
		if !ok {
			return n.slug(item)
		}
		n.prefixes[item.Category] = prefix
	}
	s := n.series[prefix]
	for {
		s.highest = increment(s.highest)
		id := prefix + strings.Repeat("0", max(0, s.width-len(s.highest))) + s.highest
		if !n.taken[id] {
			return id
		}
	}
}

// choose picks the series that most features of the last group have, else
// those of the category, else all.
func (n *naming) choose(category string) (prefix string, ok bool) {
	groups := [][]int{n.lastGroup(), n.inCategory(category), n.all()}
	for _, members := range groups {
		if prefix, ok := n.majority(members); ok {
			return prefix, true
		}
	}
	return "", false
}

func (n *naming) lastGroup() (members []int) {
	if len(n.l.containers) < 2 {
		return nil
	}
	last := n.l.containers[len(n.l.containers)-1]
	for i := last.from; i < last.to; i++ {
		members = append(members, i)
	}
	return members
}

func (n *naming) inCategory(category string) (members []int) {
	for i := range n.l.Features {
		if category != "" && n.l.Features[i].Category == category {
			members = append(members, i)
		}
	}
	return members
}

func (n *naming) all() (members []int) {
	for i := range n.l.Features {
		members = append(members, i)
	}
	return members
}

// majority returns the series that most members belong to, the later one of
// equals; none when most ids end without a number.
func (n *naming) majority(members []int) (best string, ok bool) {
	count, last, numbered := map[string]int{}, map[string]int{}, 0
	for _, i := range members {
		prefix, digits := splitNumber(n.l.Features[i].ID)
		if digits == "" || n.l.Features[i].Positional {
			continue
		}
		numbered++
		count[prefix]++
		last[prefix] = i
	}
	for prefix, c := range count {
		if !ok || c > count[best] || c == count[best] && last[prefix] > last[best] {
			best, ok = prefix, true
		}
	}
	return best, ok && numbered*2 >= len(members)
}

// increment adds one to a decimal number of any length.
func increment(digits string) string {
	if n, err := strconv.Atoi(digits); err == nil && len(digits) < 18 {
		return strconv.Itoa(n + 1)
	}
	out := []byte(digits)
	for i := len(out) - 1; i >= 0; i-- {
		if out[i] != '9' {
			out[i]++
			return string(out)
		}
		out[i] = '0'
	}
	return "1" + string(out)
}

// slug makes an id of the description's first words, after the dotted path
// that the list's ids start with, if they do.
func (n *naming) slug(item *Item) string {
	last, dotted, joiner := "", 0, "-"
	for i := range n.l.Features {
		id := n.l.Features[i].ID
		if strings.Contains(id, ".") {
			dotted++
		}
		if n.l.Features[i].Category == item.Category || last == "" || item.Category == "" {
			last = id
		}
		if strings.Contains(id, "_") && !strings.Contains(id, "-") {
			joiner = "_"
		}
	}
	base := words(item.Description, joiner, 5)
	if dotted*2 > len(n.l.Features) {
		path := last[:strings.LastIndexByte(last, '.')+1]
		base = path + words(item.Description, joiner, 3)
	}
	if !slices.Contains([]string{"", "."}, base) && !n.taken[base] {
		return base
	}
	if base == "" {
		base = "feature"
	}
	for i := 2; ; i++ {
		if id := fmt.Sprintf("%s%s%d", base, joiner, i); !n.taken[id] {
			return id
		}
	}
}

// words joins the first words of a text, letters and digits only.
func words(text, joiner string, limit int) string {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	out, size := list[:0], 0
	for _, w := range list {
		if len(out) == limit || size > 40 {
			break
		}
		out, size = append(out, clipWord(w)), size+len(w)
	}
	return strings.Join(out, joiner)
}

func clipWord(w string) string {
	r := []rune(w)
	return string(r[:min(len(r), 24)])
}
