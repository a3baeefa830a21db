#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times a jitted JAX function that calls a kernel.

    TONNO_TOOLS_DIR=<build>/bin jax_call.py [ROUNDS]

Times, in each round, a jitted function that calls a kernel with 1 MB of arguments, and
two yardsticks: a jitted function that calls a kernel of one element, followed by the
first kernel's entry point from C, in turn; and both of these in loops of their own.
Prints medians, and the ratio of the first time to each yardstick with quartiles.

Loops of their own keep the processor's wide vectors awake, which a call from Python
does not: processors that wake them slowly then seem to have a slow call.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy
from entry_loop import EntryLoop

from tonno import mlir

CALLS = 50
# Two matrices of 512 KB: a product of 64 rows with 2048 x 64, summed over 2048.
MATMUL = """
func.func @product(%a: tensor<64x2048xf32>, %b: tensor<2048x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x2048xf32>, tensor<2048x64xf32>)
                     outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
"""
NOTHING = "func.func @nothing(%a: f32) -> f32 { return %a : f32 }\n"


def seconds_of(call: Callable[..., Any], *arguments: Any) -> float:
    begin = time.perf_counter()
    for _ in range(CALLS):
        call(*arguments).block_until_ready()
    return (time.perf_counter() - begin) / CALLS


def seconds_in_turn(call: Callable[[], Any], loop: EntryLoop) -> float:
    begin = time.perf_counter()
    for _ in range(CALLS):
        call()
        loop.call()
    return (time.perf_counter() - begin) / CALLS


def main(rounds: int) -> None:
    kernel = mlir.compile(MATMUL)
    a, b, out = mlir.empty((64, 2048)), mlir.empty((2048, 64)), mlir.empty((64, 64))
    a[...] = b[...] = 1
    spaces = [
        mlir.empty(each["shape"], "uint8")
        for each in kernel.plan["buffers"]
        if each["access"] == "workspace"
    ]
    loop = EntryLoop(MATMUL, "product_entry", [a, b, out, *spaces])
    product = jax.jit(kernel.as_jax())
    nothing = jax.jit(mlir.compile(NOTHING).as_jax())
    x, y, one = jax.numpy.asarray(a), jax.numpy.asarray(b), jax.numpy.float32(1)
    numpy.testing.assert_array_equal(product(x, y), kernel(a, b))
    nothing(one)

    # Measures the time that ctypes adds to a call from C.
    empty = EntryLoop(NOTHING, "nothing_entry", [mlir.empty(1), mlir.empty(1)])
    times: dict[str, list[float]] = {"jit": [], "in turn": [], "C": [], "nothing": []}
    for _ in range(rounds):
        times["jit"].append(seconds_of(product, x, y))
        ctypes_seconds = seconds_in_turn(lambda: None, empty)
        times["in turn"].append(
            seconds_in_turn(lambda: nothing(one).block_until_ready(), loop) - ctypes_seconds
        )
        times["C"].append(loop.seconds(CALLS))
        times["nothing"].append(seconds_of(nothing, one))
    for way, found in times.items():
        print(f"{way:8} {statistics.median(found) * 1e6:7.1f} us")
    jitted, in_turn, in_c, idle = map(numpy.array, times.values())
    for name, ratios in (
        ("jit / (nothing, then C)", jitted / in_turn),
        ("jit / (C + nothing)", jitted / (in_c + idle)),
    ):
        low, middle, high = numpy.quantile(ratios, [0.25, 0.5, 0.75])
        print(f"{name} = {middle:.3f} [{low:.3f}, {high:.3f}]")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
