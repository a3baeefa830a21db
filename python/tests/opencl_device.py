# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A device of OpenCL for the tests, and how often kernels were launched on it."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pyopencl as cl
import pytest

from tonno.opencl import AutotuneResult, WorkGroupTuner
from tonno.opencl.waiting import CommandWait

PROFILING = cl.command_queue_properties.PROFILING_ENABLE
SCALE = """__kernel void scale(__global float* x) {
               int gid = get_global_id(0);
               x[gid] = x[gid] * 2.0f;
           }"""


def queue_of(platform_name: str) -> cl.CommandQueue:
    """A queue with profiling on the first device of a platform."""
    for platform in cl.get_platforms():
        if platform.name == platform_name:
            return cl.CommandQueue(cl.Context(platform.get_devices()[:1]), properties=PROFILING)
    pytest.skip(f"there is no {platform_name}")


def raw(queue: cl.CommandQueue, source: str, name: str, *options: str) -> cl.Kernel:
    """A kernel that pyopencl made."""
    program = cl.Program(queue.context, source).build(options)
    return cl.Kernel(program, name)


def device_copy(queue: cl.CommandQueue, values: np.ndarray[Any, Any]) -> cl.Buffer:
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    return cl.Buffer(queue.context, flags, hostbuf=values)


def contents(queue: cl.CommandQueue, buffer: cl.Buffer) -> np.ndarray[Any, Any]:
    values = np.empty(buffer.size // 4, np.float32)
    cl.enqueue_copy(queue, values, buffer)
    return values


class EventTimes:
    """Replaces the timestamps of OpenCL events, in ns."""

    queued, start, end = 0, 1_000, 90_000

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **times: int) -> None:
        self.__dict__ |= times
        monkeypatch.setattr(cl.Event, "profile", self)


@dataclasses.dataclass
class Launches:
    """Counts and passes on."""

    local_sizes: list[tuple[int, ...] | None] = dataclasses.field(default_factory=list)
    calls: list[str] = dataclasses.field(default_factory=list)

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> Launches:
        enqueue, wait = cl.enqueue_nd_range_kernel, CommandWait.until

        def counted(queue: Any, kernel: Any, size: Any, local: Any, **more: Any) -> cl.Event:
            self.local_sizes.append(local)
            self.calls.append("launch")
            return enqueue(queue, kernel, size, local, **more)

        def waited(waiting: CommandWait, event: cl.Event, what: str) -> None:
            self.calls.append("drain" if what.startswith("what was on") else "wait")
            wait(waiting, event, what)

        monkeypatch.setattr(cl, "enqueue_nd_range_kernel", counted)
        monkeypatch.setattr(CommandWait, "until", waited)
        return self


def tune_when_idle(
    tuner: WorkGroupTuner, queue: cl.CommandQueue, **options: Any
) -> AutotuneResult:
    """An answer that is kept. Others use this machine, too: it is tried for a while."""
    for _ in range(30):
        result = tuner.tune(queue, **options)
        if not (result.busy or result.overhead_bound):
            return result
    pytest.skip(result.notes[-1])
