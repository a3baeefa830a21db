# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a sweep is, on a terminal; in a pipe or a file, only what must be known."""

from __future__ import annotations

import sys
import threading
from typing import TextIO


class Progress:
    """One line that is written over, and is gone at the end."""

    def __init__(self, name: str, stream: TextIO | None = None) -> None:
        self._name = name
        self._stream = stream if stream is not None else sys.stderr
        self._is_shown = self._stream is not None and self._stream.isatty()
        self._lock = threading.Lock()

    def show(self, text: str) -> None:
        """Any thread may call it."""
        if self._is_shown:
            with self._lock:
                self._stream.write(f"\r\x1b[Ktonno: {self._name}: {text}")
                self._stream.flush()

    def say(self, text: str) -> None:
        """A line that stays, wherever it goes. Any thread may call it."""
        if self._stream is not None:
            start = "\r\x1b[K" if self._is_shown else ""
            with self._lock:
                self._stream.write(f"{start}tonno: {self._name}: {text}\n")
                self._stream.flush()

    def close(self, summary: str = "") -> None:
        """Leaves only the summary."""
        if self._is_shown:
            last = f"tonno: {self._name}: {summary}\n" if summary else ""
            with self._lock:
                self._stream.write(f"\r\x1b[K{last}")
                self._stream.flush()
