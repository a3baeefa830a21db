# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Progress of a long call: a line on a terminal, in a notebook, or in a log."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TextIO

from tonno.printable import printable
from tonno.trials import Trial

_USUAL_COLUMNS = 80
_NOTEBOOK_SECONDS = 0.1
"""Seconds between two messages to a notebook."""


class ProgressReport(NamedTuple):
    """An ended trial, passed to the `callbacks` of `tonno.minimize` and `tonno.command.tune`."""

    trial: Trial
    trials: int
    """Number of trials so far, this one included."""
    budget_trials: int
    best: Trial | None
    """Best trial so far; None before the first that is ok."""
    stop: Callable[[], None]
    """Ends the search after this trial. Finals and the test follow, and the result is returned."""


class Progress:
    """A status line that is overwritten, and removed at the end.

    It is shown on a terminal and in a notebook. Elsewhere nothing is shown or, with `lines`, each
    text as a line. Any thread may call the methods.
    """

    def __init__(self, name: str, stream: TextIO | None = None, *, lines: bool = False) -> None:
        self._name = name
        self._notebook = _Notebook.find() if stream is None else None
        self._stream = stream if stream is not None else sys.stderr
        self._is_terminal = _is_terminal(self._stream)
        self._lines = lines
        self._lock = threading.Lock()

    def show(self, text: str) -> None:
        line = self._line(text)
        if self._notebook is not None:
            self._notebook.show(line)
        elif self._is_terminal:
            # A text of several rows could not be overwritten.
            room = _columns(self._stream) - 1
            line = line if len(line) <= room else f"{line[: max(0, room - 3)]}..."
            self._write(f"\r\x1b[K{line}")
        elif self._lines:
            self._write(f"{line}\n")

    def say(self, text: str) -> None:
        """Prints a line that stays, whatever the stream is."""
        start = "\r\x1b[K" if self._is_terminal else ""
        self._write(f"{start}{self._line(text)}\n")

    def close(self, summary: str = "") -> None:
        """Replaces the status line by the summary."""
        last = self._line(summary) if summary else ""
        if self._notebook is not None:
            self._notebook.close(last)
        elif self._is_terminal:
            self._write(f"\r\x1b[K{last}\n" if last else "\r\x1b[K")
        elif self._lines and last:
            self._write(f"{last}\n")

    def _line(self, text: str) -> str:
        return printable(f"tonno: {self._name}: {text}")

    def _write(self, text: str) -> None:
        # A stream that can't be written to, such as a closed one, has no reader.
        with self._lock, contextlib.suppress(OSError, ValueError):
            if self._stream is not None:
                self._stream.write(text)
                self._stream.flush()


class _Notebook:
    """An output of the running cell, which the next text replaces."""

    def __init__(self, display: Any) -> None:
        self._display = display
        self._handle: Any = None
        self._lock = threading.Lock()
        self._shown_at = -_NOTEBOOK_SECONDS

    @classmethod
    def find(cls) -> _Notebook | None:
        ipython = sys.modules.get("IPython")
        shell = None if ipython is None else ipython.get_ipython()
        if not hasattr(shell, "kernel"):  # No notebook, such as IPython in a terminal.
            return None
        return cls(importlib.import_module("IPython.display").display)

    def show(self, line: str) -> None:
        with self._lock:
            now = time.monotonic()
            if now >= self._shown_at + _NOTEBOOK_SECONDS:
                self._shown_at = now
                self._replace(line)

    def close(self, line: str) -> None:
        with self._lock:
            if line or self._handle is not None:
                self._replace(line)

    def _replace(self, line: str) -> None:
        data = {"text/plain": line}
        if self._handle is None:
            self._handle = self._display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_COLUMNS
    except (AttributeError, OSError, ValueError):
        return _USUAL_COLUMNS


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except (AttributeError, ValueError):
        return False  # closed, or a program's own object with only write and flush
