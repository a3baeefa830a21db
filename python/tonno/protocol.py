# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno's measuring protocol (docs/design/measuring.md), of anything that can be launched.

Each sample of a candidate is divided by one of the baseline taken just before it,
since what the machine does at a moment is in both. The candidates that may be the
best play finals by halving, and the winner is tested against the baseline on new
samples. `options` are changes to `OPTIONS`, by the names that records have.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from tonno import _core
from tonno.statistics import Interval

__all__ = [
    "BASELINE",
    "OPTIONS",
    "Comparison",
    "Finalist",
    "Measurement",
    "Sampler",
    "choose_by_halving",
    "compare_with_baseline",
    "measure_paired",
    "takes_lead",
]

BASELINE = 0
"""The baseline's number among the entrants of a sampler; the candidates follow."""

OPTIONS: dict[str, Any] = _core.protocol_options()
"""The constants of Timing/Protocol.h, which has the reasons."""


class Sampler(Protocol):
    """Launches entrants. What a method raises ends the measurement and is raised."""

    def sample(self, entrant: int) -> float:
        """Seconds of one launch."""

    def warm(self, entrant: int) -> float:
        """The same, which does not count."""

    def redraw(self) -> None:
        """Places the data of all entrants elsewhere in memory."""


class Measurement(NamedTuple):
    """A trial's."""

    is_pruned: bool
    """Far behind the incumbent, so `ratio` is of three samples."""
    ratio: float
    """Median of candidate / baseline."""
    interval: Interval
    """Of that median, at z = 3."""


class Finalist(NamedTuple):
    candidate: int
    """The first candidate is 0."""
    behind: float
    """Median of log(its seconds / the winner's)."""
    rounds: int
    """That it took part in."""


class Comparison(NamedTuple):
    """What the test found of the candidate."""

    verdict: str
    """`faster` or `tie`."""
    speedup: float
    """Baseline / candidate."""
    interval: Interval
    """Of the speedup, 95 %."""
    shown: float
    """The speedup that the test is sure of, at 99.9 %."""
    rounds: int

    @property
    def is_faster(self) -> bool:
        return self.verdict == "faster"


def measure_paired(
    sampler: Sampler, incumbent_high: float, *, is_long: bool = False, **options: Any
) -> Measurement:
    """Times candidate 1 beside the baseline. `incumbent_high` is the upper end of the
    incumbent's interval, infinity if there is none; `is_long` is for launches of
    `long_launch_seconds` or more."""
    is_pruned, ratio, low, high = _core.measure_paired(sampler, incumbent_high, is_long, options)
    return Measurement(is_pruned, ratio, Interval(low, high))


def takes_lead(measured: Measurement, incumbent_high: float, **options: Any) -> bool:
    """Whether a trial becomes the one by which others are pruned."""
    low, high = measured.interval
    led: bool = _core.takes_lead(low, high, incumbent_high, options)
    return led


def choose_by_halving(
    sampler: Sampler, candidates: int, seed: int, **options: Any
) -> list[Finalist]:
    """Ranks candidates 1 to `candidates` of the sampler, best first."""
    ranking = _core.choose_by_halving(sampler, candidates, seed, options)
    return [Finalist(*each) for each in ranking]


def compare_with_baseline(sampler: Sampler, seed: int, **options: Any) -> Comparison:
    """Tests on new samples whether candidate 1 is faster than the baseline."""
    verdict, speedup, low, high, shown, rounds = _core.compare_with_baseline(
        sampler, seed, options
    )
    return Comparison(verdict, speedup, Interval(low, high), shown, rounds)
