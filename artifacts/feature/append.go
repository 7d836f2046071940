package feature

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// role is what a key of a new feature stands for; new keys follow this order.
type role int

const (
	roleID role = iota
	roleCategory
	rolePriority
	roleTitle
	roleText
	roleSteps
	roleCheck
	roleCwd
	roleFiles
	roleDepends
	roleOther
	roleState
	roleStamp
)

// Append returns the list with new features after the last one, in the last
// group, in the style, indentation and key order of the feature before, and
// their ids in the style of the list's own. A list without ids gets none: the
// ids returned are then positions.
func (l *List) Append(items []Item) (out []byte, ids []string, err error) {
	if len(items) == 0 {
		return l.Bytes(), nil, nil
	}
	l.ascii = l.asciiOnly()
	n := l.naming()
	in := l.containers[len(l.containers)-1]
	p := l.printer(in)
	var texts []string
	var added []record
	for i := range items {
		id, raw, err := n.next(&items[i])
		if err != nil {
			return nil, nil, err
		}
		text := p.style.object(p.fields(&items[i], raw))
		rec, err := restate(text)
		if err != nil {
			return nil, nil, err
		}
		ids, added = append(ids, id), append(added, rec)
		texts = append(texts, p.entry(id, i, text))
	}
	edits := append(l.recount(&amend{index: -1, added: added}, nil), p.insert(texts))
	out = apply(l.src, edits)
	if err := l.check(out); err != nil {
		return nil, nil, err
	}
	return out, ids, nil
}

// printer writes new features into one container.
type printer struct {
	*List
	in    container
	style style
	like  int // the feature that new ones look like, -1 in an empty list
	size  int // of the container

	inlines map[string]bool // by key: lists stand on one line
}

func (l *List) printer(in container) *printer {
	p := &printer{List: l, in: in, like: len(l.Features) - 1, size: l.size(in.node), inlines: map[string]bool{}}
	switch {
	case p.like >= 0:
		p.style = l.styleOf(int(l.records[p.like].object))
	case l.flat():
		gap := ""
		colon := ":"
		if strings.Contains(l.src, `": `) {
			gap, colon = " ", ": "
		}
		p.style = oneLine(gap, colon)
	default:
		p.style = indented(l.eol(), p.entryIndent(), l.unit())
	}
	p.style.ascii = l.ascii
	return p
}

// flat reports a list with content but no line breaks.
func (l *List) flat() bool {
	body := strings.TrimSpace(strings.TrimPrefix(l.src, bom))
	return len(l.nodes) > 1 && !strings.ContainsAny(body, "\r\n")
}

func (p *printer) fresh() bool { return p.in.node == 0 && p.nodes[0].kind == object && p.size == 0 }

// entryIndent is the indentation of a feature in an empty container.
func (p *printer) entryIndent() string {
	indent := p.indent(p.in.node) + p.unit()
	if p.fresh() {
		return indent + p.unit()
	}
	return indent
}

// entry writes what stands before the object in a map.
func (p *printer) entry(id string, i int, text string) string {
	switch {
	case p.in.count:
		return quote(strconv.Itoa(p.size+i), p.ascii) + p.style.colon + text
	case p.in.keyed:
		return quote(id, p.ascii) + p.style.colon + text
	}
	return text
}

// insert returns the edit that puts the new entries in their place.
func (p *printer) insert(entries []string) edit {
	if p.in.to > p.in.from {
		at := int(p.nodes[p.records[p.in.to-1].object].end)
		gap := "," + p.gapBefore()
		return edit{from: at, to: at, with: gap + strings.Join(entries, gap)}
	}
	n := p.nodes[p.in.node]
	open, shut := "", ""
	if !p.flat() {
		open, shut = p.eol()+p.entryIndent(), p.eol()+p.indent(p.in.node)
	}
	gap := "," + open
	if p.flat() {
		gap = "," + p.style.gap
	}
	with := open + strings.Join(entries, gap) + shut
	if p.fresh() {
		inner := p.eol() + p.indent(p.in.node) + p.unit()
		with = inner + `"features": [` + open + strings.Join(entries, gap) + inner + "]" + shut
	}
	if p.size > 0 { // a map that holds no feature yet, but other things
		at := int(n.end) - 1
		return edit{from: at, to: at, with: "," + with}
	}
	return edit{from: int(n.start) + 1, to: int(n.end) - 1, with: with}
}

