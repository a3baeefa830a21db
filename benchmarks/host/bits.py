#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints which share of the speed-up is left if results keep the default's bits.

Each kernel of cases.py for one thread is tuned twice, freely and with
--bits=same, with the same budget and seed. The share is the speed-up with the
same bits over the free one, each over the default in its own final test. A tie
counts as 1. The geometric mean over all cases ends the table.

    bits.py --build=build --budget-trials=60 --budget-seconds=30
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

from run import choose_rows, file_name, write_kernel


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, required=True, help="tonno's build tree")
    parser.add_argument("--only", default="", help="a regular expression of rows and cases")
    parser.add_argument("--budget-seconds", type=float, default=30, help="of tuning a kernel once")
    parser.add_argument("--budget-trials", type=int, default=60, help="of tuning a kernel once")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=pathlib.Path, help="write all figures to this file")
    return parser.parse_args()


def tune(arguments: argparse.Namespace, kernel: pathlib.Path, bits: str) -> dict[str, Any]:
    """The decision of one session, which reads and writes no cache."""
    report = kernel.with_suffix(f".{bits}.json")
    command = [arguments.build / "bin" / "tonno-tune", kernel, f"--bits={bits}", "--cache=off"]
    command += [f"--budget-trials={arguments.budget_trials}", f"--seed={arguments.seed}"]
    command += [f"--budget-seconds={arguments.budget_seconds}", "--when-busy=measure"]
    command += [f"--report={report}", "-o", kernel.with_suffix(".tuned.mlir")]
    result = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{kernel.stem}, --bits={bits}: {result.stderr.splitlines()[-1]}")
    return json.loads(report.read_text())["kernels"][0]


def find_speedup(decision: dict[str, Any]) -> float:
    comparison = decision["decision"]["comparison"]
    return comparison["speedup"] if decision["verdict"] == "faster" else 1.0


def count(decision: dict[str, Any], status: str) -> int:
    return sum(trial["status"] == status for trial in decision["trials"])


def main() -> int:
    arguments = parse_arguments()
    shares, figures = [], []
    print(f"{'case':34} {'free':>6} {'same':>6} {'share':>6}  trials with other bits")
    with tempfile.TemporaryDirectory(prefix="tonno-bits-") as folder:
        cases = [case for row in choose_rows(arguments.only) for case in row.cases]
        for case in cases:
            if case.threads > 1:
                continue
            kernel = pathlib.Path(folder, f"{file_name(case)}.mlir")
            write_kernel(case, kernel)
            try:
                free, same = (tune(arguments, kernel, bits) for bits in ("free", "same"))
            except RuntimeError as error:
                print(error, flush=True)
                continue
            speedups = find_speedup(free), find_speedup(same)
            shares.append(speedups[1] / speedups[0])
            others = f"{count(same, 'different_bits')} of {len(same['trials'])}"
            print(
                f"{case.name:34} {speedups[0]:6.3f} {speedups[1]:6.3f} {shares[-1]:6.3f}  {others}",
                flush=True,
            )
            figures.append({"case": case.name, "free": free, "same": same})
    if not shares:
        return 1
    mean = math.exp(sum(map(math.log, shares)) / len(shares))
    print(f"{len(shares)} cases, geometric mean of the shares {mean:.3f}, least {min(shares):.3f}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"share": mean, "cases": figures}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
