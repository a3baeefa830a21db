# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of a tuner."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping, Sequence
from typing import Any, SupportsIndex, TypeAlias

from tonno.errors import Error
from tonno.statistics import Interval

LocalSize: TypeAlias = int | tuple[int, ...]
"""Work-items of a group: a number in one dimension, else one number for each."""


Size: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
"""A LocalSize as callers may pass it; NumPy's integers, too."""


def parse_size(size: Size) -> list[int]:
    """Returns a size as a list, one number for each dimension.

    Raises TypeError for a value of another type, tonno.Error for an invalid size.
    """
    try:
        extents = [operator.index(size)]  # type: ignore[arg-type]
    except TypeError:
        extents = _parse_extents(size)
    if not all(0 <= extent < 1 << 63 for extent in extents):
        raise Error(f"the size {size} is not valid: extents are from 1 to 2^63 - 1")
    return extents


def _parse_extents(size: Any) -> list[int]:
    try:
        return [operator.index(extent) for extent in size]
    except TypeError:
        raise TypeError(
            f"a size must be an int, or a sequence of one to three, not {size!r}"
        ) from None


def check_runs(runs: SupportsIndex) -> int:
    """Returns the number of runs. Raises TypeError for a value that is not an integer,
    tonno.Error for a number that is too small or large."""
    try:
        count = operator.index(runs)
    except TypeError:
        raise TypeError(f"runs must be an int, not {runs!r}") from None
    if count < 1:
        raise Error(f"a candidate needs at least one timed run, not {count}")
    if count >= 1 << 63:
        raise Error(f"the number of runs must be finite, not {count}")
    return count


def _as_users_write(sizes: Sequence[int]) -> LocalSize:
    return sizes[0] if len(sizes) == 1 else tuple(sizes)


@dataclasses.dataclass(frozen=True)
class MeasuredSize:
    """A local size that ran."""

    local_size: LocalSize
    runtime_us: float
    """Mean of the samples."""
    samples_us: tuple[float, ...]
    """One sample for each run except the first, which may compile."""


@dataclasses.dataclass(frozen=True)
class SkippedSize:
    """A local size that has no time."""

    local_size: LocalSize
    reason: str


@dataclasses.dataclass(frozen=True)
class AutotuneResult:
    """The best local size of a kernel, with its evidence."""

    best_local_size: LocalSize
    runtime_us: float
    """Microseconds of one launch with that size, without launch overhead; NaN for a default."""
    measured: tuple[MeasuredSize, ...]
    left_out: tuple[SkippedSize, ...]
    """Sizes that are not legal for this device, kernel and global size, and were not launched."""
    failed: tuple[SkippedSize, ...]
    """Sizes whose launch failed, with the error."""
    overhead_bound: bool
    """True if launching takes longer than the kernel: the size is 64 if that was tried."""
    busy: bool
    """True if others used the device at the same time; the answer was not cached."""
    cached: bool
    """True if the answer comes from a cache."""
    notes: tuple[str, ...]
    """Notes on the result, a sentence each."""
    verdict: str | None = None
    """With protocol "paired": `faster` if the size was shown to be faster than the default (see
    `default`); `tie` if none was, and the default is the best."""
    speedup: float | None = None
    """Default / best size; for a tie, of the best candidate."""
    interval: Interval | None = None
    """95 % interval of the speedup."""
    default: bool = False
    """True if the size was neither measured nor cached, because of the mode: it is the size of a
    launch without a tuner, else a group of 64, else the largest candidate below."""

    @classmethod
    def _default(
        cls, json: Mapping[str, Any], launched: Sequence[int] | None, notes: Sequence[str]
    ) -> AutotuneResult:
        """Returns the library's default, with the size that launches use, if they use one."""
        result = cls._of(json, cached=False, notes=notes)
        size = result.best_local_size if launched is None else _as_users_write(launched)
        return dataclasses.replace(result, best_local_size=size, default=True)

    @classmethod
    def _of(
        cls, json: Mapping[str, Any], *, cached: bool, notes: Sequence[str]
    ) -> AutotuneResult:
        return cls(
            _as_users_write(json["best_local_size"]),
            json["runtime_us"],
            tuple(
                MeasuredSize(_as_users_write(x["local_size"]), x["runtime_us"], x["samples_us"])
                for x in json["measured"]
            ),
            skipped_sizes(json["left_out"]),
            skipped_sizes(json["failed"]),
            json["overhead_bound"],
            json["busy"],
            cached,
            (*json["notes"], *notes),
            *_compared(json.get("comparison")),
        )


def _compared(
    json: Mapping[str, Any] | None,
) -> tuple[str, float, Interval] | tuple[None, None, None]:
    if json is None:
        return None, None, None
    return json["verdict"], json["speedup"], Interval(*json["speedup_interval"])


def skipped_sizes(json: Sequence[Mapping[str, Any]]) -> tuple[SkippedSize, ...]:
    """Decodes the skipped sizes of a result."""
    return tuple(SkippedSize(_as_users_write(x["local_size"]), x["reason"]) for x in json)
