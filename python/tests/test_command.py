# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno.command: what commands build and run."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

import tonno
from tonno import command
from tonno.command.knobs import read_knob
from tonno.command.templates import format_option
from tonno.command.tuning import UNVERIFIED

TUNE = pathlib.Path(os.environ.get("TONNO_TOOLS_DIR", "")) / "tonno-tune"
PRODUCT = """
#include <stdio.h>
static float a[N][N], b[N][N], c[N][N];
int main(void) {
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      a[i][j] = (i * 7 + j) % 5, b[i][j] = (i + j * 3) % 7;
  for (int first = 0; first < N; first += TILE)
    for (int i = 0; i < N; ++i)
      for (int k = first; k < first + TILE && k < N; ++k)
        for (int j = 0; j < N; ++j)
          c[i][j] += a[i][k] * b[k][j];
  double sum = 0;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      sum += c[i][j] * ((i ^ j) & 15);
  printf("%.1f\\n", sum);
}
"""
FORTRAN = """
program stencil
  integer, parameter :: n = 512, tile = TILE
  real(8) :: x(n, n), y(n, n)
  integer :: i, j, jj, t
  x = 1; y = 0
  x(n / 2, n / 2) = 2
  do t = 1, 4
    do jj = 2, n - 1, tile
      do i = 2, n - 1
        do j = jj, min(jj + tile - 1, n - 1)
          y(i, j) = 0.2d0 * (x(i, j) + x(i - 1, j) + x(i + 1, j) + x(i, j - 1) + x(i, j + 1))
        end do
      end do
    end do
    x = y
  end do
  print '(f20.10)', sum(y)
end program
"""
DATABASE = """
import json, sqlite3, sys, time
cache, sync = int(sys.argv[1]), sys.argv[2]
base = sqlite3.connect(sys.argv[3])
base.execute(f"pragma cache_size = {cache}")
base.execute(f"pragma synchronous = {sync}")
begin = time.perf_counter()
base.execute("create table if not exists t (a integer primary key, b text)")
for i in range(20):
    base.execute("insert or replace into t values (?, ?)", (i, "x" * 100))
    base.commit()
total = base.execute("select count(*) from t").fetchone()[0]
print(json.dumps({"rows": total, "times": {"total_ms": 1e3 * (time.perf_counter() - begin)}}))
"""


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def statuses(found: tonno.Result) -> dict[Any, str]:
    """The status of each value of the only knob."""
    return {next(iter(trial.config.values())): trial.status for trial in found.trials}


def messages(found: tonno.Result) -> str:
    return "\n".join(trial.message for trial in found.trials)


def is_running(mark: str) -> bool:
    for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in file.read_bytes():
                return True
        except OSError:
            continue
    return False


def shell(script: str, *words: str) -> list[str]:
    return ["sh", "-c", script, "sh", *words]


@pytest.mark.skipif(not shutil.which("gcc"), reason="there is no gcc")
def test_c_is_tuned_and_the_measured_binary_is_kept() -> None:
    pathlib.Path("product.c").write_text(PRODUCT)
    found = command.tune(
        build="gcc -O@LEVEL@ -DN=200 -DTILE=@TILE@ product.c -o @OUT@",
        run="./@OUT@",
        space={"LEVEL": [0, 2, 3], "TILE": [8, 200]},
        outputs=["-"],
        keep="product",
        budget_seconds=10,
    )
    assert [trial.status for trial in found.trials if not trial.ok] in ([], ["pruned"])
    assert found.verdict == "faster" and found.config["LEVEL"] > 0
    assert found.speedup is not None and found.speedup > 1.1
    assert found.warnings == []
    printed = subprocess.run(["./product"], capture_output=True, text=True, check=True).stdout
    assert float(printed) > 0


@pytest.mark.skipif(not shutil.which("gfortran"), reason="there is no gfortran")
def test_fortran_is_tuned() -> None:
    pathlib.Path("stencil.F90").write_text(FORTRAN)
    found = command.tune(
        build=["gfortran", "-O@LEVEL@", "-DTILE=@TILE@", "stencil.F90", "-o", "@OUT@"],
        run="./@OUT@",
        space={"LEVEL": [0, 3], "TILE": [16, 512]},
        outputs=["-"],
        budget_seconds=6,
    )
    assert {trial.status for trial in found.trials} <= {"ok", "pruned"}
    assert found.verdict in ("faster", "tie")


def test_pragmas_of_a_database_are_tuned_by_its_own_clock() -> None:
    pathlib.Path("load.py").write_text(DATABASE)
    found = command.tune(
        run=[sys.executable, "load.py", "@CACHE@", "@SYNC@", "rows.db"],
        space={"SYNC": ["full", "off"], "CACHE": [-2000, 100]},
        check=[sys.executable, "-c", "import sqlite3; sqlite3.connect('rows.db').execute('select a from t')"],
        time="times.total_ms",
        unit="ms",
        budget_trials=4,
        budget_seconds=5,
    )
    assert {trial.status for trial in found.trials} <= {"ok", "pruned"}


