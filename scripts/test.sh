#!/usr/bin/env bash
# Sets up, builds, and runs every suite. The last line is the sum:
#   N passed, N failed, N skipped
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh --tests
scripts/build.sh --tests

# The system's Python, since another one on the PATH may lack venv.
venv=build/venv
python=/usr/bin/python3
[[ -x $python ]] || python=python3
scripts/test_environment.sh "$python" "$venv"

exec "$venv/bin/python" scripts/run_suites.py build
