# longhaul: ends what a run left when the server is gone, that is when the input ends.
trap '' HUP INT TERM
id= group= also=
while read -r word rest; do
	case $word in
	mark) id=$rest ;;
	group) group=$rest ;;
	also) also="$also ${rest% *}:${rest#* }" ;;
	esac
done
[ -n "$id" ] || exit 0

# The start of a process, field 22 of its stat, tells it from a later one of the same pid.
started() {
	read -r line 2>/dev/null <"/proc/$1/stat" || return
	set -- ${line##*) }
	shift 19
	echo "$1"
}

if [ -r /proc/self/environ ]; then
	for entry in $also; do
		[ "$(started "${entry%:*}")" != "${entry#*:}" ] || kill -KILL "${entry%:*}" 2>/dev/null
	done
	round=0
	while [ $round -lt 200 ]; do
		left=$(grep -lF "$id" /proc/[0-9]*/environ 2>/dev/null)
		[ -n "$left" ] || exit 0
		for name in $left; do
			name=${name%/environ}
			kill -KILL "${name#/proc/}" 2>/dev/null
		done
		round=$((round + 1))
	done
	exit 0
fi

[ -z "$group" ] || kill -KILL -- "-$group" 2>/dev/null
for entry in $also; do
	kill -KILL "${entry%:*}" 2>/dev/null
done
for round in 1 2 3; do
	ps -axwwE -o pid= -o command= | while read -r pid rest; do
		case $rest in
		*"$id"*) kill -KILL "$pid" 2>/dev/null ;;
		esac
	done
done
