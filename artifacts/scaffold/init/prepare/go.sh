
# --- Go ---
if [ ! -f go.mod ] && [ ! -f go.work ]; then
  say "init: no go.mod yet; nothing to prepare"
  exit 0
fi
need go "See https://go.dev/dl"

if [ -f go.mod ] && [ ! -d vendor ] && grep -Eq '^(require|[[:space:]]+[^[:space:]]+\.[^[:space:]]+/)' go.mod; then
  go mod download
fi
if [ -f package.json ] && [ -f package-lock.json ] && [ ! -d node_modules ] && have npm; then
  npm ci --no-audit --no-fund
  keep_out_of_git node_modules
fi

copy_env

if has_target migrate; then
  make migrate
fi

# In a workspace ./... means the main module alone, and may match nothing.
modules="./..."
if [ -f go.work ] && [ ! -f go.mod ]; then
  modules="$(go list -f '{{.Dir}}/...' -m)"
fi
if [ -n "$(find . -name '*.go' -not -path './vendor/*' -not -path './.*/*')" ]; then
  say "init: smoke test: go build, go vet"
  # shellcheck disable=SC2086 # one word a module
  go build -o /dev/null $modules
  # shellcheck disable=SC2086
  go vet $modules
else
  say "init: no Go files yet"
fi
