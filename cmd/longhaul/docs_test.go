package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestDocsCommands wants every command in an sh or console block of docs to be run by a script as it stands.
// Blocks of other languages are for programs that a test machine lacks.
func TestDocsCommands(t *testing.T) {
	run := readRoot(t, ".ci/run")
	for _, script := range filesOf(t, "testdata/script/*.txtar") {
		run += readRoot(t, script)
	}
	for _, page := range filesOf(t, "docs/*.md") {
		for _, command := range shown(readRoot(t, page)) {
			if strings.TrimSpace(command) != "" && !strings.Contains(run, command) {
				t.Errorf("%s: no script runs %q", page, command)
			}
		}
	}
}

// TestDocsLinks wants every page and file that a page links to to be there.
func TestDocsLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	for _, page := range append(filesOf(t, "docs/*.md"), filesOf(t, "*.md")...) {
		for _, m := range link.FindAllStringSubmatch(readRoot(t, page), -1) {
			to := filepath.Join("..", "..", filepath.Dir(page), m[1])
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
}

// TestDocsCodes holds docs/codes.md against the codes that the program refuses with.
func TestDocsCodes(t *testing.T) {
	documented := map[string]bool{}
	rows := regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllStringSubmatch(readRoot(t, "docs/codes.md"), -1)
	for _, row := range rows {
		for _, code := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(row[1], -1) {
			documented[code[1]] = true
		}
	}
	used, literals := codesOfSource(t)
	for code := range used {
		if !documented[code] {
			t.Errorf("docs/codes.md has no row for %s", code)
		}
	}
	for code := range documented {
		if !literals[code] {
			t.Errorf("docs/codes.md has a row for %s, which the program does not know", code)
		}
	}
}

// codesOfSource are the codes that the source refuses with as far as they stand there as such, and every string in it.
func codesOfSource(t *testing.T) (used, literals map[string]bool) {
	t.Helper()
	used, literals = map[string]bool{}, map[string]bool{}
	for _, top := range []string{"artifacts", "server", "tools", "resources"} {
		err := filepath.WalkDir(filepath.Join("..", "..", top), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					literals[text(n)] = true
				case *ast.CallExpr:
					if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "refuse" && len(n.Args) > 0 {
						used[text(n.Args[0])] = true
					}
				case *ast.KeyValueExpr:
					if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" {
						used[text(n.Value)] = true
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	delete(used, "")
	if len(used) < 20 {
		t.Fatalf("found %d codes in the source, want at least 20", len(used))
	}
	return used, literals
}

// text is the value of a string literal, "" for anything else.
func text(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	s, _ := strconv.Unquote(lit.Value)
	return s
}

// filesOf are the files of a pattern at the root of the source, relative to it.
func filesOf(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
	if err != nil || len(found) == 0 {
		t.Fatalf("no file is like %s (%v)", pattern, err)
	}
	for i, path := range found {
		found[i], _ = filepath.Rel(filepath.Join("..", ".."), path)
	}
	return found
}

// TestDocsScenarios wants every test and script that docs/scenarios.md names to be there.
func TestDocsScenarios(t *testing.T) {
	there := map[string]bool{}
	for _, script := range filesOf(t, "testdata/script/*.txtar") {
		there[filepath.Base(script)] = true
	}
	test := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range test.FindAllStringSubmatch(string(source), -1) {
			there[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test\\w+|\\w+\\.txtar)`").FindAllStringSubmatch(readRoot(t, "docs/scenarios.md"), -1)
	if len(named) < 100 {
		t.Errorf("docs/scenarios.md names %d tests", len(named))
	}
	for _, m := range named {
		if !there[m[1]] {
			t.Errorf("docs/scenarios.md names %s, which is not there", m[1])
		}
	}
}
