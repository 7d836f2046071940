package feature

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/longhaul-mcp/longhaul/artifacts/check"
)

// Lint is what is wrong with a feature on its way in. Code is vague,
// duplicate, no-steps or check-masked; the last is a reason to refuse it.
type Lint struct {
	Item       int // index in the items
	Code, Text string
}

// LintItems looks at new features, against each other and the list, which may be nil.
func LintItems(items []Item, l *List) (lints []Lint) {
	seen := map[string]string{} // description to who has it
	if l != nil {
		for i := range l.Features {
			seen[essence(l.Features[i].Description)] = l.Features[i].ID
		}
	}
	for i := range items {
		item := &items[i]
		add := func(code, text string, args ...any) {
			lints = append(lints, Lint{Item: i, Code: code, Text: fmt.Sprintf(text, args...)})
		}
		if why := vague(item.Description); why != "" {
			add("vague", "%q %s", clip(item.Description, 60), why)
		}
		what := essence(item.Description)
		if other, ok := seen[what]; ok && what != "" {
			add("duplicate", "%q says the same as %s", clip(item.Description, 60), other)
		} else {
			seen[what] = fmt.Sprintf("item %d", i+1)
		}
		if item.Check == "" && !slices.ContainsFunc(item.Steps, func(s string) bool { return strings.TrimSpace(s) != "" }) {
			add("no-steps", "%q has neither steps nor a check", clip(item.Description, 60))
		}
		why := check.Masked(item.Check)
		if why == "" {
			why = check.Unrun(item.Check)
		}
		if why != "" {
			add("check-masked", "check %q proves nothing: %s", clip(item.Check, 60), why)
		}
	}
	return lints
}

// essence is the set of words of a text: case, order and punctuation say nothing.
func essence(text string) string {
	words := wordsOf(text)
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// wordsOf returns the words of a text in lower case. Scripts that write no
// spaces give a word for each character.
func wordsOf(text string) (words []string) {
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			words = append(words, b.String())
			b.Reset()
		}
	}
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			flush()
			words = append(words, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			b.WriteRune(r)
		default:
			flush()
		}
	}
	flush()
	return words
}

// hollow are words that promise without saying what.
var hollow = wordSet(`improve improved improvement improvements improving enhance enhanced enhancement enhancements
 optimize optimise optimization polish refactor cleanup clean better nicer faster good great nice best more make makes it
 the a an and or of to in for with up all some various several misc miscellaneous stuff things thing etc general overall
 everything code app application site website system project performance quality ui ux user experience usability design
 look feel bug bugs issue issues error errors fix fixes fixing update updates change changes work works working properly
 correctly well user-friendly friendly robust tbd todo feature features new this that our be should must is are very
 улучшить улучшения улучшение сделать лучше исправить ошибки баги оптимизировать производительность интерфейс код всё все и
 mejorar mejoras mejor arreglar errores optimizar rendimiento el la los las código interfaz todo más
 améliorer corriger optimiser le les verbessern optimieren fehler beheben melhorar corrigir`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// vague says why a description can't be verified, "" when it can.
func vague(description string) string {
	text := strings.TrimSpace(description)
	words := wordsOf(text)
	letters := 0
	for _, w := range words {
		letters += len([]rune(w))
	}
	dense := len(words) == letters && letters > 0 // a script without spaces
	switch {
	case letters == 0:
		return "says nothing"
	case dense && letters < 4, !dense && (letters < 8 || len(words) < 2):
		return "is too short to be verified"
	case dense && letters <= 8 && slices.ContainsFunc([]string{"优化", "改进", "完善", "改善", "提升", "修复问题"}, func(p string) bool { return strings.HasPrefix(text, p) }):
		return "names no result that can be seen"
	case !dense && !slices.ContainsFunc(words, func(w string) bool { return !hollow[w] }):
		return "names no result that can be seen"
	}
	return ""
}
