# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One sweep of a problem at a time, among threads and among processes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import threading
from collections.abc import Callable, Hashable, Iterator

# Timing takes turns. Only while nothing is traced: a thread that traces may hold
# locks of JAX that a thread in here would wait for.
_timing = threading.Lock()
_TIMING_WAIT_SECONDS = 60.0

_guard = threading.Lock()
_problems: dict[Hashable, tuple[threading.Lock, int]] = {}
"""Each with the number of threads that have it or wait; gone after the last."""
_mine = threading.local()


@contextlib.contextmanager
def problem_lock(identity: Hashable) -> Iterator[None]:
    """Held by one thread.

    A problem's sweep takes those of the problems that it calls, never its own
    caller's, since it would call itself without end; so nobody waits in a circle.
    Raises RecursionError where it does call itself.
    """
    if identity in held():
        raise RecursionError("it calls itself with the same arguments")
    with _guard:
        lock, users = _problems.get(identity, (threading.Lock(), 0))
        _problems[identity] = lock, users + 1
    try:
        with lock, _holding(identity):
            yield
    finally:
        with _guard:
            _, users = _problems.pop(identity, (lock, 1))
            if users > 1:
                _problems[identity] = lock, users - 1


def held() -> tuple[Hashable, ...]:
    """What this thread holds."""
    found: tuple[Hashable, ...] = getattr(_mine, "held", ())
    return found


@contextlib.contextmanager
def _holding(thing: Hashable) -> Iterator[None]:
    before = held()
    _mine.held = (*before, thing)
    try:
        yield
    finally:
        _mine.held = before


@contextlib.contextmanager
def timing_turn() -> Iterator[bool]:
    """Yields whether nothing else of this process is being timed.

    It waits for a minute at most: a callback of what is being timed may itself
    need something timed.
    """
    is_mine = _timing.acquire(timeout=_TIMING_WAIT_SECONDS)
    try:
        yield is_mine
    finally:
        if is_mine:
            _timing.release()


@contextlib.contextmanager
def file_lock(
    path: pathlib.Path, is_waiting: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """Held by one process; a process that dies lets go. The file is gone after.

    `is_waiting` is called where another one has it. Nothing for a thread that has
    it already: a function may call one of the same name. Raises OSError where there
    can't be one.
    """
    if path in held():
        yield
        return
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            _lock(descriptor, is_waiting)
            if _is_still_at(path, descriptor):
                break
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
    try:
        with _holding(path):
            yield
    finally:
        # Before letting go, so that who waits for this file sees that it is gone.
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _lock(descriptor: int, is_waiting: Callable[[], None]) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        is_waiting()
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _is_still_at(path: pathlib.Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _forget_in_child() -> None:
    # Threads that held locks are not in a forked child.
    global _timing, _guard
    _timing = threading.Lock()
    _guard = threading.Lock()
    _problems.clear()
    _mine.__dict__.clear()


os.register_at_fork(after_in_child=_forget_in_child)
