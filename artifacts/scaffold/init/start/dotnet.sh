
port=5000
if [ -z "$start_command" ]; then
  web="$(printf '%s\n' "$project_files" | while IFS= read -r target; do
    if [ -n "$target" ] && grep -q 'Microsoft.NET.Sdk.Web' "$target"; then
      printf '%s\n' "$target"
    fi
  done)"
  web="$(printf '%s\n' "$web" | sed -n 1p)"
  if [ -n "$web" ]; then
    start_command="dotnet run --project '$web' --urls http://localhost:${PORT:-$port}"
  fi
fi
