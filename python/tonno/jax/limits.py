# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a thing may take, by how long such things took.

As for what `tonno-tune` compiles (docs/Architecture.md): the first few may take a
minute, later ones 20 times what the slowest took, and at least 10 s.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

FIRST_SECONDS = 60.0
LEAST_SECONDS = 10.0
_KNOWN = 5
_TIMES_SLOWEST = 20


class Patience:
    """What is usual, and how much more is not."""

    def __init__(self) -> None:
        self._number = 0
        self._slowest = 0.0

    def note(self, seconds: float) -> None:
        """One took that long."""
        self._number += 1
        self._slowest = max(self._slowest, seconds)

    @property
    def seconds(self) -> float:
        """After which the next one takes unusually long."""
        if self._number < _KNOWN:
            return FIRST_SECONDS
        return max(LEAST_SECONDS, _TIMES_SLOWEST * self._slowest)


@contextlib.contextmanager
def after(seconds: float, call: Callable[[], None]) -> Iterator[None]:
    """Calls it, on a thread of its own, if what is within takes that long."""
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
