# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the JUnit XML that GoogleTest, lit and pytest write."""

from __future__ import annotations

import dataclasses
import pathlib
import xml.etree.ElementTree as ElementTree


@dataclasses.dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
        )

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.skipped

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


@dataclasses.dataclass(frozen=True)
class Test:
    class_name: str
    name: str
    told: str = ""
    """The last 2000 characters of what is said of a failure."""

    @property
    def full_name(self) -> str:
        return f"{self.class_name}.{self.name}"

    def __str__(self) -> str:
        return f"{self.full_name}\n{self.told}"


def _outcome(case: ElementTree.Element) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    skipped = case.find("skipped")
    # pytest files an expected failure under "skipped"; it did what it should.
    if skipped is not None and skipped.get("type") != "pytest.xfail":
        return "skipped"
    # GoogleTest only says "notrun" of a test that is disabled.
    if case.get("status") == "notrun":
        return "skipped"
    return "passed"


def count(report: pathlib.Path) -> Counts:
    """The outcomes in one report. Raises OSError or ElementTree.ParseError."""
    counts = Counts()
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        outcome = _outcome(case)
        setattr(counts, outcome, getattr(counts, outcome) + 1)
    return counts


def _cases(report: pathlib.Path) -> list[tuple[str, ElementTree.Element]]:
    """The tests of a report with their names; none if it can't be read."""
    try:
        cases = ElementTree.parse(report).getroot().iter("testcase")
    except (OSError, ElementTree.ParseError):
        return []
    return [(f"{case.get('classname', '')}.{case.get('name', '')}", case) for case in cases]


def failures(report: pathlib.Path) -> list[Test]:
    """The failed tests."""
    tests = []
    for _, case in _cases(report):
        if _outcome(case) == "failed":
            problems = [*case.iter("failure"), *case.iter("error")]
            texts = ((one.text or one.get("message") or "").strip() for one in problems)
            told = "\n".join(texts)[-2000:]
            tests.append(Test(case.get("classname", ""), case.get("name", ""), told))
    return tests


def skips(report: pathlib.Path) -> list[str]:
    """Returns the first line of the reason of each skipped test."""
    skipped = (case.find("skipped") for _, case in _cases(report) if _outcome(case) == "skipped")
    reasons = ((one.get("message") or one.text or "") if one is not None else "" for one in skipped)
    return [(reason.strip().splitlines() or ["no reason"])[0] for reason in reasons]


def times(report: pathlib.Path) -> list[tuple[float, str]]:
    """The seconds and the name of each test."""
    return [(float(case.get("time", 0)), name) for name, case in _cases(report)]


def judge(report: pathlib.Path, exit_status: int) -> tuple[Counts, str | None]:
    """A suite's counts, and what is wrong with it beyond failed tests.

    What is wrong counts as one more failure: a suite that crashed, or ran
    nothing, must not pass for a good one.
    """
    try:
        counts = count(report)
    except (OSError, ElementTree.ParseError) as error:
        return Counts(failed=1), f"left no readable report (exit status {exit_status}): {error}"
    problem = None
    if counts.total == 0:
        problem = "ran no test"
    elif exit_status != 0 and counts.failed == 0:
        problem = f"exit status {exit_status} though no test failed"
    if problem:
        counts.failed += 1
    return counts, problem
