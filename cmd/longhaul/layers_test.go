package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/longhaul-mcp/longhaul"

// arrows says which packages of the module each package may import. No others.
var arrows = map[string][]string{
	"cmd/longhaul":         {"cmd/longhaul/clients", "server", "tools", "artifacts"},
	"cmd/longhaul/clients": {},
	"cmd/bench":            {},
	"cmd/bench/trivial":    {},
	"server":               {"tools", "resources", "artifacts", "artifacts/pattern"},
	"tools":                {"artifacts", "artifacts/feature"},
	"resources":            {"artifacts"},
	"artifacts":            {"artifacts/check", "artifacts/history", "artifacts/runner", "artifacts/scaffold", "artifacts/feature", "artifacts/progress", "artifacts/ledger", "artifacts/session", "artifacts/config", "artifacts/guard", "artifacts/pattern"},
	"artifacts/history":    {},
	"artifacts/runner":     {},
	"artifacts/scaffold":   {"artifacts/pattern"},
	"artifacts/check":      {"artifacts/pattern"},
	"artifacts/feature":    {"artifacts/check", "artifacts/pattern"},
	"artifacts/progress":   {"artifacts/feature", "artifacts/pattern"},
	"artifacts/ledger":     {"artifacts/feature"},
	"artifacts/session":    {"artifacts/feature"},
	"artifacts/config":     {"artifacts/feature", "artifacts/pattern"},
	"artifacts/guard":      {"artifacts/pattern"},
	"artifacts/pattern":    {},
}

// doors says which packages alone may import something from outside the module.
var doors = map[string][]string{
	"github.com/go-git/":               {"artifacts/history"},
	"github.com/tidwall/":              {"artifacts/feature"},
	"github.com/mark3labs/mcp-go":      {"server", "tools", "resources", "cmd/longhaul", "cmd/bench/trivial"},
	"mvdan.cc/sh/":                     {"artifacts/check", "artifacts/guard"},
	"os/exec":                          {"artifacts/history", "artifacts/runner", "cmd/longhaul", "cmd/bench"},
	"github.com/tailscale/hujson":      {"cmd/longhaul/clients"},
	"github.com/pelletier/go-toml":     {"cmd/longhaul/clients"},
	"github.com/tiktoken-go/":          {"cmd/bench"}, // some megabytes that no user of longhaul needs
	"net/http":                         {},
	"github.com/modelcontextprotocol/": {},
	"github.com/rogpeppe/go-internal":  {},
}

// pure packages get values and give values: no disk, no clock, no process, no logging.
var pure = []string{"artifacts/check", "artifacts/guard", "artifacts/feature", "artifacts/progress", "artifacts/ledger", "artifacts/session", "artifacts/config", "artifacts/scaffold", "cmd/longhaul/clients"}

// impure is what a pure package may not import.
var impure = []string{"os", "io/fs", "io/ioutil", "log", "log/slog", "net", "syscall", "context", "sync", "path/filepath"}

// TestArrows holds every import of the module against the drawing in arrows, doors and pure.
func TestArrows(t *testing.T) {
	packages := parseModule(t)
	for dir, files := range packages {
		allowed, known := arrows[dir]
		if !known {
			t.Errorf("package %s is not in the table of arrows", dir)
			continue
		}
		for _, file := range files {
			for _, spec := range file.Imports {
				path, _ := strconv.Unquote(spec.Path.Value)
				if inside, ok := strings.CutPrefix(path, module+"/"); ok && !slices.Contains(allowed, inside) {
					t.Errorf("%s imports %s: no such arrow", dir, inside)
				}
				for prefix, who := range doors {
					if strings.HasPrefix(path, prefix) && !slices.Contains(who, dir) {
						t.Errorf("%s imports %s: only %v may", dir, path, who)
					}
				}
				if slices.Contains(pure, dir) && (slices.Contains(impure, path) || strings.HasPrefix(path, "os/")) {
					t.Errorf("%s is pure but imports %s", dir, path)
				}
			}
		}
	}
	for dir := range arrows {
		if packages[dir] == nil {
			t.Errorf("package %s is in the table of arrows but not in the module", dir)
		}
	}
}

// TestPureCode finds what imports alone do not show: the clock, goroutines and init functions.
func TestPureCode(t *testing.T) {
	for dir, files := range parseModule(t) {
		for _, file := range files {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					if n.Name.Name == "init" && n.Recv == nil {
						t.Errorf("%s has an init function", dir)
					}
				case *ast.GoStmt:
					if slices.Contains(pure, dir) {
						t.Errorf("%s is pure but starts a goroutine", dir)
					}
				case *ast.SelectorExpr:
					if clock(n) && slices.Contains(pure, dir) {
						t.Errorf("%s is pure but reads the clock: time.%s", dir, n.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

func clock(n *ast.SelectorExpr) bool {
	of, ok := n.X.(*ast.Ident)
	return ok && of.Name == "time" && slices.Contains([]string{"Now", "Since", "Until", "Sleep", "After", "Tick", "NewTimer", "NewTicker"}, n.Sel.Name)
}

// TestPackageComments wants one comment a package, in one file, that begins as Go's tools expect.
func TestPackageComments(t *testing.T) {
	for dir, files := range parseModule(t) {
		var comments []string
		for _, file := range files {
			if file.Doc != nil {
				comments = append(comments, file.Doc.Text())
			}
		}
		if len(comments) != 1 {
			t.Errorf("%s has %d package comments, want 1", dir, len(comments))
			continue
		}
		want := "Package " + files[0].Name.Name + " "
		if files[0].Name.Name == "main" {
			want = "Command " + filepath.Base(dir) + " "
		}
		if !strings.HasPrefix(comments[0], want) {
			t.Errorf("%s: the package comment is %q, want it to begin with %q", dir, comments[0], want)
		}
	}
}

// parseModule parses the module's packages without their tests, by folder below the module's root.
func parseModule(t *testing.T) map[string][]*ast.File {
	t.Helper()
	root := filepath.Join("..", "..")
	packages := map[string][]*ast.File{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && path != root && (name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		packages[dir] = append(packages[dir], file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}
