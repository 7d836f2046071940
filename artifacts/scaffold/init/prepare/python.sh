
# --- Python ---
if [ ! -f pyproject.toml ] && [ ! -f setup.py ] && [ ! -f setup.cfg ] && [ ! -f Pipfile ] && [ ! -f manage.py ] &&
  ! ls requirements*.txt >/dev/null 2>&1 && ! ls ./*.py >/dev/null 2>&1; then
  say "init: no Python project yet; nothing to prepare"
  exit 0
fi

in_project_file() { [ -f pyproject.toml ] && grep -Eq "$1" pyproject.toml; }

python=python3
if ! have python3; then
  python=python
fi

# Everything is run through $run: in the project's own environment, whoever keeps it.
run=""
prefix=""
if [ -f uv.lock ] || { in_project_file '^\[tool\.uv' && have uv; }; then
  need uv "See https://docs.astral.sh/uv"
  uv sync
  keep_out_of_git .venv
  run="uv run --no-sync"
  prefix="$run "
elif [ -f poetry.lock ] || in_project_file '^\[tool\.poetry\]'; then
  need poetry "See https://python-poetry.org"
  poetry install --no-interaction
  run="poetry run"
  prefix="$run "
elif [ -f Pipfile ]; then
  need pipenv "Try: $python -m pip install --user pipenv"
  pipenv install --dev
  run="pipenv run"
  prefix="$run "
else
  need "$python" "See https://python.org"
  venv=.venv
  if [ ! -d .venv ] && [ -f venv/pyvenv.cfg ]; then
    venv=venv
  fi
  if [ ! -f "$venv/pyvenv.cfg" ]; then
    "$python" -m venv "$venv"
  fi
  keep_out_of_git "$venv"
  bin="$venv/bin"
  if [ -d "$venv/Scripts" ]; then
    bin="$venv/Scripts"
  fi
  export PATH="$PWD/$bin:$PATH" VIRTUAL_ENV="$PWD/$venv"
  prefix="$bin/"

  stale=""
  for file in pyproject.toml setup.py setup.cfg requirements*.txt; do
    if [ -f "$file" ] && { [ ! -e "$venv/.init-done" ] || [ "$file" -nt "$venv/.init-done" ]; }; then
      stale=yes
    fi
  done
  if [ -n "$stale" ]; then
    for file in requirements.txt requirements-dev.txt requirements_dev.txt dev-requirements.txt; do
      if [ -f "$file" ] && grep -Eq '^[[:space:]]*[^#[:space:]]' "$file"; then
        python -m pip install -q -r "$file"
      fi
    done
    if [ -f setup.py ] || in_project_file '^\[(project|build-system)\]'; then
      python -m pip install -q -e .
    fi
  fi
  touch "$venv/.init-done"
fi

copy_env

if [ -f manage.py ]; then
  $run python manage.py migrate --noinput
elif [ -f alembic.ini ]; then
  $run alembic upgrade head
fi

# Smoke test: every source file parses; Django says that its settings load.
say "init: smoke test: all Python files parse"
$run python - <<'PY'
import ast, os, sys
bad = 0
for folder, names, files in os.walk("."):
    names[:] = [n for n in names if not n.startswith(".") and n not in ("venv", "env", "node_modules", "build", "dist", "site-packages")]
    for name in files:
        if name.endswith(".py"):
            path = os.path.join(folder, name)
            try:
                with open(path, "rb") as source:
                    ast.parse(source.read(), path)
            except (SyntaxError, ValueError) as e:
                print("%s: %s" % (path, e), file=sys.stderr)
                bad = 1
sys.exit(bad)
PY
if [ -f manage.py ]; then
  $run python manage.py check
elif has_target smoke; then
  make smoke
fi