def test_time_is_the_number_that_the_run_prints() -> None:
    """The slower configuration claims to be the faster one."""
    pathlib.Path("claim.sh").write_text(
        """test $1 = 1 || sleep 0.02; echo start; echo "{\\"times\\": {\\"all\\": 1$1e3}}"; echo end"""
    )
    found = command.tune(
        run="sh claim.sh @A@",
        space={"A": [1, 0]},
        time="times.all",
        unit="us",
        check="true",
    )
    assert found.verdict == "faster" and found.config == {"A": 0}
    assert found.seconds == pytest.approx(10e-3)
    assert found.trials[0].seconds == pytest.approx(11e-3)


def test_values_are_arguments_and_never_code() -> None:
    values = ["a", "b; touch stolen", "$(touch stolen)", "`touch stolen`", "' touch stolen '"]
    pathlib.Path("seen.sh").write_text('printf "<%s>" "$@" >> seen\n')
    command.tune(
        run="sh seen.sh 'x y'@VALUE@ @@VALUE@@ @@",
        space={"VALUE": values},
        budget_trials=5,
        budget_seconds=5,
        lock=None,
    )
    assert not pathlib.Path("stolen").exists()
    seen = pathlib.Path("seen").read_text()
    for value in values:
        assert f"<x y{value}><@VALUE@><@>" in seen


def test_values_have_the_texts_of_commands() -> None:
    template = command.Template("run", "p @A@ -D@B@=@B@")
    assert template.places == {"A", "B"}
    assert template.fill({"A": "1 2", "B": "3"}) == ["p", "1 2", "-D3=3"]
    texts = [format_option(value) for value in (True, 0.5, (1, 0, 2), "x y", -3)]
    assert texts == ["1", "0.5", "1,0,2", "x y", "-3"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"run": "p @Y@ @X@"}, "@Y@, and no knob is called Y; the knobs are X; write @@ for @"),
        ({"run": "p"}, "no build or run has a place @X@ for the knob X"),
        ({"run": "p @X@ @OUT@"}, "has @OUT@, and nothing is built"),
        ({"run": "p '@X@"}, "the run command cannot be split: No closing quotation"),
        ({"run": " "}, "the run command is empty"),
        ({"run": "p @X@", "build": ""}, "the build command is empty"),
        ({"run": "p @X@", "keep": "p"}, "keep needs a build that writes @OUT@"),
        ({"run": "p @X@", "time": "t", "unit": "min"}, "unit must be one of s, ms, us, ns"),
        ({"run": "p @X@", "unit": "ms"}, "unit is that of time"),
        ({"run": "p @X@", "run_seconds": 0}, "run_seconds must be more than 0"),
        ({"run": "p @X@", "jobs": 0}, "jobs must be at least 1"),
        ({"run": "p @X@", "build": "b @OUT@", "keep": "no/p"}, "is in no folder that exists"),
        ({"run": "p", "check": "p @X@"}, "no build or run has a place @X@"),
        ({"run": "p @OUT@", "build": "p", "space": {"OUT": [1]}}, "a knob cannot be called OUT"),
        ({"run": "true @X@", "outputs": ["."]}, "is not a file; name one that the run writes"),
    ],
)
def test_contradictions_are_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(tonno.Error) as caught:
        command.tune(**{"space": {"X": [1, 2]}, **options})
    assert problem in str(caught.value)


