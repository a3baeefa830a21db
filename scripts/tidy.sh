#!/usr/bin/env bash
# Runs clang-tidy over what is built in build/.
#
#   scripts/tidy.sh        the files that changed; each changed header in one file
#   scripts/tidy.sh --all  every file
#
# `scripts/build.sh --tests` compiles the libraries, the tools and the tests,
# `scripts/test.sh` also the Python extension.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

options=(--changed)
case ${1:-} in
  '') ;;
  --all) options=() ;;
  *)
    echo "tidy: error: unknown option '$1'; the only one is --all" >&2
    exit 1
    ;;
esac
if [[ ! -f build/compile_commands.json ]]; then
  echo "tidy: error: build/ is not built; scripts/build.sh --tests does it" >&2
  exit 1
fi

status=0
python3 scripts/check_tidy.py "${options[@]}" build || status=1
if [[ -f build/python-package/compile_commands.json ]]; then
  python3 scripts/check_tidy.py "${options[@]}" build/python-package python || status=1
else
  echo "tidy: python/src is not checked: build/python-package is not built" >&2
fi
exit "$status"
