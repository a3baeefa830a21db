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
"""Looks at a candidate's first outputs, and raises where they are wrong."""


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
        more = range(uncounted + self._timing - 1)
        samples = [first, *(self._bench.run(candidate)[0] for _ in more)][uncounted:]
        median = statistics.median(samples)
        candidate.trial.samples_ms = [sample * 1e3 for sample in samples]
        candidate.trial.time_ms = median * 1e3
        candidate.compiled = None
        if self._best is None or median * 1e3 < (self._best.trial.time_ms or 0.0):
            self._best = candidate
        return median

    def choose(self) -> tuple[Candidate, list[str]]:
        assert self._best is not None
        return self._best, []
