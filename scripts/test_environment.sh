#!/usr/bin/env bash
# Makes the virtual environment of the tests, unless it is there.
#
#   scripts/test_environment.sh <python> <environment>
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=$1
venv=$2

# The stamp says which requirements are in: with them, no network is needed.
cmp -s scripts/requirements-test.txt "$venv/tonno-requirements.txt" && exit
"$python" -m venv --clear "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check \
  --requirement scripts/requirements-test.txt
cp scripts/requirements-test.txt "$venv/tonno-requirements.txt"
