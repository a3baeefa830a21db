# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every suite of a build tree; the last line sums them up.

    run_suites.py <build tree>

Started by scripts/test.sh with the Python of the tree's virtual environment.
"""

from __future__ import annotations

import dataclasses
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


def unit_executables(build: pathlib.Path) -> list[pathlib.Path]:
    """The GoogleTest executables that CMake registered with CTest."""
    listing = subprocess.run(
        ["ctest", "--test-dir", str(build), "--show-only=json-v1"],
        check=True,
        stdout=subprocess.PIPE,
    )
    tests = json.loads(listing.stdout)["tests"]
    commands = [test["command"][0] for test in tests if test.get("command")]
    return [pathlib.Path(command) for command in dict.fromkeys(commands)]


def all_suites(build: pathlib.Path) -> list[Suite]:
    reports = build / "reports"
    suites = []
    for executable in unit_executables(build):
        report = reports / f"{executable.name}.xml"
        command = [str(executable), "--gtest_brief=1", f"--gtest_output=xml:{report}"]
        suites.append(Suite(executable.name, command, report))
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
    print(f"\n=== {suite.name}: {' '.join(suite.command)}", flush=True)
    # An older report must not speak for a suite that crashes now.
    suite.report.unlink(missing_ok=True)
    environment = dict(os.environ, TONNO_BUILD_DIR=str(build))
    # timeout(1) ends the suite's children too.
    limited = ["timeout", "--kill-after=10", str(TIME_LIMIT_SECONDS), *suite.command]
    start = time.monotonic()
    status = subprocess.run(limited, env=environment).returncode
    seconds = time.monotonic() - start
    counts, problem = junit.judge(suite.report, status)
    told = f"; {problem}" if problem else ""
    print(f"=== {suite.name}: {counts} in {seconds:.0f} s{told}", flush=True)
    return counts


def main() -> int:
    build = pathlib.Path(sys.argv[1]).resolve()
    (build / "reports").mkdir(exist_ok=True)
    suites = all_suites(build)
    counts = {suite.name: run(suite, build) for suite in suites}
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
