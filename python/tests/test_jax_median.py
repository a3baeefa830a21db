# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The median protocol, on simulated times."""

from __future__ import annotations

from typing import Any

import pytest

from tonno.jax.candidates import Candidate
from tonno.jax.decisions import ConfigTrial
from tonno.jax.timing import MedianTiming


class Machine:
    """Its first five runs are slow, whose they are, and so is a program's second."""

    def __init__(self, seconds: float) -> None:
        self.runs: dict[int, int] = {}
        self._seconds = seconds

    def run(self, candidate: Any) -> tuple[float, Any]:
        number = candidate.config["N"]
        slow = max(1.0, 2.0 - 0.2 * sum(self.runs.values()))
        self.runs[number] = self.runs.get(number, 0) + 1
        slow *= {1: 5.0, 2: 4.0, 3: 1.4}.get(self.runs[number], 1.0)
        return self._seconds * slow, None

    first_run = run


@pytest.mark.parametrize(
    ("seconds", "warmup", "runs"), [(1e-5, 1, 6), (1e-5, 0, 3), (0.01, 1, 4)]
)
def test_what_warms_up_counts_against_nobody(
    seconds: float, warmup: int, runs: int
) -> None:
    machine = Machine(seconds)
    timing = MedianTiming(machine, warmup, 3)  # type: ignore[arg-type]
    candidates = [Candidate(ConfigTrial({"N": i}), "compiled") for i in range(2)]
    checked: list[Any] = []
    for candidate in candidates:
        timing.trial(candidate, checked.append)
    # The first run of each, and the last of those that were the best so far.
    assert machine.runs == {0: runs, 1: runs} and len(checked) in (3, 4)
    assert all(len(candidate.trial.samples_ms) == 3 for candidate in candidates)
    times = [candidate.trial.time_ms or 0.0 for candidate in candidates]
    if runs == 6:
        assert 0.8 * times[1] < times[0] < 1.25 * times[1]
