#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints how fast default and tuned kernels are beside IREE's, on one core.

    pip install iree-base-compiler iree-base-runtime
    iree.py --build=build --iree=FOLDER_OF_IREE_COMPILE

Each kernel of kernels/windows, or of the files given, is compiled by tonno as it
is by default, tuned, and compiled by IREE for this processor with each of the
options below, of which the fastest counts. They are timed warm, in passes: in
each, tonno-benchmark-host times ours in rounds of a random order, and then
iree-benchmark-module IREE's, which takes the median of some repetitions.

A ratio is the median over passes, with the least and the largest. Over 1 tonno's
default is faster than IREE's code, or as fast as the tuned one.

The processor should have nothing else to do.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

KERNELS = pathlib.Path(__file__).resolve().parent / "kernels" / "windows"
TARGET = [
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
]
VARIANTS = {
    "O2": ["--iree-opt-level=O2"],
    "O3": ["--iree-opt-level=O3"],
    "O3, microkernels": ["--iree-opt-level=O3", "--iree-llvmcpu-enable-ukernels=all"],
}
DEFAULT_OF_TUNED = 0.87
DEFAULT_OF_IREE = 0.9


def run(*command: object) -> str:
    ended = subprocess.run(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False
    )
    if ended.returncode != 0:
        lines = [line for line in ended.stderr.splitlines() if "error" in line] or ["it failed"]
        raise RuntimeError(f"{pathlib.Path(str(command[0])).name}: {lines[0]}")
    return ended.stdout


def inputs_of(kernel: str) -> list[str]:
    """Returns options by which iree-benchmark-module passes tensors of ones."""
    signature = re.search(r"func\.func @kernel\((.*?)\) ->", kernel)
    if not signature:
        raise RuntimeError("has no function @kernel")
    return [f"--input={shape}=1" for shape in re.findall(r"tensor<([^>]*)>", signature[1])]


class Contest:
    """A kernel's binaries in a folder."""

    def __init__(self, arguments: argparse.Namespace, kernel: pathlib.Path, folder: pathlib.Path) -> None:
        self._build, self._iree, self._folder = arguments.build, arguments.iree, folder
        self._inputs = inputs_of(kernel.read_text())
        tune = [arguments.build / "bin/tonno-tune", kernel, "--emit=so,plan"]
        for side, options in {
            "default": ["--effort=none", "--prior=none", "--cache=off"],
            "tuned": [
                f"--budget-seconds={arguments.budget_seconds}",
                "--cache-state=warm",
                f"--cache-dir={arguments.cache or folder / 'cache'}",
            ],
        }.items():
            (folder / side).mkdir()
            run(*tune, "-o", folder / side / "tuned.mlir", *options)
        self._variants = []
        for name, options in VARIANTS.items():
            run(arguments.iree / "iree-compile", kernel, *TARGET, *options, "-o", folder / f"{name}.vmfb")
            self._variants.append(name)

    def time_ours(self, seed: int) -> tuple[float, float]:
        """Seconds of a launch of the default, and of the tuned kernel."""
        specification = self._folder / "specification.json"
        case = {
            "name": "kernel",
            "tuned": str(self._folder / "tuned/kernel.so"),
            "default": str(self._folder / "default/kernel.so"),
            "opponents": [],
        }
        text = {"cache_state": "warm", "passes": 3, "rounds": 10, "seed": seed}
        specification.write_text(json.dumps({**text, "rows": [{"name": "row", "cases": [case]}]}))
        found = json.loads(run(self._build / "benchmarks/tonno-benchmark-host", specification))
        (row,) = found["rows"]
        sides = {side["name"]: side for side in row["cases"][0]["sides"]}
        tuned = sides["tuned"]["seconds"]
        return sides["default"]["seconds"] if "default" in sides else tuned, tuned

    def time_iree(self) -> dict[str, float]:
        """Returns the seconds of a call by variant. Variants that take 1.2 times as long as
        the best are left out from then on."""
        seconds = {}
        for name in self._variants:
            printed = run(
                self._iree / "iree-benchmark-module",
                "--device=local-sync",
                f"--module={self._folder / name}.vmfb",
                "--function=kernel",
                "--benchmark_format=json",
                "--benchmark_min_time=0.05s",
                "--benchmark_repetitions=7",
                *self._inputs,
            )
            (timed,) = [
                one
                for one in json.loads(printed)["benchmarks"]
                if one.get("aggregate_name") == "median"
            ]
            scale = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[timed["time_unit"]]
            seconds[name] = timed["real_time"] * scale
        least = min(seconds.values())
        self._variants = [name for name in self._variants if seconds[name] <= 1.2 * least]
        return seconds


def interval(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.2f} [{min(ratios):.2f}, {max(ratios):.2f}]"


def row_of(arguments: argparse.Namespace, kernel: pathlib.Path) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        contest = Contest(arguments, kernel, pathlib.Path(folder))
        passes = [(contest.time_ours(seed), contest.time_iree()) for seed in range(arguments.passes)]
    of_tuned = [tuned / default for (default, tuned), _ in passes]
    of_iree = [min(iree.values()) / default for (default, _), iree in passes]
    name = min(passes[-1][1], key=lambda variant: passes[-1][1][variant])
    microseconds = statistics.median(default for (default, _), _ in passes) * 1e6
    verdicts = [
        statistics.median(of_tuned) >= DEFAULT_OF_TUNED,
        statistics.median(of_iree) >= DEFAULT_OF_IREE,
    ]
    return [
        kernel.stem,
        f"{microseconds:.0f} us",
        interval(of_tuned),
        interval(of_iree),
        name,
        "yes" if all(verdicts) else "**no**",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kernels", type=pathlib.Path, nargs="*", help="files, each with a function @kernel")
    parser.add_argument("--build", type=pathlib.Path, required=True, help="tonno's build tree")
    parser.add_argument("--iree", type=pathlib.Path, required=True, help="the folder with iree-compile")
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--budget-seconds", type=float, default=20, help="of tuning a kernel")
    parser.add_argument("--cache", type=pathlib.Path, help="of tuned kernels, kept from run to run")
    arguments = parser.parse_args()
    print("| kernel | default | default of tuned | default of IREE | IREE's options | reached |")
    print("| --- | --- | --- | --- | --- | --- |")
    for kernel in arguments.kernels or sorted(KERNELS.glob("*.mlir")):
        try:
            print(f"| {' | '.join(row_of(arguments, kernel))} |", flush=True)
        except RuntimeError as error:
            print(f"| {kernel.stem} | not measured: {error} | | | | |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
