
port=8000
if [ -z "$start_command" ]; then
  if [ -f artisan ]; then
    start_command="php artisan serve --port=${PORT:-$port}"
  elif [ -f public/index.php ]; then
    start_command="php -S localhost:${PORT:-$port} -t public"
  elif [ -f index.php ]; then
    start_command="php -S localhost:${PORT:-$port}"
  fi
fi
