# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What takes long is told, and what does not end is given up."""

from __future__ import annotations

import os
import pathlib
import re
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax_events import HANG_SECONDS, returned
from jax_processes import run, trying

from tonno import AllFailed, autotune
from tonno.jax import CacheWarning, HangError, hangs, sweeps
from tonno.jax.failures import Attempts
from tonno.jax.hangs import until_ready
from tonno.jax.runs import Bench

A = {"N": 1}

ENDLESS = """
import jax, jax.numpy as jnp
from tonno import autotune
from tonno.jax import HangError

@autotune(configs=[{"N": 1}, {"N": 2}, {"N": 3}], num_timing=1, limit_seconds=1.5)
@jax.jit(static_argnames=["N"])
def endless(x, N: int = 1):
    if N != 2:
        return x
    return jax.lax.while_loop(lambda v: (v != 7).any(), lambda v: jnp.cos(v), x)

try:
    endless(jnp.ones(30000))
    print([trial.status for trial in endless.decisions[0].trials])
except HangError as error:
    print(error)
    try:
        endless(jnp.ones(30001))
    except HangError as again:
        print(again)
"""


# Ctrl-C, by hand, once it waits for what does not end.
INTERRUPTED = ENDLESS.replace("limit_seconds=1.5", "limit_seconds=100").replace(
    "try:",
    """
import signal, threading, time
from tonno.jax import hangs, runs

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests

hangs.GRACE_SECONDS = 0.1
wait = runs.until_ready
waits = []

def interrupt(run):
    while not run.leaves:  # It does not wait yet.
        time.sleep(0.001)
    hangs.os.kill(hangs.os.getpid(), 2)

def interrupted(outputs, begin, run):
    waits.append(run)
    if len(waits) == 2:  # N=2, behind N=1
        threading.Thread(target=interrupt, args=(run,)).start()
    return wait(outputs, begin, run)

runs.until_ready = interrupted
try:
    endless(jnp.ones(30000))
except KeyboardInterrupt:
    print("interrupted")
try:""",
    1,
)


def test_what_runs_without_end_is_told_and_left_out(cache: pathlib.Path) -> None:
    hung = run(ENDLESS)
    assert hung.returncode == 1, hung.stderr  # It ends.
    first, second = hung.stdout.split()[:2], hung.stdout.strip().splitlines()
    assert first == ["endless:", "N=2"]
    assert "has been running for over 1.5 s (limit_seconds=)" in second[0]
    ending = r"end this process \(kill \d+\), and the next process leaves it out"
    assert re.search(ending + "$", second[0]) and "cannot be stopped from here" not in hung.stderr
    assert second[0] == second[1]  # Nothing else is tried on a device that is blocked.
    assert len(trying(cache)) == 1
    after = run(ENDLESS)
    assert after.stdout.strip() == "['ok', 'hang', 'ok']"
    assert "no further than running it, in more than 1.5 s; delete '" in after.stderr


def test_what_was_interrupted_and_runs_on_blames_nobody(cache: pathlib.Path) -> None:
    done = run(INTERRUPTED)
    assert done.returncode == 1, done.stderr  # It ends, though its device does not.
    said = done.stdout.splitlines()
    assert said[0] == "interrupted" and len(said) == 3
    assert re.search(
        r"endless: N=2 was interrupted but still runs, cannot be stopped, .*: wait, or end "
        r"this process \(kill \d+\)$",
        said[1],
    )
    assert said[1] == said[2] and trying(cache) == []


def test_sweep_waits_for_a_run_that_was_interrupted_and_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = jnp.ones(2)
    answers = [False] * 4  # Of the moment of Ctrl-C, and of the sweep after it.
    monkeypatch.setattr(hangs, "_running", [])
    monkeypatch.setattr(hangs, "_are_ready", lambda _: not answers or answers.pop())
    hangs.remember(hangs.FirstRun(60.0, [x]), "interrupted", grace=60.0)
    (device,) = x.devices()
    hangs.check_none(device)
    assert answers == [] and hangs._running == []
    # One that hung is not waited for.
    answers += [False] * 2
    hangs.remember(hangs.FirstRun(60.0, [x]), "it hangs")
    with pytest.raises(HangError, match="it hangs"):
        hangs.check_none(device)


