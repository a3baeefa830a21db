#!/usr/bin/env bash
# Builds a sanitizer's preset and runs its unit tests.
#
#   scripts/sanitize.sh asan   addresses and undefined behaviour, every floor
#   scripts/sanitize.sh tsan   threads, floors 0 to 3
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-}
if [[ $preset != asan && $preset != tsan ]]; then
  echo "sanitize: error: say which: asan or tsan" >&2
  exit 1
fi
scripts/setup.sh --tests
cmake --preset "$preset" ${MLIR_DIR:+-DMLIR_DIR="$MLIR_DIR"}
cmake --build "build-$preset"
ctest --preset "$preset"
