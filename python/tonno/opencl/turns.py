# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One sweep of a question at a time, among the threads of this process."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

_guard = threading.Lock()
_turns: dict[str, tuple[threading.Lock, int]] = {}
"""By question, with the number of threads that have it or wait; gone after the last."""


@contextlib.contextmanager
def sweep_turn(key: str) -> Iterator[None]:
    """Held by one thread: others that ask the same wait, and find what it found. Two
    sweeps at once would disturb each other's times, and keep different winners."""
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
