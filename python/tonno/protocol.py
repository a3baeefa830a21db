# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno's measuring protocol (docs/design/measuring.md), for anything that can be launched.

Each sample of a candidate is divided by a sample of the baseline taken just before it, because
both contain the same disturbances. The candidates that may be the best play finals by halving,
and the winner is tested against the baseline on new samples. `options` are changes to `OPTIONS`,
by the names that records use.
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
"""Number of the baseline among the entrants of a sampler; the candidates follow."""

OPTIONS: dict[str, Any] = _core.protocol_options()
"""The constants of Timing/Protocol.h, which states their reasons."""


class Sampler(Protocol):
    """Launches entrants. An exception of a method ends the measurement and is passed on."""

    def sample(self, entrant: int) -> float:
        """Launches the entrant once and returns the seconds."""

    def warm(self, entrant: int) -> float:
        """Launches the entrant once and returns the seconds of a sample that does not count."""

    def redraw(self) -> None:
        """Moves the data of all entrants to other addresses."""


class Measurement(NamedTuple):
    """Measurement of a trial."""

    is_pruned: bool
    """True if the trial was far behind the incumbent; `ratio` is then of three samples."""
    ratio: float
    """Median of candidate / baseline."""
    interval: Interval
    """Interval of the median, at z = 3."""


class Finalist(NamedTuple):
    candidate: int
    """Number of the candidate; the first is 0."""
    behind: float
    """Median of log(seconds / seconds of the winner)."""
    rounds: int
    """Number of rounds that the candidate took part in."""


class Comparison(NamedTuple):
    """Result of the test of a candidate."""

    verdict: str
    """`faster` or `tie`."""
    speedup: float
    """Baseline / candidate."""
    interval: Interval
    """95 % interval of the speedup."""
    shown: float
    """Lower bound of the speedup that the test shows, at 99.9 %."""
    rounds: int

    @property
    def is_faster(self) -> bool:
        return self.verdict == "faster"


def measure_paired(
    sampler: Sampler, incumbent_high: float, *, is_long: bool = False, **options: Any
) -> Measurement:
    """Times candidate 1 beside the baseline.

        incumbent_high: upper end of the incumbent's interval; infinity if there is none
        is_long: True for launches of `long_launch_seconds` or more
        options: changes to `OPTIONS`
    """
    is_pruned, ratio, low, high = _core.measure_paired(sampler, incumbent_high, is_long, options)
    return Measurement(is_pruned, ratio, Interval(low, high))


def takes_lead(measured: Measurement, incumbent_high: float, **options: Any) -> bool:
    """Returns True if a trial becomes the incumbent, by which later trials are pruned."""
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
