# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command while each core has another process that never sleeps."""

import os
import subprocess
import sys


def main() -> int:
    others = []
    try:
        for core in os.sched_getaffinity(0):
            other = os.fork()
            if other == 0:
                os.sched_setaffinity(0, {core})
                while True:
                    pass
            others.append(other)
        return subprocess.run(sys.argv[1:], check=False).returncode
    finally:
        for other in others:
            os.kill(other, 9)
            os.waitpid(other, 0)


if __name__ == "__main__":
    sys.exit(main())
