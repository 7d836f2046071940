
# --- The project's own way ---
found=""
copy_env
for script in bin/setup script/setup script/bootstrap scripts/setup.sh setup.sh; do
  if [ -f "$script" ]; then
    say "init: running $script"
    if [ -x "$script" ]; then
      "./$script"
    else
      bash "./$script"
    fi
    found=yes
    break
  fi
done
if [ -z "$found" ]; then
  for target in setup bootstrap deps install-deps; do
    if has_target "$target"; then
      need make "It runs this project's Makefile."
      make "$target"
      found=yes
      break
    fi
  done
fi
for target in migrate smoke; do
  if has_target "$target"; then
    need make "It runs this project's Makefile."
    make "$target"
    found=yes
  fi
done
if [ -z "$found" ]; then
  say "init: nothing to prepare yet; write here how to install, set up and smoke-test this project"
fi
