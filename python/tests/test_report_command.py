# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program tonno-report."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import sysconfig
import time
from typing import Any

import pytest
from report_journals import (
    KNOBS,
    begin,
    list_configurations,
    make_large_session,
    make_session,
    trial,
    write,
)

from tonno.report.command import main
from tonno.report.document import make_document
from tonno.report.reading import read_sessions


@pytest.fixture
def journal(tmp_path: pathlib.Path) -> str:
    return str(write(tmp_path / "a.jsonl", make_session(list_configurations())))


@pytest.fixture(autouse=True)
def small_vega(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    monkeypatch.setattr("tonno.report.vega.load_vega", lambda: "")


def test_page_is_written(
    journal: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "report.html"
    assert main([journal, "-o", str(output)]) == 0
    assert output.read_text().startswith("<!DOCTYPE html>")
    assert capsys.readouterr() == ("", f"wrote '{output}': the report\n")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("tmp")] == []
    assert output.stat().st_mode & 0o777 == 0o666 & ~_read_mask()


def _read_mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_json_has_the_data_of_the_page(journal: str, capfdbinary: Any) -> None:
    assert main([journal, "--json"]) == 0
    document = json.loads(capfdbinary.readouterr().out)
    (kernel,) = document["kernels"]
    assert (document["schema"], document["tool"]) == (1, "tonno-report")
    assert len(kernel["trials"]) == 48
    assert kernel["sessions"][0]["decision"]["verdict"] == "faster"
    expected = make_document(read_sessions(journal))[0]["kernels"][0]
    assert {name: kernel[name] for name in expected} == json.loads(json.dumps(expected))


def test_text_answers_the_questions(journal: str, capfdbinary: Any) -> None:
    assert main([journal, "--text"]) == 0
    text = capfdbinary.readouterr().out.decode()
    assert text.startswith("@matmul on AMD EPYC (znver4)\n  What was found?\n    - 2.50x [2.48, 2.")
    for question in ("Is it real?", "Why did the others lose?", "How far is the limit?"):
        assert question in text
    assert max(map(len, text.splitlines())) <= 100


def test_kernels_are_chosen_by_name(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = {name: options[0] for name, options in KNOBS.items()}
    lines = [begin(), trial(values, 1.0)]
    lines += [begin("b", kernel="other"), trial(values, 1.0, session="b")]
    path = write(tmp_path / "a.jsonl", lines)
    output = tmp_path / "a.json"
    assert main([str(path), "--json", "--kernel=@other", "-o", str(output)]) == 0
    assert [k["kernel"] for k in json.loads(output.read_text())["kernels"]] == ["other"]
    assert main([str(path), "--json", "--kernel=third"]) == 1
    assert "unknown kernel '@third'; the kernels are: @matmul, @other" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.jsonl"], "No such file or directory: 'missing.jsonl'"),
        (["torn.jsonl"], "'torn.jsonl', line 3: the line is torn: "),
        (["a.jsonl", "-o", "a.jsonl"], "'-o' names the session 'a.jsonl'; name another file"),
        (["a.jsonl", "--json", "-o", "none/a.json"], "No such file or directory"),
        (["."], "'.' is a directory; name files"),
    ],
)
def test_failures_have_a_message(
    journal: str,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(pathlib.Path(journal).parent)
    before = pathlib.Path("a.jsonl").read_bytes()
    pathlib.Path("torn.jsonl").write_bytes(before[:900])
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert error.startswith("tonno-report: error: ") and message in error
    assert pathlib.Path("a.jsonl").read_bytes() == before


def test_torn_journals_are_reported_on_demand(journal: str, capfdbinary: Any) -> None:
    path = pathlib.Path(journal)
    path.write_bytes(path.read_bytes()[:5000])
    assert main([journal, "--partial", "--text"]) == 0
    assert b"left out: 1, the first: line" in capfdbinary.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["a", "--json", "--text"], ["a", "--jso"]])
def test_wrong_command_lines_exit_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2


def test_missing_packages_have_a_remedy(
    journal: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    for name in ("page", "charts", "vega"):
        monkeypatch.delitem(sys.modules, f"tonno.report.{name}", raising=False)
    assert main([journal, "-o", "/dev/null"]) == 1
    assert "pip install 'tonno-mlir[report]'" in capsys.readouterr().err


def test_program_is_installed() -> None:
    program = pathlib.Path(sysconfig.get_path("scripts")) / "tonno-report"
    done = subprocess.run([program, "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "tonno-report matmul.jsonl -o report.html" in done.stdout


def test_ten_thousand_trials_are_reported_in_seconds(tmp_path: pathlib.Path) -> None:
    path = write(tmp_path / "large.jsonl", make_large_session(10_000))
    begun = time.process_time()
    assert main([str(path), "-o", str(tmp_path / "report.html")]) == 0
    # About one second on an idle machine; processor time hardly depends on other work.
    assert time.process_time() - begun < 10