// gapBefore returns the white space between a comma and the next feature.
func (p *printer) gapBefore() string {
	start := func(i int) int {
		if key := p.records[i].key; key >= 0 {
			return int(p.nodes[key].start)
		}
		return int(p.nodes[p.records[i].object].start)
	}
	last := p.in.to - 1
	if last > p.in.from {
		gap := p.src[p.nodes[p.records[last-1].object].end:start(last)]
		if strings.Trim(gap, " \t\r\n,") == "" {
			return afterComma(gap)
		}
	}
	gap := p.src[p.nodes[p.in.node].start+1 : start(last)]
	if strings.Trim(gap, " \t\r\n") != "" {
		gap = p.eol() + p.indent(int(p.records[last].object))
	}
	if gap == "" && p.style.gap == " " {
		return " "
	}
	return gap
}

// fields returns the keys of a new feature: those of the one before that the
// item fills or that are empty there too, then what only the item has.
func (p *printer) fields(item *Item, id string) []field {
	b := &builder{printer: p, item: item, id: id}
	if p.like < 0 {
		return p.first(item, id)
	}
	b.choose()
	p.each(int(p.records[p.like].object), b.keep)
	b.rest()
	for i := range b.fields {
		b.fields[i].inline = b.fields[i].isList && p.inline(b.fields[i].key)
	}
	return b.fields
}

// inline reports that the last list under this key that holds anything is
// written on one line.
func (p *printer) inline(key string) bool {
	if is, ok := p.inlines[key]; ok {
		return is
	}
	is := false
	for i := range slices.Backward(p.records) {
		v := p.member(int(p.records[i].object), key)
		if v >= 0 && p.nodes[v].kind == array && p.List.size(v) > 0 {
			is = !strings.ContainsAny(p.raw(v), "\r\n") && strings.HasPrefix(p.raw(v), `["`) && strings.Contains(p.style.gap, "\n")
			break
		}
	}
	p.inlines[key] = is
	return is
}

// first returns the fields of the first feature of an empty list: those of
// the layout with its top level.
func (p *printer) first(item *Item, id string) []field {
	if p.in.keyed {
		id = ""
	}
	if p.nodes[0].kind == array {
		return rootFields(item, id, p.ascii)
	}
	return claudeFields(item, id, p.ascii)
}

// builder makes the fields of one feature after the example of another.
type builder struct {
	*printer
	item   *Item
	id     string
	fields []field
	text   string // the key of the description
	steps  string // the key of the steps
	group  string // the key of the category
	needs  string // the key of the dependencies
	prove  string // the key of the check
}

// choose picks the keys that the example uses for what it can be told.
func (b *builder) choose() {
	obj := int(b.records[b.like].object)
	has := func(key string) bool { return b.member(obj, key) >= 0 }
	b.text = firstOf(textKeys, has)
	b.group = firstOf(categoryKeys, has)
	b.needs = firstOf(dependsKeys, has)
	b.prove = firstOf(checkKeys, has)
	b.steps = firstOf(stepsKeys, func(key string) bool {
		v := b.member(obj, key)
		return v >= 0 && b.nodes[v].kind != object && b.nodes[v].kind != null
	})
	if b.steps == "" {
		b.steps = firstOf(stepsKeys, func(key string) bool {
			v := b.member(obj, key)
			return v >= 0 && (b.nodes[v].kind == null && len(b.item.Steps) > 0 || b.member(v, "checks") >= 0)
		})
	}
}

func firstOf(keys []string, has func(string) bool) string {
	for _, key := range keys {
		if has(key) {
			return key
		}
	}
	return ""
}

