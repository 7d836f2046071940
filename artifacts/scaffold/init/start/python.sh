
port=8000
if [ -z "$start_command" ] && [ -f manage.py ]; then
  start_command="${prefix}python manage.py runserver 127.0.0.1:${PORT:-$port}"
fi
if [ -z "$start_command" ]; then
  for file in main.py app.py app/main.py src/main.py api/main.py; do
    if [ ! -f "$file" ]; then
      continue
    fi
    module="$(printf '%s' "${file%.py}" | tr / .)"
    if grep -Eq '^[A-Za-z_]+[[:space:]]*=[[:space:]]*FastAPI\(' "$file"; then
      object="$(sed -n 's/^\([A-Za-z_]*\)[[:space:]]*=[[:space:]]*FastAPI(.*/\1/p' "$file" | sed -n 1p)"
      start_command="${prefix}python -m uvicorn $module:$object --port ${PORT:-$port}"
      break
    fi
    if grep -Eq '=[[:space:]]*Flask\(' "$file"; then
      port=5000
      start_command="${prefix}python -m flask --app $module run --port ${PORT:-$port}"
      break
    fi
  done
fi
