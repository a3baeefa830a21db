#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times calls of a kernel from Python beside the same calls from C.

    TONNO_TOOLS_DIR=<build>/bin call_overhead.py [ROUNDS]

Adds two arrays of 16 and of 4096 floats. In each round, a loop in C, the kernel with
`out=`, and the kernel with a new result are timed one after the other. Prints medians
over the rounds of times, of ratios to C, and of differences from C; in brackets the
quartiles of the differences. numpy.add with `out=` is printed for comparison.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy
from entry_loop import EntryLoop

from tonno import mlir

CALLS = 2000
ADD = """
func.func @add(%a: tensor<{n}xf32>, %b: tensor<{n}xf32>) -> tensor<{n}xf32> {{
  %e = tensor.empty() : tensor<{n}xf32>
  %r = linalg.add ins(%a, %b : tensor<{n}xf32>, tensor<{n}xf32>)
                  outs(%e : tensor<{n}xf32>) -> tensor<{n}xf32>
  return %r : tensor<{n}xf32>
}}
"""


def seconds_of(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - begin) / CALLS


def compare(size: int, rounds: int) -> None:
    source = ADD.format(n=size)
    kernel = mlir.compile(source)
    a, b, out = (mlir.empty(size) for _ in range(3))
    a[...] = b[...] = 1
    loop = EntryLoop(source, "add_entry", [a, b, out])

    # The loop of Python itself is no part of a call.
    ways: dict[str, Callable[[], object]] = {
        "empty loop": lambda: None,
        "kernel(a, b, out=out)": lambda: kernel(a, b, out=out),
        "kernel(a, b)": lambda: kernel(a, b),
        "numpy.add(a, b, out=out)": lambda: numpy.add(a, b, out=out),
    }
    inside_c: list[float] = []
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        inside_c.append(loop.seconds(CALLS))
        for way, call in ways.items():
            times[way].append(seconds_of(call))
    print(f"{size} floats: {statistics.median(inside_c) * 1e9:.0f} ns in C")
    for way in list(ways)[1:]:
        net = [x - y for x, y in zip(times[way], times["empty loop"], strict=True)]
        more = [x - y for x, y in zip(net, inside_c, strict=True)]
        low, middle, high = statistics.quantiles(more, n=4)
        ratio = statistics.median(x / y for x, y in zip(net, inside_c, strict=True))
        print(
            f"  {way:26} {statistics.median(net) * 1e9:6.0f} ns  {ratio:6.1f}x"
            f"  {middle * 1e9:+6.0f} ns [{low * 1e9:+.0f}, {high * 1e9:+.0f}]"
        )


if __name__ == "__main__":
    for elements in (16, 4096):
        compare(elements, int(sys.argv[1]) if len(sys.argv) > 1 else 200)
