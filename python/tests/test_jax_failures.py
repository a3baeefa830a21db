# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations that fail: what is told, and what is tried again later."""

from __future__ import annotations

import warnings
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax_events import VirtualTime
from jax_processes import run

from tonno import autotune
from tonno.jax import CacheWarning, FailureWarning, OutputWarning
from tonno.jax.decisions import ConfigTrial
from tonno.jax.failures import may_pass

X = jnp.linspace(-1, 1, 16)
NO_MEMORY = "RESOURCE_EXHAUSTED: no memory now"


class Machine:
    """Runs N=2 only when it has run out of reasons not to."""

    def __init__(self, virtual_time: VirtualTime, *reasons: str) -> None:
        self._virtual_time = virtual_time
        self.reasons = list(reasons)
        self.traced: list[int] = []

    def make(self) -> Any:
        def run(x: Any, n: Any) -> Any:
            if int(n) == 2 and self.reasons:
                raise RuntimeError(self.reasons.pop())
            self._virtual_time.add(0.05 if int(n) == 1 else 0.0)
            return x

        @autotune(configs=[{"N": 1}, {"N": 2}, {"N": 3}], num_timing=1, num_warmup=0)
        @jax.jit(static_argnames=["N"])
        def partly(x: Any, N: int = 1) -> Any:
            self.traced.append(N)
            if N == 3:
                raise ValueError("3 is too many")
            return jax.pure_callback(run, jax.ShapeDtypeStruct(x.shape, x.dtype), x, N)

        return partly

    def decision(self) -> Any:
        """That of a function which was never called, as in another process."""
        tuned = self.make()
        self.traced.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FailureWarning)
            tuned.tune([(X,)])
        (decision,) = tuned.decisions
        return decision


def test_failures_are_warned_of_and_noted(cache: Any, virtual_time: VirtualTime) -> None:
    partly = Machine(virtual_time, NO_MEMORY).make()
    note = "2 of 3 configurations failed, the first: N=2: out_of_memory: .*no memory now"
    with pytest.warns(FailureWarning, match=rf"partly: {note}.*; explain\(\) has all"):
        partly(X)
    assert "note: 2 of 3 configurations failed" in partly.explain(X)
    assert "N=3  compile_error: ValueError: 3 is too many" in partly.explain(X)


@pytest.mark.parametrize("reason", [NO_MEMORY, "the device was reset"])
def test_passing_failure_is_tried_again_in_the_next_process(
    reason: str, cache: Any, virtual_time: VirtualTime
) -> None:
    machine = Machine(virtual_time, reason)
    first = machine.decision()
    assert (first.source, first.config) == ("sweep", {"N": 1})
    second = machine.decision()
    assert (second.source, second.config) == ("sweep", {"N": 2})
    # Beside the winner, and nothing else.
    assert sorted(set(machine.traced)) == [1, 2]
    assert {t.config["N"]: t.status for t in second.trials} == {
        1: "ok",
        2: "ok",
        3: "compile_error",
    }
    assert second.notes[-1].startswith("1 of 3 configurations failed, the first: N=3")
    third = machine.decision()
    assert (third.source, third.config) == ("cache", {"N": 2})


def test_failure_that_comes_again_is_no_passing_one(
    cache: Any, virtual_time: VirtualTime
) -> None:
    machine = Machine(virtual_time, *[NO_MEMORY] * 9)
    found = [machine.decision() for _ in range(3)]
    assert [decision.source for decision in found] == ["sweep", "sweep", "cache"]
    assert len(machine.reasons) == 7 and machine.traced == [1]
    assert found[2].config == {"N": 1} and len(found[2].trials) == 3
    assert "2 of 3 configurations failed" in str(found[2])


def test_winner_stays_where_nothing_can_be_tried(
    cache: Any, monkeypatch: pytest.MonkeyPatch, virtual_time: VirtualTime
) -> None:
    machine = Machine(virtual_time, NO_MEMORY)
    machine.decision()
    with monkeypatch.context() as context:
        context.setattr("tonno.jax.cache.WinnerFile.is_writable", lambda self: False)
        assert machine.decision().source == "cache"
    monkeypatch.setattr(jax, "process_count", lambda: 2)
    assert machine.decision().source == "cache"
    tuned = machine.make()
    jax.jit(tuned)(X)
    assert tuned.decisions[0].source == "cache"


@pytest.mark.parametrize(
    ("status", "reason", "expected"),
    [
        ("compile_error", "TypeError: no such thing", False),
        ("compile_error", "JaxRuntimeError: RESOURCE_EXHAUSTED: out of memory", True),
        ("out_of_memory", "MemoryError", True),
        ("fault", "JaxRuntimeError: INTERNAL: CUDA_ERROR_ILLEGAL_ADDRESS", True),
        ("wrong", "its outputs differ", False),
        ("pruned", "", False),
        ("ok", "", False),
    ],
)
def test_what_may_pass(status: str, reason: str, expected: bool) -> None:
    assert may_pass(ConfigTrial({"N": 1}, status, reason)) is expected


# What is begun can't be written down from a moment on.
UNWRITABLE = """
import jax, jax.numpy as jnp, os, shutil, sys, warnings
from tonno import autotune

def remove():
    shutil.rmtree(os.environ["TONNO_CACHE_DIR"], ignore_errors=True)

compile = jax.stages.Lowered.compile

def compiled(lowered):
    if sys.argv[1] == "running":
        remove()
    return compile(lowered)

jax.stages.Lowered.compile = compiled

@autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1)
@jax.jit(static_argnames=["N"])
def function(x, N: int = 1):
    if sys.argv[1] == "compiling":
        remove()
    return x * 2

x = jnp.ones(3)
warnings.simplefilter("error")
function(x)
"""


@pytest.mark.parametrize("stage", ["compiling", "running"])
def test_warnings_that_are_errors_end_a_sweep(stage: str, cache: Any) -> None:
    done = run(UNWRITABLE, stage)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1
    assert last.startswith("tonno.jax.cache.CacheWarning: a crash of this process will not be remembered"), last


@pytest.mark.parametrize("option", [0, None])
def test_what_is_warned_of_is_kept_before(
    option: int | None, cache: Any, swept: list[object]
) -> None:
    @autotune(configs=[{"N": 1}, {"N": 2}, {"N": 3}], num_timing=1, outputs="warn")
    @jax.jit(static_argnames=["option", "N"])
    def warned(x: Any, option: Any, N: int = 1) -> Any:
        assert N != 3
        return x * (1.0 + 0.1 * N)

    argument = object() if option is None else option  # That can't be stored, or can.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(OutputWarning if option == 0 else CacheWarning):
            warned(X, argument)
        warned(X, argument)
    assert len(swept) == 1 and len(warned.decisions) == 1
    assert len(list(cache.glob("*.json"))) == (option == 0)
