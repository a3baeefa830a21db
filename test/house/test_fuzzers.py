# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fuzzers run if their reader changed, and what they find is not lost."""

from __future__ import annotations

import pathlib

import changed_files
import fuzz_selection
import pytest
import run_fuzzers
from changed_files import Changes

FILES = {
    "test/fuzz/CMakeLists.txt": "tonno_fuzzer(Frame LINKS A)\ntonno_fuzzer(Npy LINKS B)\n",
    "test/fuzz/Fuzz.h": "",
    "test/fuzz/Frame.cpp": '#include "tonno/A/Frame.h"\n#include "Fuzz.h"\n',
    "test/fuzz/Npy.cpp": '#include "tonno/B/Npy.h"\n#include "Fuzz.h"\n',
    "include/tonno/A/Frame.h": "",
    "lib/A/Frame.cpp": '#include "Lexer.h"\n#include "tonno/A/File.h"\n',
    "lib/A/Lexer.h": "",
    "lib/A/Parts/Lexer.cpp": '#include "Lexer.h"\n',
    "include/tonno/A/File.h": "",
    "lib/A/File.cpp": '#include "tonno/A/File.h"\n#include "tonno/A/Far.h"\n',
    "include/tonno/A/Far.h": "",
    "lib/A/Far.cpp": '#include "tonno/A/Far.h"\n',
    "include/tonno/B/Npy.h": "",
    "lib/B/NpyMessages.cpp": '#include "tonno/B/Npy.h"\n',
    "include/tonno/B/User.h": "",
    "lib/B/User.cpp": '#include "tonno/B/Npy.h"\n#include "tonno/B/User.h"\n',
}


@pytest.fixture
def tree(tmp_path: pathlib.Path) -> pathlib.Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("test/fuzz/Frame.cpp", ["Frame"]),
        ("test/fuzz/Fuzz.h", ["Frame", "Npy"]),
        ("test/fuzz/corpus/Npy/inputs/0", ["Npy"]),
        ("test/fuzz/CMakeLists.txt", []),
        ("include/tonno/A/Frame.h", ["Frame"]),
        ("lib/A/Frame.cpp", ["Frame"]),
        ("lib/A/Lexer.h", ["Frame"]),
        ("lib/A/Parts/Lexer.cpp", ["Frame"]),
        ("lib/A/File.cpp", ["Frame"]),
        ("lib/A/Far.cpp", []),
        ("lib/B/NpyMessages.cpp", ["Npy"]),
        ("lib/B/User.cpp", []),
    ],
)
def test_readers_that_changed_are_selected(
    tree: pathlib.Path, name: str, expected: list[str]
) -> None:
    changes = Changes(frozenset([tree / name]), "the test began")
    assert fuzz_selection.changed(changes, tree) == expected


def test_every_fuzzer_is_selected_if_changes_are_unknown(tree: pathlib.Path) -> None:
    assert fuzz_selection.changed(Changes(None, "there is no git"), tree) == ["Frame", "Npy"]


def test_readers_are_selected_apart(root: pathlib.Path) -> None:
    """Not all of them for a change in one: the text of constraints is no file of numpy."""
    readers = fuzz_selection.Readers(root)
    parser = root / "lib/Space/Constraint.cpp"
    assert parser in readers.files("Constraint")
    assert parser not in readers.files("Npy")
    json = root / "lib/Core/JsonBuilder.cpp"
    assert all(json in readers.files(name) for name in fuzz_selection.fuzzers(root))


def fake_fuzzer(tree: pathlib.Path, name: str, body: str) -> None:
    program = tree / f"bin/tonno-fuzz-{name}"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f"#!/bin/bash\n{body}\n")
    program.chmod(0o755)


STATISTICS = """echo '#7 DONE cov: 12 ft: 34 corp: 5'
echo 'stat::number_of_executed_units: 56'"""


def test_statistics_are_reported(tmp_path: pathlib.Path) -> None:
    fake_fuzzer(tmp_path, "Frame", f'{STATISTICS}\n[[ " $* " == *" -max_total_time=3 "* ]]')
    ended = run_fuzzers.run(tmp_path, "Frame", 3)
    assert ended.failure is None
    assert ended.statistics == "56 inputs in 3 s, cov: 12 ft: 34"


def test_input_of_a_finding_is_named(tmp_path: pathlib.Path) -> None:
    body = """for option; do
      case $option in -artifact_prefix=*) prefix=${option#*=} ;; esac
    done
    touch "${prefix}crash-0"
    echo "artifact_prefix='$prefix'; Test unit written to ${prefix}crash-0"
    exit 77"""
    fake_fuzzer(tmp_path, "Frame", body)
    failure = run_fuzzers.run(tmp_path, "Frame").failure or ""
    path = tmp_path / "found/Frame-crash-0"
    assert failure.startswith(f"exit status 77; the input is in {path}\n")
    assert path.exists()


def test_fuzzer_that_tries_nothing_fails(tmp_path: pathlib.Path) -> None:
    fake_fuzzer(tmp_path, "Frame", "exit 0")
    assert "no statistics" in (run_fuzzers.run(tmp_path, "Frame").failure or "")


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> pathlib.Path:
    """The tree that main() believes to have built."""
    monkeypatch.setenv("TONNO_BUILD_DIR", str(tmp_path))
    monkeypatch.setattr(run_fuzzers, "build", lambda *_: None)
    monkeypatch.setattr(
        changed_files, "find", lambda _: Changes(frozenset(), "the test began")
    )
    return tmp_path / "fuzz"


def test_outcome_of_each_fuzzer_is_printed(
    built: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_fuzzer(built, "Frame", STATISTICS)
    fake_fuzzer(built, "Npy", "exit 77")
    assert run_fuzzers.main(["Frame", "Npy", "--seconds=3"]) == 1
    said = capsys.readouterr().out
    assert "fuzz: Frame: ok: 56 inputs in 3 s" in said
    assert "fuzz: Npy: FAILED: exit status 77" in said
    assert "fuzz: 1 passed, 1 failed, 11 not run" in said
    assert run_fuzzers.main(["Frame"]) == 0


def test_each_unchanged_reader_is_printed(
    built: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_fuzzers.main([]) == 0
    said = capsys.readouterr().out
    assert "fuzz: 0 files changed since the test began" in said
    assert f"fuzz: Frame: not run: {run_fuzzers.UNCHANGED}" in said
    assert "fuzz: 0 passed, 0 failed, 13 not run" in said


def test_all_runs_unchanged_readers(
    built: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in fuzz_selection.fuzzers():
        fake_fuzzer(built, name, STATISTICS)
    assert run_fuzzers.main(["--all"]) == 0
    assert "fuzz: 13 passed, 0 failed, 0 not run" in capsys.readouterr().out
