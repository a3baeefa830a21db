#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints how fast tuned kernels are on this machine's CPU, beside others.

Each kernel of cases.py is tuned and shipped, its default too, and opponents are
compiled: C code by clang and g++, with and without fast mathematics, and calls
of OpenBLAS, in the fastest core type that this processor runs. Then
tonno-benchmark-host verifies that all of a case compute the same, and times
them: in passes over all cases in random order, each time in other memory, all
sides of a case in rounds of a random order, all of them cold or all warm.

A ratio is an opponent's time over the tuned kernel's: over 1 ours is faster. It
is the geometric mean over passes, with its 95 % interval from their spread. The
opponent is the one that took least.

    run.py --build=build --quick --only='softmax|transpose'

The processor should have nothing else to do. Kernels are tuned through a cache
in --keep's folder, so that a second run there tunes nothing again, and one with
--effort=none measures what was tuned before, and defaults.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Any

import opponents
import report
from cases import Case, Row, all_rows
from opponents import BLAS_LIBRARY, BlasChoice, CompileError, Compiler, Opponent

KERNELS = pathlib.Path(__file__).resolve().parent / "kernels"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, required=True, help="tonno's build tree")
    parser.add_argument("--only", default="", help="a regular expression of rows and cases")
    parser.add_argument("--quick", action="store_true", help="15 s a kernel, 4 passes of 5 rounds")
    parser.add_argument("--budget-seconds", type=float, help="of tuning a kernel; 120")
    parser.add_argument("--budget-trials", type=int, help="of tuning a kernel")
    parser.add_argument("--effort", help="tonno-tune's: full, quick (with --quick), or none")
    parser.add_argument("--passes", type=int, help="over all cases, at least 3; 8")
    parser.add_argument("--rounds", type=int, help="of a case in a pass, at least 3; 10")
    parser.add_argument("--cache-state", choices=["cold", "warm"], default="cold")
    parser.add_argument("--seed", type=int, default=0, help="of searches, data, order and layouts")
    parser.add_argument("--keep", type=pathlib.Path, help="leave binaries and cache in this folder")
    parser.add_argument("--json", type=pathlib.Path, help="write all figures to this file")
    parser.add_argument("--kernels", type=pathlib.Path, help="only write the kernels there")
    parser.add_argument("--list", action="store_true", help="only name the rows and cases")
    arguments = parser.parse_args()
    quick = {"budget_seconds": 15.0, "passes": 4, "rounds": 5}
    thorough = {"budget_seconds": 120.0, "passes": 8, "rounds": 10}
    for name, value in (quick if arguments.quick else thorough).items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    arguments.effort = arguments.effort or ("quick" if arguments.quick else "full")
    return arguments


def choose_rows(pattern: str) -> list[Row]:
    """Rows that match whole; else their cases that do."""
    rows = []
    for row in all_rows():
        if re.search(pattern, row.name):
            rows.append(row)
        elif cases := [case for case in row.cases if re.search(pattern, case.name)]:
            rows.append(dataclasses.replace(row, cases=cases))
    return rows


def file_name(case: Case) -> str:
    return re.sub(r"\W+", "_", case.name)


def write_kernel(case: Case, path: pathlib.Path) -> None:
    text = (KERNELS / f"{case.kernel}.mlir").read_text()
    path.write_text(re.sub(r"@([A-Z]+)@", lambda match: str(case.sizes[match.group(1)]), text))


def tell_tuning(tuned: pathlib.Path) -> str:
    """What the tuned IR says of its session."""
    text = tuned.read_text()
    verdict = re.search(r'\bverdict = "([\w-]+)"', text)
    trials = re.search(r"\btrials = (\d+) : i64", text)
    return f"{verdict[1]}, {trials[1]} trials" if verdict and trials else "not tuned"


