# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs, the kernels in them, and each one's part of the budget."""

from __future__ import annotations

import dataclasses
import math
import os
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from tonno.errors import Error
from tonno.mlir.results import TunedKernel
from tonno.mlir.sources import Source
from tonno.mlir.tools import Message

LEAST_SECONDS = 10.0
"""Seconds below which a session finds nothing."""

_MOST_GAIN = 0.5
"""Largest gain that a search must expect to go on."""

_OF_TUNE = frozenset(
    "budget-seconds cache cache-dir chip device jobs journal kernel mode parent progress ray report "
    "resume runner-command seed start-seconds stop-at-gain target worker-command".split()
)
"""Options that `tune` sets."""


@dataclasses.dataclass(frozen=True)
class Job:
    """Kernels of a module, to be tuned for a target."""

    source: Source
    """A path, or the text of a module, as in `tonno.mlir.tune`; no OpenCL C."""
    target: str = "host"
    """`host`, `nvptx` or `amdgpu`."""
    chip: str = "native"
    """Chip of the devices, as in their resource; `native` if the cluster has one kind. For the host,
    the CPU to compile for, as of tonno-tune."""
    kernel: str | None = None
    """Tune only this one."""
    name: str | None = None
    """Name in reports; the file's by default."""
    weight: float = 1.0
    """How often the kernels are called, compared with those of other jobs; more than 0."""
    options: Sequence[str] = ()
    """More options of tonno-tune, such as `--budget-trials=100`."""


@dataclasses.dataclass(frozen=True)
class JobResult:
    """A job's tuned module."""

    job: Job
    name: str
    text: str = dataclasses.field(repr=False)
    """Module with the selected options; empty if the job failed."""
    kernels: tuple[TunedKernel, ...]
    """Decisions, as the cache has them, in the order of the module."""
    messages: tuple[Message, ...]
    """Warnings and errors."""

    @property
    def errors(self) -> tuple[Message, ...]:
        return tuple(message for message in self.messages if message.severity == "error")


@dataclasses.dataclass(eq=False)
class Part:
    """A kernel of a job, which has a session of its own."""

    job: int
    kernel: str
    key: str
    """Equal for equal kernels on equal devices."""
    size: float
    """Estimate of its time, times the job's weight, in any unit."""


def name_job(job: Job, number: int) -> str:
    if job.name:
        return job.name
    if isinstance(job.source, (str, os.PathLike)) and "\n" not in str(job.source):
        return os.path.basename(os.fspath(job.source))
    return f"job {number}"


def estimate_sizes(reports: Sequence[Mapping[str, Any]], weight: float) -> list[float]:
    """Estimates the time of kernels by their work, before anything is measured: a product takes
    about as long as a byte of memory. Those whose work is unknown are like the others."""
    works = [report.get("work", {}) for report in reports]
    sizes = [
        float(work.get("macs", 0) + work.get("bytes_read", 0) + work.get("bytes_written", 0))
        for work in works
    ]
    known = [size for size in sizes if size > 0]
    usual = statistics.median(known) if known else 1.0
    return [weight * (size or usual) for size in sizes]


@dataclasses.dataclass(frozen=True)
class Time:
    """The time that is left for sessions."""

    seconds: float
    device_seconds: float
    """Seconds of all devices together, less those that running sessions were given."""


def allot(part: Part, waiting: Sequence[Part], left: Time, devices: int) -> float | None:
    """Returns the seconds of a part's session on some devices; None if there are too few.

    It has its share, by size, of what the waiting parts, itself included, can have. What a search
    leaves, since it expects no more gain, is so for the others.
    """
    if left.seconds < LEAST_SECONDS:
        return None
    share = part.size / sum(each.size for each in waiting)
    return min(left.seconds, max(LEAST_SECONDS, share * left.device_seconds / devices))


def estimate_seconds_left(
    ended: Sequence[float], running: Sequence[float], waiting: int, devices: int
) -> float | None:
    """Estimates when the last session ends; None before the first has.

    ended: device-seconds of sessions that have ended
    running: device-seconds of each session that runs, until now
    waiting: number of sessions that are not begun
    """
    if not ended:
        return None
    usual = statistics.fmean(ended)
    left = sum(max(0.0, usual - seconds) for seconds in running)
    return (left + waiting * usual) / devices


def find_least_gain(part: Part, stop_at_gain: float, total: float) -> float:
    """Returns the share of its time that a part's search must expect to gain, to go on, for a gain
    of all parts together, of size `total`."""
    return min(_MOST_GAIN, stop_at_gain * total / part.size)


def check_job(job: Job) -> None:
    """Raises `tonno.Error` for a weight that is none, options that `tune` sets, or words that are no
    options."""
    if not 0 < job.weight < math.inf:
        raise Error(f"a job's weight is more than 0, and finite, not {job.weight}")
    for option in job.options:
        name = option.lstrip("-").partition("=")[0]
        if not option.startswith("--"):
            raise Error(f"a job's options have the form '--name=value', and '{option}' has not")
        if name in _OF_TUNE:
            raise Error(f"'--{name}' is not for a job; tune() and Job have parameters for it")
