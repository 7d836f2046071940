package feature

import (
	"strings"
	"testing"
)

func TestLintItems(t *testing.T) {
	list := parse(t, `[{"id":"F001","description":"A visitor can log in","passes":false}]`)
	tests := []struct {
		item Item
		want string
	}{
		{Item{Description: "A visitor sees the price in EUR", Steps: []string{"Open it"}}, ""},
		{Item{Description: "用户可以用邮箱登录", Check: "go test"}, ""},
		{Item{Description: "Fix login redirect loop", Check: "go test"}, ""},
		{Item{Description: "Improve search to answer in 200 ms", Check: "go test"}, ""},
		{Item{Description: "improve", Check: "go test"}, "vague"},
		{Item{Description: "Make it better", Check: "go test"}, "vague"},
		{Item{Description: "Improve the user experience", Check: "go test"}, "vague"},
		{Item{Description: "Fix bugs", Check: "go test"}, "vague"},
		{Item{Description: "优化性能", Check: "go test"}, "vague"},
		{Item{Description: "Улучшить производительность", Check: "go test"}, "vague"},
		{Item{Description: "", Check: "go test"}, "vague"},
		{Item{Description: "a visitor can log in.", Check: "go test"}, "duplicate"},
		{Item{Description: "A visitor sees a map", Steps: []string{" "}}, "no-steps"},
		{Item{Description: "A visitor sees a map", Check: "go test || true"}, "check-masked"},
	}
	for _, tt := range tests {
		var codes []string
		for _, lint := range LintItems([]Item{tt.item}, list) {
			codes = append(codes, lint.Code)
		}
		if got := strings.Join(codes, " "); got != tt.want && !(tt.want == "vague" && strings.HasPrefix(got, "vague")) {
			t.Errorf("LintItems(%q) = %q, want %q", tt.item.Description, got, tt.want)
		}
	}
	twins := []Item{{Description: "Sort by date of birth", Check: "x"}, {Description: "sort by Date of Birth!", Check: "y"}}
	if lints := LintItems(twins, nil); len(lints) != 1 || lints[0].Item != 1 || lints[0].Code != "duplicate" {
		t.Errorf("LintItems(twins) = %v, want one duplicate at 1", lints)
	}
}

func parse(t testing.TB, text string) *List {
	t.Helper()
	l, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}
