# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equal programs are compiled, run and timed once."""

from __future__ import annotations

import collections
import pathlib
import signal
import time
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax_processes import run, trying

from tonno import AllFailed, autotune, frontends
from tonno.jax import FailureWarning
from tonno.jax.candidates import Candidate
from tonno.jax.decisions import ConfigTrial
from tonno.jax.isolation import IsolatedBench
from tonno.jax.programs import Programs
from tonno.jax.runs import Bench
from tonno.jax.sweeps import Sweep

X = jnp.linspace(-1, 1, 16)


class Counts:
    """Counts what is compiled and what is run for the first time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.compiled = 0
        self.first_runs = 0
        self.exported = 0
        compile_ = jax.stages.Lowered.compile
        first_run = Bench.first_run
        submit = IsolatedBench._submit

        def compiled(lowered: Any) -> Any:
            self.compiled += 1
            return compile_(lowered)

        def run_first(bench: Bench, candidate: Candidate) -> Any:
            self.first_runs += 1
            return first_run(bench, candidate)

        def submitted(bench: IsolatedBench, program: Any) -> None:
            self.exported += 1
            submit(bench, program)

        monkeypatch.setattr(jax.stages.Lowered, "compile", compiled)
        monkeypatch.setattr(Bench, "first_run", run_first)
        monkeypatch.setattr(IsolatedBench, "_submit", submitted)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counts:
    return Counts(monkeypatch)


def make_grouped(size: int, count: int, **options: Any) -> Any:
    """A function of which each `size` configurations in a row have one program."""
    numbers = range(size * count)
    if options.pop("searched", False):
        options["space"] = {"N": numbers}
    else:
        options["configs"] = [{"N": n} for n in numbers]

    @autotune(outputs="ignore", **options)
    @jax.jit(static_argnames=["N"])
    def grouped(x: Any, N: int = 0) -> Any:
        return x * (N // size + 1.0)

    return grouped


def test_equal_programs_are_compiled_and_timed_once(cache: Any, counts: Counts) -> None:
    grouped = make_grouped(10, 20, num_timing=1)  # More than are built in one batch.
    grouped(X)
    assert (counts.compiled, counts.first_runs) == (20, 20)
    (decision,) = grouped.decisions
    assert [trial.config for trial in decision.trials] == [{"N": n} for n in range(200)]
    for n, trial in enumerate(decision.trials):
        first = decision.trials[n // 10 * 10]
        assert trial.status == "ok" and trial.time_ms == first.time_ms
        assert trial.equals == (None if trial is first else first.config)
        assert (trial.compile_begin_s is None) == (trial is not first)
    # The earliest of equal programs wins.
    assert decision.config["N"] % 10 == 0
    line = f"N=15  {decision.trials[10].time_ms:.4g} ms  the same program as N=10"
    assert line in grouped.explain(X)


def test_records_name_the_equal_configuration(cache: pathlib.Path) -> None:
    make_grouped(2, 2, num_timing=1)(X)
    text = "".join(path.read_text() for path in cache.rglob("*.json"))
    assert text.count('"equals": {') == 2
    again = make_grouped(2, 2, num_timing=1)
    again(X)
    assert again.decisions[0].source == "cache"
    trials = again.decisions[0].trials
    assert [trial.equals for trial in trials] == [None, {"N": 0}, None, {"N": 2}]


def test_searches_time_equal_programs_once(cache: Any, counts: Counts) -> None:
    grouped = make_grouped(10, 3, searched=True, budget_trials=30, num_timing=1)
    grouped(X)
    assert (counts.compiled, counts.first_runs) == (3, 3)
    assert len(grouped.decisions[0].trials) == 30


def test_equals_take_one_place_of_finals(
    cache: Any, counts: Counts, monkeypatch: pytest.MonkeyPatch
) -> None:
    entrants: list[int] = []
    sampler = Sweep.sampler

    def observed(sweep: Sweep, configs: list[Any]) -> Any:
        entrants.append(len(configs))
        return sampler(sweep, configs)

    monkeypatch.setattr(Sweep, "sampler", observed)
    soon = frontends.paired(finals_seconds=0.2, test_seconds=0.2)
    monkeypatch.setattr("tonno.jax.sweeps._PAIRED", soon)
    grouped = make_grouped(4, 3, protocol="paired")
    grouped(X)
    assert (counts.compiled, counts.first_runs) == (3, 3)
    assert max(entrants) <= 3  # The baseline, and one of each other program.


def test_child_compiles_equal_programs_once(cache: Any, counts: Counts) -> None:
    grouped = make_grouped(4, 3, num_timing=1, isolate=True)
    grouped(X)
    assert (counts.exported, counts.compiled) == (3, 0)
    trials = grouped.decisions[0].trials
    assert [trial.equals for trial in trials[4:8]] == [None, *[{"N": 4}] * 3]


def test_equals_fail_with_the_first(cache: Any, counts: Counts) -> None:
    def refuse(lowered: Any) -> Any:
        counts.compiled += 1
        if "3.000000e+00" in lowered.as_text():
            raise RuntimeError("no such tile")
        return compile_(lowered)

    compile_ = jax.stages.Lowered.compile
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jax.stages.Lowered, "compile", refuse)
        grouped = make_grouped(2, 3, num_timing=1)
        with pytest.warns(FailureWarning, match="2 of 6 configurations failed, the first: N=4: "):
            grouped(X)
    first, second = grouped.decisions[0].trials[4:]
    reason = "RuntimeError: no such tile"
    assert (first.status, first.reason) == ("compile_error", reason)
    assert (second.status, second.reason, second.equals) == (
        "compile_error",
        f"the same program as N=4: {reason}",
        {"N": 4},
    )


def test_equals_are_wrong_with_the_first(cache: Any, counts: Counts) -> None:
    @autotune(configs=[{"N": n} for n in range(4)], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def odd(x: Any, N: int = 0) -> Any:
        return x * (1 + N // 2)

    with pytest.warns(FailureWarning):
        odd(X)
    assert counts.first_runs == 2
    trials = odd.decisions[0].trials
    assert [trial.status for trial in trials] == ["ok", "ok", "wrong", "wrong"]
    assert trials[3].reason == f"the same program as N=2: {trials[2].reason}"


def test_equals_are_faults_with_the_first(
    cache: Any, counts: Counts, monkeypatch: pytest.MonkeyPatch
) -> None:
    first_run = Bench.first_run

    def broken(bench: Bench, candidate: Candidate) -> Any:
        if candidate.config["N"] >= 2:
            raise RuntimeError("RESOURCE_EXHAUSTED: too large")
        return first_run(bench, candidate)

    monkeypatch.setattr(Bench, "first_run", broken)
    grouped = make_grouped(2, 2, num_timing=1)
    with pytest.warns(FailureWarning):
        grouped(X)
    trials = grouped.decisions[0].trials
    assert [trial.status for trial in trials] == ["ok", "ok", *["out_of_memory"] * 2]
    assert trials[3].reason.startswith("the same program as N=2: ")


def test_equals_time_out_with_the_first(
    cache: Any, counts: Counts, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_ = jax.stages.Lowered.compile
    ending: list[bool] = []

    def stuck(lowered: Any) -> Any:
        while "2.000000e+00" in lowered.as_text() and not ending:
            time.sleep(0.01)
        return compile_(lowered)

    monkeypatch.setattr(jax.stages.Lowered, "compile", stuck)
    grouped = make_grouped(2, 2, num_timing=1, compile_seconds=1)
    try:
        with pytest.warns(FailureWarning):
            grouped(X)
    finally:
        ending.append(True)
    trials = grouped.decisions[0].trials
    assert [trial.status for trial in trials] == ["ok", "ok", *["compile_timeout"] * 2]
    assert trials[3].equals == {"N": 2}


def test_all_that_failed_are_told(cache: Any) -> None:
    @autotune(configs=[{"N": n} for n in range(3)], num_timing=1, isolate=True)
    @jax.jit(static_argnames=["N"])
    def failing(x: Any, N: int = 0) -> Any:
        return jax.lax.dot(x, x[:3]) if N == 5 else jnp.zeros(10**13) + x[0]

    with pytest.raises(AllFailed, match="N=2: [a-z_]*: the same program as N=0: ") as raised:
        failing(X)
    assert len(raised.value.trials) == 3


def test_callbacks_are_run_for_each(cache: Any, counts: Counts) -> None:
    @autotune(configs=[{"N": n} for n in range(3)], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def calling(x: Any, N: int = 0) -> Any:
        return jax.pure_callback(lambda y: y, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    calling(X)
    assert (counts.compiled, counts.first_runs) == (3, 3)
    assert all(trial.equals is None for trial in calling.decisions[0].trials)


DYING = """
import jax, jax.numpy as jnp, os, signal, sys
from tonno import autotune
from tonno.jax.runs import Bench

