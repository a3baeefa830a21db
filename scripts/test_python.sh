#!/usr/bin/env bash
# Installs the Python package from this source, as `pip install .` does, into a
# build tree's virtual environment, and runs its tests.
#
#   scripts/test_python.sh <build tree> <report>
#   PYTHON=python3.13 scripts/test_python.sh <build tree> <report>
#
# No network is needed: what builds the package is in the environment. What was
# compiled is kept in the tree. PYTHON is another interpreter than the tree's:
# it gets an environment beside that one, for which the network is needed once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p "$1" "$(dirname "$2")"
build=$(realpath "$1")
report=$(realpath "$2")
venv=$build/venv
package=$build/python-package

if [[ -n ${PYTHON:-} ]]; then
  version=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  venv+=-$version
  package+=-$version
  scripts/test_environment.sh "$PYTHON" "$venv"
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check \
  --no-index --no-build-isolation --no-deps --force-reinstall \
  --config-settings=build-dir="$package" \
  --config-settings=cmake.define.TONNO_SEPARATE_BINDINGS=ON .
# Away from the source, so that what was installed is what is tested.
cd "$build"
exec "$venv/bin/python" -m pytest -q -rs --junitxml="$report" \
  --rootdir="$OLDPWD/python" "$OLDPWD/python/tests"
