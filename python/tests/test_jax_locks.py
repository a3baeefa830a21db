# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nobody waits in a circle, whatever calls what and has whose name."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import threading
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax_processes import run

from tonno import autotune
from tonno.jax import FailureWarning, locks

# Two functions of one name, of which one calls the other in the end. Each of `top`
# and `middle` waits, once it is being tuned, until the other one is.
NAMESAKES = """
import jax, jax.numpy as jnp, pathlib, sys, threading, time
from tonno import autotune
from tonno.jax import locks

locks.NESTED_WAIT_SECONDS = 0.5

def meet(one, other):
    pathlib.Path(one).touch()
    end = time.monotonic() + 60
    while not pathlib.Path(other).exists() and time.monotonic() < end:
        time.sleep(0.01)

def make_block(inner, *names):
    @autotune(configs=[{"N": 1}], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def block(x, N=1):
        names and meet(*names)
        return inner(x) * 2
    return block

leaf = make_block(jnp.sin)

@autotune(configs=[{"N": 1}], num_timing=1)
@jax.jit(static_argnames=["N"])
def middle(x, N=1):
    meet("middle", "top")
    return leaf(x) + 1

top = make_block(middle, "top", "middle")
functions = [globals()[name] for name in sys.argv[1:]]
threads = [threading.Thread(target=f, args=(jnp.ones(4),), daemon=True) for f in functions]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(timeout=60)
print([len(function.decisions) for function in functions])
"""


def test_threads_with_namesakes_do_not_wait_in_a_circle(
    cache: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(NAMESAKES, "top", "middle")
    assert done.stdout == "[1, 1]\n", done.stderr


def test_processes_with_namesakes_do_not_wait_in_a_circle(
    cache: Any, tmp_path: pathlib.Path
) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", NAMESAKES, name],
            stdout=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )
        for name in ("top", "middle")
    ]
    assert [p.communicate(timeout=100)[0] for p in processes] == ["[1]\n", "[1]\n"]


def test_only_who_has_no_lock_waits_for_other_processes_without_end(
    cache: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds: list[float] = []

    def noted(path: pathlib.Path) -> float:
        seconds.append(locks.patience(path))
        return seconds[-1]

    monkeypatch.setattr("tonno.jax.cache.patience", noted)

    @autotune(configs=[{"N": 1}], num_timing=1)
    @jax.jit(static_argnames=["N"])
    def inner(x: jax.Array, N: int = 1) -> jax.Array:
        return x + 1

    @autotune(configs=[{"M": 1}], num_timing=1)
    @jax.jit(static_argnames=["M"])
    def outer(x: jax.Array, M: int = 1) -> jax.Array:
        return inner(x) + 1

    outer(jnp.ones(3))
    assert seconds == [float("inf"), locks.NESTED_WAIT_SECONDS]


class SleepingClock:
    """On which time passes by sleeping alone, at once."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


def test_file_is_waited_for_no_longer_than_told(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f.lock"
    clock = SleepingClock()
    monkeypatch.setattr(locks, "time", clock)

    def wait(found: list[str]) -> None:
        try:
            with locks.file_lock(path, seconds=0.2):
                found.append("locked")
        except BlockingIOError:
            assert 0.2 <= clock.seconds <= 0.2 + 0.05  # It looks every 50 ms.
            found.append("given up")

    found: list[str] = []
    with locks.file_lock(path):
        thread = threading.Thread(target=wait, args=(found,))
        thread.start()
        thread.join(timeout=60)
        assert locks.patience(path) == 0
    wait(found)
    assert found == ["given up", "locked"]


def test_threads_whose_functions_call_each_other_do_not_wait_in_a_circle(cache: Any) -> None:
    begun = [threading.Event(), threading.Event()]
    functions: list[Any] = []

    def make(number: int) -> Any:
        @autotune(configs=[{"N": 1}, {"N": 2}], num_timing=1, name=f"function {number}")
        @jax.jit(static_argnames=["N"])
        def function(x: jax.Array, N: int = 1) -> jax.Array:
            if N == 1:
                return x + 1
            begun[number].set()
            begun[1 - number].wait(60)
            return functions[1 - number](x) + 0 * x

        return function

    functions += [make(0), make(1)]
    x = jnp.ones(3)
    with pytest.warns(FailureWarning, match="the function calls itself with the same arguments"):
        threads = [threading.Thread(target=f, args=(x,), daemon=True) for f in functions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)
    assert [len(function.decisions) for function in functions] == [1, 1]


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_file_with_another_name_is_no_lock(tmp_path: pathlib.Path, link: Any) -> None:
    notes, path = tmp_path / "notes", tmp_path / "problem.lock"
    notes.write_text("what they wrote")
    link(notes, path)
    with pytest.raises(OSError), locks.file_lock(path):
        pass
    assert notes.read_text() == "what they wrote"
