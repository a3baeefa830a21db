#!/usr/bin/env bash
# Builds fuzzers with sanitizers and runs them on arbitrary bytes.
#
#   scripts/fuzz.sh                      those whose reader changed, 20 s each
#   scripts/fuzz.sh --all --seconds=300  all of them, 300 s each
#   scripts/fuzz.sh Frame Npy            these
#
# They are built in build/fuzz. An input that one fails on is left in
# build/fuzz/found and belongs into a unit test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh --tests
exec python3 scripts/run_fuzzers.py "$@"
