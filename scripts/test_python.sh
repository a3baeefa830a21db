#!/usr/bin/env bash
# Installs the Python package from this source, as `pip install .` does, into a
# build tree's virtual environment, and runs its tests.
#
#   scripts/test_python.sh <build tree> <report>
#
# No network is needed: what builds the package is in the environment. What was
# compiled is kept in the tree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$1
report=$2

"$build/venv/bin/pip" install --quiet --disable-pip-version-check \
  --no-index --no-build-isolation --no-deps --force-reinstall \
  --config-settings=build-dir="$build/python-package" \
  --config-settings=cmake.define.TONNO_SEPARATE_BINDINGS=ON .
# Away from the source, so that what was installed is what is tested.
cd "$build"
exec venv/bin/python -m pytest -q -rs --junitxml="$report" \
  --rootdir="$OLDPWD/python" "$OLDPWD/python/tests"
