# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Progress of `tonno.minimize`: on a terminal, in a pipe, in a notebook, by callbacks."""

from __future__ import annotations

import io
import logging
import pathlib
from typing import Any

import nbformat
import notebooks
import pytest

import tonno

SPACE = tonno.SearchSpace({"N": range(4)})
EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/python/notebook.ipynb"


def seconds_of(config: tonno.Configuration) -> float:
    if config["N"] == 2:
        raise ValueError("no such size")
    return 1.0 / (1 + int(config["N"]))


def shown(monkeypatch: pytest.MonkeyPatch, is_terminal: bool, progress: Any = None) -> str:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: is_terminal)
    monkeypatch.setattr("sys.stderr", stream)
    tonno.minimize(seconds_of, SPACE, strategy="exhaustive", progress=progress)
    return stream.getvalue()


def test_terminal_has_one_line_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    for progress in (None, True):
        text = shown(monkeypatch, is_terminal=True, progress=progress)
        *parts, last = text.split("\r\x1b[K")
        assert "\n" not in "".join(parts) and len(parts) >= 5
        assert "trial 1 of 60: 1 s with {'N': 0}" in text
        assert last.startswith("tonno: minimize: 3 of 4 configurations in ")


def test_pipe_has_a_line_for_each_trial_if_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, is_terminal=False) == ""
    lines = shown(monkeypatch, is_terminal=False, progress=True).splitlines()
    assert lines[:4] == [
        "tonno: minimize: trial 1 of 60: 1 s with {'N': 0}",
        "tonno: minimize: trial 2 of 60: 0.5 s with {'N': 1}",
        "tonno: minimize: trial 3 of 60: fault: ValueError: no such size with {'N': 2}; "
        "best 0.5 s",
        "tonno: minimize: trial 4 of 60: 0.25 s with {'N': 3}",
    ]
    assert lines[4] == "tonno: minimize: calling the best again: {'N': 3}"


def test_nothing_is_shown_if_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, is_terminal=True, progress=False) == ""


def test_callback_gets_each_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    reports: list[tonno.ProgressReport] = []
    tonno.minimize(seconds_of, SPACE, strategy="exhaustive", callbacks=[reports.append])
    assert [report.trials for report in reports] == [1, 2, 3, 4]
    assert [report.trial.config["N"] for report in reports] == [0, 1, 2, 3]
    best = [report.best.config["N"] for report in reports if report.best is not None]
    assert best == [0, 1, 1, 3] and reports[0].budget_trials == 60


def test_callback_that_raises_ends_the_search() -> None:
    def stop(report: tonno.ProgressReport) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        tonno.minimize(seconds_of, SPACE, strategy="exhaustive", callbacks=[stop])


def test_logger_has_each_trial(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "tonno.minimize"):
        tonno.minimize(seconds_of, SPACE, strategy="exhaustive")
    assert [record.getMessage() for record in caplog.records] == [
        "{'N': 0}: 1 s",
        "{'N': 1}: 0.5 s",
        "{'N': 2}: fault: ValueError: no such size",
        "{'N': 3}: 0.25 s",
    ]


def test_notebook_shows_progress_and_keeps_an_interrupted_result(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.setenv("TONNO_CACHE_DIR", str(tmp_path))
    notebook = nbformat.read(EXAMPLE, as_version=4)  # type: ignore[no-untyped-call]
    interrupted = """def function(config):
    if config["page_size"] == 65536:
        raise KeyboardInterrupt
    return 1.0
tonno.minimize(function, space, strategy="exhaustive")"""
    after = "import sys\nsys.last_value.result.ended"
    for source in (interrupted, after):
        notebook.cells.append(nbformat.v4.new_code_cell(source))  # type: ignore[no-untyped-call]
    imported, minimized, tuned, _, ended = notebooks.run_cells(notebook)
    assert imported == []
    progress, result = minimized
    # The output is one that was replaced, and no row of lines.
    assert progress.output_type == "display_data"
    assert progress.data["text/plain"].startswith("tonno: minimize: 8 of 8 configurations in")
    assert result.data["text/plain"].startswith("Result(")
    assert [out.output_type for out in tuned] == ["display_data", "execute_result"]
    assert "3 of 3 configurations in" in tuned[0].data["text/plain"]
    assert ended[0].data["text/plain"] == "'interrupted'"
