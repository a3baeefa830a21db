#!/usr/bin/env bash
# Sets up, builds, and runs every suite. The last line is the sum:
#   N passed, N failed, N skipped
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh --tests
scripts/build.sh --tests

# The system's Python, since another one on the PATH may lack venv. The stamp
# says which requirements are in: with them, no network is needed.
venv=build/venv
python=/usr/bin/python3
[[ -x $python ]] || python=python3
if ! cmp -s scripts/requirements-test.txt "$venv/tonno-requirements.txt"; then
  "$python" -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check \
    --requirement scripts/requirements-test.txt
  cp scripts/requirements-test.txt "$venv/tonno-requirements.txt"
fi

exec "$venv/bin/python" scripts/run_suites.py build
