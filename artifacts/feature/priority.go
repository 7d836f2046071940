package feature

import (
	"math"
	"strconv"
	"strings"
)

// rank makes a priority comparable: a number is itself, P1 is 1, words lie
// between critical 0 and low 3. A word that is not known comes after all that
// are, a missing priority last.
func rank(priority string) float64 {
	if priority == "" {
		return math.Inf(1)
	}
	if n, err := strconv.ParseFloat(priority, 64); err == nil && n == n {
		return n
	}
	word := strings.ToLower(priority)
	if n, ok := level(word); ok {
		return n
	}
	switch word {
	case "critical", "crítica", "critica", "crítico", "urgent", "urgente", "blocker", "highest", "must", "критический", "критичный", "紧急", "关键":
		return 0
	case "high", "alta", "alto", "haute", "hoch", "should", "высокий", "высокая", "高":
		return 1
	case "medium", "media", "média", "medio", "moyenne", "mittel", "normal", "moderate", "could", "средний", "средняя", "中":
		return 2
	case "low", "baja", "baixa", "bajo", "basse", "niedrig", "minor", "низкий", "низкая", "低":
		return 3
	case "lowest", "trivial", "optional", "won't":
		return 4
	}
	return math.MaxFloat64
}

// level reads P0, p1, P2 and the like.
func level(word string) (float64, bool) {
	digits, ok := strings.CutPrefix(word, "p")
	if !ok {
		return 0, false
	}
	end := 0
	for end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
		end++
	}
	if end == 0 || end < len(digits) && digits[end] != ' ' && digits[end] != ':' && digits[end] != '-' {
		return 0, false
	}
	n, err := strconv.Atoi(digits[:end])
	return float64(n), err == nil
}
