#!/usr/bin/env bash
# Verifies each schedule on each chip of NVIDIA and AMD in simulation; the suites
# have one chip of each kind. Takes about five minutes.
#
#   scripts/test_every_chip.sh [<build tree>]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:-build}
cmake --build "$build" --target tonno-unit-Schedules
TONNO_EVERY_CHIP=1 exec "$build/bin/tonno-unit-Schedules" --gtest_brief=1 --gtest_filter='*MatrixTest*'
