
# --- Rust ---
if [ ! -f Cargo.toml ]; then
  say "init: no Cargo.toml yet; nothing to prepare"
  exit 0
fi
need cargo "See https://rustup.rs"

copy_env

if [ -d migrations ] && have sqlx && { [ -n "${DATABASE_URL:-}" ] || { [ -f .env ] && grep -q '^DATABASE_URL=' .env; }; }; then
  sqlx database create
  sqlx migrate run
elif [ -f diesel.toml ] && have diesel; then
  diesel setup
fi

say "init: smoke test: cargo check"
cargo check --workspace --all-targets --quiet
keep_out_of_git target
