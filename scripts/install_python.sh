#!/usr/bin/env bash
# Installs the Python package from this source, as `pip install .` does, into a
# build tree's virtual environment, and prints the environment's Python.
#
#   scripts/install_python.sh <build tree>
#   PYTHON=python3.13 scripts/install_python.sh <build tree>
#
# The extension is linked with the tree's libraries, if the tree has been built,
# and else compiled whole. No network is needed: what builds the package is in
# the environment. Object files stay in the tree. With PYTHON, another interpreter gets an environment
# beside the tree's, for which the network is needed once. With
# TONNO_CDNA_EMULATOR, the folder of the emulator of CDNA's machine code, the
# environment gets what the emulator requires.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p "$1"
build=$(realpath "$1")
venv=$build/venv
package=$build/python-package

# The system's Python, since another one on the PATH may lack venv.
python=/usr/bin/python3
[[ -x $python ]] || python=python3
if [[ -n ${PYTHON:-} ]]; then
  python=$PYTHON
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  venv+=-$version
  package+=-$version
fi
scripts/test_environment.sh "$python" "$venv" >&2
if [[ -n ${TONNO_CDNA_EMULATOR:-} ]]; then
  requirements=$TONNO_CDNA_EMULATOR/requirements.txt
  stamp=$venv/cdna-emulator-requirements.txt
  if cmp -s "$requirements" "$stamp"; then
    :
  elif "$venv/bin/pip" install --quiet --disable-pip-version-check \
    --requirement "$requirements" >&2; then
    cp "$requirements" "$stamp"
  else
    echo "install_python.sh: without $requirements, the emulator's tests are skipped" >&2
  fi
fi
built=()
[[ ! -e $build/package/TonnoConfig.cmake ]] ||
  built=(--config-settings=cmake.define.Tonno_DIR="$build/package")
"$venv/bin/pip" install --quiet --disable-pip-version-check \
  --no-index --no-build-isolation --no-deps --force-reinstall \
  --config-settings=build-dir="$package" "${built[@]}" . >&2
echo "$venv/bin/python"
