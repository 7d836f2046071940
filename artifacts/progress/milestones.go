package progress

import (
	"bytes"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
)

// Milestones reads a plan of any shape. In this order: headings that are
// numbered as milestones, phases or steps; the parts or the list below a
// heading such as Milestones or Tasks; every heading with a list of its own;
// the list itself. The items of a list that is not itself the milestones are
// their steps. Fenced code is passed over.
func Milestones(plan []byte) []Milestone {
	p := readPlan(fromUTF16(plan))
	if found := p.numbered(); len(found) > 0 {
		return found
	}
	if found := p.contained(); len(found) > 0 {
		return found
	}
	if found := p.listed(); len(found) > 0 {
		return found
	}
	var all []Milestone
	for _, part := range p {
		all = append(all, part.items()...)
	}
	return all
}

const countWord = `milestone|phase|stage|step|sprint|part|epic|task|feature|веха|этап|фаза|шаг|задача|часть|里程碑|阶段|步骤|任务|第`

var (
	milestoneNumber = pattern.Lazy(`(?i)^(?:(?:` + countWord + `)\s*#?\s*[\d一二三四五六七八九十]+[a-z]?(?:\s*(?:阶段|步|个?里程碑))?|M\d+|\d+(?:\.|\)|\s*[-–—:]|、))\s*[-–—:：.)、|]*\s*`)
	container       = pattern.Lazy(`(?i)^(?:(?:the\s+)?(?:implementation |project |development |work )?(?:plan|milestones?|phases?|stages?|steps|tasks?|roadmap|to-?do|features|backlog)|план(?: работ)?|вехи|этапы|шаги|задачи|计划|项目计划|开发计划|里程碑|阶段|步骤|任务|任务列表|任务拆解|路线图)\s*[:：]?$`)
	prose           = pattern.Lazy(`(?i)^(?:project\b|goals?|overview|context|background|notes?|risks?|constraints?|assumptions?|references?|stack|tech|architecture|non-goals|scope|summary|introduction|open questions|requirements|dependencies|目标|背景|概述|备注|说明|风险|约束|架构|цел|обзор|контекст|заметк|риск|ограничен|стек|архитектур)`)
	listItem        = pattern.Lazy(`^([ \t]*)(?:[-*+•]|\d+[.)、])\s+(?:\[([ xX✓✔]?)\]\s*)?(.*)$`)
	tick            = pattern.Lazy(`^(?:\[[xX✓✔]\]|✅|✔️?|☑️?)\s*|\s*(?:✅|✔️?|☑️?|\((?i:done|completed?)\)|（已完成）|\(已完成\)|\((?i:готово|выполнено)\))$`)
	box             = pattern.Lazy(`^(?:\[ ?\]|⬜|☐|🔲)\s*`)
)

// part is a heading of a plan with the list items right below it.
type part struct {
	level int
	title string
	lines []planItem
}

type planItem struct {
	depth int // columns of indentation
	text  string
	box   bool
	done  bool
}

type outlined []part

func readPlan(plan []byte) outlined {
	parts := outlined{{}}
	from := 0
	for _, h := range outline(plan) {
		parts[len(parts)-1].read(plan[from:h.start])
		parts = append(parts, part{level: h.level, title: string(h.text)})
		from = h.next
	}
	parts[len(parts)-1].read(plan[from:])
	return parts
}

func (p *part) read(text []byte) {
	fence, width := byte(0), 0
	for len(text) > 0 {
		line, next := lineAt(text, 0)
		text = text[next:]
		rest := bytes.TrimLeft(line, " \t")
		if len(rest) == 0 {
			continue
		}
		if fence != 0 {
			if rest[0] == fence && run(rest) >= width {
				fence = 0
			}
			continue
		}
		if fence, width = opens(rest); fence == '!' {
			fence = 0
		}
		if fence == 0 {
			p.item(string(line))
		}
	}
}

func (p *part) item(line string) {
	m := listItem().FindStringSubmatch(line)
	if m == nil || strings.TrimSpace(m[3]) == "" {
		return
	}
	depth := len(strings.ReplaceAll(m[1], "\t", "    "))
	text := strings.TrimSpace(m[3])
	boxed := strings.Contains(line[:len(line)-len(m[3])], "[")
	done := strings.TrimSpace(m[2]) != "" || tick().MatchString(text)
	p.lines = append(p.lines, planItem{depth: depth, text: bare(text), box: boxed, done: done})
}

