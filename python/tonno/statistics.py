# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statistics for honest times, as tonno itself has them (Core/Statistics.h).

Samples are numbers in any order. All functions raise `Error` for too few of
them or one that is not a number. `z` is a quantile of the normal distribution:
1.96 means 95 %, 3 means 99.7 %.
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
    """Of at least one sample."""
    return _core.median(_floats(samples))


def pseudo_median(samples: Iterable[float]) -> float:
    """The median of all pairs' means (Hodges and Lehmann 1963).

    Nearly as precise as the mean where noise is normal, and robust against
    outliers. Takes time and memory quadratic in the samples.
    """
    return _core.pseudo_median(_floats(samples))


def median_interval(samples: Iterable[float], z: float = 1.96) -> Interval:
    """Interval of the median from order statistics, whatever the distribution.

    With fewer than six samples it is all of them, and covers less.
    """
    return Interval(*_core.median_interval(_floats(samples), z))


def estimate_mean(samples: Iterable[float]) -> MeanEstimate:
    """Mean and its standard error, of at least two samples."""
    return MeanEstimate(*_core.estimate_mean(_floats(samples)))


def trimmed_mean(samples: Iterable[float]) -> MeanEstimate:
    """Mean of the middle half and its standard error, of at least two samples.

    A quarter may be outliers (Tukey and McLaughlin 1963).
    """
    return MeanEstimate(*_core.trimmed_mean(_floats(samples)))


def student_quantile(z: float, degrees_of_freedom: float) -> float:
    """The Student-t quantile that has the tail of the normal quantile z."""
    return _core.student_quantile(z, degrees_of_freedom)


def signed_rank_z(differences: Iterable[float]) -> float:
    """Wilcoxon's signed-rank statistic of paired differences.

    As a normal quantile: how far they lie above zero. Zeros are left out.
    """
    return _core.signed_rank_z(_floats(differences))


def distribution(samples: Iterable[float]) -> Distribution:
    """Number, least, quartiles and median, of at least one sample."""
    return Distribution(*_core.distribution(_floats(samples)))


def compare_pairs(
    seconds: Iterable[float], baseline_seconds: Iterable[float], z: float = 1.96
) -> RatioEstimate:
    """The median of candidate over baseline, by pairs, with its interval.

    Sample i of both was taken at about the same moment: what the machine did
    then is in both. Below 1 the candidate is faster; where the interval has 1,
    they are not told apart. Raises `Error` unless there is one of each for each,
    all positive.
    """
    candidate, baseline = _floats(seconds), _floats(baseline_seconds)
    if len(candidate) != len(baseline):
        raise Error(
            f"{len(candidate)} samples make no pairs with {len(baseline)} of the baseline"
        )
    if any(sample <= 0 for sample in (*candidate, *baseline)):
        raise Error("a time is positive")
    ratios = [c / b for c, b in zip(candidate, baseline, strict=True)]
    return RatioEstimate(median(ratios), median_interval(ratios, z))


def _floats(samples: Iterable[float]) -> list[float]:
    return [float(sample) for sample in samples]
