#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times whole networks: tonno's default and tuned code beside other compilers.

    pip install onnx==1.23.2 onnxruntime onnxscript iree-base-compiler iree-base-runtime
    pip install torch==2.13.0
    TONNO_TOOLS_DIR=<build>/bin compare.py [MODEL...] --tuned=FOLDER [--threads=1,2] [--type=f32]

Each side is a process of its own, on as many processors as it has threads, warm, with
its weights as constants if that is faster. In each round, all sides are timed in a
random order. --tuned has modules that tonno-tune wrote, as <model>.<threads>.mlir.

A ratio is a side's time over that of tonno's default: the median over rounds, with its
95 % interval. Above 1 tonno's default is faster. A side whose result differs from JAX's
in f32 by more than 1e-4 of the largest magnitude, and one that is not installed, has no
ratio.

With --type=bf16, weights, inputs and results are bf16, as in JAX after a cast of all
arguments. A result may then differ by 2^-5 from that of the same values in f32. A side
that refuses bf16 is listed with its error.

The processors should have nothing else to do.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import pathlib
import random
import sys
import time
from typing import Any

from networks import FULL, TYPES
from sides import SIDES, Task, serve
from verify import MUST, difference

from tonno.statistics import compare_pairs, median

BASELINE = "tonno default"
SPIN = 0.3
"""Seconds after which threads of OpenMP that wait for work have left their processor."""


class Side:
    """The process that runs a network in one way."""

    def __init__(self, name: str, task: Task) -> None:
        self.name, self.seconds, self.problem = name, list[float](), ""
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=serve, args=(name, task, other), daemon=True)
        self._process.start()
        other.close()

    def prepare(self, expected: Any, most: float, seconds: float) -> None:
        """Waits for the process, checks its results, and chooses how many calls to time."""
        try:
            answer = self._pipe.recv()
        except EOFError:
            answer = "failed: the process has died"
        if isinstance(answer, str):
            self.problem = answer
            return
        results, self.variant, self.prepared = answer
        self.error = max(difference(result, expected) for result in results)
        if not self.error <= most:
            self.problem = f"wrong: error {self.error:.1e}"
            return
        self._calls = 1
        self._calls = max(1, round(seconds / self._time()))

    def _time(self) -> float:
        self._pipe.send(self._calls)
        taken: float = self._pipe.recv()
        return taken

    def measure(self) -> None:
        self.seconds.append(self._time())

    def end(self) -> None:
        if self._process.is_alive():
            self._pipe.send(0)
        self._process.join()


def compare(task: Task, names: list[str], rounds: int, seconds: float) -> list[Side]:
    """Returns the sides with the times of each round."""
    os.environ["OMP_NUM_THREADS"] = str(task.threads)
    expected = task.model.compute_expected()
    sides = []
    for name in names:  # one after the other: preparing takes all processors and much memory
        sides.append(Side(name, task))
        sides[-1].prepare(expected, MUST[task.type], seconds)
    taking_part = [side for side in sides if not side.problem]
    draw = random.Random(0)
    for _ in range(rounds):
        for side in draw.sample(taking_part, len(taking_part)):
            if task.threads > 1:
                time.sleep(SPIN)
            side.measure()
    for side in sides:
        side.end()
    return sides


def describe(side: Side, baseline: Side) -> dict[str, Any]:
    if side.problem:
        return {"side": side.name, "problem": side.problem}
    found = {
        "side": side.name,
        "variant": side.variant,
        "milliseconds": median(side.seconds) * 1e3,
        "error": side.error,
        "prepared_seconds": side.prepared,
    }
    if not baseline.problem:
        found["ratio"], found["interval"] = compare_pairs(side.seconds, baseline.seconds)
    return found


def report(task: Task, sides: list[Side]) -> dict[str, Any]:
    """Prints a table in Markdown, and returns its figures."""
    (baseline,) = (side for side in sides if side.name == BASELINE)
    found = [describe(side, baseline) for side in sides]
    print(f"\n{task.name}, {task.type}, {task.threads} thread{'s' * (task.threads > 1)}\n")
    print("| side | ms | time / default | error | prepared |\n| --- | --- | --- | --- | --- |")
    for row in found:
        name = row["side"] + (f" ({row['variant']})" if row.get("variant") else "")
        if "problem" in row:
            print(f"| {name} | {row['problem']} | | | |")
            continue
        ratio = ""
        if "ratio" in row:
            ratio = "{:.2f} [{:.2f}, {:.2f}]".format(row["ratio"], *row["interval"])
        times = f"{row['milliseconds']:.3f} | {ratio} | {row['error']:.1e}"
        print(f"| {name} | {times} | {row['prepared_seconds']:.0f} s |", flush=True)
    return {"model": task.name, "type": task.type, "threads": task.threads, "sides": found}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.replace("%", "%%"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [model.name for model in FULL]
    parser.add_argument("models", nargs="*", metavar="MODEL", choices=[*names, []])
    parser.add_argument("--tuned", type=pathlib.Path, help="folder of tuned modules")
    parser.add_argument("--threads", default="1,2", help="numbers of threads")
    parser.add_argument("--type", choices=TYPES, default="f32")
    parser.add_argument("--sides", default=",".join(SIDES))
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=0.05, help="of a side in a round")
    parser.add_argument("--json", type=pathlib.Path, help="write all figures to this file")
    options = parser.parse_args()
    sides = [BASELINE, *(s for s in options.sides.split(",") if s != BASELINE)]
    figures = []
    for threads in map(int, options.threads.split(",")):
        if threads > len(os.sched_getaffinity(0)):
            sys.exit(f"compare.py: {threads} threads need as many processors")
        for name in options.models or names:
            task = Task(name, threads, options.type, options.tuned)
            figures.append(report(task, compare(task, sides, options.rounds, options.seconds)))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
