package pattern

import "testing"

func TestLazyCompilesOnce(t *testing.T) {
	word := Lazy(`^\w+$`)
	if first, second := word(), word(); first != second || !first.MatchString("word") || first.MatchString("two words") {
		t.Errorf("%p and %p, want one value that matches a word", first, second)
	}
}

func TestABrokenExpressionPanicsWhenItIsUsed(t *testing.T) {
	broken := Lazy(`(`)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	broken()
}
