package scaffold

import (
	"regexp"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
)

// signs are the files that tell a stack. What may stand beside another stack,
// as package.json does beside Rails, Laravel or Django, comes after it.
var signs = []struct {
	stack string
	files []string
}{
	{"rails", []string{"config/application.rb", "bin/rails"}},
	{"php", []string{"artisan", "composer.json"}},
	{"dotnet", []string{"*.sln", "*.slnx", "*.csproj", "*.fsproj", "*/*.csproj", "src/*/*.csproj"}},
	{"java", []string{"pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradlew", "mvnw"}},
	{"rust", []string{"Cargo.toml"}},
	{"go", []string{"go.mod", "go.work"}},
	{"python", []string{"manage.py", "pyproject.toml", "uv.lock", "poetry.lock", "Pipfile", "setup.py", "requirements.txt"}},
	{"node", []string{"package.json", "pnpm-lock.yaml", "yarn.lock", "package-lock.json", "bun.lock", "bun.lockb", "deno.json"}},
	{"rails", []string{"Gemfile", "config.ru"}}, // a mobile app has a Gemfile for its release tools
	{"python", []string{"requirements*.txt", "*.py"}},
	{"php", []string{"index.php"}},
}

// Detect tells the stack from the files of a project; names answers whether a
// file or glob exists in its root. "other" when nothing is known.
func Detect(names func(string) bool) (stack string) {
	for _, sign := range signs {
		for _, file := range sign.files {
			if names(file) {
				return sign.stack
			}
		}
	}
	return "other"
}

// words tell a stack in free text. A framework is more than a language, for
// "React with a Go API" is about both: frameworks of the server come first,
// then languages, then what runs in a browser.
var words = []struct {
	stack   string
	pattern func() *regexp.Regexp
}{
	{"rails", word(`rails|ruby on rails|ror|sinatra|hanami`)},
	{"php", word(`laravel|symfony|wordpress|drupal|codeigniter|livewire`)},
	{"dotnet", word(`asp\.?net|blazor|dotnet|\.net|c#|f#|maui|entity framework`)},
	{"java", word(`spring(?:[ -]?boot)?|quarkus|micronaut|ktor|maven|gradle`)},
	{"python", word(`django|flask|fastapi|starlette|pytorch|pandas|streamlit|aiohttp|tornado|poetry`)},
	{"node", word(`next\.?js|nextjs|nuxt(?:\.?js)?|nest\.?js|express(?:\.?js)?|fastify|remix|sveltekit|astro|hono|koa|electron`)},
	{"rust", word(`actix|axum|rocket|tauri|leptos|bevy|tokio`)},
	{"go", word(`gin|echo|fiber|chi|go-?kit|cobra|bubbletea`)},
	{"node", word(`next`)},
	{"python", word(`python ?[\d.]*|py|pytest|uv`)},
	{"go", word(`go(?:lang)? ?[\d.]*`)},
	{"rust", word(`rust|cargo`)},
	{"rails", word(`ruby ?[\d.]*`)},
	{"java", word(`java ?\d*|kotlin|jvm|scala`)},
	{"php", word(`php ?[\d.]*`)},
	{"node", word(`node(?:\.?js)?|typescript|javascript|react(?:[ -]native)?|vue(?:\.?js)?|svelte|angular|vite|expo|tailwind(?: ?css)?|npm|pnpm|yarn|bun|deno|ts|js`)},
}

// word matches whole words, where "c++" or "asp.net" are words as well.
func word(alternatives string) func() *regexp.Regexp {
	return pattern.Lazy(`(?i)(?:^|[^\p{L}\d.#+_-])(?:` + alternatives + `)(?:$|[^\p{L}\d#+_-])`)
}

// Stack tells the stack that a description means, such as "Next.js +
// TypeScript" or "FastAPI"; "other" when it names none that is known.
func Stack(text string) string {
	for _, w := range words {
		if w.pattern().MatchString(strings.TrimSpace(text)) {
			return w.stack
		}
	}
	return "other"
}
