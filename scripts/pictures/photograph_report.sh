#!/usr/bin/env bash
# Takes a picture of the first screen of tonno-report's page, by Chromium.
#
#   photograph_report.sh <journal> <picture>
#
# The picture is docs/pictures/report.png, of a session of
#
#   tonno-tune examples/matmul.mlir -o tuned.mlir --cache=off --journal=matmul.jsonl
#
# tonno-report must be on the PATH.
set -euo pipefail
if [[ $# != 2 ]]; then
  sed -n '2,10s/^# \?//p' "$0" >&2
  exit 2
fi
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cp "$1" "$folder/matmul.jsonl"
(cd "$folder" && tonno-report matmul.jsonl -o report.html)
chromium --headless --no-sandbox --hide-scrollbars --virtual-time-budget=5000 \
  --window-size=1280,1180 --screenshot="$(realpath -m "$2")" "file://$folder/report.html"
