#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts compilations and runs of configurations that trace to equal programs.

    python benchmarks/jax/equal_programs.py [rounds]

A list of 200 configurations that trace to 20 programs is tuned with fingerprints of
programs and without, in turn. The table has compilations, first runs and the median of
the sweeps' seconds.
"""

import os
import statistics
import sys
import tempfile
import time
from unittest import mock

import jax
import jax.numpy as jnp

from tonno import autotune
from tonno.jax import fingerprints
from tonno.jax.runs import Bench

CONFIGURATIONS = 200
PROGRAMS = 20


def blocked(x, N: int = 0):
    rows = x.shape[0] >> (N % 4)
    for step in range(N % PROGRAMS // 4 + 1):
        x = jnp.concatenate([jnp.sin(x[i : i + rows] + step) for i in range(0, len(x), rows)])
    return x


def counted(owner: type, name: str):
    """Returns a patch of a method that counts its calls."""
    return mock.patch.object(owner, name, autospec=True, side_effect=getattr(owner, name))


def sweep(x, shares: bool) -> tuple[int, int, float]:
    """Returns the numbers of compilations and first runs, and the seconds of a sweep."""
    tuned = autotune(
        configs=[{"N": n} for n in range(CONFIGURATIONS)], num_timing=5, outputs="ignore"
    )(jax.jit(blocked, static_argnames=["N"]))
    fingerprint = fingerprints.of_program if shares else lambda _: ""
    jax.clear_caches()
    with (
        mock.patch.object(fingerprints, "of_program", fingerprint),
        counted(jax.stages.Lowered, "compile") as compilations,
        counted(Bench, "first_run") as runs,
    ):
        begin = time.perf_counter()
        tuned.tune([(x,)], again=True)
        seconds = time.perf_counter() - begin
    return compilations.call_count, runs.call_count, seconds


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    os.environ["TONNO_CACHE_DIR"] = tempfile.mkdtemp()
    x = jax.ShapeDtypeStruct((1024, 256), "float32")
    found = [[sweep(x, shares) for shares in (False, True)] for _ in range(rounds)]
    print(f"{CONFIGURATIONS} configurations, {PROGRAMS} programs")
    print(f"{'':10} {'compilations':>12} {'first runs':>10} {'sweep s':>8}")
    for i, name in enumerate(("each", "equal once")):
        compilations, runs, _ = found[0][i]
        seconds = statistics.median(each[i][2] for each in found)
        print(f"{name:10} {compilations:12} {runs:10} {seconds:8.2f}")


if __name__ == "__main__":
    main()
