# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a process died of, the next one leaves out; and what takes long is told."""

from __future__ import annotations

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from tonno import AllFailed, autotune
from tonno.jax import limits, locks, sweeps
from tonno.jax.attempts import COMPILING, RUNNING, Attempts

VERSIONS = {"jax": "1"}
A, B, C = {"N": 1}, {"N": 2}, {"N": 3}

DYING = """
import jax, jax.numpy as jnp, os, signal, sys
from tonno import autotune

def die(x):
    if sys.argv[1] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    raise KeyboardInterrupt

@autotune(configs=[{"N": 1}, {"N": 2}, {"N": 3}], num_timing=1)
@jax.jit(static_argnames=["N"])
def fragile(x, N: int = 1):
    return jax.pure_callback(die, jax.ShapeDtypeStruct(x.shape, x.dtype), x) if N == 2 else x

fragile(jnp.ones(3))
print([trial.status for trial in fragile.decisions[0].trials])
"""

OF_AN_OBJECT = (
    DYING.replace('names=["N"]', 'names=["self", "N"]')
    .replace("fragile(x,", "fragile(self, x,")
    .replace("fragile(jnp", "fragile(object(), jnp")
)

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


def run(code: str, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=100)


def trying(cache: pathlib.Path) -> list[pathlib.Path]:
    return sorted(cache.rglob("*.trying"))


def test_what_a_process_died_of_is_left_out(cache: pathlib.Path) -> None:
    assert run(DYING, "kill").returncode == -signal.SIGKILL
    (left,) = trying(cache)
    assert json.loads(left.read_text())["config"] == {"N": 2}
    after = run(DYING, "kill")
    assert after.stdout.strip() == "['ok', 'fault', 'ok']", after.stderr
    assert "fragile: N=2 is left out: fault: process " in after.stderr
    assert f"no further than running it; delete '{left}' to try it again" in after.stderr
    # The winner is stored; who wants to know it again deletes the file.
    assert trying(cache) == [left]


def test_what_a_method_died_of_is_left_out_too(cache: pathlib.Path) -> None:
    # Of an object that no other process knows, so that each tunes for itself.
    assert run(OF_AN_OBJECT, "kill").returncode == -signal.SIGKILL
    after = run(OF_AN_OBJECT, "kill")
    assert after.stdout.strip() == "['ok', 'fault', 'ok']", after.stderr
    # Nobody waits for another one's sweep, which is of no use to him.
    (lock,) = [path.with_name(f"fragile.{path.name.split('.')[1]}.lock") for path in trying(cache)]
    with locks.file_lock(lock):
        alone = run(OF_AN_OBJECT, "kill")
    assert alone.returncode == -signal.SIGKILL and "other processes" not in alone.stderr


def test_interrupt_blames_nobody(cache: pathlib.Path) -> None:
    interrupted = run(DYING, "interrupt")
    assert interrupted.returncode != 0 and "KeyboardInterrupt" in interrupted.stderr
    assert trying(cache) == []


def test_what_runs_without_end_is_told_and_left_out(cache: pathlib.Path) -> None:
    hung = run(ENDLESS)
    assert hung.returncode == 1, hung.stderr  # It ends.
    first, second = hung.stdout.split()[:2], hung.stdout.strip().splitlines()
    assert first == ["endless:", "N=2"]
    assert "has been running for over 1.5 s (limit_seconds=)" in second[0]
    ending = r"end this process \(kill \d+\), and the next one leaves it out"
    assert re.search(ending + "$", second[0]) and "can't be stopped from here" not in hung.stderr
    assert second[0] == second[1]  # Nothing else is tried on a device that is blocked.
    assert len(trying(cache)) == 1
    after = run(ENDLESS)
    assert after.stdout.strip() == "['ok', 'hang', 'ok']"
    assert "no further than running it, in more than 1.5 s; delete '" in after.stderr


