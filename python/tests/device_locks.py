# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The locks of devices, as another process sees them, and what is timed under them."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import tonno
from tonno import frontends

Device = tuple[str, str]
Span = tuple[float, float]


def lock_path(device: Device) -> pathlib.Path:
    kind, uuid = device
    return pathlib.Path(f"/tmp/tonno-{kind}-{uuid}.lock")


def fork(work: Callable[[], int]) -> int:
    """Starts a process that ends with what `work` returns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # JAX warns of forks.
        child = os.fork()
    if child == 0:
        try:
            os._exit(work())
        finally:
            os._exit(255)
    return child


def is_locked(device: Device) -> bool:
    """Returns True if another process finds that the device is locked."""

    def try_to_lock() -> int:
        with open(lock_path(device), "a") as file:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return 1
        return 0

    return os.waitstatus_to_exitcode(os.waitpid(fork(try_to_lock), 0)[1]) == 1


@contextlib.contextmanager
def held_by_another(device: Device) -> Iterator[int]:
    """Yields the process that has the device; it ends at exit."""
    is_held, tells_held = os.pipe()
    ends, ends_it = os.pipe()

    def hold() -> int:
        os.close(ends_it)
        with open(lock_path(device), "a") as file:
            fcntl.lockf(file, fcntl.LOCK_EX)
            os.write(tells_held, b"x")
            os.read(ends, 1)
        return 0

    child = fork(hold)
    try:
        assert os.read(is_held, 1) == b"x"
        yield child
    finally:
        for end in (ends_it, is_held, tells_held, ends):
            os.close(end)
        os.waitpid(child, 0)


class Sleeper:
    """Candidates that sleep for a moment, each timed three times by itself."""

    def __init__(self, note: Callable[[], None] = lambda: None) -> None:
        self.spans: list[Span] = []
        self.note = note

    def build(self, configs: list[tonno.Configuration]) -> list[None]:
        return [None] * len(configs)

    def policy(self) -> frontends.Policy:
        return frontends.median(samples=3, warmup=1)

    def sampler(self, entrants: object) -> contextlib.AbstractContextManager[Sleeper]:
        return contextlib.nullcontext(self)

    def is_stopped(self) -> bool:
        return False

    def sample(self, entrant: int) -> float:
        begin = time.monotonic()
        time.sleep(0.001)
        self.note()
        self.spans.append((begin, time.monotonic()))
        return 0.001

    warm = sample

    def launch_first(self) -> float:
        return self.sample(1)

    def verify_last(self) -> None: ...

    def redraw(self) -> None: ...


def tune(sleeper: Sleeper, lock: frontends.Lock, **options: Any) -> frontends.Outcome:
    space = tonno.SearchSpace({"N": list(range(8))})
    return frontends.tune(sleeper, space, budget_trials=8, lock=lock, **options)
