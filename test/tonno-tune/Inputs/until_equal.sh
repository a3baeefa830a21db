# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   until_equal.sh SAID REMOVED COMMAND...
#
# Runs a command, whose messages go to the file SAID, until it finds the cores
# equal, at most five times: another guest of the machine may slow one down.
# REMOVED is removed before each time.
said=$1 removed=$2
shift 2
for _ in 1 2 3 4 5; do
  rm -rf "$removed"
  "$@" 2>"$said"
  status=$?
  grep -q 'is left out: the default takes' "$said" || break
done
exit "$status"