FAILURES: dict[str, tuple[dict[str, Any], str, str]] = {
    "build fails": (
        {"build": shell("test $1 = 0 && touch $2 || { echo no >&2; exit 3; }", "@X@", "@OUT@")},
        "compile_error",
        "the build ended: exit status 3: no",
    ),
    "build is killed": (
        {"build": shell("test $1 = 0 && touch $2 || kill -ABRT $$", "@X@", "@OUT@")},
        "compile_crash",
        "signal 6",
    ),
    "build hangs": (
        {"build": shell("test $1 = 0 && touch $2 || sleep 60", "@X@", "@OUT@"), "build_seconds": 1},
        "compile_timeout",
        "the build did not end within 1 s",
    ),
    "build writes nothing": (
        {"build": shell("test $1 = 1 || touch $2", "@X@", "@OUT@")},
        "compile_error",
        "the build wrote no @OUT@",
    ),
    "run fails": (
        {"run": shell("test $1 = 0 || { echo bad >&2; exit 2; }", "@X@")},
        "fault",
        "the run ended: exit status 2: bad",
    ),
    "run is killed": ({"run": shell("test $1 = 0 || kill -SEGV $$", "@X@")}, "fault", "signal 11"),
    "run hangs": (
        {"run": shell("test $1 = 0 || sleep 60", "@X@"), "run_seconds": 2},
        "hang",
        "the run did not end within 2 s",
    ),
    "other output": (
        {"run": shell("echo $1 > result", "@X@"), "outputs": ["result"]},
        "wrong",
        "'result' differs from that of the default",
    ),
    "no output": (
        {"run": shell("test $1 = 1 || echo > result", "@X@"), "outputs": ["result"]},
        "wrong",
        "the run wrote no 'result'",
    ),
    "checker": (
        {"run": shell("echo $1 > result", "@X@"), "check": "grep -q 0 result"},
        "wrong",
        "the checker ended: exit status 1",
    ),
    "no number": (
        {"run": shell('test $1 = 1 || echo \'{"t": 1}\'', "@X@"), "time": "t"},
        "fault",
        "no JSON object with a number 't'",
    ),
    "no time": (
        {"run": shell('echo "{\\"t\\": $((1 - $1))}"', "@X@"), "time": "t"},
        "fault",
        "'t' is 0.0, and times are positive",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures_have_a_status_and_a_reason(name: str) -> None:
    options, status, reason = FAILURES[name]
    found = command.tune(
        **{"run": shell("true", "@X@"), "space": {"X": [0, 1]}, "lock": None, **options}
    )
    assert statuses(found) == {0: "ok", 1: status}
    assert reason in messages(found)


def test_program_that_is_not_there_fails() -> None:
    with pytest.raises(tonno.AllFailed, match="No such file") as caught:
        command.tune(run="./nothing @X@", space={"X": [0, 1]}, lock=None)
    assert {trial.status for trial in caught.value.trials} == {"load_error"}


def test_outputs_of_a_default_that_fails_are_no_reference() -> None:
    script = "test $1 = 0 && exit 1; echo $1"
    with pytest.raises(tonno.AllFailed, match="the default has failed") as caught:
        command.tune(run=shell(script, "@X@"), space={"X": [0, 1, 2]}, outputs=["-"], lock=None)
    assert [trial.status for trial in caught.value.trials] == ["fault", "wrong", "wrong"]


def test_checker_judges_no_output_of_an_earlier_run() -> None:
    found = command.tune(
        run=shell("test $1 = 1 || echo $1 > result", "@X@"),
        space={"X": [0, 1, 2]},
        outputs=["result"],
        check="test -e result",
        lock=None,
        budget_seconds=2,
    )
    assert statuses(found) | {2: "ok"} == {0: "ok", 1: "wrong", 2: "ok"}


def test_interrupted_builds_end_at_once() -> None:
    """Ctrl-C while two builds run, which would take a minute."""
    words = ["--run=true @X@", "--build=sleep 6@X@", "--knob=X=1,2,3"]
    begin = time.monotonic()
    tool = [sys.executable, "-m", "tonno.command.tool", *words]
    with subprocess.Popen(tool, stderr=subprocess.PIPE) as process:
        while not is_running("sleep\x0061"):
            assert time.monotonic() < begin + 30
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"interrupted; nothing was found" in errors
    assert not is_running("sleep\x0061")


def test_output_that_changes_by_itself_is_no_reference() -> None:
    with pytest.raises(tonno.AllFailed, match="two runs of the default") as caught:
        command.tune(
            run=shell("date +%N", "@X@"), space={"X": [0, 1]}, outputs=["-"], lock=None
        )
    assert "nondeterministic" in {trial.status for trial in caught.value.trials}


def test_output_of_an_earlier_run_does_not_count() -> None:
    pathlib.Path("result").write_text("old\n")
    script = "test $1 = 1 || echo old > result"
    found = command.tune(
        run=shell(script, "@X@"), space={"X": [0, 1]}, outputs=["result"], lock=None
    )
    assert statuses(found)[1] == "wrong"


@pytest.mark.parametrize("start", ["sleep $2 &", "setsid sleep $2 &"])
def test_late_command_ends_with_all_that_it_has_started(start: str) -> None:
    mark = f"6{os.getpid() % 1000}.25"
    script = f"test $1 = 0 || {{ {start} sleep $2; }}"
    found = command.tune(
        run=shell(script, "@X@", mark), space={"X": [0, 1]}, run_seconds=2, lock=None
    )
    assert statuses(found)[1] == "hang"
    for _ in range(50):
        if not is_running(mark):
            return
        time.sleep(0.1)
    raise AssertionError("a process of the command still runs")


@pytest.mark.skipif(not shutil.which("gcc"), reason="there is no gcc")
def test_equal_binaries_are_timed_once() -> None:
    pathlib.Path("one.c").write_text("int main(void) { return 0; }\n")
    found = command.tune(
        build="gcc -O@LEVEL@ one.c -o @OUT@",
        run="./@OUT@",
        space={"LEVEL": ["2", "2 -DUNUSED"]},
        check="true",
    )
    # As one word, the flag is no level.
    assert found.trials[1].status == "compile_error"
    found = command.tune(
        build="gcc -O2 -DUNUSED@X@ one.c -o @OUT@",
        run="./@OUT@",
        space={"X": [1, 2]},
        check="true",
    )
    first, second = found.trials
    assert first.ok and second.seconds == first.seconds


def test_commands_get_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TONNO_STORE_TOKEN", "secret")
    monkeypatch.setenv("OTHER", "seen")
    script = 'test -z "$TONNO_STORE_TOKEN" && test "$OTHER" = seen'
    found = command.tune(
        run=shell(script, "@X@"), space={"X": [0, 1]}, budget_seconds=1, lock=None
    )
    assert statuses(found)[0] == "ok"


def test_nothing_verified_is_a_warning() -> None:
    found = command.tune(run="true @X@", space={"X": [1, 2]}, budget_seconds=1, lock=None)
    assert found.warnings[-1] == UNVERIFIED


def test_modes_measure_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TONNO_MODE", "off")
    found = command.tune(run="./nothing @X@", space={"X": [3, 4]})
    assert found.verdict == "untuned" and found.config == {"X": 3}


@pytest.mark.parametrize(
    ("text", "options", "default"),
    [
        ("X=1,2,40", [1, 2, 40], None),
        ("X= 0.5, a, 08", [0.5, "a", "08"], None),
        ('X=["a,b", "c"]', ["a,b", "c"], None),
        ("X=range<3 to 9 step 3>", [3, 6, 9], None),
        ("X=pow2<8 to 32> default 16", [8, 16, 32], 16),
        ("X=permutations<2> default [1, 0]", [(0, 1), (1, 0)], (1, 0)),
        ("X=a,b default b", ["a", "b"], "b"),
        ("X=[true, false] default true", [True, False], True),
        ('X="a < b", "1 to 2"', ["a < b", "1 to 2"], None),
    ],
)
def test_knobs_of_the_command_line(text: str, options: list[Any], default: Any) -> None:
    assert read_knob(text) == ("X", options, default)


@pytest.mark.parametrize(
    "text",
    [
        "X",
        "X=",
        "2X=1",
        "X=[1, 2",
        "X=pow2<3 to 8>",
        "X=pow2<8>",
        "X=pow2<8 to 64",
        "X=pow2<8 to 64 step 2>",
        "X=range(1,9)",
        "X=1 to 9",
        "X={1,2}",
        "X=range<3 to 1>",
        "X=1 default 2",
        "X=1,2 default [1",
    ],
)
def test_knobs_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(tonno.Error, match=f"^'--knob={re.escape(text)}': "):
        read_knob(text)


RunTool = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run_tool() -> RunTool:
    if not TUNE.exists():
        pytest.skip("there are no tools")
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [TUNE, *words], capture_output=True, text=True, env=dict(os.environ, PATH=path)
        )

    return run


def test_the_tool_prints_the_winners_commands(run_tool: RunTool) -> None:
    pathlib.Path("copy.sh").write_text("sleep $2; echo done > $1\n")
    done = run_tool(
        "--run=sh copy.sh 'the result' @SECONDS@",
        "--knob=SECONDS=0.05,0.01",
        "--output=the result",
        "--report=report.json",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "sh copy.sh 'the result' 0.01\n"
    assert "SECONDS=0.01: " in done.stderr and ", faster, " in done.stderr
    report = json.loads(pathlib.Path("report.json").read_text())
    assert report["values"] == {"SECONDS": 0.01} and report["verdict"] == "faster"
    assert report["run"] == ["sh", "copy.sh", "the result", "0.01"]
    assert [trial["status"] for trial in report["trials"]] == ["ok", "ok"]


def test_the_tool_refuses_and_fails(run_tool: RunTool) -> None:
    refused = run_tool("--run=true @Y@", "--knob=X=1,2")
    assert refused.returncode == 2
    assert "error: the run command has @Y@, and no knob is called Y" in refused.stderr
    refused = run_tool("--run=true @X@", "--knob=X")
    assert refused.returncode == 2 and "write NAME=domain" in refused.stderr
    failed = run_tool("--run=false @X@", "--knob=X=1,2", "--report=report.json")
    assert failed.returncode == 1
    trials = json.loads(pathlib.Path("report.json").read_text())["trials"]
    assert [trial["status"] for trial in trials] == ["fault", "fault"]
    assert "none of 2 configurations succeeded" in failed.stderr
    shown = run_tool("--run=x", "--help")
    assert shown.returncode == 0 and "OVERVIEW: tunes anything that builds and runs" in shown.stdout
