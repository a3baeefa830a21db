# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are run in processes of their own, and what they leave."""

from __future__ import annotations

import pathlib
import subprocess
import sys


def run(code: str, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=100)


def trying(cache: pathlib.Path) -> list[pathlib.Path]:
    return sorted(cache.rglob("*.trying"))
