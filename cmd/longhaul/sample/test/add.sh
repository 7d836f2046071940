# Two added notes are both in the pocket, in order.
set -eu
POCKET=./add.tmp
export POCKET
trap 'rm -f "$POCKET"' EXIT
rm -f "$POCKET"
sh pocket.sh add buy milk
sh pocket.sh add call Ann
[ "$(cat "$POCKET")" = "buy milk
call Ann" ] || { echo "the notes are not in the pocket"; exit 1; }
echo "ok: 2 notes added"
