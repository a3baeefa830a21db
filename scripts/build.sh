#!/usr/bin/env bash
# Configures and builds the preset `release` in build/.
#
#   scripts/build.sh           the tools (target tonno-tools)
#   scripts/build.sh --tests   everything, with the unit tests and what packages ship
#
# Both share the tree. The option for the tests is set by --tests and never
# unset, and no flag depends on it, so neither undoes the other's work.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

options=()
targets=(tonno-tools)
case ${1:-} in
  '') ;;
  --tests)
    options+=(-DTONNO_BUILD_TESTS=ON)
    targets=(all tonno-standalone)
    ;;
  *)
    echo "build: error: unknown option '$1'; the only one is --tests" >&2
    exit 1
    ;;
esac
[[ -z ${MLIR_DIR:-} ]] || options+=(-DMLIR_DIR="$MLIR_DIR")

cmake --preset release "${options[@]}"
cmake --build build --target "${targets[@]}"
