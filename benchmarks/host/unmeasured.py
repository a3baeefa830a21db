#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what --effort=none chooses by a prior, and the default, with the winner.

    unmeasured.py --build=build [--only=REGEX] [--seconds=15] [--prior=FILE] [KERNEL.mlir]...

Without files, the kernels of the host table on one thread. All three binaries of a kernel are
timed in turn, 4 times in processes of their own. A ratio is a share of the winner's speed, with
the interval over these passes.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

from run import choose_rows, file_name, write_kernel


def ship(build: pathlib.Path, kernel: pathlib.Path, folder: pathlib.Path, *options: str) -> str:
    """Returns the library, which is in the folder with its plan."""
    folder.mkdir()
    done = subprocess.run(
        [
            build / "bin/tonno-tune",
            kernel,
            "-o",
            folder / "tuned.mlir",
            "--emit=so,plan",
            "--cache=off",
            *options,
        ],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    (library,) = folder.glob("*.so")
    return str(library)


def specify(given: argparse.Namespace, kernel: pathlib.Path, folder: pathlib.Path) -> dict[str, object]:
    """A case of the driver's specification."""
    folder.mkdir()
    budget = f"--budget-seconds={given.seconds}"
    build, none = given.build, "--effort=none"
    expected = ship(build, kernel, folder / "expected", none, *given.prior)
    return {
        "name": kernel.stem,
        "tuned": ship(build, kernel, folder / "tuned", budget, *given.prior),
        "default": ship(build, kernel, folder / "default", none, "--prior=none"),
        "opponents": [{"name": "expected", "library": expected}],
    }


def read_ratios(case: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The times of the default and of what is expected over the winner's."""
    sides = {side["name"]: side for side in case["sides"]}
    if any("problem" in side for side in sides.values()):
        return None
    # The driver does not time a default that is the winner.
    return [sides.get("default", sides["tuned"])["ratio"], sides["expected"]["ratio"]]


def share(ratio: dict[str, Any]) -> str:
    """The share of the winner's speed."""
    low, high = (1 / bound for bound in reversed(ratio["interval"]))
    return f"{1 / ratio['value']:.2f} [{low:.2f}, {high:.2f}]"


def find_kernels(given: argparse.Namespace, folder: pathlib.Path) -> Iterator[pathlib.Path]:
    yield from given.kernels
    if given.kernels:
        return
    for row in choose_rows(given.only):
        for case in row.cases:
            if case.threads == 1:
                kernel = folder / f"{file_name(case)}.mlir"
                write_kernel(case, kernel)
                yield kernel


def measure(given: argparse.Namespace, folder: pathlib.Path) -> list[dict[str, Any]]:
    cases = []
    for kernel in find_kernels(given, folder):
        print(kernel.stem, file=sys.stderr, flush=True)
        try:
            cases.append(specify(given, kernel, folder / kernel.stem))
        except RuntimeError as error:
            print(error, file=sys.stderr, flush=True)
    rows = [{"name": "kernels", "cases": cases}]
    text = {"cache_state": "cold", "passes": 4, "rounds": 5, "seed": 0, "rows": rows}
    specification = folder / "specification.json"
    specification.write_text(json.dumps(text))
    done = subprocess.run(
        [given.build / "benchmarks/tonno-benchmark-host", specification],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    (row,) = json.loads(done.stdout)["rows"]
    return list(row["cases"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", type=pathlib.Path, nargs="*")
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--prior", type=lambda file: [f"--prior={file}"], default=[])
    given = parser.parse_args()
    print("| kernel | default | expected by the prior |\n| --- | --- | --- |")
    found = []
    with tempfile.TemporaryDirectory() as temporary:
        for case in measure(given, pathlib.Path(temporary)):
            ratios = read_ratios(case)
            if ratios:
                found.append([1 / ratio["value"] for ratio in ratios])
            shares = map(share, ratios) if ratios else ("not measured", "")
            print("|", " | ".join([case["name"], *shares]), "|")
    means = map(statistics.geometric_mean, zip(*found, strict=True))
    print("| geometric mean |", " | ".join(f"{mean:.3f}" for mean in means), "|")


if __name__ == "__main__":
    main()
