# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Default local sizes, if a mode forbids measuring."""

from __future__ import annotations

from collections.abc import Sequence

from tonno import _core
from tonno.modes import Mode, UntunedWarning
from tonno.opencl.information import KernelInfo
from tonno.opencl.kernels import Kernel
from tonno.opencl.results import AutotuneResult

_warned: set[str] = set()
"""Keys of questions that were answered by a default."""


def make_default_result(
    place: KernelInfo,
    question: _core.WorkGroupQuestion,
    global_size: Sequence[int],
    mode: Mode,
    notes: Sequence[str] = (),
) -> AutotuneResult:
    """Returns the size of a launch without a tuner, else the question's default."""
    launched = None
    if isinstance(place.kernel, Kernel):
        launched = place.kernel._local_size(place.device, global_size)
    note = f"the local size is the default: {mode.description}"
    return AutotuneResult._default(question.default(), launched, [note, *notes])


def make_default_warning(
    place: KernelInfo, key: str, result: AutotuneResult, mode: Mode
) -> list[str | Warning]:
    """Returns the warning of a default, once for each question."""
    if key in _warned:
        return []
    _warned.add(key)
    return [
        UntunedWarning(
            f"'{place.name}' runs with the default local size {result.best_local_size}, as the "
            f"cache has no answer, and {mode.description} measures nothing: tune it in mode tune "
            "first, and keep the cache"
        )
    ]
