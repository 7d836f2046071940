# add NOTE: append one note to the pocket.
set -eu
[ "$#" -gt 0 ] || { echo "pocket: add what?" >&2; exit 2; }
printf '%s\n' "$*" >>"${POCKET:-pocket.txt}"
