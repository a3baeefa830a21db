#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares times of tonno.autotune's configurations in a child and in this process.

    python benchmarks/jax/isolation.py [rounds]

Each round tunes three functions with isolate=True and without, in turn, and the table
has the medians of the winners' times with their ratio.
"""

import os
import statistics
import sys
import tempfile
import time

import jax
import jax.numpy as jnp

from tonno import autotune


def scaled(x, N: int = 1):
    return x * N * (2 / N)


def product(x, N: int = 1):
    rows = x.shape[0] // N
    return jnp.concatenate([x[i * rows : (i + 1) * rows] @ x for i in range(N)])


def sums(x, N: int = 1):
    return jnp.cumsum(x.reshape(N, -1), axis=1).sum()


def winner_ms(function, x, isolate: bool) -> tuple[float, float]:
    """Returns the milliseconds of the winner, and the seconds of the sweep."""
    tuned = autotune(
        configs=[{"N": n} for n in (1, 2, 4)], num_timing=51, outputs="ignore", isolate=isolate
    )(jax.jit(function, static_argnames=["N"]))
    begin = time.perf_counter()
    (decision,) = tuned.tune([(x,)], again=True)
    return decision.time_ms, time.perf_counter() - begin


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    os.environ["TONNO_CACHE_DIR"] = tempfile.mkdtemp()
    shapes = {scaled: (64,), product: (512, 512), sums: (1 << 20,)}
    print(f"{'function':10} {'here ms':>10} {'child ms':>10} {'child/here':>10} {'sweep s':>16}")
    for function, shape in shapes.items():
        x = jax.ShapeDtypeStruct(shape, "float32")
        found = [[winner_ms(function, x, isolate) for isolate in (False, True)] for _ in range(rounds)]
        here, child = (statistics.median(f[i][0] for f in found) for i in (0, 1))
        sweeps = [statistics.median(f[i][1] for f in found) for i in (0, 1)]
        name, ratio = function.__name__, child / here
        print(f"{name:10} {here:10.4f} {child:10.4f} {ratio:10.3f} {sweeps[0]:7.2f} {sweeps[1]:8.2f}")


if __name__ == "__main__":
    main()
