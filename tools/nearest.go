package tools

import "strings"

// nearest is the known key that the model most likely meant, "" when none is near.
func nearest(key string, fields []field) string {
	if len(key) > 64 {
		return ""
	}
	key = strings.ReplaceAll(folded(key), "-", "")
	best, least := "", len(key)/2+1
	for _, f := range fields {
		name := strings.ReplaceAll(f.name, "_", "")
		d := distance(key, name)
		if len(name) > 3 && strings.Contains(key, name) || len(key) > 2 && strings.Contains(name, key) {
			d = min(d, 2) // such as verification_steps for steps
		}
		if d < least {
			best, least = f.name, d
		}
	}
	return best
}

// distance is how many letters must be added, dropped or changed to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
