
port=8000
if [ -z "$start_command" ]; then
  for target in dev serve start run; do
    if has_target "$target"; then
      start_command="make $target"
      break
    fi
  done
fi
