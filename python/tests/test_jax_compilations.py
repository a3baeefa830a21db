# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling has limits, can be interrupted, and disturbs no timing."""

from __future__ import annotations

import gc
import pathlib
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax_events import HANG_SECONDS, Said

from tonno import autotune
from tonno.jax import FailureWarning, fingerprints, hangs
from tonno.jax.failures import Attempts
from tonno.jax.runs import Bench

X = jnp.linspace(-1, 1, 16)

# Compiling what has the number 12345 in it does not end.
STUCK = """
import jax, jax.numpy as jnp, signal, sys, time
from tonno import autotune

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests
compile = jax.stages.Lowered.compile

def stuck(lowered):
    if "1.2345" in lowered.as_text():
        print("stuck", flush=True)
        time.sleep(1000)
    return compile(lowered)

jax.stages.Lowered.compile = stuck
jnp.ones(3) + 1

@autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, compile_seconds=float(sys.argv[1]),
          outputs="ignore")
@jax.jit(static_argnames=["N"])
def function(x, N: int = 1):
    return x * (12345.0 if N == 2 else 1.0)

function(jnp.ones(3))
print([trial.status for trial in function.decisions[0].trials], flush=True)
"""


LONG = """
import jax, jax.numpy as jnp, sys
from tonno import autotune

@autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, compile_seconds=1, outputs="ignore")
@jax.jit(static_argnames=["N"])
def long(x, N: int = 1):
    if N == 2:
        for i in range(800):
            x = jnp.sin(x @ x + i)[::-1] + jnp.cumsum(x, 0)
    return x

long(jnp.ones((8, 8)))
print([trial.status for trial in long.decisions[0].trials], flush=True)
sys.exit(7)
"""


def make_scaled(**options: Any) -> Any:
    @autotune(configs=[{"N": n} for n in (1, 2, 3, 4)], outputs="ignore", **options)
    @jax.jit(static_argnames=["N"])
    def scaled(x: jax.Array, N: int = 1) -> jax.Array:
        return x * (N + 12340.0)

    return scaled


def delay(monkeypatch: pytest.MonkeyPatch, wait: Callable[[], object], marker: str = "") -> None:
    """Makes compiling what has the marker in it wait first."""
    compile_ = jax.stages.Lowered.compile

    def slow(lowered: Any) -> Any:
        if marker in lowered.as_text():
            wait()
        return compile_(lowered)

    monkeypatch.setattr(jax.stages.Lowered, "compile", slow)


