#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the times that `tonno.minimize` reports for noisy functions with the true ones.

    minimize_noise.py [SEEDS]

Simulates a function of three knobs with multiplicative normal noise, and prints, over
the seeds: the median of reported / true, the median of its error, the median of the
winner's true time over the optimum's, and calls. Without repeats the least trial wins.
"""

from __future__ import annotations

import math
import random
import statistics
import sys

import tonno

TRIALS = 60
SPACE = tonno.SearchSpace({"BM": tonno.pow2(8, 512), "BN": tonno.pow2(8, 512), "U": range(1, 9)})


def seconds_of(config: tonno.Configuration) -> float:
    off = abs(math.log2(config["BM"]) - 6) + abs(math.log2(config["BN"]) - 5)
    return 1e-3 * (1 + 0.15 * off + 0.05 * abs(config["U"] - 4))


OPTIMUM = 1e-3


def run(seed: int, noise: float, repeats: int | None) -> tuple[float, float, int]:
    """Returns reported / true, true / optimum, and the calls."""
    drawn = random.Random(seed)
    calls = 0

    def function(config: tonno.Configuration) -> float:
        nonlocal calls
        calls += 1
        return seconds_of(config) * max(0.05, 1 + drawn.gauss(0, noise))

    found = tonno.minimize(function, SPACE, budget_trials=TRIALS, seed=seed, repeats=repeats)
    true = seconds_of(found.config)
    return found.seconds / true, true / OPTIMUM, calls


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print(f"{TRIALS} trials, {seeds} seeds")
    print("noise  repeats  reported/true  |error|  true/optimum  calls")
    for noise in (0.0, 0.01, 0.05, 0.3):
        for repeats in (0, None):
            runs = [run(seed, noise, repeats) for seed in range(seeds)]
            reported, true, calls = zip(*runs, strict=True)
            error = statistics.median(abs(each - 1) for each in reported)
            name = "none" if repeats == 0 else "default"
            print(
                f"{noise:5.2f}  {name:>7}  {statistics.median(reported):13.3f}  {error:7.3f}"
                f"  {statistics.median(true):12.3f}  {statistics.mean(calls):5.1f}"
            )


if __name__ == "__main__":
    main()
