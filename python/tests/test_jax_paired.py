# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The paired protocol, on simulated times."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from tonno.jax.candidates import Candidate
from tonno.jax.decisions import ConfigTrial
from tonno.jax.paired import PairedTiming


class Machine:
    """Times with noise of a share, in phases of two clocks 4 % apart."""

    def __init__(self, times: list[float], noise: float, seed: int) -> None:
        self.runs = [0] * len(times)
        self.redrawn = 0
        self._times = times
        self._noise = noise
        self._random = random.Random(seed)

    def run(self, candidate: Any) -> tuple[float, Any]:
        number = candidate.config["N"]
        self.runs[number] += 1
        clock = 1.04 if sum(self.runs) // 50 % 2 else 1.0
        return self._times[number] * clock * math.exp(self._random.gauss(0, self._noise)), None

    def redraw(self) -> None:
        self.redrawn += 1


def decide(
    times: list[float], noise: float = 0.02, seed: int = 0
) -> tuple[int, str, list[Candidate], Machine]:
    machine = Machine(times, noise, seed)
    timing = PairedTiming(machine, warmup=1, seed=seed)  # type: ignore[arg-type]
    candidates = [Candidate(ConfigTrial({"N": i}), "compiled") for i in range(len(times))]
    for candidate in candidates:
        timing.trial(candidate, lambda _: None)
    winner, note = timing.choose()
    found: int = winner.config["N"]
    return found, note, candidates, machine


def test_small_differences_are_found_in_noise() -> None:
    # Differences of two thirds of the noise of a sample: 9 of 10 are found.
    found = [decide([1e-3, 0.98e-3, 1.02e-3, 1.01e-3], 0.03, seed) for seed in range(10)]
    assert sum(winner == 1 for winner, *_ in found) >= 9
    assert all(note.startswith("faster than") for winner, note, *_ in found if winner == 1)
    assert all(machine.redrawn >= 8 for *_, machine in found)


@pytest.mark.parametrize("seed", range(5))
def test_equals_leave_the_baseline(seed: int) -> None:
    winner, note, _, _ = decide([1e-3] * 6, noise=0.03, seed=seed)
    assert winner == 0 and "the baseline" in note


def test_slow_ones_are_pruned_after_three_samples() -> None:
    winner, _, candidates, machine = decide([1e-3, 0.9e-3, 5e-3])
    assert winner == 1
    pruned = candidates[2]
    assert pruned.trial.status == "pruned" and len(pruned.trial.samples_ms) == 3
    assert pruned.compiled is None and machine.runs[2] == 5  # With checking and warming up.


def test_few_samples_do_where_there_is_no_noise() -> None:
    _, _, candidates, _ = decide([1e-3, 0.9e-3], noise=1e-4)
    assert [len(candidate.trial.samples_ms) for candidate in candidates] == [6, 6]


def test_noise_takes_more_samples_up_to_a_limit() -> None:
    _, _, candidates, _ = decide([1e-3, 1e-3], noise=0.3)
    assert len(candidates[1].trial.samples_ms) == 20
