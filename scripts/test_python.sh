#!/usr/bin/env bash
# Installs the Python package into a build tree's virtual environment
# (install_python.sh, which also says what PYTHON does), and runs its tests.
#
#   scripts/test_python.sh <build tree> <report>
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p "$1" "$(dirname "$2")"
report=$(realpath "$2")
source=$PWD
python=$(scripts/install_python.sh "$1")
# Away from the source, so that the installed package is tested.
cd "$1"
exec "$python" -m pytest -q -rs --junitxml="$report" --rootdir="$source/python" "$source/python/tests"
