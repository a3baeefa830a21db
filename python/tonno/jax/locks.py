# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Locks that serialize sweeps of a problem, among threads and among processes."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import math
import os
import pathlib
import socket
import stat
import threading
import time
from collections.abc import Callable, Hashable, Iterator

import jax

from tonno import _core, frontends
from tonno.jax.hangs import after

TOLD_SECONDS = _core.TOLD_SECONDS
"""Seconds after which a wait for another process is reported."""
THREAD_SECONDS = _core.THREAD_SECONDS
"""Limit, in seconds, of the wait for another thread of this process that times."""

_POLL_SECONDS = 0.05
NESTED_WAIT_SECONDS = 60.0
"""Limit, in seconds, of the wait for another process, if the thread itself holds a lock."""

_changed = threading.Condition()
_owners: dict[Hashable, int] = {}
"""Thread of each problem that is held."""
_waits_for: dict[int, Hashable] = {}
"""Problem that each waiting thread waits for."""
_of_this_process: set[pathlib.Path] = set()
"""Files that threads of this process hold."""
_mine = threading.local()


@contextlib.contextmanager
def problem_lock(identity: Hashable) -> Iterator[None]:
    """Holds the lock of a problem for one thread.

    A problem's sweep also takes the locks of the problems that it calls. Raises RecursionError if
    a problem calls itself, and if threads would wait in a circle, since then each of them calls
    itself, too.
    """
    me = threading.get_ident()
    with _changed:
        if _leads_to(me, identity):
            raise RecursionError("the function calls itself with the same arguments")
        _waits_for[me] = identity
    try:
        with _changed:
            while identity in _owners:
                _changed.wait()
            _owners[identity] = me
            del _waits_for[me]
        with _holding(identity):
            yield
    finally:
        with _changed:
            _waits_for.pop(me, None)
            if _owners.get(identity) == me:
                del _owners[identity]
            _changed.notify_all()


def _leads_to(thread: int, identity: Hashable) -> bool:
    """Returns True if the owner of a problem waits, directly or not, for the thread."""
    while identity in _owners:
        owner = _owners[identity]
        if owner == thread:
            return True
        if owner not in _waits_for:
            return False
        identity = _waits_for[owner]
    return False


def held() -> tuple[Hashable, ...]:
    """Returns the problems that this thread holds."""
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


def patience(path: pathlib.Path) -> float:
    """Returns how many seconds to wait for the lock of the file, which has a problem's name.

    Functions of one name share the file, and other processes call them in another order. A
    process that waits while it holds another lock may therefore wait in a circle, so its wait is
    limited. Threads of one process use the problems' own locks; one of these threads may be a
    callback of a function that is timed under this lock.
    """
    if path in _of_this_process:
        return 0.0
    return NESTED_WAIT_SECONDS if held() else math.inf


def get_device_identity(device: jax.Device) -> tuple[str, str]:
    """Returns the identity of a device in the form of the tools, which names its lock: the host
    for a CPU, the UUID for a GPU."""
    if device.platform == "cpu":
        return frontends.host()
    found = None
    if device.platform in ("gpu", "cuda", "rocm"):
        is_amd = "rocm" in str(device.client.platform_version).lower()
        found = _core.gpu_identity(is_amd, device.local_hardware_id or 0)
    # Processes of JAX agree on a device that no driver reports to the tools.
    return found or (device.platform, str(device.id))


def sampling_lock(device: jax.Device, tell: Callable[[str], None]) -> frontends.Lock:
    """Returns the lock under which candidates are timed; `tell` is called in a long wait.

    Nothing is traced under this lock: a tracing thread may hold locks of JAX that a thread in the
    turn would wait for.
    """
    return frontends.Lock(
        get_device_identity(device),
        lambda holder: tell(
            f"waiting for {holder}, which times on the device; if it hangs, end it"
        ),
        told_seconds=TOLD_SECONDS,
        thread_seconds=THREAD_SECONDS,
    )


@contextlib.contextmanager
def file_lock(
    path: pathlib.Path,
    is_waiting: Callable[[str], None] = lambda holder: None,
    seconds: float = math.inf,
) -> Iterator[None]:
    """Holds the lock of a file for one thread of one process; the lock ends with the process. The
    file is removed at the end.

    After TOLD_SECONDS of waiting, `is_waiting` is called on another thread, with the holder. Does
    nothing if the thread has the lock already: a function may call another function of the same
    name. Raises OSError if there can't be a lock, BlockingIOError if another process still has it
    after the wait.
    """
    if path in held():
        yield
        return
    while True:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(path, flags, 0o666)
        try:
            _check_unshared(path, descriptor)
            _lock(path, descriptor, is_waiting, seconds)
            if _is_still_at(path, descriptor):
                _sign(descriptor)
                break
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
    _of_this_process.add(path)
    try:
        with _holding(path):
            yield
    finally:
        _of_this_process.discard(path)
        # Before the unlock, so that waiting processes see that the file is gone.
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _check_unshared(path: pathlib.Path, descriptor: int) -> None:
    """Raises OSError if the file has another name: it is written to, so it must not be someone's
    file."""
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
        raise OSError(errno.EPERM, "not a regular file with one name", str(path))


def _lock(
    path: pathlib.Path, descriptor: int, is_waiting: Callable[[str], None], seconds: float
) -> None:
    end = time.monotonic() + seconds

    def tell() -> None:
        if path not in _of_this_process:
            is_waiting(_signature(descriptor))

    if _is_locked_at_once(descriptor):
        return
    with after(TOLD_SECONDS, tell):
        if seconds == math.inf:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            return
        while time.monotonic() < end:
            time.sleep(_POLL_SECONDS)
            if _is_locked_at_once(descriptor):
                return
    raise BlockingIOError(f"another process has '{path}'")


def _is_locked_at_once(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sign(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode(), 0)


def _signature(descriptor: int) -> str:
    return os.pread(descriptor, 500, 0).decode(errors="replace") or "another process"


def _is_still_at(path: pathlib.Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _forget_in_child() -> None:
    # A forked child does not have the threads that held locks.
    global _changed
    _changed = threading.Condition()
    _owners.clear()
    _waits_for.clear()
    _of_this_process.clear()
    _mine.__dict__.clear()


os.register_at_fork(after_in_child=_forget_in_child)
