#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints how near the memory's speed tuned kernels come on a GPU.

Each kernel is tuned, and the winner's bytes a second are divided by those of a
copy, tuned in the same way: before the kernels and behind them, since times of
different moments don't compare. Where the two copies differ by more than the
shares of two kernels, neither share is worth more than that.

Not measured here: the driver's own copy, and products beside cuBLAS. This has
been run with the host as its device only, never with a GPU.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROWS, COLUMNS = 8192, 4096
ALL = f"tensor<{ROWS}x{COLUMNS}xf32>"
EMPTY = f"%e = tensor.empty() : {ALL}"
MATRIX = 4 * ROWS * COLUMNS

COPY = f"""func.func @copy(%x: {ALL}) -> {ALL} {{
  {EMPTY}
  %r = linalg.generic {{indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}}
      ins(%x : {ALL}) outs(%e : {ALL}) {{
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }} -> {ALL}
  return %r : {ALL}
}}"""
ADD = f"""func.func @add(%x: {ALL}, %y: {ALL}) -> {ALL} {{
  {EMPTY}
  %r = linalg.add ins(%x, %y : {ALL}, {ALL}) outs(%e : {ALL}) -> {ALL}
  return %r : {ALL}
}}"""
TRANSPOSE = f"""func.func @transpose(%x: {ALL}) -> tensor<{COLUMNS}x{ROWS}xf32> {{
  %e = tensor.empty() : tensor<{COLUMNS}x{ROWS}xf32>
  %r = linalg.transpose ins(%x : {ALL}) outs(%e : tensor<{COLUMNS}x{ROWS}xf32>) permutation = [1, 0]
  return %r : tensor<{COLUMNS}x{ROWS}xf32>
}}"""
ROW_SUM = f"""func.func @row_sum(%x: {ALL}) -> tensor<{ROWS}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{ROWS}xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{ROWS}xf32>) -> tensor<{ROWS}xf32>
  %r = linalg.reduce {{ arith.addf }} ins(%x : {ALL}) outs(%f : tensor<{ROWS}xf32>) dimensions = [1]
  return %r : tensor<{ROWS}xf32>
}}"""
SOFTMAX = f"""func.func @softmax(%x: {ALL}) -> {ALL} {{
  {EMPTY}
  %r = linalg.softmax dimension(1) ins(%x : {ALL}) outs(%e : {ALL}) -> {ALL}
  return %r : {ALL}
}}"""

# Name, IR, bytes that must be read and written.
KERNELS = [
    ("copy", COPY, 2 * MATRIX),
    ("add", ADD, 3 * MATRIX),
    ("transpose", TRANSPOSE, 2 * MATRIX),
    ("row_sum", ROW_SUM, MATRIX + 4 * ROWS),
    ("softmax", SOFTMAX, 2 * MATRIX),
    ("copy", COPY, 2 * MATRIX),
]


def tune(arguments, name, text, folder):
    """The winner's seconds, trials and the seconds that tuning took."""
    source, tuned = folder / f"{name}.mlir", folder / f"{name}.tuned.mlir"
    source.write_text("#all = affine_map<(m, n) -> (m, n)>\n" + text + "\n")
    command = [arguments.tonno_tune, str(source), "--cache=off", "-o", str(tuned)]
    begin = time.monotonic()
    result = subprocess.run(command + arguments.options, stderr=subprocess.PIPE, text=True)
    seconds = time.monotonic() - begin
    if result.returncode != 0:
        sys.exit(f"{name}: {result.stderr}")
    said = tuned.read_text()

    def number(key):
        return int(re.search(rf"\b{key} = (\d+) : i64", said).group(1))

    return number("median_ns") * 1e-9, number("trials"), seconds


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tonno_tune", help="the program tonno-tune")
    parser.add_argument("options", nargs="*", help="for it, behind --: --target=nvptx")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measured = [
            (name, size, *tune(arguments, name, text, pathlib.Path(folder)))
            for name, text, size in KERNELS
        ]
    first, last = (size / seconds for name, size, seconds, *_ in measured if name == "copy")
    print("kernel       GB/s   share of copy  trials  candidates/min")
    for name, size, seconds, trials, took in measured:
        speed = size / seconds
        low, high = sorted((speed / first, speed / last))
        print(
            f"{name:<10} {speed / 1e9:6.0f}   [{low:.2f}, {high:.2f}]"
            f"  {trials:6}  {60 * trials / took:14.0f}"
        )
    print("\nThe two ends of a share are over the first copy and the last.")


if __name__ == "__main__":
    main()
