# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Waits for commands of a queue, up to a limit."""

from __future__ import annotations

import numbers
import time

import pyopencl as cl

from tonno.errors import Error

_LONGEST_PAUSE_S = 0.01


def check_limit(timeout_s: float) -> None:
    """Raises TypeError for a value that is not a number, tonno.Error for an invalid limit."""
    if isinstance(timeout_s, bool) or not isinstance(timeout_s, numbers.Real):
        raise TypeError(f"timeout_s must be a number of seconds, not {timeout_s!r}")
    if not timeout_s > 0:
        raise Error(f"timeout_s must be more than 0 s, not {timeout_s:g}")


class CommandWait:
    """Waits for commands one by one.

    Does not use queue.finish(), which also waits for commands that other threads enqueue, nor
    event.wait() alone, which blocks Ctrl-C.
    """

    def __init__(self, queue: cl.CommandQueue, timeout_s: float) -> None:
        self._queue = queue
        self.timeout_s = timeout_s

    def ends(self, event: cl.Event) -> bool:
        """Returns True if a command ends within the limit; a failed command has ended."""
        self._queue.flush()
        begin = time.monotonic()
        while event.command_execution_status > cl.command_execution_status.COMPLETE:
            waited = time.monotonic() - begin
            if waited > self.timeout_s:
                return False
            time.sleep(min(waited / 10, _LONGEST_PAUSE_S))
        return True

    def until(self, event: cl.Event, what: str) -> None:
        """Raises tonno.Error if `what`, such as "filling a buffer", does not end within the
        limit, and pyopencl's error if it fails."""
        if not self.ends(event):
            raise Error(
                f"{what} has not ended in {self.timeout_s:g} s: the queue is busy or hangs; use a "
                "queue of its own, or raise timeout_s="
            )
        event.wait()

    def drain(self) -> None:
        """Waits for all commands that were enqueued before."""
        self.until(cl.enqueue_marker(self._queue), "what was on the queue before")
