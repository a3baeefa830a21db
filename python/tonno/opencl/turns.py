# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Serializes sweeps of the same question among the threads of this process."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

_guard = threading.Lock()
_turns: dict[str, tuple[threading.Lock, int]] = {}
"""Locks by question, with the number of threads that hold or await them; removed after the last.
"""


@contextlib.contextmanager
def sweep_turn(key: str) -> Iterator[None]:
    """Holds the lock of a question. Other threads that ask the same question wait, and then find
    the answer. Two sweeps at once would disturb each other's times, and keep different
    winners."""
    with _guard:
        lock, users = _turns.get(key, (threading.Lock(), 0))
        _turns[key] = lock, users + 1
    try:
        with lock:
            yield
    finally:
        with _guard:
            _, users = _turns.pop(key)
            if users > 1:
                _turns[key] = lock, users - 1