first_run = Bench.first_run

def dying(bench, candidate):
    if candidate.config["N"] in (2, 3):
        with bench._watch(candidate):
            os.kill(os.getpid(), signal.SIGKILL)
    return first_run(bench, candidate)

Bench.first_run = dying

@autotune(configs=[{"N": int(n)} for n in sys.argv[1]], num_timing=1, outputs="ignore")
@jax.jit(static_argnames=["N"])
def fragile(x, N: int = 0):
    return x * (N // 2 + 1)

fragile(jnp.ones(3))
print([trial.status for trial in fragile.decisions[0].trials])
print(fragile.explain())
"""


def test_equals_of_what_killed_a_process_are_left_out(cache: pathlib.Path) -> None:
    assert run(DYING, "0123").returncode == -signal.SIGKILL
    assert len(trying(cache)) == 1
    after = run(DYING, "0123")
    assert after.stdout.startswith("['ok', 'ok', 'fault', 'fault']"), after.stderr
    assert "N=3  fault: the same program as N=2: process " in after.stdout


def test_program_that_killed_a_process_is_known_by_itself(cache: pathlib.Path) -> None:
    assert run(DYING, "02").returncode == -signal.SIGKILL
    after = run(DYING, "013")
    assert after.stdout.startswith("['ok', 'ok', 'fault']"), after.stderr


def make_alternating(**options: Any) -> Any:
    """A function of 8 configurations with 4 programs in turn."""

    @autotune(configs=[{"N": n} for n in range(8)], outputs="ignore", num_timing=1, **options)
    @jax.jit(static_argnames=["N"])
    def resumed(x: Any, N: int = 0) -> Any:
        return x * (N % 4 + 1.0)

    return resumed


@pytest.mark.parametrize("protocol", ["median", "paired"])
def test_resumed_sweeps_know_equal_programs(
    protocol: str, cache: Any, counts: Counts, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = frontends.paired(finals_seconds=0.1, test_seconds=0.1)
    monkeypatch.setattr("tonno.jax.sweeps._PAIRED", soon)
    stop, first_run = [3], Bench.first_run
    ran: collections.Counter[int] = collections.Counter()

    def interrupted(bench: Bench, candidate: Candidate) -> Any:
        if candidate.config["N"] in stop:
            raise KeyboardInterrupt
        ran[candidate.config["N"]] += 1
        return first_run(bench, candidate)

    monkeypatch.setattr(Bench, "first_run", interrupted)
    resumed = make_alternating(protocol=protocol)
    with pytest.raises(KeyboardInterrupt):
        resumed(X)
    assert ran == {0: 1, 1: 1, 2: 1}
    stop.clear()
    ran.clear()
    counts.compiled = 0
    resumed(X)
    trials = resumed.decisions[0].trials
    assert [trial.equals for trial in trials] == [None] * 4 + [{"N": n} for n in range(4)]
    assert all(trial.ok and trial.time_ms is not None for trial in trials)
    assert [trial.time_ms for trial in trials[:4]] == [trial.time_ms for trial in trials[4:]]
    # 3 is new; under median the baseline and the winner are timed again.
    assert ran[3] == 1 and set(ran) <= {0, 1, 2, 3}
    assert sum(ran.values()) <= 4 and counts.compiled <= 4


def test_trial_of_an_equal_one_has_samples_of_its_own() -> None:
    programs = Programs()
    first = Candidate(ConfigTrial({"N": 1}), program="a", is_shared=True)
    second = Candidate(ConfigTrial({"N": 2}), program="a", is_shared=True)
    assert not programs.has(first) and programs.has(second)
    first.trial.samples_ms.append(1.0)
    trial = programs.trial(second)
    trial.samples_ms.append(2.0)
    assert first.trial.samples_ms == [1.0] and programs.first(second) is first
