# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a tool whose standard input is a terminal, on which Ctrl-D is pressed once the
tool has written a line; prints what it writes to standard error.

    terminal.py TOOL [ARGUMENT...]
"""

import os
import pty
import subprocess
import sys

controller, terminal = pty.openpty()
process = subprocess.Popen(
    sys.argv[1:], stdin=terminal, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
)
os.close(terminal)
assert process.stderr is not None
# A tool that waits in silence is ended by the limit of the test.
print(process.stderr.readline().decode(), end="")
os.write(controller, b"\x04")
print(process.stderr.read().decode(), end="")
process.wait()
