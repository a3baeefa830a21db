#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the seconds that sessions take to their end result, with a prior and without.

    seconds.py --tools=build/bin [--seeds=3] [--within=1.02] [--option=OPTION]... KERNEL.mlir...

Sessions with and without take turns. A configuration's time is the median of its ratios in all
sessions of the kernel. A session is there once it has measured a configuration that is within
`--within` of the best of all its sessions; if it never is, its own length counts.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
from collections.abc import Mapping

WAYS: Mapping[str, tuple[str, ...]] = {"with": (), "without": ("--prior=none",)}
Trials = list[tuple[float, str, float]]
"""The session's seconds at its end, its values, and its ratio to the default."""


def tune(given: argparse.Namespace, kernel: pathlib.Path, seed: int, *options: str) -> Trials:
    with tempfile.TemporaryDirectory(prefix="tonno-") as folder:
        journal = pathlib.Path(folder) / "session.jsonl"
        fixed = ["--cache=off", f"--seed={seed}", f"--journal={journal}", "-o", "/dev/null"]
        subprocess.run(
            [given.tools / "tonno-tune", kernel, *fixed, *given.option, *options],
            check=True,
            stderr=subprocess.DEVNULL,
        )
        lines = [json.loads(line) for line in journal.read_text().splitlines()]
    trials = []
    for line in lines:
        measured = line.get("trial", {}).get("measurement")
        if measured:
            values = json.dumps(line["trial"]["values"], sort_keys=True)
            trials.append((line["session_seconds"], values, measured["ratio"]))
    return trials


def compare(given: argparse.Namespace, kernel: pathlib.Path) -> dict[str, float]:
    """The median of the seconds, for each way."""
    sessions: dict[str, list[Trials]] = {way: [] for way in WAYS}
    for seed in range(given.seeds):
        for way, options in WAYS.items():
            sessions[way].append(tune(given, kernel, seed, *options))
    ratios: dict[str, list[float]] = {}
    for trials in (each for of_way in sessions.values() for each in of_way):
        for _, values, ratio in trials:
            ratios.setdefault(values, []).append(ratio)
    times = {values: statistics.median(found) for values, found in ratios.items()}
    goal = given.within * min(times.values())

    def seconds(trials: Trials) -> float:
        return min((at for at, values, _ in trials if times[values] <= goal), default=trials[-1][0])

    return {way: statistics.median(map(seconds, of_way)) for way, of_way in sessions.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", type=pathlib.Path, nargs="+")
    parser.add_argument("--tools", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--within", type=float, default=1.02)
    parser.add_argument("--option", action="append", default=[])
    given = parser.parse_args()
    print("| kernel | seconds with a prior | without | ratio |\n| --- | --- | --- | --- |")
    found = []
    for kernel in given.kernels:
        seconds = compare(given, kernel)
        found.append(seconds["with"] / seconds["without"])
        shown = f"{seconds['with']:.1f} | {seconds['without']:.1f} | {found[-1]:.2f}"
        print(f"| {kernel.stem} | {shown} |", flush=True)
    print(f"| geometric mean | | | {statistics.geometric_mean(found):.2f} |")


if __name__ == "__main__":
    main()
