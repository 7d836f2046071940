
# --- Ruby, Ruby on Rails ---
if [ ! -f Gemfile ]; then
  say "init: no Gemfile yet; nothing to prepare"
  exit 0
fi
need ruby "See https://www.ruby-lang.org"
need bundle "Try: gem install bundler"

bundle check >/dev/null 2>&1 || bundle install

if [ -f package.json ] && [ ! -d node_modules ]; then
  if [ -f pnpm-lock.yaml ] && have pnpm; then
    pnpm install
  elif [ -f yarn.lock ] && have yarn; then
    yarn install
  elif [ -f bun.lock ] && have bun; then
    bun install
  elif have npm; then
    npm install --no-audit --no-fund
  fi
fi
keep_out_of_git node_modules

copy_env

rails="bundle exec rails"
if [ -f bin/rails ]; then
  rails="ruby bin/rails"
fi
if [ -f config/application.rb ]; then
  if [ -f config/database.yml ]; then
    $rails db:prepare
  fi
  say "init: smoke test: Rails loads"
  $rails runner 'puts "Rails #{Rails.version} loads"'
  if [ -f config/database.yml ]; then
    $rails runner 'ActiveRecord::Base.connection.execute("SELECT 1"); puts "database answers"'
  fi
else
  say "init: smoke test: the gems load"
  bundle exec ruby -e 'puts "ruby #{RUBY_VERSION}"'
fi
