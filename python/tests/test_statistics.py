# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statistics, on samples whose answer is known."""

from __future__ import annotations

import math
import random
import statistics as standard

import pytest

import tonno
from tonno import statistics


def test_median_is_the_standard_librarys() -> None:
    samples = random.Random(1).choices(range(100), k=31)
    for n in (1, 2, 7, 30, 31):
        assert statistics.median(samples[:n]) == standard.median(samples[:n])
    assert statistics.median(iter([3, 1, 2])) == 2


def test_pseudo_median_is_of_all_pairs() -> None:
    samples = [1.0, 2.0, 10.0]
    pairs = [(a + b) / 2 for i, a in enumerate(samples) for b in samples[i:]]
    assert statistics.pseudo_median(samples) == standard.median(pairs)


def test_median_interval_covers_as_stated() -> None:
    rng = random.Random(2)
    covered = 0
    for _ in range(1000):
        interval = statistics.median_interval([rng.gauss(5, 1) for _ in range(25)])
        covered += interval.low <= 5 <= interval.high
    assert 930 <= covered <= 990
    assert statistics.median_interval([2, 1, 3]) == (1, 3)
    assert statistics.median_interval([2, 1, 3]).half_width == 1


def test_means_and_their_errors() -> None:
    samples = [1.0, 2.0, 3.0, 4.0, 1000.0, 5.0, 6.0, 7.0]
    estimate = statistics.estimate_mean(samples)
    assert estimate.mean == pytest.approx(standard.mean(samples))
    assert estimate.standard_error == pytest.approx(standard.stdev(samples) / math.sqrt(8))
    assert statistics.trimmed_mean(samples).mean == pytest.approx(4.5)
    assert statistics.trimmed_mean(samples).standard_error < 3


def test_quantiles() -> None:
    assert statistics.student_quantile(1.959964, 10) == pytest.approx(2.228, abs=2e-3)
    assert statistics.signed_rank_z([1, 2, 3, 4, 5]) == pytest.approx(7.5 / math.sqrt(13.75))
    assert statistics.signed_rank_z([]) == statistics.signed_rank_z([0, 0]) == 0
    assert statistics.distribution([4, 1, 2, 3, 5]) == (5, 1, 2, 3, 4)
    assert statistics.distribution([4, 1, 2, 3, 5]).q3 == 4


def test_pairs_share_what_the_machine_did() -> None:
    rng = random.Random(3)
    load = [rng.uniform(1, 10) for _ in range(40)]
    baseline = [l * rng.gauss(1, 0.01) for l in load]
    candidate = [l * rng.gauss(0.9, 0.01) for l in load]
    ratio, interval = statistics.compare_pairs(candidate, baseline)
    assert ratio == pytest.approx(0.9, abs=0.01)
    assert interval.low < ratio < interval.high < 0.95
    wider = statistics.compare_pairs(candidate, baseline, z=3).interval
    assert wider.low <= interval.low and wider.high >= interval.high
    assert wider.half_width > interval.half_width


def test_too_few_samples_are_refused() -> None:
    for function in (
        statistics.median,
        statistics.pseudo_median,
        statistics.median_interval,
        statistics.distribution,
    ):
        with pytest.raises(tonno.Error, match="at least 1 sample is needed"):
            function([])
    for estimate in (statistics.estimate_mean, statistics.trimmed_mean):
        with pytest.raises(tonno.Error, match="at least 2 samples are needed, not 1"):
            estimate([1.0])
    with pytest.raises(tonno.Error, match="not a number"):
        statistics.median([1.0, math.nan])
    with pytest.raises(tonno.Error, match="quantile"):
        statistics.median_interval([1.0], z=math.nan)
    with pytest.raises(tonno.Error, match="degree"):
        statistics.student_quantile(1, 0)
    with pytest.raises(tonno.Error, match="no pairs"):
        statistics.compare_pairs([1.0], [1.0, 2.0])
    with pytest.raises(tonno.Error, match="positive"):
        statistics.compare_pairs([1.0], [0.0])
