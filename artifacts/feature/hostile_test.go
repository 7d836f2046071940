package feature

import (
	"strings"
	"testing"
)

// Sizes that a quadratic reader would not come back from.
func TestHostileSizes(t *testing.T) {
	list := func(more string) string {
		return `[{"id":"A","description":"a","passes":false},{"id":"B","description":"b","passes":false,` + more + `}]`
	}
	tests := []struct{ name, list, refused string }{
		{"numbers", list(`"x":[` + strings.Repeat("1,", 300000) + `1]`), ""},
		{"one key many times", list(strings.Repeat(`"k":1,`, 50000) + `"k":2`), ""},
		{"steps", list(`"steps":[` + strings.Repeat(`"s",`, 200000) + `"s"]`), ""},
		{"more values than a list may have", list(`"x":[` + strings.Repeat("1,", maxValues) + `1]`), "more than a million values"},
		{"deep", list(`"x":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000)), "nested too deep"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, err := Parse([]byte(tt.list))
			if tt.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tt.refused) {
					t.Fatalf("Parse() = %v, want %s", err, tt.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if changes, added := l.Compare(l.Seals(nil), nil); len(changes)+len(added) > 0 {
				t.Errorf("Compare() = %v, %v, want nothing", changes, added)
			}
			if _, err := l.Pass("A", at, session); err != nil {
				t.Errorf("Pass() = %v", err)
			}
			changed := strings.Replace(tt.list, `"b"`, `"c"`, 1)
			if err := Check([]byte(tt.list), []byte(changed)); err == nil || !strings.Contains(err.Error(), "no-edit") {
				t.Errorf("Check() = %v, want no-edit", err)
			}
		})
	}
}
