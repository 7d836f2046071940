
port=8080
if [ -z "$start_command" ]; then
  if [ -f .air.toml ] && have air; then
    start_command="air"
  elif has_target run; then
    start_command="make run"
  elif [ -f main.go ]; then
    start_command="go run ."
  else
    for folder in cmd/server cmd/api cmd/web cmd/*; do
      if [ -f "$folder/main.go" ]; then
        start_command="go run ./$folder"
        break
      fi
    done
  fi
fi
