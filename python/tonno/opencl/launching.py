# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of one kernel on one queue, each with the same memory contents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyopencl as cl

from tonno import _core
from tonno.errors import Error
from tonno.opencl.information import KernelInfo
from tonno.opencl.kernels import Kernel
from tonno.opencl.saving import SavedMemory, is_memory
from tonno.opencl.waiting import CommandWait

_NANOSECONDS_PER_MICROSECOND = 1000


class Launcher:
    """Times a kernel by the events of its queue.

    If the arguments are known, launches a kernel object of its own: the caller's object keeps its
    arguments, and writes are undone after each launch.
    """

    def __init__(
        self,
        place: KernelInfo,
        global_size: Sequence[int],
        args: Sequence[Any] | None,
        restore: bool,
        timeout_s: float,
    ) -> None:
        self._place = place
        self._queue = place.queue
        self._global_size = tuple(global_size)
        self._kernel = place.kernel
        self._wait = CommandWait(place.queue, timeout_s)
        self._ended: set[tuple[int, ...]] = set()
        self._saved = SavedMemory(place.queue, self._wait)
        self._made: list[cl.Buffer] = []
        self.notes: list[str] = []
        self.assumption: str | None = None
        """Assumption behind the times, if the user stated no arguments."""
        if args is None and isinstance(place.kernel, Kernel):
            args = place.kernel.arguments()
        self._as_set = args is None
        if args is not None:
            self._bind(args)
        place.check_local_memory(self._kernel)
        if args is not None and restore:
            self.drain()  # An out-of-order queue would copy before earlier commands have ended.
            self._save_all(args)

    def drain(self) -> None:
        """Waits for all commands that were enqueued before."""
        self._wait.drain()

    def launch(self, local_size: tuple[int, ...]) -> tuple[float, float] | str:
        """Returns the microseconds that one launch waited and ran, or its error."""
        try:
            event = self._run_and_restore(local_size)
            times = event.profile
            queued, start, end = times.queued, times.start, times.end
        except cl.Error as error:
            return str(error)
        # A clock that went backwards measured nothing.
        return (
            max(start - queued, 0) / _NANOSECONDS_PER_MICROSECOND,
            max(end - start, 0) / _NANOSECONDS_PER_MICROSECOND,
        )

    def note_what_is_not_restored(self) -> None:
        """Collects notes on memory that is not restored; call after the launches."""
        if self._as_set and self._place.may_overwrite():
            self.notes.append(
                f"the buffers that were set for '{self._place.name}' contain the writes of its "
                "launches: OpenCL does not report which buffers these are; give them as args to "
                "restore them"
            )

    def _run_and_restore(self, local_size: tuple[int, ...]) -> cl.Event:
        try:
            event = self._run(local_size)
        except cl.Error as error:
            if error.code != cl.status_code.INVALID_KERNEL_ARGS or not self._as_set:
                self._saved.restore()
                raise
            self._make_buffers()
            return self._run_and_restore(local_size)
        # Not after commands that have not ended: the copy would wait for them.
        self._saved.restore()
        return event

    def _run(self, local_size: tuple[int, ...]) -> cl.Event:
        event = cl.enqueue_nd_range_kernel(
            self._queue, self._kernel, self._global_size, local_size
        )
        if local_size not in self._ended:
            self._wait_patiently(event, local_size)
        event.wait()
        self._ended.add(local_size)
        return event

    def _wait_patiently(self, event: cl.Event, local_size: tuple[int, ...]) -> None:
        if not self._wait.ends(event):
            size = local_size[0] if len(local_size) == 1 else local_size
            raise Error(
                f"'{self._place.name}' with the local size {size} has not ended in "
                f"{self._wait.timeout_s:g} s. OpenCL cannot stop a launch, so tuning ends and the "
                "buffers are not restored; raise timeout_s="
            )

    def _bind(self, args: Sequence[Any]) -> None:
        self._kernel = cl.Kernel(self._place.program, self._place.name)
        if len(args) != self._kernel.num_args:
            raise Error(
                f"'{self._place.name}' has {self._kernel.num_args} arguments, "
                f"not the {len(args)} that are given"
            )
        for index, value in enumerate(args):
            try:
                self._kernel.set_arg(index, self._place.as_typed(index, value))
            except (cl.Error, TypeError, OverflowError) as error:
                argument = self._place.describe(index)
                raise Error(f"{argument}: {error}{_remedy(value)}") from error
        self._as_set = False

    def _save_all(self, args: Sequence[Any]) -> None:
        for index, value in enumerate(args):
            if not is_memory(value) or self._place.is_read_only(index):
                continue
            hindrance = self._saved.save(value)
            if hindrance is not None:
                self.notes.append(
                    f"argument {index} of '{self._place.name}' is {hindrance}, so "
                    "writes of launches to it are not undone"
                )

    def _make_buffers(self) -> None:
        arguments = self._place.arguments()
        if arguments is None:
            raise Error(
                f"the arguments of '{self._place.name}' are neither set nor known; set them, give "
                "them as args, or build the program with -cl-kernel-arg-info"
            )
        plan = _core.plan_buffers(self._place.name, arguments, list(self._global_size))
        for index, (size, pattern, _) in enumerate(plan):
            what = f"making a buffer of {size} bytes for argument {index} of '{self._place.name}'"
            try:
                buffer = cl.Buffer(self._queue.context, cl.mem_flags.READ_WRITE, size)
                filling = cl.enqueue_fill_buffer(self._queue, buffer, pattern, 0, size)
                self._wait.until(filling, what)  # the queue may be out of order
            except cl.Error as error:
                raise Error(f"{what}: {error}") from error
            self._made.append(buffer)  # an argument does not keep the buffer alive
        self._bind(self._made)
        for buffer, (_, _, written) in zip(self._made, plan, strict=True):
            if written:
                self._saved.save(buffer)
        self.assumption = (
            f"no arguments were set for '{self._place.name}', so it was timed on buffers of "
            f"{math.prod(self._global_size)} elements each, ones (of integers zeros), which "
            "may be too small for what it does; give it yours as args"
        )


def _remedy(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return "; it is the host's: copy it into a pyopencl.Buffer"
    if hasattr(value, "base_data"):
        return "; give the buffer of a pyopencl.array.Array, its .data"
    return ""