// keep writes the key of the example again, with the item's value.
func (b *builder) keep(k, v int) {
	key, ok := b.printer.text(k), true
	f := field{key: key}
	switch {
	case hasKey(b.fields, key):
		return
	case key == "id":
		f.role, f.raw, ok = roleID, b.id, b.id != ""
	case key == b.group:
		f.role, f.raw, ok = roleCategory, b.quote(b.item.Category), b.item.Category != ""
	case key == "priority":
		f.role, f.raw, ok = rolePriority, priorityJSON(b.item.Priority, b.ascii), b.item.Priority != ""
	case key == b.text:
		f.role = roleText
		b.said(&f, v)
	case rankOf(key, titleKeys) >= 0 && rankOf(key, textKeys) >= 0 && b.nodes[v].kind == text:
		f.role, f.raw = roleTitle, b.quote(title(b.item.Description))
	case key == b.steps:
		f.role = roleSteps
		ok = b.stepsAs(&f, v)
	case key == b.prove:
		f.role, f.raw, ok = roleCheck, b.quote(b.item.Check), b.item.Check != ""
	case key == "cwd":
		f.role, f.raw, ok = roleCwd, b.quote(b.item.Cwd), b.item.Cwd != ""
	case key == "files":
		f.role, f.list, f.isList = roleFiles, b.quotes(b.item.Files), true
	case key == b.needs:
		f.role, f.list, f.isList = roleDepends, b.references(), true
	case isStateKey(key):
		f.role = roleState
		f.raw, ok = b.open(key, v)
	case stampKey(key) != "":
		f.role, f.raw, ok = roleStamp, "null", !b.openWithout(key)
	default:
		f.role, ok = roleOther, false
	}
	if !ok {
		f.raw = blank(b.printer.raw(v))
		ok = f.raw != ""
	}
	if ok {
		b.fields = append(b.fields, f)
	}
}

func hasKey(fields []field, key string) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return f.key == key })
}

// blank returns a value that says nothing, "" for one that does.
func blank(raw string) string {
	switch string(compact(nil, raw)) {
	case "null", `""`:
		return raw
	case "[]", "{}":
		return raw[:1] + raw[len(raw)-1:]
	}
	return ""
}

// said writes the description as the example has it: a string or a list.
func (b *builder) said(f *field, v int) {
	f.raw = b.quote(b.item.Description)
	if b.nodes[v].kind == array {
		f.list, f.isList = []string{f.raw}, true
	}
}

// stepsAs writes the steps in the form of the example: a list, one string, or
// an object with a list of checks.
func (b *builder) stepsAs(f *field, v int) bool {
	steps := b.quotes(b.item.Steps)
	switch k := b.nodes[v].kind; {
	case k == object:
		inner := b.style
		one := style{gap: " ", colon: b.style.colon, listGap: " ", ascii: b.ascii}
		if strings.Contains(b.printer.raw(v), "\n") {
			one = indented(b.eol(), strings.TrimLeft(inner.gap, "\r\n"), b.unit())
		}
		f.raw = one.object([]field{{key: "checks", list: steps, isList: true}})
	case k == text && len(steps) <= 1:
		f.raw = strings.Join(steps, "")
		return len(steps) == 1
	default:
		f.list, f.isList = steps, true
	}
	return true
}

// open returns the value of a state key in a feature that is not passed.
func (b *builder) open(key string, v int) (string, bool) {
	switch b.nodes[v].kind {
	case boolean:
		return "false", true
	case text:
		if isKey(key, "state") && b.records[b.like].status != int32(v) && b.records[b.like].state != int32(v) {
			return "", false
		}
		return b.quote(b.openWord("")), true
	}
	return "null", b.nodes[v].kind == null
}

