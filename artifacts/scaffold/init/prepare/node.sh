
# --- Node.js ---
if [ ! -f package.json ]; then
  say "init: no package.json yet; nothing to prepare"
  exit 0
fi

manager=npm
if [ -f pnpm-lock.yaml ] || grep -Eq '"packageManager"[[:space:]]*:[[:space:]]*"pnpm@' package.json; then
  manager=pnpm
elif [ -f bun.lock ] || [ -f bun.lockb ] || grep -Eq '"packageManager"[[:space:]]*:[[:space:]]*"bun@' package.json; then
  manager=bun
elif [ -f yarn.lock ] || grep -Eq '"packageManager"[[:space:]]*:[[:space:]]*"yarn@' package.json; then
  manager=yarn
fi
if [ "$manager" = bun ]; then
  need bun "See https://bun.sh"
else
  need node "See https://nodejs.org"
  need "$manager" "Try: corepack enable"
fi

# A reader of package.json: has_script NAME.
has_script() {
  local program='process.exit((require(process.cwd() + "/package.json").scripts || {})[process.env.SCRIPT] ? 0 : 1)'
  if have node; then
    SCRIPT="$1" node -e "$program"
  else
    SCRIPT="$1" bun -e "$program"
  fi
}

# Installs exactly what the lock file says; when package.json has moved on, brings the lock file along.
install_packages() {
  case "$manager" in
    pnpm) pnpm install --frozen-lockfile || pnpm install --no-frozen-lockfile ;;
    bun) bun install --frozen-lockfile || bun install ;;
    yarn)
      if [ -f .yarnrc.yml ]; then
        yarn install --immutable || yarn install --no-immutable
      else
        yarn install --frozen-lockfile --non-interactive || yarn install --non-interactive
      fi
      ;;
    npm)
      if [ -f package-lock.json ] || [ -f npm-shrinkwrap.json ]; then
        npm ci --no-audit --no-fund || npm install --no-audit --no-fund
      else
        npm install --no-audit --no-fund
      fi
      ;;
  esac
}

up_to_date() {
  local file
  [ -e node_modules/.init-done ] || return 1
  for file in package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb; do
    if [ "$file" -nt node_modules/.init-done ]; then
      return 1
    fi
  done
}

if ! grep -Eq '"(dependencies|devDependencies|optionalDependencies|peerDependencies|workspaces)"' package.json; then
  say "init: package.json names no packages"
elif up_to_date; then
  say "init: packages are up to date"
else
  say "init: installing packages with $manager"
  install_packages
  if [ -d node_modules ]; then
    touch node_modules/.init-done
  fi
fi
keep_out_of_git node_modules

copy_env

if has_script db:prepare; then
  "$manager" run db:prepare
elif has_script db:migrate; then
  "$manager" run db:migrate
elif [ -f prisma/schema.prisma ] && [ -x node_modules/.bin/prisma ]; then
  node_modules/.bin/prisma generate
  if [ -d prisma/migrations ]; then
    node_modules/.bin/prisma migrate deploy
  fi
fi

for script in smoke test:smoke typecheck type-check check-types; do
  if has_script "$script"; then
    say "init: smoke test: $manager run $script"
    "$manager" run "$script"
    break
  fi
done
