#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints how many seconds a trial takes in one build of tonno beside another.

Each kernel is tuned by both builds in turn, for some trials of the same random
configurations; no finals are played. What counts is how long the runner took
for a trial: verification and timing, without compilation.

    benchmarks/host/run.py --build=build --kernels=kernels
    benchmarks/gate/trial_seconds.py before/build build kernels/*.mlir

A ratio is the second build's seconds over the first's, of the trials that both
have made. The processor should have nothing else to do.
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import signal
import subprocess
import sys
import tempfile
import time


def trials_of(journal: pathlib.Path) -> dict[str, float]:
    """Returns the seconds of each trial that ran, by its configuration."""
    seconds = {}
    lines = journal.read_text().splitlines() if journal.exists() else []
    for line in lines:
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:  # being written
            continue
        trial = entry.get("trial")
        if isinstance(trial, dict) and "record" in trial:
            trial = trial["record"]
        if trial and trial["status"] in ("ok", "pruned"):
            seconds[json.dumps(trial["values"], sort_keys=True)] = entry["run_seconds"]
    return seconds


def tune(build: pathlib.Path, kernel: pathlib.Path, trials: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        journal = pathlib.Path(folder) / "journal"
        command = [str(build / "bin" / "tonno-tune"), str(kernel), f"--journal={journal}"]
        command += ["--cache=off", "--strategy=random", f"--budget-trials={trials + 1}", "--budget-seconds=600"]
        tuning = subprocess.Popen(
            [*command, "-o", "/dev/null"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while tuning.poll() is None and len(trials_of(journal)) < trials:
            time.sleep(0.05)
        found = trials_of(journal)
        if tuning.poll() is None:
            tuning.send_signal(signal.SIGINT)
        tuning.wait()
        return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=pathlib.Path, help="a build tree")
    parser.add_argument("after", type=pathlib.Path, help="another")
    parser.add_argument("kernels", type=pathlib.Path, nargs="+")
    parser.add_argument("--trials", type=int, default=8, help="of each session")
    parser.add_argument("--sessions", type=int, default=2, help="of each kernel by each build")
    arguments = parser.parse_args()
    logs = []
    for kernel in arguments.kernels:
        sums = [0.0, 0.0]
        count = 0
        for _ in range(arguments.sessions):
            pair = [
                tune(build, kernel, arguments.trials)
                for build in (arguments.before, arguments.after)
            ]
            for values in pair[0].keys() & pair[1].keys():
                sums = [sums[0] + pair[0][values], sums[1] + pair[1][values]]
                count += 1
        if count == 0:
            print(f"{kernel.stem}: no trial that both made")
            continue
        ratio = sums[1] / sums[0]
        logs.append(math.log(ratio))
        print(f"{kernel.stem}: {sums[0] / count:.3f} s, {sums[1] / count:.3f} s: {ratio:.3f}")
        sys.stdout.flush()
    if logs:
        mean = sum(logs) / len(logs)
        print(f"geometric mean of {len(logs)} kernels: {math.exp(mean):.3f}")
    return 0 if logs else 1


if __name__ == "__main__":
    sys.exit(main())
