# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every suite of a build tree; the last line sums them up.

    run_suites.py <build tree>

Prints the output of suites that fail. Tests that fail are run again, alone: those
that pass then are named, and count as passed. The others are listed at the end.

Started by scripts/test.sh with the Python of the tree's virtual environment.
"""

from __future__ import annotations

import collections
import concurrent.futures
import dataclasses
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import junit

TIME_LIMIT_SECONDS = 3000
SOURCE = pathlib.Path(__file__).resolve().parent.parent
UNTIMED_PYTHON = ("models_networks", "models_run", "package")
"""The slowest tests of the Python package that time nothing."""
RUN_AGAIN_LIMIT = 10
"""More failed tests than this have a cause that another run does not change."""


@dataclasses.dataclass
class Suite:
    name: str
    command: list[str]
    report: pathlib.Path
    is_timed: bool = False
    """Measures times: no other timed suite runs beside it, and the others only
    get processors that it leaves idle."""
    cost: float = 0
    """Seconds, roughly: of the suites that are not timed, the longest starts."""
    select: Callable[[list[junit.Test]], list[str]] | None = None
    """Options that let the command run only the given tests."""


@dataclasses.dataclass
class Outcome:
    counts: junit.Counts
    seconds: float
    processor_seconds: float
    """Of all its processes: the seconds are more for a suite that waits for others."""


def printable(text: str) -> str:
    """The text without control characters: what a tool shows of a log with binary
    data in it hides the line that matters."""
    return "".join(c if c.isprintable() or c in "\n\t" else "." for c in text)


def select_unit_tests(tests: list[junit.Test]) -> list[str]:
    return ["--gtest_filter=" + ":".join(test.full_name for test in tests)]


def select_lit_tests(tests: list[junit.Test]) -> list[str]:
    # The class is the suite and the folder: tonno.Dialect/Tonno.
    paths = (f"{test.class_name.partition('.')[2]}/{test.name}" for test in tests)
    return [f"--filter= :: ({'|'.join(map(re.escape, paths))})$"]


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
        is_timed, cost = known.get("RUN_SERIAL", False), known.get("COST", 0.0)
        suites.append(
            Suite(executable.name, command, report, is_timed, cost, select_unit_tests)
        )
    return suites


def lit_suite(build: pathlib.Path, name: str, *options: str, **kinds: Any) -> Suite:
    report = build / "reports" / f"{name}.xml"
    command = [str(build / "venv/bin/lit"), "-v", f"--xunit-xml-output={report}", *options]
    return Suite(name, [*command, str(build / "test")], report, select=select_lit_tests, **kinds)


def pytest_suite(build: pathlib.Path, name: str, *arguments: str, **kinds: Any) -> Suite:
    report = build / "reports" / f"{name}.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-rs", f"--junitxml={report}"]
    # Each suite remembers its own failed tests.
    command += ["-o", f"cache_dir={build}/reports/{name}.cache"]
    return Suite(name, [*command, *arguments], report, select=lambda _: ["--last-failed"], **kinds)


def all_suites(build: pathlib.Path) -> list[Suite]:
    tests = SOURCE / "python/tests"
    package = [f"--rootdir={SOURCE}/python"]
    opencl = [str(path) for path in sorted(tests.glob("test_opencl*.py"))]
    untimed = [str(tests / f"test_{name}.py") for name in UNTIMED_PYTHON]
    others = [f"--ignore={path}" for path in opencl + untimed]
    return [
        *unit_suites(build),
        lit_suite(build, "lit", "--param=timed=no", cost=150),
        lit_suite(build, "lit-timed", "--param=timed=only", is_timed=True),
        # It tunes, too: with idle processors it would keep others from the device.
        pytest_suite(build, "python", *package, *others, str(tests), is_timed=True),
        pytest_suite(build, "python-untimed", *package, *untimed, cost=130),
        pytest_suite(build, "python-opencl", *package, *opencl, is_timed=True),
        pytest_suite(build, "models", str(SOURCE / "test/models"), is_timed=True),
        pytest_suite(build, "editor", str(SOURCE / "test/editor"), cost=60),
        pytest_suite(build, "docs", str(SOURCE / "test/docs"), is_timed=True),
        pytest_suite(build, "house", str(SOURCE / "test/house"), cost=160),
        pytest_suite(build, "fuzz", str(SOURCE / "test/fuzz"), cost=400),
        pytest_suite(build, "emulator", str(SOURCE / "test/emulator"), cost=60),
    ]


def limited(suite: Suite) -> list[str]:
    """The suite's command, which ends with its children after TIME_LIMIT_SECONDS.
    Suites that are not timed get the scheduling class of idle processes."""
    idle = ["chrt", "--idle", "0"] if not suite.is_timed and shutil.which("chrt") else []
    return [*idle, "timeout", "--kill-after=10", str(TIME_LIMIT_SECONDS), *suite.command]


def run(suite: Suite, build: pathlib.Path) -> Outcome:
    # An older report must not speak for a suite that crashes now.
    suite.report.unlink(missing_ok=True)
    start = time.monotonic()
    # In the build tree, so that the Python package is the installed one.
    process = subprocess.Popen(
        limited(suite),
        cwd=build,
        env=dict(os.environ, TONNO_BUILD_DIR=str(build)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None
    with process.stdout as stdout:
        printed = stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - start
    counts, problem = junit.judge(suite.report, process.returncode)
    told = f"; {problem}" if problem else ""
    if counts.failed:
        log = f"\n=== {suite.name}: {' '.join(suite.command)}\n{printable(printed)}"
    else:
        log = ""
    print(f"{log}=== {suite.name}: {counts} in {seconds:.0f} s{told}", flush=True)
    return Outcome(counts, seconds, usage.ru_utime + usage.ru_stime)


def run_all(suites: list[Suite], build: pathlib.Path) -> dict[str, Outcome]:
    """Runs timed suites one after another, and the others beside them, as many at
    a time as there are processors."""
    run_here = functools.partial(run, build=build)
    timed = [suite for suite in suites if suite.is_timed]
    others = sorted((s for s in suites if not s.is_timed), key=lambda suite: -suite.cost)
    with (
        concurrent.futures.ThreadPoolExecutor(1) as one,
        concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as several,
    ):
        pending = {suite.name: one.submit(run_here, suite) for suite in timed}
        pending.update((suite.name, several.submit(run_here, suite)) for suite in others)
    return {suite.name: pending[suite.name].result() for suite in suites}


def run_again(suites: list[Suite], outcomes: dict[str, Outcome], build: pathlib.Path) -> list[str]:
    """Runs failed tests once more, with nothing beside them, and moves those that
    pass now from the failed to the passed ones of their suite. Returns their names
    and how they had failed.

    Runs none where more than RUN_AGAIN_LIMIT failed, and none of a suite that
    failed by more than its tests, such as a crash.
    """
    failed = {suite.name: junit.failures(suite.report) for suite in suites}
    if sum(map(len, failed.values())) > RUN_AGAIN_LIMIT:
        return []
    passed = []
    for suite in suites:
        tests, counts = failed[suite.name], outcomes[suite.name].counts
        if not tests or not suite.select or len(tests) != counts.failed:
            continue
        again = dataclasses.replace(
            suite,
            name=f"{suite.name}, again",
            command=[*suite.command, *suite.select(tests)],
            is_timed=True,
        )
        suite.report.rename(suite.report.with_suffix(".first.xml"))
        second = run(again, build).counts
        if second.passed + second.failed != len(tests):
            continue
        still = {test.full_name for test in junit.failures(suite.report)}
        for test in tests:
            if test.full_name not in still:
                counts.failed -= 1
                counts.passed += 1
                passed.append(f"{suite.name}: {test}")
    return passed


def slowest(suites: list[Suite], count: int = 10) -> list[str]:
    """A line for each of the tests that took longest, by the suites' reports."""
    tests = [(seconds, f"{suite.name}: {name}") for suite in suites for seconds, name in junit.times(suite.report)]
    return [f"{seconds:7.1f} s  {name}" for seconds, name in sorted(tests, reverse=True)[:count]]


