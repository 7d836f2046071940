
# --- PHP ---
if [ ! -f composer.json ] && [ ! -f index.php ] && [ ! -f public/index.php ]; then
  say "init: no composer.json yet; nothing to prepare"
  exit 0
fi
need php "See https://www.php.net"

if [ -f composer.json ]; then
  if [ -f composer.phar ]; then
    composer="php composer.phar"
  else
    need composer "See https://getcomposer.org"
    composer=composer
  fi
  $composer install --no-interaction --no-progress
  keep_out_of_git vendor
fi
if [ -f package.json ] && [ -f package-lock.json ] && [ ! -d node_modules ] && have npm; then
  npm ci --no-audit --no-fund
fi
keep_out_of_git node_modules

copy_env

if [ -f artisan ]; then
  if [ -f .env ] && grep -Eq '^APP_KEY=[[:space:]]*$' .env; then
    php artisan key:generate --no-interaction
  fi
  if [ -f .env ] && grep -Eq '^DB_CONNECTION=sqlite' .env && ! grep -Eq '^DB_DATABASE=.' .env && [ ! -e database/database.sqlite ]; then
    touch database/database.sqlite
  fi
  php artisan migrate --no-interaction --force
  say "init: smoke test: Laravel loads"
  php artisan about --no-interaction >/dev/null 2>&1 || php artisan --version
elif [ -f bin/console ]; then
  if [ -d migrations ] && [ -d vendor/doctrine/doctrine-migrations-bundle ]; then
    php bin/console doctrine:database:create --if-not-exists --no-interaction
    php bin/console doctrine:migrations:migrate --no-interaction --allow-no-migration
  fi
  say "init: smoke test: Symfony loads"
  php bin/console about --no-interaction >/dev/null
else
  say "init: smoke test: all PHP files parse"
  find . -name '*.php' -not -path './vendor/*' -not -path './node_modules/*' -not -path './.*/*' | while IFS= read -r file; do
    php -l "$file" >/dev/null
  done
fi
