#!/usr/bin/env bash
# Sets up, builds, and tunes examples/matmul.mlir on this machine's CPU.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
scripts/build.sh

tuned=build/demo/matmul.tuned.mlir
mkdir -p build/demo
printf '\ndemo: build/bin/tonno-tune examples/matmul.mlir -o %s\n' "$tuned"
build/bin/tonno-tune examples/matmul.mlir -o "$tuned"

printf '\ndemo: the tuned kernel is in %s:\n' "$tuned"
grep -n -E 'tonno\.tuned|func\.func' "$tuned"
