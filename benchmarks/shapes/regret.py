# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regret of kernels that are tuned for a range of sizes.

    regret.py [--kernels=NAME,...] [--high=N] [--sizes=N] [--trials=N]

Tunes each kernel of `dynamic.mlir` for M=1..high. Then searches at each of some sizes with this many
trials for a kernel of that size alone. Sizes that the range was measured at have a star: about the
third that are powers of two. Both take turns on the same arrays; prints
the ratio of their times, above 1 where the kernel of all sizes is slower, and what a kernel with
defaults for all sizes takes. A third of the sizes are at or beside multiples of 16, a third are
powers of two, the others are drawn evenly in the logarithm.
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import random
import statistics
import tempfile

from dynamic import SOURCE, build, compare

from tonno.mlir.tools import run_tool


def choose_sizes(high: int, count: int) -> list[int]:
    """Returns sizes; the same for the same arguments."""
    generator = random.Random(0)
    drawn = [round(math.exp(generator.uniform(0, math.log(high)))) for _ in range(100 * count)]
    powers = [1 << exponent for exponent in range(high.bit_length()) if 1 << exponent <= high]
    beside = [round(size / 16) * 16 + generator.choice((-1, 0, 1)) for size in drawn]
    third = count // 3
    chosen = set(generator.sample(powers, min(third, len(powers))))
    for size in [*beside[:third], *drawn]:
        if len(chosen) < count and 1 <= size <= high:
            chosen.add(size)
    return sorted(chosen)


def tune(folder: pathlib.Path, kernel: str, shapes: str, *options: str) -> pathlib.Path:
    folder.mkdir()
    tuned = folder / "tuned.mlir"
    # Calls of the comparison find their arrays in the cache.
    state = "--cache-state=warm"
    words = [str(SOURCE), f"--kernel={kernel}", f"--shapes={shapes}", state, *options]
    cache = f"--cache-dir={folder / 'cache'}"
    ran = run_tool("tonno-tune", [*words, cache, "-o", str(tuned), f"--report={folder / 'report.json'}"])
    if ran.failure:
        raise SystemExit(ran.failure)
    return tuned


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernels", default="product,softmax,layernorm,attention")
    parser.add_argument("--high", type=int, default=4096)
    parser.add_argument("--sizes", type=int, default=48)
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=31)
    given = parser.parse_args()
    sizes = choose_sizes(given.high, given.sizes)
    with tempfile.TemporaryDirectory() as name:
        for kernel in given.kernels.split(","):
            folder = pathlib.Path(name, kernel)
            folder.mkdir()
            tuned = tune(folder / "range", kernel, f"M=1..{given.high}")
            report = json.loads((folder / "range" / "report.json").read_text())
            found = report["kernels"][0]["range"]
            print(
                f"{kernel}: {len(found['shapes'])} shapes, {len(found['variants'])} variants, "
                f"{found['trials']} trials; regret {found['mean_regret']:.3f}, at most "
                f"{found['worst_regret']:.3f}",
                flush=True,
            )
            regrets, defaults = [], []
            known = {shape["sizes"][0]["size"] for shape in found["shapes"]}
            for size in sizes:
                place = folder / str(size)
                place.mkdir()
                trials = f"--budget-trials={given.trials}"
                best = tune(place / "search", kernel, f"M={size}", trials)
                static = build(place / "one", best, kernel, size)
                dispatching = build(place / "range", tuned, kernel, size)
                default = build(place / "default", SOURCE, kernel, size)
                regrets.append(1 / compare(dispatching, static, given.rounds))
                defaults.append(1 / compare(default, static, given.rounds))
                print(f"  M={size:<6}{'*' if size in known else ' '} {regrets[-1]:.3f}  default {defaults[-1]:.3f}", flush=True)
            print(
                f"  regret {statistics.mean(regrets):.3f}, at most {max(regrets):.3f}; of the "
                f"default {statistics.mean(defaults):.3f}, at most {max(defaults):.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
