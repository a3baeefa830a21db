# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user is told: progress on a terminal, and warnings."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import warnings
from typing import TextIO

from tonno.printable import printable

log = logging.getLogger("tonno.tune")
"""Named after the original decorator's module."""

_USUAL_COLUMNS = 80


class Progress:
    """One line that is written over, and is gone at the end."""

    def __init__(self, name: str, stream: TextIO | None = None) -> None:
        self._name = name
        self._stream = stream if stream is not None else sys.stderr
        self._is_shown = _is_terminal(self._stream)
        self._lock = threading.Lock()

    def show(self, text: str) -> None:
        """Any thread may call it."""
        if self._is_shown:
            # What goes over several rows could not be written over.
            line = printable(f"tonno: {self._name}: {text}")
            room = _columns(self._stream) - 1
            line = line if len(line) <= room else f"{line[: max(0, room - 3)]}..."
            self._write(f"\r\x1b[K{line}")

    def say(self, text: str) -> None:
        """A line that stays, wherever it goes. Any thread may call it."""
        start = "\r\x1b[K" if self._is_shown else ""
        line = printable(f"tonno: {self._name}: {text}")
        self._write(f"{start}{line}\n")

    def close(self, summary: str = "") -> None:
        """Leaves only the summary."""
        if self._is_shown:
            last = printable(f"tonno: {self._name}: {summary}\n") if summary else ""
            self._write(f"\r\x1b[K{last}")

    def _write(self, text: str) -> None:
        # What can't be written to, such as a closed one, is nobody's to read.
        with self._lock, contextlib.suppress(OSError, ValueError):
            if self._stream is not None:
                self._stream.write(text)
                self._stream.flush()


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_COLUMNS
    except (AttributeError, OSError, ValueError):
        return _USUAL_COLUMNS


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except (AttributeError, ValueError):
        return False  # A program's own, with nothing but write and flush, or a closed one.


_BETWEEN = ("tonno", "jax", "jaxlib", "contextlib", "functools")
"""Packages that a call goes through on its way to us."""


def warn(message: str | Warning, category: type[Warning] | None = None) -> None:
    """As warnings.warn, of the first line that is neither ours nor JAX's."""
    if isinstance(message, str):
        message = printable(message)
    elif message.args and isinstance(message.args[0], str):
        message.args = (printable(message.args[0]), *message.args[1:])
    frame, level = sys._getframe(1), 2
    while _is_between(str(frame.f_globals.get("__name__"))) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_between(module: str) -> bool:
    return module.partition(".")[0] in _BETWEEN