def test_one_of_several_that_were_compiled_is_to_blame(tmp_path: pathlib.Path) -> None:
    lock = tmp_path / "f.key.lock"
    first = Attempts(lock, VERSIONS)
    for config in (A, B, C):
        first.begin(config, "program", COMPILING)
    first.end(C)
    second = Attempts(lock, VERSIONS)
    assert [second.is_suspect(config, "program") for config in (A, B, C)] == [True, True, False]
    assert second.left(A, "program") is None
    second.begin(A, "program", COMPILING)
    assert not second.is_suspect(A, "program") and second.is_suspect(B, "program")
    third = Attempts(lock, VERSIONS)
    assert third.is_suspect(B, "program") and not third.is_suspect(A, "program")
    left = third.left(A, "program")
    assert left is not None and left.status == "compile_crash"
    third.begin(B, "program", COMPILING)
    third.end(B)
    assert [path.name for path in trying(tmp_path)] == [third._path(A, "program").name]


def test_what_changed_is_tried_again(tmp_path: pathlib.Path) -> None:
    lock = tmp_path / "f.key.lock"
    Attempts(lock, VERSIONS).begin(A, "program", RUNNING)
    for program, versions in [("other", VERSIONS), ("program", {"jax": "2"})]:
        assert Attempts(lock, versions).left(A, program) is None
        # Of a function of the same name, or another machine that shares the folder.
        other = Attempts(lock, versions)
        other.begin(A, program, RUNNING)
        other.end(A)
        assert Attempts(lock, VERSIONS).left(A, "program") is not None


def test_unreadable_files_blame_nobody(tmp_path: pathlib.Path) -> None:
    lock = tmp_path / "f.key.lock"
    attempts = Attempts(lock, VERSIONS)
    attempts.begin(A, "program", RUNNING)
    attempts._path(A, "program").write_text("{")
    assert Attempts(lock, VERSIONS).left(A, "program") is None and trying(tmp_path) == []
    attempts._path(A, "program").symlink_to("nowhere")
    assert Attempts(lock, VERSIONS).left(A, "program") is None and trying(tmp_path) == []


def test_without_a_lock_nothing_is_remembered(tmp_path: pathlib.Path) -> None:
    attempts = Attempts(None, VERSIONS)
    attempts.begin(A, "program", RUNNING)
    attempts.slow(A, 60)
    attempts.end(A)
    assert not attempts.are_remembered and attempts.left(A, "program") is None


@pytest.mark.parametrize(
    ("stage", "seconds", "status"),
    [
        (COMPILING, None, "compile_crash"),
        (COMPILING, 60, "compile_timeout"),
        (RUNNING, None, "fault"),
        (RUNNING, 60, "hang"),
    ],
)
def test_status_says_whether_it_took_long(
    stage: str, seconds: float | None, status: str, tmp_path: pathlib.Path
) -> None:
    lock = tmp_path / "f.key.lock"
    attempts = Attempts(lock, VERSIONS)
    attempts.begin(A, "program", stage)
    if seconds is not None:
        attempts.slow(A, seconds)
    left = Attempts(lock, VERSIONS).left(A, "program")
    assert left is not None and left.status == status
    assert (f"{stage} it, in more than 60 s" in left.reason) == (seconds is not None)


