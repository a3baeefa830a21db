# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno.protocol, with samplers written in Python, on simulated times."""

from __future__ import annotations

import math
import random

import pytest

from tonno import Error, protocol


class Machine:
    """Noise of a share of a sample, in phases of two clocks 4 % apart."""

    def __init__(self, times: list[float], noise: float = 0.02, seed: int = 0) -> None:
        self.sampled = [0] * len(times)
        self.redrawn = 0
        self._times = times
        self._noise = noise
        self._random = random.Random(seed)

    def sample(self, entrant: int) -> float:
        self.sampled[entrant] += 1
        clock = 1.04 if sum(self.sampled) // 50 % 2 else 1.0
        return self._times[entrant] * clock * math.exp(self._random.gauss(0, self._noise))

    warm = sample

    def redraw(self) -> None:
        self.redrawn += 1


def test_constants_have_the_names_of_records() -> None:
    assert protocol.OPTIONS["faster_z"] == 3.0
    with pytest.raises(Error, match="max_sample"):
        protocol.measure_paired(Machine([1e-3, 1e-3]), math.inf, max_sample=4)


def test_trial_gives_the_ratio_of_pairs() -> None:
    measured = protocol.measure_paired(Machine([1e-3, 0.8e-3]), math.inf)
    assert measured.interval.low < 0.8 < measured.interval.high
    assert not measured.is_pruned
    assert protocol.takes_lead(measured, 1.0) and not protocol.takes_lead(measured, 0.8)


def test_far_behind_is_pruned() -> None:
    machine = Machine([1e-3, 2e-3])
    assert protocol.measure_paired(machine, 1.0).is_pruned


def test_long_launches_take_few_samples() -> None:
    machine = Machine([0.1, 0.09])
    protocol.measure_paired(machine, 1.0, is_long=True)
    assert machine.sampled == [2, 3]


def test_finals_find_the_best() -> None:
    machine = Machine([1e-3, 0.95e-3, 0.9e-3, 0.96e-3])
    ranking = protocol.choose_by_halving(machine, 3, seed=0)
    assert ranking[0].candidate == 1 and ranking[0].behind == 0
    assert machine.redrawn > 0


@pytest.mark.parametrize(("ratio", "verdict"), [(0.95, "faster"), (1.0, "tie"), (1.1, "tie")])
def test_verdict_needs_a_difference(ratio: float, verdict: str) -> None:
    found = protocol.compare_with_baseline(Machine([1e-3, ratio * 1e-3]), seed=0)
    assert found.verdict == verdict and found.is_faster == (verdict == "faster")
    assert found.interval.low < found.speedup < found.interval.high
    assert found.shown < found.interval.low


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.inf, math.nan])
def test_samples_are_seconds(seconds: float) -> None:
    machine = Machine([seconds, seconds], noise=0)
    with pytest.raises(Error, match="more than 0 seconds"):
        protocol.compare_with_baseline(machine, seed=0)


def test_what_is_raised_goes_through() -> None:
    class Failing(Machine):
        def sample(self, entrant: int) -> float:
            raise KeyError(entrant)

    with pytest.raises(KeyError):
        protocol.choose_by_halving(Failing([1.0] * 3), 2, seed=0)
