#!/bin/sh
# pocket keeps short notes in a file: one script a verb.
set -eu
verb=${1:-help}
[ "$#" -eq 0 ] || shift
here=$(dirname "$0")
if [ ! -f "$here/verbs/$verb.sh" ]; then
	echo "pocket: no verb $verb" >&2
	exit 2
fi
exec sh "$here/verbs/$verb.sh" "$@"
