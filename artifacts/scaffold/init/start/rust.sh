
port=8080
if [ -z "$start_command" ] && { [ -f src/main.rs ] || [ -d src/bin ]; }; then
  start_command="cargo run"
  if [ -f Trunk.toml ] && have trunk; then
    start_command="trunk serve"
  fi
fi
