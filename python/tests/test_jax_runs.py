# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What samples make of a trial."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from tonno.frontends import CandidateFailed
from tonno.jax.candidates import Candidate
from tonno.jax.decisions import ConfigTrial
from tonno.jax.draws import Draw
from tonno.jax.plans import make_plan
from tonno.jax.runs import Runs
from tonno.jax.verification import Verification

PLAN = make_plan(
    [{"N": 0}, {"N": 1}],
    None,
    (),
    num_warmup=1,
    num_timing=3,
    protocol="paired",
    outputs="ignore",
    tolerance=None,
    budget_trials=60,
    strategy="ensemble",
    seed=0,
    compile_seconds=None,
    limit_seconds=300.0,
    isolate=False,
    mode=None,
    dims={},
    bucket={},
)


class Bench:
    def __init__(self) -> None:
        self.runs = 0
        self.fails = False

    def run(self, candidate: Any) -> tuple[float, Any]:
        if self.fails:
            raise RuntimeError("RESOURCE_EXHAUSTED: no room\nand more of it")
        self.runs += 1
        return 1e-3 * self.runs, "outputs"

    first_run = run

    def redraw(self) -> None:
        if self.fails:
            raise RuntimeError("RESOURCE_EXHAUSTED: no room\nand more of it")

    def use(self, draw: Draw | None) -> None:
        assert draw is None


def make(protocol: str = "paired") -> tuple[Bench, Runs, Candidate]:
    bench, plan = Bench(), dataclasses.replace(PLAN, protocol=protocol)
    candidates = [Candidate(ConfigTrial({"N": i}), "compiled") for i in range(2)]
    runs = Runs(bench, plan, Verification(plan), candidates)
    return bench, runs, candidates[1]


@pytest.mark.parametrize("protocol", ["median", "paired"])
def test_trial_has_the_samples_of_its_candidate(protocol: str) -> None:
    bench, runs, candidate = make(protocol)
    assert runs.launch_first() == 1e-3
    assert bench.runs == (2 if protocol == "paired" else 1)  # With the warm-up.
    bench.runs = 2
    for entrant in (0, 1, 0, 1):
        runs.sample(entrant)
    runs.verify_last()
    runs.close()
    assert candidate.trial.ok and candidate.trial.samples_ms == pytest.approx([4, 6])
    assert candidate.trial.time_ms == pytest.approx(5)
    assert candidate.compiled == "compiled"  # Finals may run it again.


def test_what_is_pruned_is_not_verified_and_let_go() -> None:
    _, runs, candidate = make()
    runs.launch_first()
    runs.sample(1)
    runs.close()
    assert candidate.trial.status == "pruned" and candidate.compiled is None
    assert candidate.trial.time_ms is not None


@pytest.mark.parametrize(("protocol", "finals"), [("median", [1.0]), ("paired", [])])
def test_samples_of_the_finals_are_no_trial(protocol: str, finals: list[float]) -> None:
    _, runs, candidate = make(protocol)
    candidate.trial.time_ms = 7.0
    runs.sample(1)
    runs.close()
    assert candidate.trial.time_ms == 7.0 and candidate.trial.samples_ms == []
    assert candidate.trial.finals_ms == finals


def test_failure_is_of_the_trial_too() -> None:
    bench, runs, candidate = make()
    runs.launch_first()
    runs.sample(1)
    bench.fails = True
    with pytest.raises(CandidateFailed) as failed:
        runs.sample(1)
    runs.close()
    trial = candidate.trial
    assert failed.value.status == trial.status == "out_of_memory"
    assert trial.reason == "RuntimeError: RESOURCE_EXHAUSTED: no room"
    assert trial.time_ms is None and candidate.compiled is None


def test_arguments_that_can_not_be_redrawn_stay() -> None:
    bench, runs, _ = make()
    runs.redraw()
    assert runs.unmoved == ""
    bench.fails = True
    runs.redraw()
    assert runs.unmoved == "RuntimeError: RESOURCE_EXHAUSTED: no room"
