# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every suite of a build tree; the last line sums them up.

    run_suites.py <build tree>

Started by scripts/test.sh with the Python of the tree's virtual environment.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import json
import os
import pathlib
import subprocess
import sys
import time

import junit

TIME_LIMIT_SECONDS = 1800
SOURCE = pathlib.Path(__file__).resolve().parent.parent


@dataclasses.dataclass
class Suite:
    name: str
    command: list[str]
    report: pathlib.Path
    alone: bool = True
    """Nothing runs beside it; what it prints is seen at once."""
    cost: float = 0
    """Of those that run side by side the one of most cost begins."""


def unit_suites(build: pathlib.Path) -> list[Suite]:
    """The GoogleTest executables that CMake registered with CTest."""
    listing = subprocess.run(
        ["ctest", "--test-dir", str(build), "--show-only=json-v1"],
        check=True,
        stdout=subprocess.PIPE,
    )
    tests = json.loads(listing.stdout)["tests"]
    suites = []
    for test in tests:
        if not test.get("command"):
            continue
        executable = pathlib.Path(test["command"][0])
        report = build / "reports" / f"{executable.name}.xml"
        command = [str(executable), "--gtest_brief=1", f"--gtest_output=xml:{report}"]
        known = {one["name"]: one["value"] for one in test["properties"]}
        alone, cost = known.get("RUN_SERIAL", False), known.get("COST", 0.0)
        suites.append(Suite(executable.name, command, report, alone, cost))
    return suites


def all_suites(build: pathlib.Path) -> list[Suite]:
    reports = build / "reports"
    suites = unit_suites(build)
    report = reports / "lit.xml"
    lit = [str(build / "venv/bin/lit"), "-v", f"--xunit-xml-output={report}"]
    suites.append(Suite("lit", lit + [str(build / "test")], report))
    report = reports / "python.xml"
    install = [str(SOURCE / "scripts/test_python.sh"), str(build), str(report)]
    suites.append(Suite("python", install, report))
    report = reports / "house.xml"
    pytest = [sys.executable, "-m", "pytest", "-q", "-rs", f"--junitxml={report}"]
    suites.append(Suite("house", pytest + [str(SOURCE / "test/house")], report))
    report = reports / "fuzz.xml"
    pytest = [sys.executable, "-m", "pytest", "-q", "-rs", f"--junitxml={report}"]
    suites.append(Suite("fuzz", pytest + [str(SOURCE / "test/fuzz")], report))
    return suites


def run(suite: Suite, build: pathlib.Path) -> junit.Counts:
    heading = f"\n=== {suite.name}: {' '.join(suite.command)}"
    if suite.alone:
        print(heading, flush=True)
    # An older report must not speak for a suite that crashes now.
    suite.report.unlink(missing_ok=True)
    environment = dict(os.environ, TONNO_BUILD_DIR=str(build))
    # timeout(1) ends the suite's children too.
    limited = ["timeout", "--kill-after=10", str(TIME_LIMIT_SECONDS), *suite.command]
    start = time.monotonic()
    ended = subprocess.run(
        limited,
        env=environment,
        stdout=None if suite.alone else subprocess.PIPE,
        stderr=None if suite.alone else subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    seconds = time.monotonic() - start
    counts, problem = junit.judge(suite.report, ended.returncode)
    told = f"; {problem}" if problem else ""
    said = "" if suite.alone else f"{heading}\n{ended.stdout}"
    print(f"{said}=== {suite.name}: {counts} in {seconds:.0f} s{told}", flush=True)
    return counts


def run_all(suites: list[Suite], build: pathlib.Path) -> dict[str, junit.Counts]:
    """First those that bear others beside them, as many at a time as there are
    processors; then one after another."""
    run_here = functools.partial(run, build=build)
    beside = [suite for suite in suites if not suite.alone]
    beside.sort(key=lambda suite: -suite.cost)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip((suite.name for suite in beside), pool.map(run_here, beside)))
    found.update((suite.name, run_here(suite)) for suite in suites if suite.alone)
    return {suite.name: found[suite.name] for suite in suites}


def main() -> int:
    build = pathlib.Path(sys.argv[1]).resolve()
    (build / "reports").mkdir(exist_ok=True)
    counts = run_all(all_suites(build), build)
    print()
    for name, suite_counts in counts.items():
        print(f"{name}: {suite_counts}")
    if not any(name.startswith("tonno-unit-") for name in counts):
        print("no unit test is registered with CTest")
        counts["unit"] = junit.Counts(failed=1)
    total = sum(counts.values(), junit.Counts())
    print(total, flush=True)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
