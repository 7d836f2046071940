
port=3000
if ls vite.config.* >/dev/null 2>&1; then
  port=5173
elif ls astro.config.* >/dev/null 2>&1; then
  port=4321
elif [ -f angular.json ]; then
  port=4200
fi
if [ -z "$start_command" ]; then
  for script in dev start serve; do
    if has_script "$script"; then
      start_command="$manager run $script"
      break
    fi
  done
fi
