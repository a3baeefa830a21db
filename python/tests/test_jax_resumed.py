# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sweeps that end early: by Ctrl-C, a killed process, or the budget."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import textwrap
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax_events import VirtualTime

import tonno
from tonno import autotune
from tonno.jax import Decision
from tonno.jax.candidates import Candidate
from tonno.jax.isolation import IsolatedBench

X = jnp.linspace(-1, 1, 16)


class Machine:
    """Seconds of each configuration by a clock that the test sets, and which ran."""

    def __init__(self, virtual_time: VirtualTime, seconds: dict[int, float]) -> None:
        self.seconds = seconds
        self.ran: list[int] = []
        self.interrupts_at: int | None = None
        self._time = virtual_time

    def function(self, **options: Any) -> Any:
        """A function of the same name and code, as each process makes it."""

        def run(x: Any, n: Any) -> Any:
            if int(n) == self.interrupts_at:
                self.interrupts_at = None
                raise KeyboardInterrupt
            self.ran.append(int(n))
            self._time.add(self.seconds[int(n)])
            return x * 2

        @jax.jit(static_argnames=["N"])
        def double(x: Any, N: int = 0) -> Any:
            return jax.pure_callback(run, jax.ShapeDtypeStruct(x.shape, x.dtype), x, N)

        return autotune(configs=[{"N": n} for n in self.seconds], **options)(double)

    def times(self) -> dict[int, int]:
        """How often each ran since it was asked."""
        found = {n: self.ran.count(n) for n in self.seconds}
        self.ran.clear()
        return found


def journals(cache: pathlib.Path) -> list[pathlib.Path]:
    return list((cache / "jax").glob("*.jsonl"))


def decided(tuned: Any) -> Decision:
    (decision,) = tuned.decisions
    assert isinstance(decision, Decision)
    return decision


def test_finished_trials_survive_ctrl_c(cache: pathlib.Path, virtual_time: VirtualTime) -> None:
    machine = Machine(virtual_time, {0: 0.02, 1: 0.01, 2: 0.03, 3: 0.04})
    machine.interrupts_at = 3
    with pytest.raises(KeyboardInterrupt):
        machine.function()(X)
    assert machine.times() == {0: 4, 1: 4, 2: 4, 3: 0}
    (journal,) = journals(cache)
    (session,) = tonno.read_journal(journal)
    assert [trial.record.config["place"] for trial in session.trials] == [0, 1, 2]
    explained = machine.function().explain(X)
    assert explained.startswith("double: not tuned yet for ")
    assert "; 3 trials of an interrupted sweep are kept, and the next call resumes it" in explained

    tuned = machine.function()
    tuned.tune([(X,)])
    # The baseline, what was not tried yet, and the winner.
    assert machine.times() == {0: 4, 1: 4, 2: 0, 3: 4}
    decision = decided(tuned)
    assert decision.config == {"N": 1}
    assert [trial.is_resumed for trial in decision.trials] == [False, False, True, False]
    assert decision.trials[2].time_ms == pytest.approx(31)
    assert any(note.startswith("resumed: 1 of 4 configurations") for note in decision.notes)
    assert "N=2  31 ms" in tuned.explain(X) and "before the sweep" in tuned.explain(X)
    assert journals(cache) == []
    assert "interrupted sweep" not in machine.function().explain(jnp.zeros(4))


