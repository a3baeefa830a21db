# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuners of local sizes."""

from __future__ import annotations

import dataclasses
import functools
import os
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import pyopencl as cl

from tonno import _core, frontends
from tonno.errors import AllFailed, Error
from tonno.modes import Mode, mode_in_force
from tonno.opencl.answers import KnownAnswer
from tonno.opencl.information import KernelInfo
from tonno.opencl.kernels import Kernel, KernelSpec
from tonno.opencl.launching import Launcher
from tonno.opencl.results import AutotuneResult, Size, check_runs, parse_size, skipped_sizes
from tonno.opencl.turns import sweep_turn
from tonno.opencl.untuned import make_default_result, make_default_warning
from tonno.opencl.waiting import check_limit
from tonno.printable import printable
from tonno.trials import Trial

Sizes = Sequence[Size]


@dataclasses.dataclass
class WorkGroupTuner:
    """Runs a kernel with each candidate local size and finds the fastest.

    Call `tune` on an idle device, before the hot loop.
    """

    kernel: cl.Kernel
    global_size: Size
    candidates: Sizes | None = None
    """Local sizes; None: groups of 1, 2, 4 ... 256 work-items, in each shape."""
    args: Sequence[Any] | None = None
    """Arguments of the kernel; None: the arguments that are set on this kernel object (another
    `program.scale` is a separate object) or, if none are set, buffers with one element for
    each work-item."""
    runs: int = 3
    """Number of timed runs of each candidate, after one untimed run."""
    protocol: str = "mean"
    """`mean`: the least mean of `runs` wins. `paired`: tonno's own protocol, slower, for small
    differences; the default of 64 stays unless another size is faster."""
    restore: bool = True
    """True to undo writes of launches to buffers and shared virtual memory."""
    timeout_s: float = 300
    """Time limit, in seconds, for commands already on the queue, each candidate's first run and
    each copy. When it is exceeded, tuning ends: a running command can't be stopped, and blocks
    the queue. Ctrl-C ends tuning, too. The timed runs have no limit."""
    cache: str | os.PathLike[str] | bool = True
    """Directory of the cache; True: $TONNO_CACHE_DIR, else `.tonno-cache`; False: none."""
    mode: str | None = None
    """`tune`; `cached` launches nothing and uses the default if there is no cached answer; `off`
    uses the default and reads no cache. None: $TONNO_MODE, else `tune`."""

    def tune(
        self,
        queue: cl.CommandQueue,
        candidates: Sizes | None = None,
        args: Sequence[Any] | None = None,
    ) -> AutotuneResult:
        """Returns the best local size. Launches nothing if the cache has an answer, whatever the
        arguments and headers are. If launching takes longer than the kernel, the answer is not
        cached.

        Writes the size into the KernelSpec of the kernel, if there is one, unless the size is the
        default of a mode. Warns if the device is busy, if buffers were generated or can't be
        restored, and in mode `cached` of a default. Raises tonno.Error for a question that can't
        be answered, such as a queue without profiling or a candidate that does not end, and
        tonno.AllFailed if no candidate ran.
        """
        result, warned = self._tuned(queue, candidates, args)
        _warn(warned)
        return result

    def _tuned(
        self, queue: cl.CommandQueue, candidates: Sizes | None, args: Sequence[Any] | None
    ) -> tuple[AutotuneResult, list[str | Warning]]:
        """Returns the result, and warnings for the caller."""
        candidates = self.candidates if candidates is None else candidates
        args = self.args if args is None else args
        mode = mode_in_force(self.mode)
        _check_lists(candidates, args)
        check_limit(self.timeout_s)
        place = KernelInfo(queue, self.kernel)
        question = _question(self, place, candidates)
        if mode.is_off:
            return make_default_result(place, question, parse_size(self.global_size), mode), []
        with sweep_turn(key := place.key(question)):
            return self._answer(place, question, key, args, mode)

    def _answer(
        self,
        place: KernelInfo,
        question: _core.WorkGroupQuestion,
        key: str,
        args: Sequence[Any] | None,
        mode: Mode,
    ) -> tuple[AutotuneResult, list[str | Warning]]:
        global_size = parse_size(self.global_size)
        spec = self.kernel.spec if isinstance(self.kernel, Kernel) else None
        if spec is not None and key in spec._results:
            result = spec._results[key]
            spec._keep(key, place.name, place.device, global_size, result)
            return dataclasses.replace(result, cached=True), []
        known = KnownAnswer(self.cache, key, is_read_only=not mode.measures)
        record = known.find()
        cached = record is not None
        notes, warned = list[str](), list[str | Warning]()
        if record is None and not mode.measures:
            result = make_default_result(place, question, global_size, mode, known.notes)
            return result, [*make_default_warning(place, key, result, mode), *known.notes]
        if record is None:
            launcher = Launcher(place, global_size, args, self.restore, self.timeout_s)
            record = _measured(question, launcher, _get_lock(place), warned)
            notes += launcher.notes
            known.keep(record, place)
        notes += known.notes
        result = AutotuneResult._of(record, cached=cached, notes=[*notes, *mode.notes])
        if spec is not None and not result.busy:
            spec._keep(key, place.name, place.device, global_size, result)
        return result, [*warned, *notes]


