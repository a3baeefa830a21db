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

    first_run = run

    def redraw(self) -> None:
        self.redrawn += 1


class Failing(Machine):
    """In the finals: candidates, or redrawing the arguments."""

    def __init__(self, failing: tuple[int, ...], can_redraw: bool = True) -> None:
        super().__init__([1e-3, 0.9e-3, 0.9e-3], 0.02, 0)
        self._failing = failing
        self._can_redraw = can_redraw

    def run(self, candidate: Any) -> tuple[float, Any]:
        if self.redrawn and candidate.config["N"] in self._failing:
            raise RuntimeError("RESOURCE_EXHAUSTED: no room\nand more of it")
        return super().run(candidate)

    def redraw(self) -> None:
        super().redraw()
        if not self._can_redraw:
            raise RuntimeError("RESOURCE_EXHAUSTED: no room\nand more of it")


def time_all(machine: Machine, number: int, seed: int = 0) -> tuple[Any, list[Candidate]]:
    timing = PairedTiming(machine, warmup=1, seed=seed)  # type: ignore[arg-type]
    candidates = [Candidate(ConfigTrial({"N": i}), "compiled") for i in range(number)]
    for candidate in candidates:
        timing.trial(candidate, lambda _: None)
    return timing, candidates


def decide(
    times: list[float], noise: float = 0.02, seed: int = 0
) -> tuple[int, str, list[Candidate], Machine]:
    machine = Machine(times, noise, seed)
    timing, candidates = time_all(machine, len(times), seed)
    winner, (note,) = timing.choose()
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
    winner, _, candidates, machine = decide([1e-3, 0.9e-3, 4e-3])
    assert winner == 1
    pruned = candidates[2]
    assert pruned.trial.status == "pruned" and len(pruned.trial.samples_ms) == 3
    assert pruned.compiled is None and machine.runs[2] == 6  # With checking and warming up.


def test_few_samples_do_where_there_is_no_noise() -> None:
    _, _, candidates, _ = decide([1e-3, 0.9e-3], noise=1e-4)
    assert [len(candidate.trial.samples_ms) for candidate in candidates] == [6, 6]


def test_noise_takes_more_samples_up_to_a_limit() -> None:
    _, _, candidates, _ = decide([1e-3, 1e-3], noise=0.3)
    assert len(candidates[1].trial.samples_ms) == 8


@pytest.mark.parametrize(
    ("failing", "winners", "note"),
    [
        ((1,), (2,), "faster than the baseline"),
        ((1, 2), (0,), "the baseline is the best"),
        ((0,), (1, 2), "the best of those that did not fail as the baseline did"),
    ],
    ids=str,
)
def test_who_fails_in_the_finals_is_out(
    failing: tuple[int, ...], winners: tuple[int, ...], note: str
) -> None:
    timing, candidates = time_all(Failing(failing), 3)
    winner, (found,) = timing.choose()
    assert winner.config["N"] in winners and found.startswith(note)
    for number in failing:
        trial = candidates[number].trial
        assert trial.status == "out_of_memory" and trial.time_ms is None
        assert trial.reason == "RuntimeError: RESOURCE_EXHAUSTED: no room"


def test_arguments_that_can_not_be_redrawn_stay() -> None:
    timing, _ = time_all(Failing((), can_redraw=False), 3)
    winner, (_, note) = timing.choose()
    assert winner.config["N"] in (1, 2)
    assert note == "arguments stayed where they were: RuntimeError: RESOURCE_EXHAUSTED: no room"
