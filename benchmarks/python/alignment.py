#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times kernels whose arguments are promised to be aligned to 16 bytes beside 64.

    TONNO_TOOLS_DIR=<build>/bin alignment.py FILE... [--rounds=N]

Compiles each kernel as it is, and with `tonno.alignment = 16` at each tensor of its
signature. In each round the three are timed one after the other: the first on arrays
aligned to 64 bytes, the second on the same, and the second on arrays 16 bytes behind.
Prints medians over the rounds of the ratios to the first, with quartiles.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import statistics
import time
from typing import Any

import numpy

from tonno import mlir

_ARGUMENT = re.compile(r"(%\w+: tensor<[^>]*>)(?=[,)])")


def make_arguments(kernel: mlir.Kernel, offset: int) -> list[Any]:
    """Returns arrays of ones that start `offset` bytes behind a multiple of 64."""
    arrays = []
    for buffer in kernel.plan["buffers"][: kernel.num_arguments]:
        dtype = numpy.dtype({"f32": "f4", "f64": "f8", "i32": "i4"}[buffer["element_type"]])
        memory = mlir.empty(int(numpy.prod(buffer["shape"])) * dtype.itemsize + 64, "u1")
        array = memory[offset : memory.size - 64 + offset].view(dtype).reshape(buffer["shape"])
        array[...] = 1
        arrays.append(array)
    return arrays


def seconds_of(kernel: mlir.Kernel, arguments: list[Any], out: Any, calls: int) -> float:
    begin = time.perf_counter()
    for _ in range(calls):
        kernel(*arguments, out=out)
    return (time.perf_counter() - begin) / calls


def compare(file: pathlib.Path, rounds: int) -> None:
    text = file.read_text()
    wide = mlir.compile(text)
    narrow = mlir.compile(_ARGUMENT.sub(r"\1 {tonno.alignment = 16 : i64}", text))
    aligned, shifted = make_arguments(wide, 0), make_arguments(wide, 16)
    out = wide(*aligned)
    ways = [(wide, aligned), (narrow, aligned), (narrow, shifted)]
    calls = 1
    while seconds_of(wide, aligned, out, calls) * calls < 1e-3:
        calls *= 2
    ratios: list[list[float]] = [[], []]
    for _ in range(rounds):
        first, *others = (seconds_of(*way, out, calls) for way in ways)
        for found, other in zip(ratios, others, strict=True):
            found.append(other / first)
    texts = []
    for found in ratios:
        low, middle, high = statistics.quantiles(found, n=4)
        texts.append(f"{middle:.3f} [{low:.3f}, {high:.3f}]")
    print(f"{file.stem:20} same arrays {texts[0]}  16 bytes behind {texts[1]}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=100)
    options = parser.parse_args()
    for each in options.files:
        compare(each, options.rounds)