def test_long_runs_are_told(
    cache: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limits, "FIRST_SECONDS", 0.05)

    def wait(x: Any) -> Any:
        time.sleep(0.3)
        return x

    @autotune(configs=[A], num_timing=1, num_warmup=0, compile_seconds=100)
    @jax.jit(static_argnames=["N"])
    def slow(x: Any, N: int = 1) -> Any:
        return jax.pure_callback(wait, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    slow(jnp.ones(2))
    told = capsys.readouterr().err
    assert "slow: N=1 has been running for 0.05 s, and can't be stopped from here. " in told
    assert f"end this process (kill {os.getpid()}), and the next one leaves it out\n" in told
    assert trying(cache) == []


def test_limit_is_told_where_the_call_does_not_return(
    cache: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sweeps, "_GRACE_SECONDS", 0.0)

    def late(outputs: Any, *_: Any) -> Any:
        time.sleep(0.5)
        return outputs

    monkeypatch.setattr("tonno.jax.runs.until_ready", late)

    @autotune(configs=[A], num_timing=1, limit_seconds=0.1)
    @jax.jit(static_argnames=["N"])
    def within(x: Any, N: int = 1) -> Any:
        return x

    within(jnp.ones(2))
    assert "N=1 has been running for 0.1 s, and can't be stopped" in capsys.readouterr().err


def test_interrupt_of_what_was_told_of_blames_it(
    cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FIRST_SECONDS", 0.05)

    def interrupted(*_: Any) -> Any:
        time.sleep(0.3)
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
    patience = limits.Patience()
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


class Process:
    """A function as in another process, whose N=2 may be its end."""

    def __init__(self) -> None:
        self.tried: list[int] = []

        @autotune(configs=[A, B, C], num_timing=1, outputs="ignore")
        @jax.jit(static_argnames=["N"])
        def fragile(x: Any, N: int = 1) -> Any:
            return x + N

        self.tuned = fragile

    def decide(self, is_dying: bool = False, error: Exception | None = None) -> Any:
        begin = Attempts.begin

        def observed(attempts: Attempts, config: Any, program: str, stage: str) -> None:
            begin(attempts, config, program, stage)
            if stage == RUNNING and config == B and error is not None:
                raise error
            if stage == RUNNING:
                self.tried.append(config["N"])
                if is_dying and config == B:
                    attempts.keep(config)
                    raise SystemExit

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Attempts, "begin", observed)
            self.tuned(jnp.ones(3))
        (decision,) = self.tuned.decisions
        return decision


@pytest.mark.filterwarnings("ignore::tonno.jax.FailureWarning")
def test_what_a_process_died_of_trying_again_is_left_out(cache: pathlib.Path) -> None:
    no_memory = RuntimeError("RESOURCE_EXHAUSTED: no memory now")
    trials = Process().decide(error=no_memory).trials
    assert [trial.status for trial in trials] == ["ok", "out_of_memory", "ok"]
    assert trying(cache) == []
    with pytest.raises(SystemExit):
        Process().decide(is_dying=True)
    third, fourth = Process(), Process()
    (found,) = [trial for trial in third.decide().trials if trial.config == B]
    assert found.left_out_by == trying(cache)[0].name and 2 not in third.tried
    assert fourth.decide().source == "cache" and fourth.tried == []


@pytest.mark.filterwarnings("ignore::tonno.jax.FailureWarning")
def test_what_a_process_died_of_is_tried_again_without_its_file(cache: pathlib.Path) -> None:
    with pytest.raises(SystemExit):
        Process().decide(is_dying=True)
    assert Process().decide().source == "sweep"
    (left,) = trying(cache)
    # It is no failure that may pass, and no reason to try anything.
    third = Process()
    decision = third.decide()
    assert decision.source == "cache" and third.tried == []
    assert [t.left_out_by for t in decision.trials] == ["", left.name, ""]
    left.unlink()
    with pytest.raises(SystemExit):
        Process().decide(is_dying=True)
    fifth = Process()
    assert fifth.decide().source == "cache" and fifth.tried == []
    left.unlink()
    sixth = Process()
    assert sorted(t.config["N"] for t in sixth.decide().trials if t.ok) == [1, 2, 3]
    assert set(sixth.tried) == {1, 2} | {decision.config["N"]}
    assert Process().decide().source == "cache"


def test_all_left_out_says_how_to_go_on(cache: pathlib.Path) -> None:
    @autotune(configs=[A], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def alone(x: Any, N: int = 1) -> Any:
        return x

    begin = Attempts.begin

    def die(attempts: Attempts, config: Any, program: str, stage: str) -> None:
        begin(attempts, config, program, stage)
        if stage == RUNNING:
            attempts.keep(config)
            raise SystemExit

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Attempts, "begin", die)
        with pytest.raises(SystemExit):
            alone(jnp.ones(2))
    with pytest.raises(AllFailed, match=r"N=1: fault: process .* delete '.*' to try it again"):
        alone(jnp.ones(2))
    (left,) = trying(cache)
    os.remove(left)
    alone(jnp.ones(2))
    assert alone.decisions[0].trials[0].ok
