# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statistics of measured times, as tonno itself uses them (Core/Statistics.h).

Samples are numbers in any order. All functions raise `Error` if there are too few samples or one
of them is NaN. `z` is a quantile of the normal distribution: 1.96 stands for 95 %, 3 for 99.7 %.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tonno import _core
from tonno.errors import Error

__all__ = [
    "Distribution",
    "Interval",
    "MeanEstimate",
    "RatioEstimate",
    "compare_pairs",
    "distribution",
    "estimate_mean",
    "median",
    "median_interval",
    "pseudo_median",
    "signed_rank_z",
    "student_quantile",
    "trimmed_mean",
]


class Interval(NamedTuple):
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


class MeanEstimate(NamedTuple):
    mean: float
    standard_error: float


class Distribution(NamedTuple):
    """Five numbers that describe a set of samples."""

    n: int
    min: float
    q1: float
    median: float
    q3: float


class RatioEstimate(NamedTuple):
    ratio: float
    interval: Interval


def median(samples: Iterable[float]) -> float:
    """Returns the median of at least one sample."""
    return _core.median(_floats(samples))


def pseudo_median(samples: Iterable[float]) -> float:
    """Returns the median of all pairs' means (Hodges and Lehmann 1963).

    It is nearly as precise as the mean if noise is normal, and robust against outliers. Time and
    memory are quadratic in the number of samples.
    """
    return _core.pseudo_median(_floats(samples))


def median_interval(samples: Iterable[float], z: float = 1.96) -> Interval:
    """Returns an interval of the median from order statistics, for any distribution.

    With fewer than six samples, the interval spans all of them, and its coverage is lower.
    """
    return Interval(*_core.median_interval(_floats(samples), z))


def estimate_mean(samples: Iterable[float]) -> MeanEstimate:
    """Returns the mean and its standard error, of at least two samples."""
    return MeanEstimate(*_core.estimate_mean(_floats(samples)))


def trimmed_mean(samples: Iterable[float]) -> MeanEstimate:
    """Returns the mean of the middle half and its standard error, of at least two samples.

    A quarter of the samples may be outliers (Tukey and McLaughlin 1963).
    """
    return MeanEstimate(*_core.trimmed_mean(_floats(samples)))


def student_quantile(z: float, degrees_of_freedom: float) -> float:
    """Returns the Student-t quantile with the tail probability of the normal quantile z."""
    return _core.student_quantile(z, degrees_of_freedom)


def signed_rank_z(differences: Iterable[float]) -> float:
    """Returns Wilcoxon's signed-rank statistic of paired differences, as a normal quantile.

    A positive result means differences above zero. Zeros are left out.
    """
    return _core.signed_rank_z(_floats(differences))


def distribution(samples: Iterable[float]) -> Distribution:
    """Returns the number, least, quartiles and median of at least one sample."""
    return Distribution(*_core.distribution(_floats(samples)))


def compare_pairs(
    seconds: Iterable[float], baseline_seconds: Iterable[float], z: float = 1.96
) -> RatioEstimate:
    """Returns the median of candidate / baseline, by pairs, with its interval.

    Sample i of both was taken at about the same moment, so both contain the same disturbances.
    Below 1, the candidate is faster. If the interval contains 1, no difference is shown. Raises
    `Error` unless there is one positive sample of each in every pair.
    """
    candidate, baseline = _floats(seconds), _floats(baseline_seconds)
    if len(candidate) != len(baseline):
        raise Error(
            f"{len(candidate)} samples make no pairs with {len(baseline)} of the baseline"
        )
    if any(sample <= 0 for sample in (*candidate, *baseline)):
        raise Error("times must be positive")
    ratios = [c / b for c, b in zip(candidate, baseline, strict=True)]
    return RatioEstimate(median(ratios), median_interval(ratios, z))


def _floats(samples: Iterable[float]) -> list[float]:
    return [float(sample) for sample in samples]
