# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sum at the end of scripts/test.sh counts right and hides nothing."""

from __future__ import annotations

import os
import pathlib
import subprocess

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
    assert run_suites.run(suite, tmp_path).counts == junit.Counts(failed=1)


@pytest.mark.parametrize(("text", "is_shown"), [(GOOD, False), (LIT, True)])
def test_log_of_a_failing_suite_is_shown_without_control_characters(
    tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str], text: str, is_shown: bool
) -> None:
    report = tmp_path / "a.xml"
    told = f"printf 'a\\001\\377b\\n'; cat > {report} <<'end'\n{text}\nend"
    run_suites.run(run_suites.Suite("one", ["bash", "-c", told], report), tmp_path)
    shown = capfd.readouterr().out
    assert ("\na.\ufffdb\n" in shown) is is_shown
    assert "\x01" not in shown


def test_failures_are_named(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.xml").write_text(LIT)
    assert list(map(str, junit.failures(tmp_path / "a.xml"))) == [".b\ntext"]
    assert junit.failures(tmp_path / "none.xml") == []


def test_reasons_of_skips_are_counted(tmp_path: pathlib.Path) -> None:
    for name, text in {"gtest": GTEST, "lit": LIT, "pytest": PYTEST}.items():
        (tmp_path / f"{name}.xml").write_text(text)
    suites = [
        run_suites.Suite(name, [], tmp_path / f"{name}.xml")
        for name in ("gtest", "lit", "pytest", "gone")
    ]
    assert [line.split(maxsplit=1) for line in run_suites.skips(suites)] == [
        ["1", "gtest: m"],
        ["1", "gtest: no reason"],
        ["1", "lit: missing feature"],
        ["1", "pytest: m"],
    ]


def test_missing_program_is_a_failure(tmp_path: pathlib.Path) -> None:
    suite = run_suites.Suite("gone", [str(tmp_path / "gone")], tmp_path / "a.xml")
    assert run_suites.run(suite, tmp_path).counts == junit.Counts(failed=1)


def test_hanging_suite_is_a_failure(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_suites, "TIME_LIMIT_SECONDS", 0.2)
    suite = run_suites.Suite("hang", ["sleep", "60"], tmp_path / "a.xml")
    assert run_suites.run(suite, tmp_path).counts == junit.Counts(failed=1)


def script(folder: pathlib.Path, name: str, text: str, *, is_timed: bool) -> run_suites.Suite:
    report = folder / f"{name}.xml"
    text = f"cd {folder}; echo from {name}; {text}; echo '{GOOD}' > {report}"
    return run_suites.Suite(name, ["bash", "-c", text], report, is_timed)


def test_suites_run_beside_one_that_is_timed(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(run_suites, "TIME_LIMIT_SECONDS", 60)
    # Each of three ends once all have begun, with a failure, so that its log is shown.
    meet = "touch {}; until [[ -e a && -e b && -e c ]]; do sleep 0.01; done; trap 'exit 1' EXIT"
    suites = [
        script(tmp_path, "timed", meet.format("a"), is_timed=True),
        script(tmp_path, "one", meet.format("b"), is_timed=False),
        script(tmp_path, "two", meet.format("c"), is_timed=False),
    ]
    outcomes = run_suites.run_all(suites, tmp_path)
    assert list(outcomes) == ["timed", "one", "two"]
    assert all(outcome.counts == junit.Counts(1, failed=1) for outcome in outcomes.values())
    printed = capfd.readouterr().out
    assert "from one\n=== one: 1 passed" in printed
    assert "from two\n=== two: 1 passed" in printed


def test_timed_suites_run_one_after_another(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_suites, "TIME_LIMIT_SECONDS", 60)
    alone = "mkdir running && sleep 0.1 && rmdir running || exit 1"
    suites = [script(tmp_path, name, alone, is_timed=True) for name in ("a", "b", "c")]
    outcomes = run_suites.run_all(suites, tmp_path)
    assert all(outcome.counts == junit.Counts(passed=1) for outcome in outcomes.values())


def test_other_suites_get_idle_processors_only(tmp_path: pathlib.Path) -> None:
    policy = "[[ $(chrt -p $BASHPID | head -1) == *{} ]] || exit 1"
    # This test may be of a suite that gets idle processors itself.
    own = "SCHED_IDLE" if os.sched_getscheduler(0) == os.SCHED_IDLE else "SCHED_OTHER"
    suites = [
        script(tmp_path, "timed", policy.format(own), is_timed=True),
        script(tmp_path, "other", policy.format("SCHED_IDLE"), is_timed=False),
    ]
    outcomes = run_suites.run_all(suites, tmp_path)
    assert all(outcome.counts == junit.Counts(passed=1) for outcome in outcomes.values())


def test_suites_that_time_are_known(build: pathlib.Path) -> None:
    suites = {suite.name: suite.is_timed for suite in run_suites.all_suites(build)}
    assert suites["tonno-unit-Runtime"]
    assert suites["lit-timed"]
    assert suites["models"]
    assert not suites["tonno-unit-Search"]
    assert not suites["lit"]


def test_the_longest_begins(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    began = []
    monkeypatch.setattr(run_suites, "run", lambda suite, build: began.append(suite.name))
    costs = {"a": 0.0, "b": 5.0, "c": 9.0, "d": 0.0}
    suites = [run_suites.Suite(name, [], tmp_path, cost=cost) for name, cost in costs.items()]
    run_suites.run_all(suites, tmp_path)
    assert began == ["c", "b", "a", "d"]


def test_slowest_tests_are_named(tmp_path: pathlib.Path) -> None:
    cases = "".join(f'<testcase classname="c" name="t{i}" time="{i}"/>' for i in range(12))
    for name in "one", "two":
        (tmp_path / f"{name}.xml").write_text(f"<testsuite>{cases}</testsuite>")
    suites = [run_suites.Suite(name, [], tmp_path / f"{name}.xml") for name in ("one", "two", "gone")]
    lines = run_suites.slowest(suites, 3)
    assert [line.split() for line in lines] == [
        ["11.0", "s", "two:", "c.t11"],
        ["11.0", "s", "one:", "c.t11"],
        ["10.0", "s", "two:", "c.t10"],
    ]


UNSTABLE = """
import pathlib
import pytest

@pytest.mark.parametrize("name", ["first", "always", "never"])
def test_fails(name: str) -> None:
    marker = pathlib.Path(__file__).with_name("marker")
    if name == "first":
        already = marker.exists()
        marker.touch()
        assert already
    assert name != "always"
"""


def test_failed_tests_run_again(tmp_path: pathlib.Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "test_unstable.py").write_text(UNSTABLE)
    suite = run_suites.pytest_suite(tmp_path, "some", f"--rootdir={tmp_path}", str(tmp_path))
    outcomes = run_suites.run_all([suite], tmp_path)
    assert outcomes["some"].counts == junit.Counts(passed=1, failed=2)
    (passed,) = run_suites.run_again([suite], outcomes, tmp_path)
    assert passed.startswith("some: test_unstable.test_fails[first]\n")
    assert "assert already" in passed
    assert outcomes["some"].counts == junit.Counts(passed=2, failed=1)
    assert [test.name for test in junit.failures(suite.report)] == ["test_fails[always]"]


def test_many_failures_and_crashes_are_not_run_again(tmp_path: pathlib.Path) -> None:
    many = "".join(f'<testcase name="{i}"><failure/></testcase>' for i in range(11))
    crash = '<testcase name="a"><failure/></testcase>'
    for name, text, failed in ("many", many, 11), ("crash", crash, 2):
        (tmp_path / f"{name}.xml").write_text(f"<testsuite>{text}</testsuite>")
        suite = run_suites.Suite(name, ["false"], tmp_path / f"{name}.xml", select=lambda _: [])
        outcomes = {name: run_suites.Outcome(junit.Counts(failed=failed), 0, 0)}
        assert run_suites.run_again([suite], outcomes, tmp_path) == []
        assert outcomes[name].counts == junit.Counts(failed=failed)


def test_lit_tests_are_selected(build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    suite = run_suites.lit_suite(build, "some", f"--xunit-xml-output={tmp_path}/a.xml")
    assert suite.select
    tests = [junit.Test("tonno.Dialect", "knob.mlir"), junit.Test("tonno", "none.test")]
    subprocess.check_call([*suite.command, *suite.select(tests)])
    counts = junit.count(tmp_path / "a.xml")
    assert (counts.passed, counts.failed) == (1, 0)


def test_unit_tests_are_selected(build: pathlib.Path) -> None:
    suites = {suite.name: suite for suite in run_suites.unit_suites(build)}
    suite = suites["tonno-unit-Core"]
    assert suite.select
    tests = [junit.Test("DevicePeaks", "NothingIsClaimedOfWhatIsUnknown")]
    chosen = [*suite.command, *suite.select(tests), "--gtest_list_tests"]
    listing = subprocess.check_output(chosen, text=True)
    assert listing.split()[-2:] == ["DevicePeaks.", "NothingIsClaimedOfWhatIsUnknown"]
    assert listing.count(".") == 2  # of the suite, and of "gmock_main.cc" before it