// rest adds what the item has and the example lacks, under the key that other
// features of the list use.
func (b *builder) rest() {
	add := func(r role, f field, given bool) {
		if given && !slices.ContainsFunc(b.fields, func(o field) bool { return o.role == r && (o.isList || blank(o.raw) == "") }) {
			f.role = r
			b.place(f)
		}
	}
	add(roleID, field{key: "id", raw: b.id}, b.id != "" && !b.in.keyed)
	add(roleCategory, field{key: b.used(categoryKeys[:4]), raw: b.quote(b.item.Category)}, b.item.Category != "" && b.in.group < 0)
	add(rolePriority, field{key: "priority", raw: priorityJSON(b.item.Priority, b.ascii)}, b.item.Priority != "")
	add(roleText, field{key: "description", raw: b.quote(b.item.Description)}, true)
	add(roleSteps, field{key: b.usedSteps(), list: b.quotes(b.item.Steps), isList: true}, len(b.item.Steps) > 0)
	add(roleCheck, field{key: b.used(checkKeys), raw: b.quote(b.item.Check)}, b.item.Check != "")
	add(roleCwd, field{key: "cwd", raw: b.quote(b.item.Cwd)}, b.item.Cwd != "")
	add(roleFiles, field{key: "files", list: b.quotes(b.item.Files), isList: true}, len(b.item.Files) > 0)
	add(roleDepends, field{key: b.used(dependsKeys), list: b.references(), isList: true}, len(b.item.DependsOn) > 0)
	b.stateless()
}

// stateless adds the state key that other features have.
func (b *builder) stateless() {
	if slices.ContainsFunc(b.fields, func(f field) bool { return f.role == roleState }) {
		return
	}
	for i := range slices.Backward(b.records) {
		rec := &b.records[i]
		switch {
		case rec.passes >= 0:
			b.place(field{key: b.keyOf(rec.passes, "passes"), role: roleState, raw: "false"})
			return
		case rec.status >= 0:
			b.place(field{key: b.keyOf(rec.status, "status"), role: roleState, raw: b.quote(b.openWord(""))})
			return
		}
	}
}

// place puts a field after the last that comes before it by role; one of the
// same key that was left blank gives way.
func (b *builder) place(f field) {
	if i := slices.IndexFunc(b.fields, func(o field) bool { return o.key == f.key }); i >= 0 {
		b.fields[i] = f
		return
	}
	at := 0
	for i, o := range b.fields {
		if o.role < f.role {
			at = i + 1
		}
	}
	b.fields = slices.Insert(b.fields, at, f)
}

// used returns the key of a set that the list uses most lately, else the first.
func (b *builder) used(keys []string) string {
	for i := range slices.Backward(b.records) {
		obj := int(b.records[i].object)
		if key := firstOf(keys, func(key string) bool { return b.member(obj, key) >= 0 }); key != "" {
			return key
		}
	}
	return keys[0]
}

func (b *builder) usedSteps() string {
	for i := range slices.Backward(b.records) {
		obj := int(b.records[i].object)
		key := firstOf(stepsKeys, func(key string) bool {
			v := b.member(obj, key)
			return v >= 0 && b.nodes[v].kind == array
		})
		if key != "" {
			return key
		}
	}
	return "steps"
}

func (b *builder) quote(s string) string { return quote(s, b.ascii) }

func (b *builder) quotes(list []string) []string { return quoteAll(list, b.ascii) }

func quoteAll(list []string, ascii bool) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = quote(s, ascii)
	}
	return out
}

// references writes dependencies as the list writes ids: numbers as numbers.
func (b *builder) references() []string {
	out := b.quotes(b.item.DependsOn)
	for i, id := range b.item.DependsOn {
		at, ok := b.index[id]
		if !ok {
			continue
		}
		if v := b.member(int(b.records[at].object), "id"); v >= 0 && b.nodes[v].kind == number {
			out[i] = b.printer.raw(v)
		}
	}
	return out
}

// priorityJSON writes a priority that is a number as one.
func priorityJSON(priority string, ascii bool) string {
	priority = strings.TrimSpace(priority)
	if priority != "" && (priority[0] == '-' || priority[0] >= '0' && priority[0] <= '9') && gjson.Valid(priority) {
		return priority
	}
	return quote(priority, ascii)
}

// title is the first line of a description, cut between words.
func title(description string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(description), "\n")
	r := []rune(line)
	if len(r) <= 80 {
		return line
	}
	cut := string(r[:80])
	if i := strings.LastIndexByte(cut, ' '); i > 40 {
		cut = cut[:i]
	}
	return cut + "…"
}
