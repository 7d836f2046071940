
# --- Ready ---
say "init: ready"
if [ -n "$start_command" ]; then
  say "To start: $start_command"
fi