def skips(suites: list[Suite]) -> list[str]:
    """Returns a line for each reason for which tests of a suite were skipped."""
    reasons = collections.Counter(
        (suite.name, reason) for suite in suites for reason in junit.skips(suite.report)
    )
    return [f"{count:7}  {name}: {reason}" for (name, reason), count in reasons.items()]


def main() -> int:
    build = pathlib.Path(sys.argv[1]).resolve()
    (build / "reports").mkdir(exist_ok=True)
    suites = all_suites(build)
    start = time.monotonic()
    outcomes = run_all(suites, build)
    print("\nThe slowest tests:", *slowest(suites), sep="\n")
    print("\nThe skipped tests, by reason:", *map(printable, skips(suites)), sep="\n")
    print("\nThe suites:")
    for name, outcome in outcomes.items():
        processors = f"{outcome.processor_seconds:.1f} s of processors"
        print(f"{outcome.seconds:7.1f} s  {name}: {outcome.counts} ({processors})")
    print(f"{time.monotonic() - start:7.1f} s  in all", flush=True)
    unstable = run_again(suites, outcomes, build)
    if unstable:
        print("\nThe tests that passed only alone:", *map(printable, unstable), sep="\n")
    failures = [
        f"{suite.name}: {failure}"
        for suite in suites
        if outcomes[suite.name].counts.failed
        for failure in junit.failures(suite.report)
    ]
    if failures:
        print("\nThe failed tests:", *map(printable, failures), sep="\n")
    counts = {name: outcome.counts for name, outcome in outcomes.items()}
    if not any(name.startswith("tonno-unit-") for name in counts):
        print("no unit test is registered with CTest")
        counts["unit"] = junit.Counts(failed=1)
    total = sum(counts.values(), junit.Counts())
    print(total, flush=True)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
