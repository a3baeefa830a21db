#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares winners of made-up and of real arrays, on the real ones.

    python benchmarks/jax/inputs.py [rounds]

Functions loop up to the longest row, of 2000 to 4096 elements. Each is tuned on made-up
arrays and with inputs="call". The table has the medians of both winners' times on the real
arrays, sampled in turn, with their ratio.
"""

import os
import statistics
import sys
import tempfile
import time

import jax
import jax.numpy as jnp

from tonno import autotune

BLOCKS = [16, 32, 64, 128, 256, 512]
ROWS, LONGEST, WIDTH = 8, 4096, 64


def attention(q, k, v, lengths, B: int = 16):
    """Attends to the first keys of each row, of which there may be none."""

    def add(i, carry):
        largest, total, sums = carry
        keys = jax.lax.dynamic_slice_in_dim(k, i * B, B, 1)
        values = jax.lax.dynamic_slice_in_dim(v, i * B, B, 1)
        is_key = (i * B + jnp.arange(B))[None] < lengths[:, None]
        scores = jnp.where(is_key, jnp.einsum("bd,btd->bt", q, keys), -1e30)
        now = jnp.maximum(largest, scores.max(1))
        weights = jnp.exp(scores - now[:, None]) * is_key
        scale = jnp.exp(largest - now)
        sums = sums * scale[:, None] + jnp.einsum("bt,btd->bd", weights, values)
        return now, total * scale + weights.sum(1), sums

    start = jnp.full(ROWS, -1e30), jnp.zeros(ROWS), jnp.zeros((ROWS, WIDTH))
    _, total, sums = jax.lax.fori_loop(0, -(-lengths.max() // B), add, start)
    return sums / jnp.maximum(total, 1e-30)[:, None]


def row_sums(q, k, v, lengths, B: int = 16):
    """Sums the first elements of each row up."""

    def add(i, sums):
        is_element = (i * B + jnp.arange(B))[None] < lengths[:, None]
        part = jax.lax.dynamic_slice_in_dim(v, i * B, B, 1)
        return sums + (part * is_element[..., None]).sum(1)

    return jax.lax.fori_loop(0, -(-lengths.max() // B), add, q)


def winner(function, arrays, inputs) -> int:
    tuned = autotune(configs=[{"B": b} for b in BLOCKS], protocol="paired")(function)
    (decision,) = tuned.tune([arrays], again=True, inputs=inputs)
    return decision.config["B"]


def medians_ms(function, arrays, blocks: list[int], rounds: int) -> list[float]:
    times: list[list[float]] = [[] for _ in blocks]
    for _ in range(rounds):
        for block, taken in zip(blocks, times, strict=True):
            begin = time.perf_counter()
            jax.block_until_ready(function(*arrays, B=block))
            taken.append(1e3 * (time.perf_counter() - begin))
    return [statistics.median(taken[1:]) for taken in times]


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 51
    os.environ["TONNO_CACHE_DIR"] = tempfile.mkdtemp()
    keys = jax.random.split(jax.random.key(0), 4)
    q = jax.random.normal(keys[0], (ROWS, WIDTH))
    k, v = (jax.random.normal(key, (ROWS, LONGEST, WIDTH)) for key in keys[1:3])
    lengths = jax.random.randint(keys[3], (ROWS,), 2000, LONGEST)
    print(f"{'function':10} {'made up':>14} {'call':>14} {'made up/call':>13}")
    for plain in (attention, row_sums):
        function = jax.jit(plain, static_argnames=["B"])
        arrays = q, k, v, lengths
        blocks = [winner(function, arrays, inputs) for inputs in (None, "call")]
        made_up, real = medians_ms(function, arrays, blocks, rounds)
        shown = [f"{ms:.3f} ms B={b}" for ms, b in zip((made_up, real), blocks, strict=True)]
        print(f"{plain.__name__:10} {shown[0]:>14} {shown[1]:>14} {made_up / real:13.2f}")


if __name__ == "__main__":
    main()
