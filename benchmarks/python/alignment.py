#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times kernels whose arguments are promised to be aligned to 16 bytes beside 64.

    TONNO_TOOLS_DIR=<build>/bin alignment.py benchmarks/defaults/*.mlir [--rounds=N]
        [--placements=N]

Compiles each kernel with `tonno.alignment = 16` and with 64 at each tensor of its
signature. Each round times pairs in random order: the kernel for 64 bytes on aligned
arrays, beside another way:

    again          the kernel for 64 bytes, loaded once more: what the place of code costs
    same arrays    the kernel for 16 bytes, on the same arrays: what the weaker promise costs
    in place       the kernel for 16 bytes, on arrays 16 bytes behind
    copied         the kernel for 64 bytes, on arrays 16 bytes behind, which each call copies

The same code differs by some percent with the addresses of code and arrays. Therefore
each placement is a process of its own, with arrays at random multiples of 64 bytes and
code that is loaded in random order. Times are the process's, so that what it waits for
a core does not count. Prints medians over the placements of the median ratio of each,
with 95 % intervals, and the least and the most.
"""

from __future__ import annotations

import argparse
import multiprocessing
import pathlib
import random
import re
import time
import warnings
from typing import Any

import numpy

from tonno import mlir
from tonno.statistics import median, median_interval

_ARGUMENT = re.compile(r"(%\w+: tensor<[^>]*>)(?=[,)])")
_WAYS = ("again", "same arrays", "in place", "copied")


def compile_for(text: str, alignment: int) -> mlir.Kernel:
    return mlir.compile(_ARGUMENT.sub(rf"\1 {{tonno.alignment = {alignment} : i64}}", text))


def make_array(buffer: dict[str, Any], offset: int) -> Any:
    """Returns an array of ones that starts `offset` bytes behind a multiple of 4096."""
    dtype = numpy.dtype({"f32": "f4", "f64": "f8", "i32": "i4"}[buffer["element_type"]])
    size = int(numpy.prod(buffer["shape"])) * dtype.itemsize
    memory = numpy.empty(size + 2 * 4096, "u1")
    start = -memory.ctypes.data % 4096 + offset
    array = memory[start : start + size].view(dtype).reshape(buffer["shape"])
    array[...] = 1
    return array


def seconds_of(kernel: mlir.Kernel, arguments: list[Any], out: Any, calls: int) -> float:
    kernel(*arguments, out=out)  # brings the arrays into the caches
    begin = time.process_time()
    for _ in range(calls):
        kernel(*arguments, out=out)
    return (time.process_time() - begin) / calls


def time_placement(text: str, rounds: int, seed: int) -> list[float]:
    """Returns the median ratio of each way at one placement of code and arrays."""
    warnings.simplefilter("ignore", mlir.AlignmentWarning)
    draw = random.Random(seed)
    kernels: dict[int, mlir.Kernel] = {}
    for index in draw.sample(range(3), 3):
        kernels[index] = compile_for(text, 16 if index == 2 else 64)
    wide, again, narrow = (kernels[index] for index in range(3))
    buffers = wide.plan["buffers"][: wide.num_arguments + 1]
    offsets = [64 * draw.randrange(63) for _ in buffers]
    arrays = [make_array(*each) for each in zip(buffers, offsets, strict=True)]
    aligned, out = arrays[: wide.num_arguments], arrays[wide.num_arguments]
    shifted = [
        make_array(buffer, offset + 16)
        for buffer, offset in zip(buffers, offsets[: wide.num_arguments], strict=False)
    ]
    usual = (wide, aligned)
    ways = [(again, aligned), (narrow, aligned), (narrow, shifted), (wide, shifted)]
    calls = 1
    while seconds_of(wide, aligned, out, calls) * calls < 1e-3:
        calls *= 2
    ratios: list[list[float]] = [[] for _ in ways]
    for _ in range(rounds):
        for found, way in zip(ratios, ways, strict=True):
            usual_first = draw.random() < 0.5
            pair = [usual, way] if usual_first else [way, usual]
            times = [seconds_of(*each, out, calls) for each in pair]
            found.append(times[1] / times[0] if usual_first else times[0] / times[1])
    return [median(found) for found in ratios]


def compare(file: pathlib.Path, rounds: int, placements: int) -> None:
    tasks = [(file.read_text(), rounds, seed) for seed in range(placements)]
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        medians = pool.starmap(time_placement, tasks, chunksize=1)
    print(file.stem)
    for name, found in zip(_WAYS, zip(*medians, strict=True), strict=True):
        low, high = median_interval(list(found))
        print(
            f"    {name:12} {median(list(found)):.3f} [{low:.3f}, {high:.3f}]"
            f"  {min(found):.3f} to {max(found):.3f}",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__.replace("%", "%%"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--placements", type=int, default=24)
    options = parser.parse_args()
    for each in options.files:
        compare(each, options.rounds, options.placements)
