# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kill_after.py JOURNAL N COMMAND...: kills it when it has journaled N trials.
The journal's name may have asterisks."""

import pathlib
import subprocess
import sys
import time

journal, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
with subprocess.Popen(sys.argv[3:]) as process:
    while process.poll() is None:
        written = [file.read_text() for file in journal.parent.glob(journal.name)]
        if any(text.count('"trial":') >= count for text in written):
            process.kill()
            sys.exit(0)
        time.sleep(0.02)
sys.exit(f"it ended by itself, with {process.returncode}")
