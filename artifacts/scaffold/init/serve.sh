
# --- Start the dev server and wait until it answers ---
# PORT, HEALTH_URL, START_COMMAND and WAIT_SECONDS in the environment overrule what stands here.
if [ -z "$start_command" ]; then
  say "init: ready; there is nothing to start yet (set START_COMMAND when there is)"
  exit 0
fi
export PORT="${PORT:-$port}"
url="${HEALTH_URL:-http://localhost:$PORT/}"

# With HEALTH_URL set the answer must be a success; without it any answer will do.
answers() {
  if have curl; then
    if [ -n "${HEALTH_URL:-}" ]; then
      curl -fsS -o /dev/null --max-time 5 "$url" 2>/dev/null
    else
      curl -sS -o /dev/null --max-time 5 "$url" 2>/dev/null
    fi
    return
  fi
  if [ -n "${HEALTH_URL:-}" ] && have wget; then
    wget -q -O /dev/null -T 5 -t 1 "$url" 2>/dev/null
    return
  fi
  (exec 3<>"/dev/tcp/localhost/$PORT") 2>/dev/null
}

end_tree() {
  local child
  for child in $(pgrep -P "$1" 2>/dev/null || true); do
    end_tree "$child"
  done
  kill "$1" 2>/dev/null || true
}

if answers; then
  say "init: ready; $url answers already, nothing was started"
  exit 0
fi

log="$(mktemp "${TMPDIR:-/tmp}/dev-server.XXXXXX")"
say "init: starting: $start_command (log: $log)"
bash -c "$start_command" >"$log" 2>&1 </dev/null &
server=$!

give_up() {
  say "init: $1; the end of $log:" >&2
  tail -n 40 "$log" >&2
  end_tree "$server"
  exit 1
}

seconds=0
until answers; do
  if ! kill -0 "$server" 2>/dev/null; then
    give_up "the dev server has ended"
  fi
  if [ "$seconds" -ge "${WAIT_SECONDS:-60}" ]; then
    give_up "$url did not answer within ${WAIT_SECONDS:-60} seconds"
  fi
  sleep 1
  seconds=$((seconds + 1))
done
say "init: ready; $url answers (process $server)"
