# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Events that tests wait for, and times that they set, so that no machine is too slow."""

from __future__ import annotations

import threading
import time
import types
from typing import Any

import pytest

from tonno.progress import Progress

HANG_SECONDS = 60.0
"""Ends what would hang."""


class Said:
    """What sweeps say of their progress."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._changed = threading.Condition()
        self._texts: list[str] = []
        say = Progress.say

        def heard(progress: Progress, text: str) -> None:
            say(progress, text)
            with self._changed:
                self._texts.append(text)
                self._changed.notify_all()

        monkeypatch.setattr(Progress, "say", heard)

    def wait(self, part: str) -> None:
        """Waits until something with this part was said."""
        with self._changed:
            self._changed.wait_for(lambda: any(part in text for text in self._texts), HANG_SECONDS)


def returned(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> threading.Event:
    """Set once a method of the class has returned."""
    event = threading.Event()
    method = getattr(owner, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        found = method(*args, **kwargs)
        event.set()
        return found

    monkeypatch.setattr(owner, name, call)
    return event


class VirtualTime:
    """The clock that candidates are timed by: a millisecond for each run, and what the
    run itself adds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._lock = threading.Lock()
        self._now = 0.0
        runs = types.SimpleNamespace(perf_counter=lambda: self.add(0.001))
        hangs = types.SimpleNamespace(perf_counter=lambda: self.add(0.0), sleep=time.sleep)
        monkeypatch.setattr("tonno.jax.runs.time", runs)
        monkeypatch.setattr("tonno.jax.hangs.time", hangs)

    def add(self, seconds: float) -> float:
        with self._lock:
            self._now += seconds
            return self._now
