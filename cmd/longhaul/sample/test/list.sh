# Notes are listed with their numbers.
set -eu
POCKET=./list.tmp
export POCKET
trap 'rm -f "$POCKET"' EXIT
printf 'buy milk\ncall Ann\n' >"$POCKET"
[ "$(sh pocket.sh list)" = "1 buy milk
2 call Ann" ] || { echo "the list is not numbered"; exit 1; }
echo "ok: 2 notes listed"