// bare is a title without what only decorates it.
func bare(text string) string {
	text = strings.TrimSpace(unescaped(text))
	text = box().ReplaceAllString(tick().ReplaceAllString(text, ""), "")
	if len(text) > 4 && strings.HasPrefix(text, "**") && strings.HasSuffix(text, "**") {
		text = text[2 : len(text)-2]
	}
	return strings.TrimSpace(text)
}

// unescaped takes out the one escape that NewPlan may have set.
func unescaped(text string) string {
	if rest, ok := strings.CutPrefix(text, `\`); ok && structural(rest) {
		return rest
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits > 0 && strings.HasPrefix(text[digits:], `\`) && numbered().MatchString(text[:digits]+text[digits+1:]) {
		return text[:digits] + text[digits+1:]
	}
	return text
}

// numbered takes the headings of the level that has most of those that carry
// a number, of two such levels the higher one. A numbered title alone is none.
func (o outlined) numbered() []Milestone {
	var count [7]int
	best := 0
	for _, p := range o {
		if !p.counted() {
			continue
		}
		count[p.level]++
		if best == 0 || count[p.level] > count[best] || count[p.level] == count[best] && p.level < best {
			best = p.level
		}
	}
	if best == 0 || best == 1 && count[best] == 1 {
		return nil
	}
	var found []Milestone
	for i, p := range o {
		if p.level == best && p.counted() {
			found = append(found, o.milestone(i))
		}
	}
	return found
}

// counted tells whether the heading is numbered as a milestone. "1. Overview"
// is numbered too, but is none.
func (p *part) counted() bool {
	if p.level == 0 || !milestoneNumber().MatchString(bare(p.title)) {
		return false
	}
	return !prose().MatchString(named(p.title)) || strings.Contains(strings.ToLower(p.title), "milestone")
}

// named is the title without its number.
func named(title string) string {
	title = bare(title)
	if rest := strings.TrimSpace(milestoneNumber().ReplaceAllString(title, "")); rest != "" {
		return bare(rest)
	}
	return title
}

// milestone is the heading with all items below it, down to the next heading
// of its level.
func (o outlined) milestone(i int) Milestone {
	m := Milestone{Title: named(o[i].title)}
	boxes, done := 0, 0
	for j := i; j < len(o) && (j == i || o[j].level > o[i].level); j++ {
		for _, step := range o[j].top() {
			m.Steps = append(m.Steps, step.text)
			if step.box {
				boxes++
			}
			if step.done {
				done++
			}
		}
	}
	m.Done = tick().MatchString(strings.TrimSpace(o[i].title)) || boxes > 0 && done >= len(m.Steps)
	return m
}

func (o outlined) contained() []Milestone {
	for i, p := range o {
		if !p.contains() || o.contains(i) {
			continue
		}
		var found []Milestone
		for j := i + 1; j < len(o) && o[j].level > p.level; j++ {
			if o[j].level == o[i+1].level && len(o.milestone(j).Steps) > 0 && !prose().MatchString(named(o[j].title)) {
				found = append(found, o.milestone(j))
			}
		}
		if len(found) == 0 {
			found = p.items()
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// contains tells whether the title announces milestones rather than being one.
func (p *part) contains() bool { return p.level > 0 && container().MatchString(bare(p.title)) }

// contains tells whether a heading below announces them as well, and better.
func (o outlined) contains(i int) bool {
	for j := i + 1; j < len(o) && o[j].level > o[i].level; j++ {
		if o[j].contains() {
			return true
		}
	}
	return false
}

// listed takes every heading with a list for a milestone, when there are some.
func (o outlined) listed() []Milestone {
	var found []Milestone
	for i, p := range o {
		if i > 0 && p.level > 1 && len(p.lines) > 0 && !prose().MatchString(named(p.title)) {
			found = append(found, o.milestone(i))
		}
	}
	return found
}

// top are the items that no other item holds.
func (p *part) top() []planItem {
	var items []planItem
	for _, line := range p.lines {
		if line.depth <= p.lines[0].depth+1 {
			items = append(items, line)
		}
	}
	return items
}

// items takes each item at the top of the list for a milestone, and what is
// indented below it for its steps.
func (p *part) items() []Milestone {
	var found []Milestone
	for _, line := range p.lines {
		if line.depth <= p.lines[0].depth+1 {
			found = append(found, Milestone{Title: named(line.text), Done: line.done})
			continue
		}
		last := &found[len(found)-1]
		last.Steps = append(last.Steps, line.text)
	}
	return found
}
