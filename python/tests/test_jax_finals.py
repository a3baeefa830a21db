# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finals among configurations whose medians overlap, by a clock that the test sets."""

from __future__ import annotations

import collections
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax_events import VirtualTime

from tonno import autotune
from tonno.jax import Decision, isolation, sweeps

X = jnp.linspace(-1, 1, 16)
TRIAL_RUNS = 4
"""One to warm up, and three that count."""


class Machine:
    """Runs of each configuration, some of which wait for other processes."""

    def __init__(self, virtual_time: VirtualTime) -> None:
        self.seconds = {0: 2.6, 1: 2.7, 2: 1.46, 3: 2.8, 4: 2.65, 5: 2.75}
        self.waits: dict[int, set[int]] = {n: {3} for n in self.seconds}
        """By configuration: its runs that wait."""
        self.waits[2] = {1, 2}
        self.runs: collections.Counter[int] = collections.Counter()
        self.raised: dict[int, BaseException] = {}
        """By configuration: the error of its first run in the finals."""
        self._time = virtual_time

    def taken(self, n: int) -> float:
        """Returns the seconds of the next run."""
        run = self.runs[n]
        self.runs[n] += 1
        if run == TRIAL_RUNS and n in self.raised:
            raise self.raised.pop(n)
        return self.seconds[n] + (9 if run in self.waits[n] else 0)

    def function(self, **options: Any) -> Any:
        def run(x: Any, n: Any) -> Any:
            self._time.add(self.taken(int(n)))
            return x * 2

        @jax.jit(static_argnames=["N"])
        def double(x: Any, N: int = 0) -> Any:
            return jax.pure_callback(run, jax.ShapeDtypeStruct(x.shape, x.dtype), x, N)

        return autotune(configs=[{"N": n} for n in self.seconds], **options)(double)


@pytest.fixture
def machine(virtual_time: VirtualTime) -> Machine:
    return Machine(virtual_time)


def decided(tuned: Any) -> Decision:
    tuned.tune([(X,)])
    (decision,) = tuned.decisions
    assert isinstance(decision, Decision)
    return decision


def final_runs(decision: Decision) -> dict[int, int]:
    return {trial.config["N"]: len(trial.finals_ms) for trial in decision.trials}


def test_finals_decide_where_medians_overlap(cache: Any, machine: Machine) -> None:
    tuned = machine.function()
    decision = decided(tuned)
    assert decision.config == {"N": 2}
    # The least median plays, and those of the others that ran fastest.
    assert final_runs(decision) == {0: 4, 1: 4, 2: 4, 3: 0, 4: 4, 5: 0}
    trials = {trial.config["N"]: trial for trial in decision.trials}
    assert trials[2].samples_ms == pytest.approx([10461, 10461, 1461])
    assert trials[2].time_ms == decision.time_ms == pytest.approx(10461)
    assert trials[2].finals_ms == pytest.approx([1461] * 4)
    (note,) = [note for note in decision.notes if note.startswith("finals: ")]
    assert "4 configurations overlapped" in note and "up to 4 more times" in note
    assert "N=2  1.046e+04 ms, 4 more runs in the finals" in tuned.explain(X)
    swept = sum(machine.seconds.values()) * TRIAL_RUNS
    assert sum(sum(trial.finals_ms) for trial in decision.trials) <= swept * 1e3


def test_distinct_medians_play_no_finals(cache: Any, machine: Machine) -> None:
    machine.waits = {n: set() for n in machine.seconds}
    decision = decided(machine.function())
    assert decision.config == {"N": 2}
    assert set(machine.runs.values()) == {TRIAL_RUNS}
    assert set(final_runs(decision).values()) == {0} and decision.notes == ()


def test_programs_of_the_finalists_are_kept(
    cache: Any, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[int] = []
    sampler = sweeps.Sweep.sampler

    def noted(sweep: sweeps.Sweep, entrants: Any) -> Any:
        if len(entrants) > 2:
            kept.extend(n for n, c in enumerate(sweep._candidates.values()) if c.compiled)
        return sampler(sweep, entrants)

    monkeypatch.setattr(sweeps.Sweep, "sampler", noted)
    decided(machine.function())
    assert kept == [0, 1, 2, 4]


def test_configuration_that_fails_in_the_finals_has_failed(
    cache: Any, machine: Machine
) -> None:
    machine.raised[4] = RuntimeError("not any more")
    with pytest.warns(UserWarning, match="not any more"):
        decision = decided(machine.function())
    assert decision.config == {"N": 2}
    (failed,) = [trial for trial in decision.trials if not trial.ok]
    assert failed.config == {"N": 4} and failed.status == "fault" and failed.time_ms is None
    assert any("failed when it was verified again" in note for note in decision.notes)
    runs = final_runs(decision)
    assert runs[0] == runs[1] == runs[2] >= 4


def test_trials_survive_ctrl_c_in_the_finals(cache: Any, machine: Machine) -> None:
    machine.raised[0] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        decided(machine.function())
    machine.runs.clear()
    decision = decided(machine.function())
    assert decision.config == {"N": 2}
    # The finalists are timed again, before the finals; nothing else is but the baseline.
    runs = {n: machine.runs[n] - final_runs(decision)[n] for n in machine.seconds}
    assert runs == {0: TRIAL_RUNS, 1: TRIAL_RUNS, 2: TRIAL_RUNS, 3: 0, 4: TRIAL_RUNS, 5: 0}
    resumed = [trial.config["N"] for trial in decision.trials if trial.is_resumed]
    assert resumed == [3, 5]


def test_isolated_configurations_play_finals(
    cache: Any, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed = isolation.IsolatedBench._timed

    def taken(bench: isolation.IsolatedBench, program: Any) -> float:
        timed(bench, program)
        return machine.taken(program.number - 1)

    monkeypatch.setattr(isolation.IsolatedBench, "_timed", taken)

    @autotune(configs=[{"N": n} for n in machine.seconds], isolate=True, outputs="ignore")
    @jax.jit(static_argnames=["N"])
    def scaled(x: Any, N: int = 0) -> Any:
        return x * (N + 1) / (N + 1)

    decision = decided(scaled)
    assert decision.config == {"N": 2}
    assert final_runs(decision) == {0: 4, 1: 4, 2: 4, 3: 0, 4: 4, 5: 0}
