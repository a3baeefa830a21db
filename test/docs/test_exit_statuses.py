# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causes each exit status of the table in docs/reference/statuses.md."""

from __future__ import annotations

import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INPUTS = ROOT / "test/tonno-tune/Inputs"

# Command lines in a folder with a tuned and locked kernel. The decision of `slow` is the
# slowest configuration, `empty` has no decisions.
CAUSES = {
    ("tonno-tune", 0): "tonno-tune small.mlir --cache-dir=cache -o out.mlir",
    ("tonno-tune", 1): "tonno-tune absent.mlir -o out.mlir",
    ("tonno-tune reproduce", 1): "tonno-tune reproduce absent.tonno",
    ("tonno-tune cache", 0): "tonno-tune cache list --cache-dir=cache",
    ("tonno-tune cache", 3): "tonno-tune cache why-miss small.mlir --cache-dir=empty",
    ("tonno-tune cache", 1): "tonno-tune cache show absent --cache-dir=cache",
    ("tonno-tune prior test", 3): f"tonno-tune prior test {ROOT}/python/tests/data/transpose.csv",
    ("tonno-tune prior test", 1): "tonno-tune prior test absent.t4",
    ("tonno-tune check", 0): "tonno-tune check small.mlir --cache-dir=cache --binaries=binaries",
    ("tonno-tune check", 3): "tonno-tune check small.mlir --cache-dir=slow --binaries=binaries",
    ("tonno-tune check", 4): "tonno-tune check small.mlir --cache-dir=slow",
    ("tonno-tune check", 1): "tonno-tune check absent.mlir",
    ("tonno-compile", 0): "tonno-compile tuned.mlir --emit=obj -o out.o",
    ("tonno-compile", 1): "tonno-compile absent.mlir --emit=obj -o out.o",
    ("tonno-opt", 0): "tonno-opt small.mlir -o out.mlir",
    ("tonno-opt", 1): "tonno-opt absent.mlir",
    ("tonno-command", 0): "tonno-command --run='true @X@' --knob=X=1,2 --budget-seconds=1",
    ("tonno-command", 1): "tonno-command --run='false @X@' --knob=X=1,2",
    ("tonno-command", 2): "tonno-command --unknown",
    ("tonno-import", 1): "tonno-import absent.stablehlo.mlir -o out.mlir",
    ("tonno-import", 2): "tonno-import --unknown",
    ("tonno-report", 1): "tonno-report absent.jsonl -o out.html",
    ("tonno-report", 2): "tonno-report --unknown",
    ("tonno-lsp-server", 1): "tonno-lsp-server",
    ("tonno-runner", 0): "tonno-runner --version",
    ("tonno-runner", 1): "tonno-runner --bundle=absent.bundle",
    ("tonno-runner", 2): "tonno-runner --unknown",
    ("tonno-worker", 0): "tonno-worker --version",
    ("tonno-worker", 2): "tonno-worker --unknown",
}

# Those that take a model, a failure or an editor.
ELSEWHERE = {
    ("tonno-tune reproduce", 0): "test/tonno-tune/reproduce.test",
    ("tonno-tune reproduce", 3): "test/tonno-tune/reproduce.test",
    ("tonno-tune prior test", 0): "benchmarks/search/recordings",
    ("tonno-command", 130): "python/tests/test_command.py",
    ("tonno-import", 0): "test/models",
    ("tonno-report", 0): "python/tests/test_report_command.py",
    ("tonno-lsp-server", 0): "test/editor",
    ("tonno-worker", 1): "test/unit/Tuner/WorkerCommandsTest.cpp",
}

SIGNALS = {130: signal.SIGINT, 143: signal.SIGTERM, 129: signal.SIGHUP}


def documented() -> set[tuple[str, int]]:
    """The tools and statuses of the table."""
    page = (ROOT / "docs/reference/statuses.md").read_text()
    rows = page.split("## Exit statuses")[1].split("| --- | --- | --- |")[1].splitlines()[1:]
    found: set[tuple[str, int]] = set()
    tools: list[str] = []
    for row in rows:
        if not row.startswith("|"):
            break
        named, statuses = (cell.strip() for cell in row.split("|")[1:3])
        tools = [tool.strip(" `") for tool in named.split(",")] if named else tools
        found |= {(tool, int(status)) for tool in tools for status in statuses.split(",")}
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, build: pathlib.Path) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("statuses")
    shutil.copy(INPUTS / "small.mlir", folder)
    fast, slow = 'values={"BM": 1, "MR": 4}', 'values={"BM": 64, "MR": 1}'

    def run(words: str) -> None:
        subprocess.run([build / "bin/tonno-tune", *words.split()], cwd=folder, check=True)

    def decide(cache: str, values: str) -> None:
        edit = [sys.executable, INPUTS / "edit_records.py", folder / cache, values]
        subprocess.run(edit, check=True)

    run("small.mlir --cache-dir=cache --budget-trials=2 -o tuned.mlir")
    decide("cache", fast)
    run("lock small.mlir --cache-dir=cache --binaries=binaries")
    shutil.copytree(folder / "cache", folder / "slow")
    decide("slow", slow)
    (folder / "empty").mkdir()
    return folder


def test_each_status_of_the_table_has_a_cause() -> None:
    signals = {("tonno-tune", status) for status in SIGNALS}
    assert documented() == CAUSES.keys() | ELSEWHERE.keys() | signals
    for place in ELSEWHERE.values():
        assert (ROOT / place).exists(), place


@pytest.mark.parametrize(("tool", "status"), CAUSES)
def test_cause_gives_the_status(
    folder: pathlib.Path, tools: pathlib.Path, tool: str, status: int
) -> None:
    program, *words = shlex.split(CAUSES[tool, status])
    ended = subprocess.run(
        [tools / program, *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == status, ended.stderr


@pytest.mark.parametrize("status", SIGNALS)
def test_signal_gives_the_status(
    folder: pathlib.Path, build: pathlib.Path, tmp_path: pathlib.Path, status: int
) -> None:
    events = tmp_path / "events"
    words = f"small.mlir --cache=off --effort=full --progress-file={events} -o out.mlir"

    def restore_signals() -> None:  # those that a shell in the background ignores
        for number in SIGNALS.values():
            signal.signal(number, signal.SIG_DFL)

    tuner = subprocess.Popen(
        [build / "bin/tonno-tune", *words.split()],
        cwd=folder,
        env=os.environ,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=restore_signals,
    )
    while tuner.poll() is None and not (events.exists() and "trial" in events.read_text()):
        time.sleep(0.01)
    tuner.send_signal(SIGNALS[status])
    _, errors = tuner.communicate()
    assert tuner.returncode == status, errors
