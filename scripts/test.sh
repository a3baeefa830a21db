#!/usr/bin/env bash
# Sets up, builds, and runs every suite. The last line is the sum:
#   N passed, N failed, N skipped
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# step <command>...: runs it and prints its seconds.
step() {
  local start=$SECONDS
  "$@"
  printf '=== %s: %d s\n' "$*" $((SECONDS - start))
}

step scripts/setup.sh --tests
step scripts/build.sh --tests
step scripts/install_python.sh build
exec build/venv/bin/python scripts/run_suites.py build
