#!/usr/bin/env bash
# KIND_LINE
# Safe to run again at any time. Edit it as the project grows.
set -euo pipefail
exec </dev/null

# The project is the folder that holds .harness/config.json; without one, the current folder.
root="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
while [ "$root" != / ] && [ ! -e "$root/.harness/config.json" ]; do
  root="$(dirname "$root")"
done
if [ -e "$root/.harness/config.json" ]; then
  cd "$root"
fi

export COREPACK_ENABLE_DOWNLOAD_PROMPT=0 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
export NEXT_TELEMETRY_DISABLED=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

say() { printf '%s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }

need() {
  if ! have "$1"; then
    say "init: $1 is not installed. $2" >&2
    exit 1
  fi
}

# Keeps a folder of downloaded or built files out of git, unless the project tracks it or says so itself.
keep_out_of_git() {
  if [ ! -d "$1" ] || [ -e "$1/.gitignore" ] || git check-ignore -q "$1/x" 2>/dev/null; then
    return 0
  fi
  if [ -z "$(git ls-files -- "$1" 2>/dev/null || true)" ]; then
    printf '*\n' >"$1/.gitignore"
  fi
}

copy_env() {
  local example
  for example in .env.example .env.sample .env.template .env.dist; do
    if [ -f "$example" ] && [ ! -e .env ] && [ ! -L .env ]; then
      cp "$example" .env
      say "init: .env made from $example; fill in what is secret"
    fi
  done
}

has_target() { [ -f Makefile ] && grep -Eq "^$1[[:space:]]*:([^=]|\$)" Makefile; }

start_command="${START_COMMAND:-}"
