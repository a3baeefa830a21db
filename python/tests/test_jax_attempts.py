# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a process died of, the next one leaves out."""

from __future__ import annotations

import json
import os
import pathlib
import signal
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax_processes import run, trying

from tonno import AllFailed, autotune
from tonno.jax import locks
from tonno.jax.failures import COMPILING, RUNNING, Attempts

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


def test_one_of_several_that_were_compiled_is_to_blame(tmp_path: pathlib.Path) -> None:
    lock = tmp_path / "f.key.lock"
    first = Attempts(lock, VERSIONS)
    for config, program in zip((A, B, C), "abc", strict=True):
        first.begin(config, program, COMPILING)
    first.end(C)
    second = Attempts(lock, VERSIONS)
    assert [second.is_suspect(program) for program in "abc"] == [True, True, False]
    assert second.left("a") is None
    second.begin(A, "a", COMPILING)
    assert not second.is_suspect("a") and second.is_suspect("b")
    third = Attempts(lock, VERSIONS)
    assert third.is_suspect("b") and not third.is_suspect("a")
    left = third.left("a")
    assert left is not None and left.status == "compile_crash"
    third.begin(B, "b", COMPILING)
    third.end(B)
    assert [path.name for path in trying(tmp_path)] == [third._path("a").name]


def test_what_changed_is_tried_again(tmp_path: pathlib.Path) -> None:
    lock = tmp_path / "f.key.lock"
    Attempts(lock, VERSIONS).begin(A, "program", RUNNING)
    for program, versions in [("other", VERSIONS), ("program", {"jax": "2"})]:
        assert Attempts(lock, versions).left(program) is None
        # Of a function of the same name, or another machine that shares the folder.
        other = Attempts(lock, versions)
        other.begin(A, program, RUNNING)
        other.end(A)
        assert Attempts(lock, VERSIONS).left("program") is not None


def test_unreadable_files_blame_nobody(tmp_path: pathlib.Path) -> None:
    lock = tmp_path / "f.key.lock"
    attempts = Attempts(lock, VERSIONS)
    attempts.begin(A, "program", RUNNING)
    attempts._path("program").write_text("{")
    assert Attempts(lock, VERSIONS).left("program") is None and trying(tmp_path) == []
    attempts._path("program").symlink_to("nowhere")
    assert Attempts(lock, VERSIONS).left("program") is None and trying(tmp_path) == []


def test_without_a_lock_nothing_is_remembered(tmp_path: pathlib.Path) -> None:
    attempts = Attempts(None, VERSIONS)
    attempts.begin(A, "program", RUNNING)
    attempts.slow(A, 60)
    attempts.end(A)
    assert not attempts.are_remembered and attempts.left("program") is None


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
    left = Attempts(lock, VERSIONS).left("program")
    assert left is not None and left.status == status
    assert (f"{stage} it, in more than 60 s" in left.reason) == (seconds is not None)


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
    # The winner was timed by the process that died, and is resumed unless it is best.
    assert {1, 2} <= set(sixth.tried) <= {1, 2} | {decision.config["N"]}
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