def _question(
    tuner: WorkGroupTuner, place: KernelInfo, candidates: Sizes | None
) -> _core.WorkGroupQuestion:
    return _core.WorkGroupQuestion.of(
        parse_size(tuner.global_size),
        None if candidates is None else [parse_size(size) for size in candidates],
        check_runs(tuner.runs),
        _is_paired(tuner.protocol),
        place.limits(),
    )


def _measured(
    question: _core.WorkGroupQuestion,
    launcher: Launcher,
    lock: frontends.Lock,
    warned: list[str | Warning],
) -> dict[str, Any]:
    """Returns the record of an answer."""
    record = question.tune(launcher.drain, launcher.launch, lock)
    _check(record)
    warned += record["notes"][-1:] if record["busy"] else ()
    if launcher.assumption is not None:
        record["notes"] = (*record["notes"], launcher.assumption)
        warned.append(launcher.assumption)
    launcher.note_what_is_not_restored()
    return record


def _get_lock(place: KernelInfo) -> frontends.Lock:
    """Returns the lock of the device on which the kernel is launched."""
    return frontends.Lock(
        place.identity(), functools.partial(frontends.report_waiting, f"{place.name}: ")
    )


def _is_paired(protocol: str) -> bool:
    if protocol not in ("mean", "paired"):
        raise Error(f"protocol must be 'mean' or 'paired', not {protocol!r}")
    return protocol == "paired"


def _check_lists(candidates: object, args: object) -> None:
    if candidates is not None and not isinstance(candidates, Iterable):
        raise TypeError(f"candidates must be a list of sizes, such as [64], not {candidates!r}")
    if args is not None and (isinstance(args, str) or not isinstance(args, Sequence)):
        raise TypeError(f"args must be a list of the kernel's arguments, not {args!r}")


def _warn(notes: Sequence[str | Warning]) -> None:
    """Issues warnings at the caller of the caller."""
    for note in notes:
        category = type(note) if isinstance(note, Warning) else UserWarning
        warnings.warn(printable(str(note)), category, stacklevel=3)


def _check(record: dict[str, Any]) -> None:
    if record["best_local_size"]:
        return
    skipped = skipped_sizes([*record["left_out"], *record["failed"]])
    trials = [
        Trial({"local_size": each.local_size}, "unlaunchable", None, each.reason)
        for each in skipped
    ]
    reasons = "".join(f"; {each.local_size}: {each.reason}" for each in skipped)
    reasons = reasons or "; candidates is empty"
    raise AllFailed(f"no local size could be measured{reasons}", trials)


@dataclasses.dataclass(eq=False, repr=False)
class Autotuner:
    """Tunes kernels one by one on a queue, and writes the sizes into their specs."""

    queue: cl.CommandQueue
    _: dataclasses.KW_ONLY
    runs: int = 3
    protocol: str = WorkGroupTuner.protocol
    cache: str | os.PathLike[str] | bool = True
    timeout_s: float = WorkGroupTuner.timeout_s
    mode: str | None = None
    results: dict[str, AutotuneResult] = dataclasses.field(default_factory=dict, init=False)
    """The last result of each kernel, by its name."""

    def tune(
        self,
        spec: KernelSpec,
        global_size: Size,
        *,
        candidates: Sizes | None = None,
        args: Sequence[Any] | None = None,
        restore: bool = True,
    ) -> AutotuneResult:
        """Builds the kernel and tunes it as `WorkGroupTuner.tune`."""
        kernel = spec.build(self.queue).kernel_of(spec.name)
        tuner = WorkGroupTuner(
            kernel,
            global_size,
            runs=self.runs,
            protocol=self.protocol,
            restore=restore,
            timeout_s=self.timeout_s,
            cache=self.cache,
            mode=self.mode,
        )
        result, warned = tuner._tuned(self.queue, candidates, args)
        self.results[spec.name] = result
        _warn(warned)
        return result
