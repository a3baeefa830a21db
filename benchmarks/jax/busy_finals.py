#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the right winners of tonno.autotune beside a process on every core.

    python benchmarks/jax/busy_finals.py [sweeps] [loop|products]

Six configurations of one function: the best takes about 1.46 ms on a quiet machine, the
others 2.6 to 2.8 ms. Each round sweeps twice, with finals and without, and tunes once
with protocol="paired" if a third argument is given. The table has, for each:

- right: sweeps that chose the best configuration;
- seconds: of a sweep, and its ratio to one without finals, both as medians;
- runs: milliseconds of all runs, and the same ratio. The runs of a sweep without
  compiling, arguments and verification.

`loop` runs on one thread, `products` on all cores.
"""

from __future__ import annotations

import contextlib
import functools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp

from tonno import autotune, frontends
from tonno.jax import runs

MILLISECONDS = (2.6, 2.7, 1.46, 2.8, 2.65, 2.75)
BEST = 2


def loop(x: jax.Array, N: int = 0) -> jax.Array:
    return jax.lax.fori_loop(0, N, lambda _, y: y * 1.0000001 + 0.001, x)


def products(x: jax.Array, N: int = 0) -> jax.Array:
    y = x
    for _ in range(N):
        y = (y @ x) * 0.01
    return y


KINDS: dict[str, tuple[Callable[..., Any], tuple[int, ...], int]] = {
    "loop": (loop, (64,), 20000),
    "products": (products, (192, 192), 8),
}


def least_seconds(call: Callable[[], Any], times: int = 60) -> float:
    seconds = []
    for _ in range(times):
        begin = time.perf_counter()
        jax.block_until_ready(call())
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def make(kind: str) -> tuple[Callable[..., Any], jax.Array, list[int]]:
    """Returns the function, its argument, and the work of each configuration."""
    function, shape, work = KINDS[kind]
    x = jnp.ones(shape)
    jitted = jax.jit(function, static_argnames=["N"])
    least, most = (least_seconds(functools.partial(jitted, x, N=n)) for n in (work, 2 * work))
    each = (most - least) / work
    amounts = [max(1, round(ms * 1e-3 / each)) for ms in MILLISECONDS]
    quiet = [1e3 * least_seconds(functools.partial(jitted, x, N=n)) for n in amounts]
    print("least ms of each:", ", ".join(f"{ms:.2f}" for ms in quiet))
    return function, x, amounts


@contextlib.contextmanager
def busy_cores() -> Iterator[None]:
    """A busy process for each core."""
    command = [sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(command) for _ in range(os.cpu_count() or 1)]
    try:
        time.sleep(1)
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@contextlib.contextmanager
def policy(finalists: int) -> Iterator[None]:
    """Sweeps by medians have finals of at most this many configurations."""
    kept = frontends.FINALISTS
    frontends.FINALISTS = finalists
    try:
        yield
    finally:
        frontends.FINALISTS = kept


@contextlib.contextmanager
def summed_runs() -> Iterator[list[float]]:
    """Collects the seconds of all runs."""
    collected: list[float] = []
    timed = runs.Bench._timed

    def noted(bench: Any, candidate: Any, wait: Any) -> tuple[float, Any]:
        seconds, outputs = timed(bench, candidate, wait)
        collected.append(seconds)
        return seconds, outputs

    runs.Bench._timed = noted  # type: ignore[method-assign]
    try:
        yield collected
    finally:
        runs.Bench._timed = timed  # type: ignore[method-assign]


def sweep(
    function: Callable[..., Any], x: jax.Array, amounts: list[int], protocol: str
) -> tuple[bool, float, float]:
    """Returns whether the best was chosen, the seconds, and those of the runs."""
    tuned = autotune(
        configs=[{"N": n} for n in amounts], outputs="ignore", protocol=protocol
    )(jax.jit(function, static_argnames=["N"]))
    with summed_runs() as collected:
        begin = time.perf_counter()
        (decision,) = tuned.tune([(x,)], again=True)
        seconds = time.perf_counter() - begin
    return decision.config["N"] == amounts[BEST], seconds, sum(collected)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    kind = sys.argv[2] if len(sys.argv) > 2 else "loop"
    os.environ["TONNO_CACHE_DIR"] = tempfile.mkdtemp()
    function, x, amounts = make(kind)
    ways = [("median alone", "median", 0), ("with finals", "median", frontends.FINALISTS)]
    if len(sys.argv) > 3:
        ways.append(("paired", "paired", 0))
    found: dict[str, list[tuple[bool, float, float]]] = {name: [] for name, _, _ in ways}
    with busy_cores():
        for _ in range(rounds):
            for name, protocol, finalists in ways:
                with policy(finalists):
                    found[name].append(sweep(function, x, amounts, protocol))
    print(f"{'':14}{'right':>10}{'seconds':>10}{'ratio':>7}{'runs ms':>10}{'ratio':>7}")
    base = [statistics.median(each[i] for each in found["median alone"]) for i in (1, 2)]
    for name, sweeps in found.items():
        right = f"{sum(each[0] for each in sweeps)} of {rounds}"
        seconds, ran = (statistics.median(each[i] for each in sweeps) for i in (1, 2))
        print(
            f"{name:14}{right:>10}{seconds:10.3f}{seconds / base[0]:7.2f}"
            f"{1e3 * ran:10.1f}{ran / base[1]:7.2f}"
        )


if __name__ == "__main__":
    main()