def test_finished_trials_of_a_child_process_survive_ctrl_c(
    cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []
    first_run = IsolatedBench.first_run

    def watched(bench: IsolatedBench, candidate: Candidate) -> Any:
        ran.append(candidate.config["N"])
        if ran == [1, 2, 3, 4]:
            raise KeyboardInterrupt
        return first_run(bench, candidate)

    monkeypatch.setattr(IsolatedBench, "first_run", watched)

    def make() -> Any:
        @autotune(configs=[{"N": n} for n in (1, 2, 3, 4)], num_timing=1, isolate=True)
        @jax.jit(static_argnames=["N"])
        def tripled(x: Any, N: int = 1) -> Any:
            return x * N * (3 / N)

        return tripled

    said: list[str] = []
    monkeypatch.setattr("tonno.progress.Progress.close", lambda _, summary: said.append(summary))
    with pytest.raises(KeyboardInterrupt):
        make()(X)
    assert said[0].startswith("3 of 4 configurations in ")
    assert len(journals(cache)) == 1
    ran.clear()
    tuned = make()
    tuned(X)
    # The baseline, then what was not tried yet. Those that may win come behind.
    assert ran[:2] == [1, 4]
    assert len(decided(tuned).trials) == 4 and journals(cache) == []


def test_times_of_two_processes_are_not_compared(
    cache: pathlib.Path, virtual_time: VirtualTime
) -> None:
    machine = Machine(virtual_time, {0: 0.02, 1: 0.01, 2: 0.015, 3: 0.016})
    machine.interrupts_at = 3
    with pytest.raises(KeyboardInterrupt):
        machine.function()(X)
    # A machine that is half as fast, on which 1 has lost its lead for good.
    machine.seconds = {0: 0.04, 1: 0.039, 2: 0.03, 3: 0.032}
    tuned = machine.function()
    tuned.tune([(X,)])
    decision = decided(tuned)
    assert decision.config == {"N": 2}
    assert decision.time_ms == pytest.approx(31)
    assert not any(trial.is_resumed for trial in decision.trials)


@pytest.mark.parametrize(
    "change", [{"num_timing": 5}, {"outputs": "ignore"}, {"seed": 1}]
)
def test_other_sweeps_begin_anew(
    change: dict[str, Any], cache: pathlib.Path, virtual_time: VirtualTime
) -> None:
    machine = Machine(virtual_time, {0: 0.02, 1: 0.01, 2: 0.03})
    machine.interrupts_at = 2
    with pytest.raises(KeyboardInterrupt):
        machine.function()(X)
    machine.times()
    tuned = machine.function(**change)
    tuned(X)
    assert all(number >= 4 for number in machine.times().values())
    assert not any(trial.is_resumed for trial in decided(tuned).trials)


def test_failures_are_tried_again(cache: pathlib.Path, virtual_time: VirtualTime) -> None:
    fails = [True]

    def run(x: Any, n: Any) -> Any:
        if int(n) == 1 and fails:
            raise RuntimeError("not now")
        if int(n) == 2 and fails:
            fails.clear()
            raise KeyboardInterrupt
        return x

    def made() -> Any:
        @jax.jit(static_argnames=["N"])
        def passing(x: Any, N: int = 0) -> Any:
            return jax.pure_callback(run, jax.ShapeDtypeStruct(x.shape, x.dtype), x, N)

        return autotune(configs=[{"N": n} for n in range(3)])(passing)

    with pytest.raises(KeyboardInterrupt):
        made()(X)
    tuned = made()
    tuned(X)
    assert [trial.status for trial in decided(tuned).trials] == ["ok", "ok", "ok"]


def test_paired_sweeps_are_resumed(cache: pathlib.Path, virtual_time: VirtualTime) -> None:
    machine = Machine(virtual_time, {0: 0.02, 1: 0.01, 2: 0.03})
    machine.interrupts_at = 2
    with pytest.raises(KeyboardInterrupt):
        machine.function(protocol="paired")(X)
    assert machine.times()[1] > 0
    tuned = machine.function(protocol="paired")
    tuned.tune([(X,)])
    decision = decided(tuned)
    assert decision.config == {"N": 1}
    # The baseline's outputs are taken anew, so others are compared with them.
    assert decision.trials[1].is_resumed and decision.trials[1].difference == 0
    assert decision.trials[2].difference == 0


KILLED = """
    import os, signal, sys
    import jax, jax.numpy as jnp
    from tonno import autotune

    def run(x, n):
        if int(n) == 2 and sys.argv[1] == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        print(int(n), flush=True)
        return x

    @autotune(configs=[{"N": n} for n in range(4)])
    @jax.jit(static_argnames=["N"])
    def mortal(x, N: int = 0):
        return jax.pure_callback(run, jax.ShapeDtypeStruct(x.shape, x.dtype), x, N)

    mortal.tune([(jnp.ones(4),)])
    (decision,) = mortal.decisions
    print([(t.config["N"], t.status) for t in decision.trials])
"""


def test_finished_trials_survive_a_killed_process(cache: pathlib.Path, tmp_path: Any) -> None:
    program = tmp_path / "mortal.py"
    program.write_text(textwrap.dedent(KILLED))

    def run(how: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "TONNO_CACHE_DIR": str(cache)}
        command = [sys.executable, str(program), how]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    assert run("die").returncode == -signal.SIGKILL
    assert len(journals(cache)) == 1
    survived = run("live")
    assert survived.returncode == 0, survived.stderr
    *ran, trials = survived.stdout.splitlines()
    # A configuration that ended the process is left out, as without a journal.
    assert trials == "[(0, 'ok'), (1, 'ok'), (2, 'fault'), (3, 'ok')]"
    assert "2" not in ran and {"0", "3"} <= set(ran)
    assert journals(cache) == []


def test_journal_that_can_not_be_written_is_noted(
    cache: pathlib.Path, virtual_time: VirtualTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tonno.jax import sweeps

    monkeypatch.setattr(
        sweeps.Sweep,
        "_journal",
        lambda _: tonno.frontends.Journal(str(cache / "no" / "journal"), "s", {}),
    )
    tuned = Machine(virtual_time, {0: 0.02, 1: 0.01}).function()
    tuned(X)
    assert any("cannot be resumed" in note for note in decided(tuned).notes)


def test_sweep_ends_with_its_budget(cache: pathlib.Path) -> None:
    @autotune(configs=[{"N": n} for n in range(50)], budget_seconds=1e-9)
    @jax.jit(static_argnames=["N"])
    def scaled(x: Any, N: int = 7) -> Any:
        return x * (N + 1) / (N + 1)

    scaled(X)
    decision = decided(scaled)
    # The signature's default is the baseline, which is timed at least.
    assert decision.config == {"N": 7} and decision.time_ms is not None
    assert [trial.config for trial in decision.trials] == [{"N": 7}]
    assert "budget_seconds=1e-09 was spent after 1 of 50 configurations" in decision.notes
    with pytest.raises(ValueError, match="budget_seconds must be more than 0"):
        autotune(configs=[{"N": 1}], budget_seconds=0)


def test_budget_leaves_compilations_that_it_has_no_time_for(
    cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tonno.jax import sweeps

    @autotune(configs=[{"N": n} for n in range(9)], budget_seconds=1000)
    @jax.jit(static_argnames=["N"])
    def scaled(x: Any, N: int = 0) -> Any:
        return x * (N + 1) / (N + 1)

    compile_all = sweeps.Sweep._compile

    def spent(sweep: Any, keys: Any, configs: Any) -> None:
        if len(sweep._candidates) > 1:
            sweep._deadline = 0.0
        compile_all(sweep, keys, configs)

    monkeypatch.setattr(sweeps.Sweep, "_compile", spent)
    monkeypatch.setattr(
        sweeps.Sweep, "is_stopped", lambda sweep: sweep._deadline == 0.0
    )
    scaled(X)
    decision = decided(scaled)
    assert 1 < len(decision.trials) < 9 and all(trial.ok for trial in decision.trials)
    assert not any("failed" in note for note in decision.notes)


def test_search_of_a_space_is_resumed(cache: pathlib.Path, virtual_time: VirtualTime) -> None:
    interrupts = [KeyboardInterrupt()]

    def made() -> Any:
        def run(x: Any, n: Any) -> Any:
            virtual_time.add(0.01 + 0.001 * int(n))
            if int(n) == 5 and interrupts:
                raise interrupts.pop()
            return x

        @jax.jit(static_argnames=["N"])
        def spaced(x: Any, N: int = 3) -> Any:
            return jax.pure_callback(run, jax.ShapeDtypeStruct(x.shape, x.dtype), x, N)

        return autotune(space={"N": list(range(8))}, budget_trials=8)(spaced)

    with pytest.raises(KeyboardInterrupt):
        made()(X)
    tuned = made()
    tuned(X)
    decision = decided(tuned)
    assert decision.config == {"N": 0} and len(decision.trials) == 8
    assert not decision.trials[0].is_resumed
