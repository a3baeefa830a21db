#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times kernels whose arguments are promised to be aligned to 16 bytes beside 64.

    TONNO_TOOLS_DIR=<build>/bin alignment.py benchmarks/defaults/*.mlir [--rounds=N]

Compiles each kernel as it is, for 64 bytes, and with `tonno.alignment = 16` at each
tensor of its signature. Each round times three pairs, whose order is reversed every
other round: the kernel for 64 bytes on aligned arrays, beside another way. Prints
medians of the ratios over the rounds, with 95 % intervals:

    same arrays    the kernel for 16 bytes, on the same arrays: what the weaker promise costs
    in place       the kernel for 16 bytes, on arrays 16 bytes behind
    copied         the kernel for 64 bytes, on arrays 16 bytes behind, which each call copies
"""

from __future__ import annotations

import argparse
import pathlib
import re
import time
import warnings
from typing import Any

import numpy

from tonno import mlir
from tonno.statistics import median, median_interval

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
    kernel(*arguments, out=out)  # brings the arrays into the caches
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
    ways = [(wide, aligned), (narrow, aligned), (narrow, shifted), (wide, shifted)]
    calls = 1
    while seconds_of(wide, aligned, out, calls) * calls < 1e-3:
        calls *= 2
    ratios: list[list[float]] = [[], [], []]
    for number in range(rounds):
        for found, way in zip(ratios, ways[1:], strict=True):
            pair = [ways[0], way] if number % 2 == 0 else [way, ways[0]]
            times = [seconds_of(*each, out, calls) for each in pair]
            found.append(times[1] / times[0] if number % 2 == 0 else times[0] / times[1])
    texts = []
    for name, found in zip(("same arrays", "in place", "copied"), ratios, strict=True):
        low, high = median_interval(found)
        texts.append(f"{name} {median(found):.3f} [{low:.3f}, {high:.3f}]")
    print(f"{file.stem:20} {'  '.join(texts)}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=100)
    options = parser.parse_args()
    warnings.simplefilter("ignore", mlir.AlignmentWarning)
    for each in options.files:
        compare(each, options.rounds)
