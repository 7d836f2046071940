package feature

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// irregular are past forms of the verbs that steps are written with.
var irregular = map[string]string{
	"ran": "run", "saw": "see", "seen": "see", "went": "go", "going": "go", "goes": "go", "chose": "choose", "chosen": "choose",
	"wrote": "write", "written": "write", "made": "make", "found": "find", "sent": "send", "built": "build", "took": "take",
	"taken": "take", "gave": "give", "given": "give", "left": "leave", "kept": "keep", "held": "hold", "began": "begin", "got": "get",
	"used": "use", "using": "use", "did": "do", "done": "do", "brought": "bring", "came": "come", "drew": "draw", "drawn": "draw",
	"hidden": "hide", "hid": "hide", "shown": "show", "became": "become", "has": "have", "had": "have",
}

// sameWord reports two words that differ at most in their endings: opened and
// open, страница and страницу.
func sameWord(a, b string) bool {
	switch {
	case a == b:
		return true
	case a == "" || b == "":
		return false
	case a[0] < utf8.RuneSelf && b[0] < utf8.RuneSelf:
		return stem(a) == stem(b)
	}
	return sameCyrillic([]rune(a), []rune(b))
}

// stem takes an English ending off.
func stem(word string) string {
	if base := irregular[word]; base != "" {
		word = base
	}
	for _, ending := range []string{"ing", "ed", "es", "s"} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) >= 3 {
			return root(rest)
		}
	}
	return root(word)
}

// root makes one of type and typ, run and runn, try and tri.
func root(word string) string {
	word = strings.TrimSuffix(word, "e")
	n := len(word)
	switch {
	case n > 2 && word[n-1] == 'y':
		return word[:n-1] + "i"
	case n > 2 && word[n-1] == word[n-2]:
		return word[:n-1]
	}
	return word
}

// sameCyrillic compares words up to an ending of at most three letters, which
// is the smaller part.
func sameCyrillic(a, b []rune) bool {
	if !unicode.Is(unicode.Cyrillic, a[0]) {
		return false
	}
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	longest := max(len(a), len(b))
	return same >= 4 && longest-same <= 3 && same*5 >= longest*3
}
