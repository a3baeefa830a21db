#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what tuning IREE's lowering for the CPU gains over its default.

    pip install iree-base-compiler==3.13.0
    iree.py --build=build --python=PYTHON_WITH_TONNO_AND_IREE [--trials=60]

The kernels have sizes of IREE's own end-to-end tests of matrix products (large, and large of GPUs)
and convolutions (medium, large), without an accumulator. Each is tuned by examples/workers, on one
thread, with IREE's default as the default. A speedup is of the final test, by pairs.
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import shlex
import subprocess
import tempfile
from typing import Any

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "workers"
PRODUCTS = {"123x456x789": (123, 456, 789), "654x321x234": (654, 321, 234), "540x332x516": (540, 332, 516)}
CONVOLUTIONS = {"2x32x32x32, 64 filters": (2, 32, 32, 64), "2x128x128x4, 8 filters": (2, 128, 4, 8)}
ALIGNED = "{tonno.alignment = 64 : i64}"
PEEL = "enable_loop_peeling"
TILES = [16, 32, 64, 128, 256]


def state_knobs(knobs: dict[str, list[int]]) -> tuple[str, str]:
    """Returns the knobs, and the attributes of the function: all tiles are 0, or none is."""
    names = list(knobs)
    knobs = knobs | {PEEL: [1]}
    lines = [f'#{n} = #tonno.knob<"{n}" from {[0, *o]} default 0>' for n, o in knobs.items()]
    equal = [f'#tonno.constraint<"{PEEL} == 0 or {names[0]} > 0">']
    equal += [f'#tonno.constraint<"({names[0]} == 0) == ({n} == 0)">' for n in names[1:]]
    listed = ", ".join(f"#{name}" for name in knobs)
    return "\n".join(lines), f"knobs = [{listed}], tonno.constraints = [{', '.join(equal)}]"


def fill(result: str) -> str:
    return f"""\
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : {result}
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : {result}) -> {result}
"""


def make_product(m: int, k: int, n: int) -> str:
    a, b, c = (f"tensor<{rows}x{columns}xf32>" for rows, columns in ((m, k), (k, n), (m, n)))
    knobs, attributes = state_knobs(
        {
            "distribution_0": [tile for tile in TILES if tile < 2 * m],
            "distribution_1": [tile for tile in TILES if tile < 2 * n],
            "vector_common_parallel_0": [2, 4, 6, 8, 12, 16],
            "vector_common_parallel_1": [8, 16, 24, 32],
            "vector_reduction_2": [1, 2, 4, 8, 16],
        }
    )
    return f"""{knobs}
func.func @kernel(%a: {a} {ALIGNED}, %b: {b} {ALIGNED}) -> ({c} {ALIGNED})
    attributes {{{attributes}}} {{
{fill(c)}\
  %r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%zeros : {c}) -> {c}
  return %r : {c}
}}
"""


def make_convolution(images: int, size: int, channels: int, filters: int) -> str:
    out = size - 2
    x, w, y = (
        f"tensor<{images}x{size}x{size}x{channels}xf32>",
        f"tensor<3x3x{channels}x{filters}xf32>",
        f"tensor<{images}x{out}x{out}x{filters}xf32>",
    )
    knobs, attributes = state_knobs(
        {
            "distribution_1": [tile for tile in range(1, out + 1) if out % tile == 0],
            "distribution_2": [tile for tile in range(6, out + 1) if out % tile == 0],
            "distribution_3": sorted({min(filters, tile) for tile in (16, 32, 64)}),
            "vector_common_parallel_2": [1, 2, 3, 4, 5, 6, 7, 10],
            "vector_common_parallel_3": [tile for tile in (4, 8, 16, 32) if tile <= filters],
            "vector_reduction_6": [tile for tile in (1, 2, 4, 8, 16) if tile <= channels],
        }
    )
    return f"""{knobs}
func.func @kernel(%x: {x} {ALIGNED}, %w: {w} {ALIGNED}) -> ({y} {ALIGNED})
    attributes {{{attributes}}} {{
{fill(y)}\
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : {x}, {w}) outs(%zeros : {y}) -> {y}
  return %r : {y}
}}
"""


def tune(kernel: str, given: argparse.Namespace, folder: pathlib.Path) -> dict[str, Any]:
    source, report = folder / "kernel.mlir", folder / "report.json"
    source.write_text(kernel)
    worker = shlex.join([str(given.python), str(EXAMPLES / "iree_worker.py")])
    command = [
        str(given.build / "bin/tonno-tune"),
        str(source),
        f"--worker-command={worker}",
        f"--budget-trials={given.trials}",
        "--cache=off",
        f"--report={report}",
        "-o",
        str(folder / "tuned.mlir"),
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    found: dict[str, Any] = json.loads(report.read_text())["kernels"][0]
    return found


def main() -> None:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="tonno's build tree")
    parser.add_argument("--python", type=pathlib.Path, required=True, help="has tonno and IREE")
    parser.add_argument("--trials", type=int, default=60)
    given = parser.parse_args()
    kernels = {f"product {name}": make_product(*sizes) for name, sizes in PRODUCTS.items()}
    kernels |= {f"convolution {n}": make_convolution(*sizes) for n, sizes in CONVOLUTIONS.items()}
    logs = []
    for name, kernel in kernels.items():
        with tempfile.TemporaryDirectory(prefix="tonno-") as folder:
            found = tune(kernel, given, pathlib.Path(folder))
        compared = found["decision"]["comparison"]
        gain = compared["speedup"] if found["verdict"] == "faster" else 1.0
        low, high = compared["speedup_interval"]
        ended = len(found["trials"])
        default = compared["baseline_seconds"]["median"]
        text = f"{name}: default {1e6 * default:.0f} us, {gain:.3f}x [{low:.3f}, {high:.3f}]"
        print(f"{text}, {found['verdict']}, {ended} trials: {found['values']}", flush=True)
        logs.append(math.log(gain))
    print(f"geometric mean: {math.exp(sum(logs) / len(logs)):.3f}x")


if __name__ == "__main__":
    main()