def test_nothing_is_timed_where_another_thread_hangs(
    cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks: list[Any] = []

    def check(device: Any) -> None:
        checks.append(device)
        if len(checks) == 2:  # The first is before the sweep.
            raise HangError("another thread's")

    monkeypatch.setattr("tonno.jax.hangs.check_none", check)
    @autotune(configs=[A], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def tuned(x: Any, N: int = 1) -> Any:
        return x

    with pytest.raises(HangError, match="another thread's"):
        tuned(jnp.ones(2))
    assert trying(cache) == []


def tell_of_runs_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tells of a first run, but of no compilation, after 50 ms."""
    first_run = Bench.first_run

    def soon(bench: Bench, candidate: Any) -> Any:
        with monkeypatch.context() as context:
            context.setattr(hangs, "FIRST_SECONDS", 0.05)
            return first_run(bench, candidate)

    monkeypatch.setattr(Bench, "first_run", soon)


def test_long_runs_are_told(
    cache: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tell_of_runs_soon(monkeypatch)
    is_told = returned(monkeypatch, Attempts, "slow")

    def wait(x: Any) -> Any:
        is_told.wait(HANG_SECONDS)
        return x

    @autotune(configs=[A], num_timing=1, num_warmup=0, compile_seconds=100)
    @jax.jit(static_argnames=["N"])
    def slow(x: Any, N: int = 1) -> Any:
        return jax.pure_callback(wait, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    slow(jnp.ones(2))
    told = capsys.readouterr().err
    assert "slow: N=1 has been running for 0.05 s, and cannot be stopped from here; " in told
    assert f"end this process (kill {os.getpid()}), and the next process leaves it out\n" in told
    assert trying(cache) == []


def test_limit_is_told_where_the_call_does_not_return(
    cache: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sweeps, "_GRACE_SECONDS", 0.0)
    is_told = returned(monkeypatch, Attempts, "slow")

    def late(outputs: Any, *_: Any) -> Any:
        is_told.wait(HANG_SECONDS)
        return outputs

    monkeypatch.setattr("tonno.jax.runs.until_ready", late)

    @autotune(configs=[A], num_timing=1, limit_seconds=0.1)
    @jax.jit(static_argnames=["N"])
    def within(x: Any, N: int = 1) -> Any:
        return x

    within(jnp.ones(2))
    assert "N=1 has been running for 0.1 s, and cannot be stopped" in capsys.readouterr().err


def test_who_remembers_nothing_does_not_say_so(
    cache: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tell_of_runs_soon(monkeypatch)
    monkeypatch.setattr("tonno.jax.cache.file_lock", no_lock)
    is_told = returned(monkeypatch, Attempts, "slow")

    @autotune(configs=[A], num_timing=1, num_warmup=0, compile_seconds=100)
    @jax.jit(static_argnames=["N"])
    def slow(x: Any, N: int = 1) -> Any:
        return x

    def late(outputs: Any, begin: float, run: Any) -> Any:
        is_told.wait(HANG_SECONDS)
        return until_ready(outputs, begin, run)

    monkeypatch.setattr("tonno.jax.runs.until_ready", late)
    with pytest.warns(CacheWarning, match="other processes may tune at the same time"):
        slow(jnp.ones(2))
    assert "and leave the configuration out, since failures are not remembered\n" in capsys.readouterr().err


def no_lock(*_: Any) -> Any:
    raise OSError("no locks available")


def test_interrupt_of_what_was_told_of_blames_it(
    cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell_of_runs_soon(monkeypatch)

    is_told = returned(monkeypatch, Attempts, "slow")

    def interrupted(*_: Any) -> Any:
        is_told.wait(HANG_SECONDS)
        raise KeyboardInterrupt

    @autotune(configs=[A], num_timing=1, compile_seconds=100)
    @jax.jit(static_argnames=["N"])
    def slow(x: Any, N: int = 1) -> Any:
        return x

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tonno.jax.runs.until_ready", interrupted)
        with pytest.raises(KeyboardInterrupt):
            slow(jnp.ones(2))
    with pytest.raises(AllFailed, match="N=1: hang: process .* in more than 0.05 s; delete"):
        slow(jnp.ones(2))


def test_patience_is_of_what_was_seen() -> None:
    patience = hangs.Patience()
    assert patience.seconds == 60
    for _ in range(5):
        patience.note(0.1)
    assert patience.seconds == 10
    patience.note(2.0)
    assert patience.seconds == 40


@pytest.mark.parametrize("limit", ["limit_seconds", "compile_seconds"])
def test_limits_are_positive(limit: str) -> None:
    options: dict[str, Any] = {limit: 0}
    with pytest.raises(ValueError, match=f"{limit} must be more than 0"):
        autotune(configs=[A], **options)


def test_process_ends_though_its_streams_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = open(os.devnull, "w")
    stream.close()
    ended: list[int] = []
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr("os._exit", ended.append)
    monkeypatch.setattr(hangs, "_running", [])
    monkeypatch.setattr(hangs, "_are_ready", lambda leaves: False)
    hangs.remember(hangs.FirstRun(60.0), "it still runs")
    hangs._end_regardless()
    assert ended == [1]
