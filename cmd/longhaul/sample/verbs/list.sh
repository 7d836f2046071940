# list: print the notes, numbered from 1.
set -eu
number=0
while read -r note; do
	number=$((number + 1))
	printf '%d %s\n' "$number" "$note"
done <"${POCKET:-pocket.txt}"
