#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds fuzzers with sanitizers and runs them; started by fuzz.sh.

    run_fuzzers.py [--seconds=N] [--all | NAME...]
"""

from __future__ import annotations

import argparse
import collections.abc
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import changed_files
import fuzz_selection

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 20
CORPORA = ROOT / "test/fuzz/corpus"
UNCHANGED = "its reader did not change; scripts/fuzz.sh --all runs it"


@dataclasses.dataclass(frozen=True)
class Run:
    """How a fuzzer ended."""

    name: str
    seconds: int
    status: int
    said: str

    @property
    def statistics(self) -> str | None:
        """How much was tried; None if the fuzzer does not report it."""
        inputs = re.findall(r"^stat::number_of_executed_units: *(\d+)$", self.said, re.M)
        coverage = re.findall(r"cov: \d+ ft: \d+", self.said)
        if not inputs or not coverage:
            return None
        return f"{inputs[-1]} inputs in {self.seconds} s, {coverage[-1]}"

    @property
    def inputs(self) -> list[str]:
        """The inputs that libFuzzer kept since something is wrong with them."""
        return re.findall(r"Test unit written to (.+)$", self.said, re.M)

    @property
    def failure(self) -> str | None:
        """What is wrong, with the end of the output; None if nothing is."""
        if self.status == 0 and self.statistics:
            return None
        where = "".join(f"; the input is in {path}" for path in self.inputs)
        ended = f"exit status {self.status}" if self.status else "no statistics"
        return f"{ended}{where}\n{self.said[-4000:]}"


def tree_of(build: pathlib.Path) -> pathlib.Path:
    """Returns where the fuzzers of a build tree are built."""
    return build / "fuzz"


def build(tree: pathlib.Path, names: collections.abc.Iterable[str]) -> None:
    """Builds the fuzzers in `tree`. Raises subprocess.CalledProcessError."""
    targets = [f"tonno-fuzz-{name}" for name in names]
    subprocess.run(["cmake", "--preset", "fuzz", "-B", tree], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", tree, "--target", *targets], check=True)


def run(tree: pathlib.Path, name: str, seconds: int = SECONDS) -> Run:
    """Runs a fuzzer that is built, starting from its corpus."""
    found = tree / "found"
    found.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as fresh, tempfile.TemporaryDirectory() as files:
        done = subprocess.run(
            [
                tree / f"bin/tonno-fuzz-{name}",
                f"-max_total_time={seconds}",
                "-timeout=120",
                "-rss_limit_mb=2048",
                "-print_final_stats=1",
                f"-artifact_prefix={found}/{name}-",
                fresh,
                CORPORA / name,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=os.environ | {"TMPDIR": files},
        )
    return Run(name, seconds, done.returncode, done.stdout)


def run_all(
    tree: pathlib.Path, names: collections.abc.Iterable[str], seconds: int = SECONDS
) -> dict[str, concurrent.futures.Future[Run]]:
    """Starts the fuzzers, as many at a time as there are processors."""
    pool = concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    runs = {name: pool.submit(run, tree, name, seconds) for name in names}
    pool.shutdown(wait=False)
    return runs


def _selected(wanted: argparse.Namespace, names: list[str]) -> list[str]:
    if wanted.all or wanted.names:
        return wanted.names or names
    changes = changed_files.find(ROOT)
    print(f"fuzz: {changes}")
    selected = fuzz_selection.changed(changes)
    for name in names:
        if name not in selected:
            print(f"fuzz: {name}: not run: {UNCHANGED}")
    return selected


def main(arguments: list[str]) -> int:
    names = fuzz_selection.fuzzers()
    parser = argparse.ArgumentParser(prog="fuzz.sh")
    parser.add_argument("--seconds", type=int, default=SECONDS)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    wanted = parser.parse_args(arguments)
    if unknown := set(wanted.names) - set(names):
        listed = ", ".join(names)
        parser.error(f"unknown fuzzer {', '.join(sorted(unknown))}; there are {listed}")
    selected = _selected(wanted, names)
    tree = tree_of(pathlib.Path(os.environ.get("TONNO_BUILD_DIR", ROOT / "build")).resolve())
    if selected:
        build(tree, selected)
    failed = 0
    runs = run_all(tree, selected, wanted.seconds)
    for future in concurrent.futures.as_completed(runs.values()):
        ended = future.result()
        failed += ended.failure is not None
        outcome = f"FAILED: {ended.failure}" if ended.failure else f"ok: {ended.statistics}"
        print(f"fuzz: {ended.name}: {outcome}", flush=True)
    passed, left = len(selected) - failed, len(names) - len(selected)
    print(f"fuzz: {passed} passed, {failed} failed, {left} not run")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
