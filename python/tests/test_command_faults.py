# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno.command: wrong arguments, interruptions, and programs that misbehave."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import tonno
from tonno import command

OK = {"ok", "pruned"}


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def statuses(found: tonno.Result) -> set[str]:
    return {trial.status for trial in found.trials}


def test_builds_that_overwrite_each_other_are_refused() -> None:
    """Each run would be of the last build."""
    with pytest.raises(tonno.Error, match="no @OUT@, so that each build overwrites"):
        command.tune(build="cp @A@ program", run="./program", space={"A": [1, 2]})
    found = command.tune(
        build="cp /bin/true program@A@", run="./program@A@", space={"A": [1, 2]}, budget_trials=2
    )
    assert statuses(found) <= OK


@pytest.mark.parametrize(
    ("options", "kind", "problem"),
    [
        ({"outputs": "abc"}, TypeError, "outputs must be a list of files, not the text 'abc'"),
        ({"environment": {"THREADS": 4}}, TypeError, "must have texts, not 'THREADS': 4"),
        ({"folder": "missing"}, tonno.Error, "the folder 'missing' is not a directory"),
        ({"run": ["true", "@A@", 3]}, TypeError, "words of the run command must be texts, not 3"),
    ],
)
def test_arguments_of_other_kinds_are_refused(
    options: dict[str, Any], kind: type[Exception], problem: str
) -> None:
    for name in "abc":
        pathlib.Path(name).touch()
    with pytest.raises(kind, match=problem):
        command.tune(**{"run": "true @A@", "space": {"A": [1, 2]}, **options})
    assert all(pathlib.Path(name).exists() for name in "abc")


def test_second_interruption_keeps_the_best_of_the_first_call() -> None:
    """Its binary was not built again, and the result is not lost for that."""

    def interrupt_at(place: int) -> Callable[[tonno.ProgressReport], None]:
        def call(report: tonno.ProgressReport) -> None:
            if report.trials == place:
                os.kill(os.getpid(), signal.SIGINT)

        return call

    for place in (3, 5):
        with pytest.raises(KeyboardInterrupt) as caught:
            command.tune(
                build="cp /bin/sleep @OUT@",
                run="./@OUT@ 0.0@A@",
                space={"A": [20, 10, 18, 17, 16, 15, 14]},
                keep="kept",
                strategy="exhaustive",
                journal="journal",
                callbacks=[interrupt_at(place)],
            )
        assert caught.value.result.config == {"A": 10}  # type: ignore[attr-defined]


def test_journal_of_another_program_is_refused() -> None:
    def tune() -> tonno.Result:
        return command.tune(
            build="gcc -DA=@A@ main.c -o @OUT@",
            run="./@OUT@",
            space={"A": [1, 2]},
            journal="journal",
            budget_seconds=5,
        )

    source = pathlib.Path("main.c")
    source.write_text("int main(void) { return 0 * A; }")
    tune()
    source.write_text("int main(void) { volatile int a = A; return 0 * a; }")
    with pytest.raises(tonno.AllFailed, match="begin another session or journal"):
        tune()


def test_what_a_run_leaves_ends_before_the_next_one() -> None:
    """In a session of its own, too."""
    pathlib.Path("leave.sh").write_text("pgrep -f '[s]leep 7519' && exit 1\nsetsid sleep 7519 &\n")
    found = command.tune(run="sh leave.sh @A@", space={"A": [1, 2]}, budget_seconds=3)
    assert statuses(found) <= OK
    assert subprocess.run(["pgrep", "-f", "[s]leep 7519"], check=False).returncode == 1


def test_what_runs_print_does_not_stay_on_the_disk(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch, sizes = tmp_path / "scratch", tmp_path / "sizes"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    pathlib.Path("print.sh").write_text(
        f"du -s --bytes {scratch} >> {sizes}\n"
        "head -c 20000000 /dev/zero\n"
        "echo; echo '{\"t\": '$1'}'\n"
    )
    command.tune(run="sh print.sh @A@", space={"A": [1, 2]}, time="t", budget_trials=2)
    found = [int(line.split()[0]) for line in sizes.read_text().splitlines()]
    assert len(found) > 4 and max(found) < 10_000_000


def test_files_that_runs_write_are_limited() -> None:
    words = ["sh", "-c", "test $(ulimit -f) != unlimited", "sh", "@A@"]
    assert statuses(command.tune(run=words, space={"A": [1, 2]}, budget_trials=2)) <= OK


def test_object_of_several_lines_is_read_after_other_text() -> None:
    pathlib.Path("print.sh").write_text(
        """printf 'start {\\n{\\n "t": {"all":\\n 0.%s}\\n}\\nend\\n' $1\n"""
    )
    found = command.tune(run="sh print.sh @A@", space={"A": [3, 2]}, time="t.all", check="true")
    assert found.verdict == "faster" and found.config == {"A": 2}


def test_errors_of_a_compiler_are_told() -> None:
    """The carets after them are not."""
    pathlib.Path("wrong.c").write_text("int main(void) {\n  return A +\n      missing;\n}\n")
    with pytest.raises(tonno.AllFailed) as caught:
        command.tune(build="gcc -DA=@A@ wrong.c -o @OUT@", run="./@OUT@", space={"A": [1]})
    message = caught.value.trials[0].message
    assert "error: " in message and "missing" in message and "^" not in message


def test_sigterm_ends_the_tool_with_what_was_found() -> None:
    words = [sys.executable, "-m", "tonno.command.tool", "--run=sleep 0.0@A@", "--verbose"]
    words += ["--knob=A=range<30 to 99>", "--strategy=exhaustive", "--report=report.json"]
    tool = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    assert tool.stderr is not None
    for line in tool.stderr:
        if "trial 3 of" in line:
            break
    tool.send_signal(signal.SIGTERM)
    told = tool.stderr.read()
    assert tool.wait(60) == 143, told
    report = json.loads(pathlib.Path("report.json").read_text())
    assert report["verdict"] == "interrupted" and len(report["trials"]) >= 3
    assert "interrupted" in told


def test_report_of_an_earlier_call_is_kept_by_a_mistake_and_replaced_by_another() -> None:
    report = pathlib.Path("report.json")
    report.write_text("earlier" * 1000)
    words = [sys.executable, "-m", "tonno.command.tool", "--run=true @A@", "--report=report.json"]
    done = subprocess.run([*words, "--knob=A"], capture_output=True, check=False)
    assert done.returncode == 2 and report.read_text().startswith("earlier")
    subprocess.run([*words, "--knob=A=1,2"], capture_output=True, check=True)
    assert json.loads(report.read_text())["verdict"] in ("tie", "faster")
