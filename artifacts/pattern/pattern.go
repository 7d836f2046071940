// Package pattern defers the compiling of regular expressions: together they cost more than the rest of a start, and most
// calls need none of them. It performs no I/O.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy returns a function that compiles expr when it is first called and returns the same value from then on. It panics
// there when expr is no regular expression. It may be called from several goroutines.
func Lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
