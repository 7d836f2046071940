package scaffold

import (
	"path"
	"testing"
)

func TestStack(t *testing.T) {
	tests := map[string]string{
		"Next.js + TypeScript": "node", "Next.js, TypeScript, Prisma, PostgreSQL": "node", "NESTJS": "node", "react native": "node",
		"Vue 3": "node", "Bun": "node", "Express.js": "node",
		"FastAPI": "python", "Python 3.12": "python", "Django/React": "python", "python": "python",
		"Spring Boot": "java", "kotlin": "java", "Java 21": "java",
		"Laravel": "php", "PHP 8.3": "php",
		"ASP.NET": "dotnet", "C#": "dotnet", ".NET 8": "dotnet", "asp.net core + Angular": "dotnet",
		"Ruby on Rails": "rails", "rails": "rails", "Ruby": "rails",
		"Gin": "go", "Go 1.22": "go", "golang": "go", "React frontend with a Go API": "go",
		"Rust (axum)": "rust", "Tauri": "rust", "cargo workspace": "rust",
		"": "other", "C++": "other", "Django-like thing in COBOL": "other", "MongoDB": "other", "ergonomic": "other",
		"стек: Next.js + TypeScript.": "node", "用 FastAPI 写后端": "python",
	}
	for text, want := range tests {
		if got := Stack(text); got != want {
			t.Errorf("Stack(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestDetect(t *testing.T) {
	tests := []struct {
		want  string
		files []string
	}{
		{"other", nil},
		{"other", []string{"README.md"}},
		{"node", []string{"package.json"}},
		{"node", []string{"package.json", "Gemfile"}},
		{"rails", []string{"Gemfile", "package.json", "config/application.rb"}},
		{"rails", []string{"Gemfile"}},
		{"php", []string{"artisan", "composer.json", "package.json"}},
		{"python", []string{"manage.py", "package.json"}},
		{"python", []string{"tool.py"}},
		{"go", []string{"go.mod", "package.json"}},
		{"rust", []string{"Cargo.toml"}},
		{"java", []string{"build.gradle.kts"}},
		{"dotnet", []string{"Shop.sln"}},
	}
	for _, test := range tests {
		got := Detect(func(glob string) bool {
			for _, file := range test.files {
				if ok, _ := path.Match(glob, file); ok {
					return true
				}
			}
			return false
		})
		if got != test.want {
			t.Errorf("Detect(%v) = %q, want %q", test.files, got, test.want)
		}
	}
}

func TestGitIgnore(t *testing.T) {
	tests := []struct{ name, old, want string }{
		{"empty", "", ".harness/local/\n"},
		{"lines", "node_modules\n", "node_modules\n.harness/local/\n"},
		{"no final newline", "a\nb", "a\nb\n.harness/local/\n"},
		{"windows", "a\r\nb\r\n", "a\r\nb\r\n.harness/local/\r\n"},
		{"there", "/.harness/local\n", "/.harness/local\n"},
		{"wider", ".harness/\n", ".harness/\n"},
		{"comment", "# .harness/local/\n", "# .harness/local/\n.harness/local/\n"},
	}
	for _, test := range tests {
		got := string(GitIgnore([]byte(test.old)))
		if got != test.want {
			t.Errorf("%s: GitIgnore() = %q, want %q", test.name, got, test.want)
		}
		if again := string(GitIgnore([]byte(got))); again != got {
			t.Errorf("%s: a second time gives %q", test.name, again)
		}
	}
}
