# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that don't end, and so block their device."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax

FIRST_SECONDS = 60.0
LEAST_SECONDS = 10.0
_KNOWN = 5
_TIMES_SLOWEST = 20


class Patience:
    """Estimates a usual duration, and a limit beyond it."""

    def __init__(self) -> None:
        self._number = 0
        self._slowest = 0.0

    def note(self, seconds: float) -> None:
        """Adds a duration."""
        self._number += 1
        self._slowest = max(self._slowest, seconds)

    @property
    def seconds(self) -> float:
        """Duration after which the next one is unusually long."""
        if self._number < _KNOWN:
            return FIRST_SECONDS
        return max(LEAST_SECONDS, _TIMES_SLOWEST * self._slowest)


@contextlib.contextmanager
def after(seconds: float, call: Callable[[], None]) -> Iterator[None]:
    """Calls `call`, on a thread of its own, if the body takes longer than `seconds`."""
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


GRACE_SECONDS = 5.0
"""Seconds after Ctrl-C in which sweeps wait for an interrupted run."""
_POLITE_SECONDS = 0.002
"""Seconds after which waiting sleeps; shorter waits poll, for exact times."""


class HangError(RuntimeError):
    """A configuration runs for longer than `limit_seconds`, and can't be stopped."""


class Unready(Exception):
    """Outputs are not ready in time."""


@dataclasses.dataclass
class FirstRun:
    """A run that may not end."""

    limit: float
    """Limit in seconds."""
    leaves: list[Any] = dataclasses.field(default_factory=list)
    """Leaves of the outputs, once the call has returned."""


@dataclasses.dataclass(frozen=True)
class _Left:
    """A run that is no longer awaited."""

    leaves: list[Any]
    """Leaves of the outputs."""
    message: str
    """Message of the HangError while the run goes on."""
    due: float
    """Time, by time.perf_counter(), after which the run counts as a hang."""

    @property
    def runs(self) -> bool:
        return not _are_ready(self.leaves)

    def is_on(self, device: jax.Device) -> bool:
        """Returns True if the run blocks the device."""
        arrays = [leaf for leaf in self.leaves if isinstance(leaf, jax.Array)]
        return any(device in array.devices() for array in arrays)


_running: list[_Left] = []


def until_ready(outputs: Any, begin: float, run: FirstRun) -> Any:
    """Returns the outputs once they are ready. Raises Unready if the limit after `begin` is
    exceeded.

    Polls at intervals of 1/64 of the elapsed time, at most 50 ms.
    """
    run.leaves = list(map(_plain, jax.tree.leaves(outputs)))
    while not _are_ready(run.leaves):
        passed = time.perf_counter() - begin
        if passed >= run.limit:
            raise Unready("still running")
        time.sleep(0 if passed < _POLITE_SECONDS else min(0.05, passed / 64))
    return jax.block_until_ready(outputs)


def remember(run: FirstRun, message: str, grace: float = 0.0) -> HangError:
    """Returns the HangError that later sweeps on the device raise while the run goes on; for
    `grace` seconds they wait for the run."""
    left = _Left(run.leaves, message, time.perf_counter() + grace)
    if left.runs:
        _running.append(left)
    return HangError(message)


def check_none(device: jax.Device) -> None:
    """Raises HangError while a run that hung or was interrupted on the device goes on.

    A new run would wait for it, and would itself count as a hang.
    """
    for left in [left for left in _running if left.is_on(device)]:
        while left.runs:
            if time.perf_counter() >= left.due:
                raise HangError(left.message)
            time.sleep(0.01)
    _running[:] = [left for left in _running if left.runs]


@atexit.register
def _end_regardless() -> None:
    """Ends the process after the program's exit handlers, and before JAX waits for devices."""
    if not any(left.runs for left in _running):
        return
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        # A closed stream must not keep the process from ending.
        with contextlib.suppress(OSError, ValueError):
            if stream is not None:
                stream.flush()
    os._exit(1)


def _plain(leaf: Any) -> Any:
    if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return jax.random.key_data(leaf)
    return leaf


def _are_ready(leaves: list[Any]) -> bool:
    return all(leaf.is_ready() for leaf in leaves if isinstance(leaf, jax.Array))


os.register_at_fork(after_in_child=_running.clear)  # the child waits for no device
