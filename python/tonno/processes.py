# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Limits processes, and ends them with all that they have started."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pathlib
import resource
import signal
from collections.abc import Container, Iterator

_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Makes the descendants of this process its children when their parents end."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def limit(kind: int, most: int) -> None:
    """Sets a limit of this process and its children, such as `resource.RLIMIT_AS`, unless a lower
    one is set."""
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(hard, most), hard))


def end_children(others: Container[int] = ()) -> None:
    """Kills the children of this process but `others`, with all that they have started."""
    for child in list_children(os.getpid()):
        if child not in others:
            kill_tree(child)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)


def kill_tree(process: int) -> None:
    """Kills a process and all that it has started."""
    with contextlib.suppress(OSError):
        os.kill(process, signal.SIGSTOP)  # so that it starts no more
        for child in list_children(process):
            kill_tree(child)
        os.kill(process, signal.SIGKILL)


def list_children(process: int) -> Iterator[int]:
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            # The name before it may have any bytes.
            parent = stat.read_bytes().rpartition(b")")[2].split()[1]
            if int(parent) == process:
                yield int(stat.parent.name)
