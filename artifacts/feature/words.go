package feature

import "strings"

// plainWord folds case and takes "-", "_" and space for the same.
func plainWord(word string) string {
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(word)))
}

// isPassed reports the words that say a feature is passed.
func isPassed(word string) bool {
	switch word { // most lists need no folding
	case "":
		return false
	case "passing", "passed", "done", "completed":
		return true
	case "failing", "pending", "not_started", "in_progress", "planned", "todo":
		return false
	}
	w := plainWord(word)
	return strings.HasPrefix(w, "pass") || strings.HasPrefix(w, "complete") || w == "done" || w == "verified" || w == "shipped"
}

// isRetired reports the words that take a feature out of the work.
func isRetired(word string) bool {
	switch len(word) {
	case 7, 8, 10: // the lengths of the words below
		switch plainWord(word) {
		case "deprecated", "superseded", "retired", "wontfix", "wont_fix":
			return true
		}
	}
	return false
}

// isUnderway reports not-passed words that say more than "not passed":
// a feature is not put back to one of these.
func isUnderway(word string) bool {
	switch plainWord(word) {
	case "in_progress", "inprogress", "wip", "active", "started", "ongoing", "doing", "blocked", "on_hold", "paused",
		"parked", "deferred", "skipped", "review", "in_review", "testing", "ready_for_review", "cancelled", "canceled":
		return true
	}
	return strings.HasPrefix(plainWord(word), "in_progress")
}

// isOpen reports the usual words for not passed.
func isOpen(word string) bool {
	switch plainWord(word) {
	case "failing", "fail", "failed", "pending", "not_started", "notstarted", "planned", "todo", "to_do", "open", "new",
		"backlog", "incomplete", "not_done", "not_passing", "ready", "queued", "unstarted", "proposed", "draft":
		return true
	}
	return false
}

// agree reports that a second word says the same about the state as the first.
func agree(word, second string) bool {
	if isPassed(second) {
		return isPassed(word)
	}
	return !isPassed(word) && (isOpen(second) || isUnderway(second))
}

// partners pairs the usual words for not passed with those for passed. The
// first line of a passed word is the way back.
var partners = []struct{ open, passed string }{
	{"failing", "passing"},
	{"pending", "completed"},
	{"not_started", "passing"},
	{"not-started", "done"},
	{"fail", "pass"},
	{"failed", "passed"},
	{"planned", "done"},
	{"todo", "done"},
	{"incomplete", "complete"},
	{"not started", "done"},
	{"notstarted", "done"},
	{"to_do", "done"},
	{"open", "done"},
	{"backlog", "done"},
	{"new", "done"},
	{"ready", "done"},
	{"not_done", "done"},
	{"not_passing", "passing"},
	{"pending", "verified"},
	{"pending", "shipped"},
}

// passedPartner returns the usual passed word beside a not-passed one, in the
// same case; "" when it has none.
func passedPartner(open string) string {
	for _, p := range partners {
		if strings.EqualFold(p.open, strings.TrimSpace(open)) {
			return likeCase(p.passed, open)
		}
	}
	return ""
}

// openPartner is the way back.
func openPartner(passed string) string {
	if plainWord(passed) == "done" {
		return likeCase("todo", passed)
	}
	for _, p := range partners {
		if p.passed == plainWord(passed) {
			return likeCase(p.open, passed)
		}
	}
	return likeCase("pending", passed)
}

// likeCase gives word the case of model: upper, title or lower.
func likeCase(word, model string) string {
	switch {
	case model == "" || model == strings.ToLower(model):
		return word
	case model == strings.ToUpper(model):
		return strings.ToUpper(word)
	case model[:1] == strings.ToUpper(model[:1]):
		return strings.ToUpper(word[:1]) + word[1:]
	}
	return word
}

// vocabulary returns the state words that a list declares, in its order.
func (l *List) vocabulary() (words []string) {
	if l.nodes[0].kind != object {
		return nil
	}
	heads := l.heads()
	if rules := l.member(0, "rules"); rules >= 0 && l.nodes[rules].kind == object {
		heads = append(heads, rules)
	}
	for _, head := range heads {
		for _, key := range []string{"status_legend", "status_values", "statuses", "states", "valid_status", "statusDefinitions", "statusLegend", "statusValues", "validStatus", "valid_statuses"} {
			if v := l.member(head, key); v >= 0 {
				words = append(words, l.declared(v)...)
			}
		}
	}
	return words
}

// declared reads words out of a legend: the keys of an object, the strings of
// an array, or a string that separates them.
func (l *List) declared(n int) (words []string) {
	switch l.nodes[n].kind {
	case object:
		l.each(n, func(k, _ int) { words = append(words, l.text(k)) })
	case array:
		l.each(n, func(_, e int) {
			if l.nodes[e].kind == text {
				words = append(words, l.text(e))
			} else if w := l.word(e, "id", "value", "name", "status", "key"); w != "" {
				words = append(words, w)
			}
		})
	case text:
		for w := range strings.FieldsFuncSeq(l.text(n), func(r rune) bool { return strings.ContainsRune("|,;/", r) }) {
			words = append(words, strings.TrimSpace(w))
		}
	}
	return words
}

// usage counts the state words of the list, most used first for equal counts
// in file order.
type usage struct {
	words []string
	count map[string]int
}

func (l *List) usage() usage {
	u := usage{count: map[string]int{}}
	for i := range l.records {
		word := l.records[i].word
		if word == "" {
			continue
		}
		if u.count[word] == 0 {
			u.words = append(u.words, word)
		}
		u.count[word]++
	}
	return u
}

// most returns the word most used among those that fit, "" for none.
func (u usage) most(fits func(string) bool) (best string) {
	for _, word := range u.words {
		if fits(word) && u.count[word] > u.count[best] {
			best = word
		}
	}
	return best
}

// spelled returns the spelling of a word that the list uses most.
func (u usage) spelled(word string) string {
	plain := plainWord(word)
	if own := u.most(func(w string) bool { return plainWord(w) == plain }); own != "" {
		return own
	}
	return word
}

// passedWord returns the word to write when the feature whose status is own
// passes: declared, else most used, else the partner of the not-passed word.
func (l *List) passedWord(own string) string {
	if isPassed(own) {
		return own
	}
	u := l.usage()
	declared := ""
	for _, word := range l.vocabulary() {
		word = u.spelled(word)
		if isPassed(word) && (declared == "" || u.count[word] > u.count[declared]) {
			declared = word
		}
	}
	if declared != "" {
		return declared
	}
	if used := u.most(isPassed); used != "" {
		return used
	}
	hasPartner := func(w string) bool { return passedPartner(w) != "" }
	open := u.most(hasPartner)
	if hasPartner(own) && u.count[own] >= u.count[open] {
		open = own
	}
	if open != "" {
		return passedPartner(open)
	}
	return likeCase("done", own)
}

// openWord returns the list's own word for not passed.
func (l *List) openWord(passed string) string {
	u := l.usage()
	fresh := func(w string) bool { return !isPassed(w) && !isRetired(w) && !isUnderway(w) }
	if used := u.most(fresh); used != "" {
		return used
	}
	declared := ""
	for _, word := range l.vocabulary() {
		if fresh(word) && (declared == "" || isOpen(word) && !isOpen(declared)) {
			declared = word
		}
	}
	if declared != "" {
		return declared
	}
	if passed == "" {
		passed = u.most(isPassed)
	}
	return openPartner(passed)
}
