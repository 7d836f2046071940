
port=3000
if [ -z "$start_command" ]; then
  if [ -f config/application.rb ]; then
    start_command="$rails server -p ${PORT:-$port}"
    if [ -f bin/dev ]; then
      start_command="bin/dev"
    fi
  elif [ -f config.ru ]; then
    start_command="bundle exec rackup -p ${PORT:-$port}"
  fi
fi