def test_what_compiles_too_long_is_given_up(
    cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    event = threading.Event()
    delay(monkeypatch, lambda: event.wait(HANG_SECONDS), marker="1.2342")
    scaled = make_scaled(num_timing=1, compile_seconds=2)

    @autotune(configs=[{"M": 1}], num_timing=1)
    @jax.jit(static_argnames=["M"])
    def other(x: jax.Array, M: int = 1) -> jax.Array:
        return x + M

    scaled(X)
    other(X)
    event.set()
    (decision,) = scaled.decisions
    trials = {trial.config["N"]: trial for trial in decision.trials}
    assert trials[2].status == "compile_timeout" and "compile_seconds=" in trials[2].reason
    assert trials[2].compile_begin_s is not None and trials[2].compile_end_s is None
    assert all(trials[n].ok for n in (1, 3, 4))
    for disturbed in (decision, *other.decisions):
        assert "compilations that were given up went on meanwhile" in disturbed.notes
    assert "N=2: compiling was given up after 2 s" in capsys.readouterr().err
    assert list(cache.rglob("*.trying")) == []


def test_long_compilations_are_told(
    cache: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hangs, "FIRST_SECONDS", 0.1)
    said = Said(monkeypatch)
    delay(monkeypatch, lambda: said.wait("N=2 has been compiling"), marker="1.2342")
    scaled = make_scaled(num_timing=1, compile_seconds=100)
    scaled(X)
    told = capsys.readouterr().err
    assert "N=2 has been compiling for 0.1 s, and is given up after 100 s\n" in told
    assert all(trial.ok for trial in scaled.decisions[0].trials)


@pytest.mark.parametrize("seconds", [float("inf"), 1e12])
def test_compiling_may_take_for_ever(
    seconds: float, cache: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hangs, "FIRST_SECONDS", 0.1)
    said = Said(monkeypatch)
    delay(monkeypatch, lambda: said.wait("N=2 has been compiling"), marker="1.2342")
    scaled = make_scaled(num_timing=1, compile_seconds=seconds, limit_seconds=seconds)
    scaled(X)
    told = capsys.readouterr().err
    assert "N=2 has been compiling for 0.1 s" in told
    assert ("given up" in told) == (seconds == 1e12)
    assert all(trial.ok for trial in scaled.decisions[0].trials)


def test_given_up_compilations_do_not_keep_the_process(cache: Any) -> None:
    # The compilation goes on for much longer than this waits for the process.
    done = subprocess.run(
        [sys.executable, "-c", STUCK, "2"], capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0
    assert done.stdout.splitlines() == ["stuck", "['ok', 'compile_timeout']"]


def test_given_up_compilations_do_not_abort_the_process(cache: Any) -> None:
    # XLA, other than what only sleeps, asks Python for signals now and then.
    done = subprocess.run(
        [sys.executable, "-c", LONG], capture_output=True, text=True, timeout=100
    )
    assert done.stdout.strip() == "['ok', 'compile_timeout']"
    assert done.returncode == 7 and "terminate" not in done.stderr


def test_interrupt_ends_compiling_at_once(cache: pathlib.Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK, "1000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "stuck\n"
    process.send_signal(signal.SIGINT)
    # The compilation would go on for much longer than this waits for the process.
    _, shown = process.communicate(timeout=100)
    assert process.returncode != 0 and "KeyboardInterrupt" in shown
    assert list(cache.rglob("*.trying")) == [] and list(cache.rglob("*.json")) == []


def test_suspects_are_compiled_alone(cache: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    delay(monkeypatch, lambda: time.sleep(0.1))
    scaled = make_scaled(num_timing=1)
    programs = [fingerprints.of_program(scaled.lower(X, N=n)) for n in (2, 3)]
    monkeypatch.setattr(Attempts, "is_suspect", lambda _, program: program in programs)
    scaled(X)
    spans = {
        trial.config["N"]: (trial.compile_begin_s or 0.0, trial.compile_end_s or 0.0)
        for trial in scaled.decisions[0].trials
    }
    assert spans[2][1] <= spans[3][0] and spans[3][1] <= min(spans[1][0], spans[4][0])


def test_programs_go_once_they_are_timed(cache: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_ = jax.stages.Lowered.compile
    programs: list[weakref.ref[Any]] = []

    class Program:
        def __init__(self, compiled: Any) -> None:
            self._compiled = compiled
            programs.append(weakref.ref(self))

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return self._compiled(*args, **kwargs)

    def compiled(lowered: Any) -> Any:
        assert "1.2342" not in lowered.as_text()
        return Program(compile_(lowered))

    monkeypatch.setattr(jax.stages.Lowered, "compile", compiled)
    gc.collect()
    gc.disable()
    try:
        with pytest.warns(FailureWarning):
            make_scaled(num_timing=1)(X)
        assert [program() for program in programs] == [None] * 3
    finally:
        gc.enable()


def test_nothing_is_timed_beside_compiling(cache: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    delay(monkeypatch, lambda: time.sleep(1.0), marker="5.4321")  # Longer than the other's sweep.
    timed = Bench._timed
    beside: list[threading.Thread] = []

    def observed(bench: Bench, *args: Any) -> Any:
        beside.extend(t for t in threading.enumerate() if t.name.startswith("tonno-compile"))
        return timed(bench, *args)

    monkeypatch.setattr(Bench, "_timed", observed)
    scaled = make_scaled(num_timing=1)

    @autotune(configs=[{"M": 1}, {"M": 2}], num_timing=1)
    @jax.jit(static_argnames=["M"])
    def outer(x: jax.Array, M: int = 1) -> jax.Array:
        # Tunes another problem while the second configuration is traced.
        return jnp.concatenate([scaled(part) for part in jnp.split(x, M)]) + 54321.0

    outer(X)
    assert len(scaled.decisions) == 2 and beside == []
