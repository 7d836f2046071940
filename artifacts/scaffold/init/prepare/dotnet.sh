
# --- .NET ---
projects="$(find . -maxdepth 4 \( -name '*.sln' -o -name '*.slnx' -o -name '*.csproj' -o -name '*.fsproj' -o -name '*.vbproj' \) -not -path './.*/*' -print)"
if [ -z "$projects" ]; then
  say "init: no solution or project file yet; nothing to prepare"
  exit 0
fi
need dotnet "See https://dot.net"

# Without a solution or project at the root, each project below it is built by itself.
targets="$(printf '%s\n' "$projects" | grep -E '^\./[^/]*$' | grep -E '\.slnx?$' | sed -n 1p || true)"
project_files="$(printf '%s\n' "$projects" | grep -E 'proj$' || true)"
if [ -z "$targets" ]; then
  targets="$project_files"
fi

if [ -f .config/dotnet-tools.json ]; then
  dotnet tool restore
fi
copy_env

say "init: smoke test: dotnet build"
printf '%s\n' "$targets" | while IFS= read -r target; do
  dotnet restore "$target" </dev/null
  dotnet build "$target" --no-restore -v quiet </dev/null
done
printf '%s\n' "$project_files" | while IFS= read -r target; do
  if [ -n "$target" ]; then
    keep_out_of_git "$(dirname "$target")/bin"
    keep_out_of_git "$(dirname "$target")/obj"
  fi
done

if [ -f .config/dotnet-tools.json ] && grep -q '"dotnet-ef"' .config/dotnet-tools.json &&
  [ -n "$(find . -type d -name Migrations -not -path './.*/*')" ]; then
  dotnet ef database update
fi
