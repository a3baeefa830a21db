# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speed of kernels that are compiled for all sizes, against those compiled for one, with defaults.

    dynamic.py [--rounds=N]

Each kernel of `dynamic.mlir` has one dynamic dimension. Both forms take turns on the same arrays;
prints the ratio of their times by size, above 1 where the kernel for all sizes is faster, and the
geometric mean.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import pathlib
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy

from tonno import mlir
from tonno.mlir.tools import run_tool

SOURCE = pathlib.Path(__file__).with_name("dynamic.mlir")
KERNELS = ("product", "dense", "batch", "softmax", "layernorm", "exp", "add", "attention")
SIZES = (1, 3, 6, 17, 37, 75, 128, 500, 1000)
SECONDS = 2e-3
"""Least time of a sample."""


def make(shape: list[int], element_type: str, size: int) -> numpy.ndarray[Any, Any]:
    values = mlir.empty([size if extent == -1 else extent for extent in shape], element_type)
    values[...] = numpy.random.default_rng(0).uniform(-1, 1, values.shape)
    return values


def build(
    folder: pathlib.Path, source: pathlib.Path, kernel: str, size: int, *options: str
) -> Callable[[], None]:
    """Compiles a kernel; returns a call of it on arrays of this size."""
    folder.mkdir()
    words = [str(source), f"--kernel={kernel}", "--emit=so,plan", "-o", str(folder / "kernel.so")]
    ran = run_tool("tonno-compile", [*words, *options])
    if ran.failure:
        raise SystemExit(ran.failure)
    plan = json.loads((folder / f"{kernel}.plan.json").read_text())
    (launch,) = plan["launches"]
    function = ctypes.CDLL(str(folder / "kernel.so"))[launch["symbol"]]
    names = {name for buffer in plan["buffers"] for name in buffer.get("sizes", ())}
    arrays = [
        numpy.array(size, numpy.int64)
        if buffer["name"] in names
        else make(buffer["shape"], "int8" if buffer["element_type"] == "i8" else "float32", size)
        for buffer in plan["buffers"]
    ]
    pointers = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
    kept = arrays, pointers

    def call() -> None:
        function(kept[1])

    return call


def take(call: Callable[[], None], repeats: int) -> float:
    begin = time.perf_counter()
    for _ in range(repeats):
        call()
    return time.perf_counter() - begin


def compare(dynamic: Callable[[], None], static: Callable[[], None], rounds: int) -> float:
    """Returns the median ratio of the times."""
    repeats = 1
    while take(static, repeats) < SECONDS:
        repeats *= 2
    take(dynamic, repeats)
    ratios = []
    for _ in range(rounds):
        other = take(dynamic, repeats)
        ratios.append(take(static, repeats) / other)
    return statistics.median(ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=31)
    given = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        print(f"{'kernel':12}", *(f"{size:>7}" for size in SIZES))
        for kernel in KERNELS:
            ratios = []
            for size in SIZES:
                place = pathlib.Path(folder, f"{kernel}-{size}")
                place.mkdir()
                dynamic = build(place / "any", SOURCE, kernel, size)
                static = build(place / "one", SOURCE, kernel, size, f"--shapes=M={size}")
                ratios.append(compare(dynamic, static, given.rounds))
            print(f"{kernel:12}", *(f"{ratio:7.3f}" for ratio in ratios), flush=True)
            found += ratios
    print(f"geometric mean {statistics.geometric_mean(found):.3f}, least {min(found):.3f}")


if __name__ == "__main__":
    main()
