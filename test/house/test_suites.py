# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sum at the end of scripts/test.sh counts right and hides nothing."""

from __future__ import annotations

import os
import pathlib

import junit
import pytest
import run_suites

GTEST = """<testsuites><testsuite>
<testcase name="a" status="run" result="completed"/>
<testcase name="b" status="run" result="completed"><failure message="m"/></testcase>
<testcase name="c" status="run" result="skipped"><skipped message="m"/></testcase>
<testcase name="d" status="notrun" result="suppressed"/>
</testsuite></testsuites>"""
LIT = """<testsuites><testsuite>
<testcase name="a"/>
<testcase name="b"><failure><![CDATA[text]]></failure></testcase>
<testcase name="c"><skipped message="missing feature"/></testcase>
</testsuite></testsuites>"""
PYTEST = """<testsuites><testsuite>
<testcase name="a"/>
<testcase name="b"><error message="m"/></testcase>
<testcase name="c"><skipped type="pytest.skip" message="m"/></testcase>
<testcase name="d"><skipped type="pytest.xfail" message="m"/></testcase>
</testsuite></testsuites>"""
GOOD = '<testsuites><testsuite><testcase name="a"/></testsuite></testsuites>'


@pytest.mark.parametrize(
    ("text", "counts"), [(GTEST, (1, 1, 2)), (LIT, (1, 1, 1)), (PYTEST, (2, 1, 1))]
)
def test_outcomes_are_counted(
    tmp_path: pathlib.Path, text: str, counts: tuple[int, int, int]
) -> None:
    (tmp_path / "a.xml").write_text(text)
    assert junit.count(tmp_path / "a.xml") == junit.Counts(*counts)


@pytest.mark.parametrize(
    ("text", "exit_status", "problem"),
    [
        (None, 139, "left no readable report (exit status 139)"),
        ("<testsuites><testsuite>", 0, "left no readable report"),
        ("<testsuites/>", 0, "ran no test"),
        (GOOD, 139, "exit status 139 though no test failed"),
    ],
)
def test_broken_suite_is_a_failure(
    tmp_path: pathlib.Path, text: str | None, exit_status: int, problem: str
) -> None:
    if text is not None:
        (tmp_path / "a.xml").write_text(text)
    counts, said = junit.judge(tmp_path / "a.xml", exit_status)
    assert counts.failed == 1
    assert problem in str(said)


def test_good_suite_is_good(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.xml").write_text(GOOD)
    assert junit.judge(tmp_path / "a.xml", 0) == (junit.Counts(passed=1), None)


def test_sum_is_one_line() -> None:
    total = junit.Counts(1, 2, 3) + junit.Counts(10, 0, 1)
    assert str(total) == "11 passed, 2 failed, 4 skipped"


def test_old_report_does_not_count(tmp_path: pathlib.Path) -> None:
    report = tmp_path / "a.xml"
    report.write_text(GOOD)
    suite = run_suites.Suite("crash", ["bash", "-c", "kill -SEGV $$"], report)
    assert run_suites.run(suite, tmp_path) == junit.Counts(failed=1)


def test_missing_program_is_a_failure(tmp_path: pathlib.Path) -> None:
    suite = run_suites.Suite("gone", [str(tmp_path / "gone")], tmp_path / "a.xml")
    assert run_suites.run(suite, tmp_path) == junit.Counts(failed=1)


def test_hanging_suite_is_a_failure(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_suites, "TIME_LIMIT_SECONDS", 0.2)
    suite = run_suites.Suite("hang", ["sleep", "60"], tmp_path / "a.xml")
    assert run_suites.run(suite, tmp_path) == junit.Counts(failed=1)


def test_what_may_be_shared_runs_side_by_side(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    def suite(name: str, script: str, alone: bool = False) -> run_suites.Suite:
        report = tmp_path / f"{name}.xml"
        script = f"cd {tmp_path}; echo from {name}; {script}; echo '{GOOD}' > {report}"
        return run_suites.Suite(name, ["bash", "-c", script], report, alone)

    # Each of the pair ends if the other has begun; the third if both have ended.
    meet = "touch {}; until [[ -e {} ]]; do sleep 0.01; done"
    suites = [
        suite("last", "[[ -e one.xml && -e two.xml ]] || exit 1", alone=True),
        suite("one", meet.format("a", "b")),
        suite("two", meet.format("b", "a")),
    ]
    monkeypatch.setattr(run_suites, "TIME_LIMIT_SECONDS", 20)
    counts = run_suites.run_all(suites, tmp_path)
    assert list(counts) == ["last", "one", "two"]
    assert all(count == junit.Counts(passed=1) for count in counts.values())
    printed = capfd.readouterr().out
    assert "from one\n=== one: 1 passed" in printed
    assert "from two\n=== two: 1 passed" in printed


def test_suites_that_time_are_alone(build: pathlib.Path) -> None:
    suites = {suite.name: suite.alone for suite in run_suites.unit_suites(build)}
    assert suites["tonno-unit-Runtime"]
    assert not suites["tonno-unit-Search"]


def test_the_longest_begins(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    began = []
    monkeypatch.setattr(run_suites, "run", lambda suite, build: began.append(suite.name))
    costs = {"a": 0.0, "b": 5.0, "c": 9.0, "d": 0.0}
    suites = [
        run_suites.Suite(name, [], tmp_path, alone=False, cost=cost) for name, cost in costs.items()
    ]
    run_suites.run_all(suites, tmp_path)
    assert began == ["c", "b", "a", "d"]
