package history

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Some calls of go-git lose work: resets and checkouts delete untracked and ignored files, commits write broken trees
// in a conflict, index and branch are overwritten in place. They must not be within reach.
func TestDangerousCallsAreNotUsed(t *testing.T) {
	banned := []string{"Worktree", "Reset", "ResetSparsely", "Checkout", "AddWithOptions", "AddGlob", "SetIndex", "SetConfig",
		"SetReference", "CheckAndSetReference", "Submodules", "PlainOpen", "PlainOpenWithOptions", "FileName", "PathFilter"}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if slices.Contains(banned, n.Sel.Name) {
					t.Errorf("%s: %s is used", set.Position(n.Pos()), n.Sel.Name)
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(banned, key.Name) {
					t.Errorf("%s: %s is used", set.Position(n.Pos()), key.Name)
				}
			}
			return true
		})
	}
}