class Preparation:
    """Tunes kernels and compiles opponents, each case in a folder of its own."""

    def __init__(
        self, arguments: argparse.Namespace, folder: pathlib.Path, needs_blas: bool
    ) -> None:
        self._arguments, self._folder = arguments, folder
        self._compilers: list[Compiler] = opponents.compilers()
        self.driver = arguments.build / "benchmarks" / "tonno-benchmark-host"
        self.blas: BlasChoice | None = None
        self.tunings: dict[str, str] = {}
        self.blas_problem = "" if needs_blas else "no case calls OpenBLAS"
        if not needs_blas:
            return
        try:
            self.blas = opponents.choose_core(self.driver)
        except CompileError as error:
            self.blas_problem = str(error)

    def _ship(self, kernel: pathlib.Path, folder: pathlib.Path, *options: str) -> str:
        """Leaves kernel.so and its plan in the folder; returns what went wrong."""
        folder.mkdir(exist_ok=True)
        tool, output = self._arguments.build / "bin" / "tonno-tune", folder / "tuned.mlir"
        command = [tool, kernel, "-o", output, "--emit=so,plan", *options]
        # What an earlier run has left must not stand for a failure.
        (folder / "kernel.so").unlink(missing_ok=True)
        result = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        (folder / "log").write_text(result.stderr)
        if result.returncode == 0:
            return ""
        errors = [line for line in result.stderr.splitlines() if "error:" in line]
        return (errors or ["tonno-tune failed"])[-1].split("error: ")[-1]

    def _share(self, kernel: pathlib.Path, threads: int) -> pathlib.Path:
        """The kernel with its default space for so many threads."""
        shared = kernel.with_stem(f"{kernel.stem}-threads")
        tool = self._arguments.build / "bin" / "tonno-opt"
        annotate = f"--tonno-annotate=threads={threads}"
        result = subprocess.run(
            [tool, kernel, annotate, "-o", shared], stderr=subprocess.PIPE, text=True, check=False
        )
        if result.returncode != 0:
            raise CompileError(f"{annotate}: {result.stderr}")
        return shared

    def prepare(self, case: Case) -> dict[str, Any]:
        """A case of a specification; raises CompileError where it can't be one."""
        folder = self._folder / file_name(case)
        folder.mkdir(exist_ok=True)
        kernel = folder / "kernel.mlir"
        write_kernel(case, kernel)
        arguments = self._arguments
        options = [
            f"--effort={arguments.effort}",
            f"--seed={arguments.seed}",
            f"--cache-state={arguments.cache_state}",
            f"--cache-dir={self._folder / 'cache'}",
        ]
        if arguments.effort != "none":
            options.append(f"--budget-seconds={arguments.budget_seconds}")
        if arguments.budget_trials:
            options.append(f"--budget-trials={arguments.budget_trials}")
        others = list(opponents.build(case, folder, self._compilers, self.blas is not None))
        if case.threads > 1:
            if problem := self._ship(kernel, folder / "one", *options):
                raise CompileError(f"tuning for one thread failed: {problem}")
            others.append(Opponent("ours, one thread", folder / "one" / "kernel.so"))
            kernel = self._share(kernel, case.threads)
        if problem := self._ship(kernel, folder, *options):
            raise CompileError(f"tuning failed: {problem}")
        if problem := self._ship(kernel, folder / "default", "--effort=none", "--prior=none", "--cache=off"):
            raise CompileError(f"the default failed: {problem}")
        if not others:
            raise CompileError(self.blas_problem)
        self.tunings[case.name] = tell_tuning(folder / "tuned.mlir")
        return {
            "name": case.name,
            "tuned": str(folder / "kernel.so"),
            "default": str(folder / "default" / "kernel.so"),
            "opponents": [{"name": one.name, "library": str(one.library)} for one in others],
        }


def measure(
    arguments: argparse.Namespace, rows: list[Row], folder: pathlib.Path
) -> dict[str, Any]:
    """The driver's figures, with what could not be measured."""
    sources = [source for row in rows for case in row.cases for source in case.sources]
    needs_blas = any(source.calls_blas for source in sources)
    preparation = Preparation(arguments, folder, needs_blas)
    specified = []
    missing: dict[str, str] = {}
    for row in rows:
        cases = []
        for case in row.cases:
            print(case.name, file=sys.stderr, flush=True)
            try:
                cases.append(preparation.prepare(case))
            except CompileError as error:
                missing[case.name] = str(error)
        if cases:
            specified.append({"name": row.name, "cases": cases})
    specification = {
        "cache_state": arguments.cache_state,
        "passes": arguments.passes,
        "rounds": arguments.rounds,
        "seed": arguments.seed,
        "rows": specified,
    }
    blas = preparation.blas
    if blas:
        specification["blas"] = BLAS_LIBRARY
    path = folder / "specification.json"
    path.write_text(json.dumps(specification, indent=1))
    figures: dict[str, Any] = {"rows": []}
    if specified:
        result = subprocess.run(
            [preparation.driver, path],
            env=opponents.blas_environment(blas.core if blas else None),
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if result.returncode != 0:
            sys.exit("run.py: tonno-benchmark-host failed")
        figures = json.loads(result.stdout)
    figures.update(missing_cases=missing, tunings=preparation.tunings)
    figures["blas_speeds"] = dict(blas.speeds) if blas else preparation.blas_problem
    return figures


def main() -> None:
    arguments = parse_arguments()
    rows = choose_rows(arguments.only)
    if not rows:
        sys.exit(f"run.py: no row and no case matches {arguments.only!r}; --list has their names")
    if arguments.list:
        for row in rows:
            print(row.name, *(f"    {case.name}" for case in row.cases), sep="\n")
        return
    if arguments.kernels:
        arguments.kernels.mkdir(parents=True, exist_ok=True)
        for case in (case for row in rows for case in row.cases):
            write_kernel(case, arguments.kernels / f"{file_name(case)}.mlir")
        return
    if lacking := opponents.missing_tools():
        sys.exit(f"run.py: {' and '.join(lacking)} must be on the PATH, for the opponents")
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.keep or pathlib.Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        figures = measure(arguments, rows, folder)
    figures["command"] = " ".join(["run.py", *sys.argv[1:]])
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n")
    print(report.markdown(rows, figures))


if __name__ == "__main__":
    main()
