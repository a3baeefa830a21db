# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timing as the original does: each configuration by itself, the median counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from tonno import statistics
from tonno.jax.candidates import Candidate
from tonno.jax.runs import Bench

_SHORT_SECONDS = 0.005
_MORE_WARMUP = 2
"""Runs of each candidate, if they are short: of a program of 10 us the second took 40
and the third 11, and what the first one warms up for all made it look 1.4 times as
slow. If it alone had them, its equals looked 1.3 times as slow as it."""

Check = Callable[[Any], None]
"""Verifies the outputs of a run of a candidate, and raises if they are refused."""


class Timing(Protocol):
    """How candidates are timed and one of them chosen."""

    def trial(self, candidate: Candidate, check: Check) -> float:
        """Times one, in its trial too; what it returns is less for a faster one."""

    def choose(self) -> tuple[Candidate, list[str]]:
        """The winner of those that were ok, and what is to be said of it."""


class MedianTiming:
    """`warmup` runs that don't count, then `timing` that do."""

    def __init__(self, bench: Bench, warmup: int, timing: int) -> None:
        self._bench = bench
        self._warmup = warmup
        self._timing = timing
        self._best: Candidate | None = None

    def trial(self, candidate: Candidate, check: Check) -> float:
        first, outputs = self._bench.first_run(candidate)
        check(outputs)
        uncounted = self._warmup
        if uncounted and first < _SHORT_SECONDS:
            uncounted += _MORE_WARMUP
        seconds = [first]
        while len(seconds) < uncounted + self._timing:
            outputs = None  # One run's outputs are in memory at a time.
            again, outputs = self._bench.run(candidate)
            seconds.append(again)
        samples = seconds[uncounted:]
        median = statistics.median(samples)
        is_best = self._best is None or median * 1e3 < (self._best.trial.time_ms or 0.0)
        if is_best and len(seconds) > 1:
            check(outputs)  # Memory that the first run found zeroed may be so no more.
        candidate.trial.samples_ms = [sample * 1e3 for sample in samples]
        candidate.trial.time_ms = median * 1e3
        candidate.compiled = None
        if is_best:
            self._best = candidate
        return median

    def choose(self) -> tuple[Candidate, list[str]]:
        assert self._best is not None
        return self._best, []
