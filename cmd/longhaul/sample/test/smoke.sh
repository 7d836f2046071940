# The program starts and refuses an unknown verb.
if sh pocket.sh no-such-verb 2>/dev/null; then
	echo "an unknown verb was accepted"
	exit 1
fi
echo "smoke test passed"
