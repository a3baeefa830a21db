#!/usr/bin/env bash
# Runs the long tests on Ray clusters of several nodes, all on this machine:
# faults of nodes during sessions, and sessions within Slurm, if it is installed.
# Takes about 15 minutes.
#
#   scripts/test_cluster.sh [<build tree> [<pytest's options>...]]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$(realpath "${1:-build}")
python=$(scripts/install_python.sh "$build")
export TONNO_TOOLS_DIR=$build/bin
exec "$python" -m pytest -q -rs -o cache_dir="$build/reports/cluster.cache" "${@:2}" test/cluster
