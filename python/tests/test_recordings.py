# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recorded spaces, and the same numbers as tonno-tune replay."""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import subprocess

import pytest

import tonno

DATA = pathlib.Path(__file__).parent / "data"


def test_recording_tells_what_was_measured(transpose: tonno.Recording) -> None:
    assert transpose.name == "transpose"
    assert len(transpose) == len(transpose.trials) == transpose.ok_count == 144
    assert transpose.space.knobs["MR"] == (2, 4, 8, 16)
    assert transpose.space.legal.points == 144
    first = transpose.trials[0]
    assert first.config == {"MR": 8, "NR": 16, "BM": 128, "BN": 64}
    assert first.seconds == pytest.approx(502.7e-6)
    assert first.compile_seconds == pytest.approx(0.03876)
    assert transpose.find(first.config) == first
    assert transpose.best_seconds == min(t.seconds for t in transpose.trials if t.seconds)
    assert "144 trials, 144 ok" in repr(transpose)


def test_points_that_were_not_measured_are_no_legal_ones(transpose: tonno.Recording) -> None:
    config = {"MR": 16, "NR": 32, "BM": 128, "BN": 64}
    assert transpose.find(config) is None
    assert not transpose.space.is_legal(config)
    with pytest.raises(tonno.Error, match="not an option"):
        transpose.find({**config, "MR": 3})


def test_kernel_tuner_t4_and_compressed_files_are_read(tmp_path: pathlib.Path) -> None:
    kernel_tuner = {
        "tune_params_keys": ["X"],
        "tune_params": {"X": [1, 2]},
        "cache": {
            "1": {"X": 1, "time": 2.0, "compile_time": 100.0},
            "2": {"X": 2, "time": "RuntimeFailedConfig"},
        },
    }
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(json.dumps(kernel_tuner).encode()))
    (recording,) = tonno.read_recordings(path)
    assert recording.name == "a"
    assert [(t.status, t.seconds) for t in recording.trials] == [("ok", 2e-3), ("fault", None)]
    assert (recording.excluded, recording.disturbed, recording.notes) == (0, 0, ())
    t4 = {
        "results": [
            {
                "configuration": {"X": 1},
                "measurements": [{"name": "time", "value": 3, "unit": "ms"}],
                "invalidity": "correct",
                "times": {},
            }
        ]
    }
    (tmp_path / "b.json").write_text(json.dumps(t4))
    (recording,) = tonno.read_recordings(tmp_path / "b.json")
    assert recording.best_seconds == pytest.approx(3e-3)


def test_decimals_are_numbers(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,x,time_ms\n1,.25,1\n1,0.1,2\n1,1.0,3\n1,0.5,4\n")
    (recording,) = tonno.read_recordings(path)
    assert recording.space.knobs["x"] == (0.1, 0.25, 0.5, 1)
    found = recording.find({"a": 1, "x": 0.5})
    assert found is not None and found.seconds == pytest.approx(4e-3)


def test_notes_are_warnings(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "cut.csv"
    path.write_text("a,time_ms\n1,4\n2,1")
    with pytest.warns(UserWarning, match="cut: line 3 has no end"):
        (recording,) = tonno.read_recordings(path)
    assert len(recording.notes) == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the file is empty"),
        ("[1, 2]", "cache files of Kernel Tuner"),
        ("X,time_ms\n1,2\n1,2\n", "line 3"),
        ("X,time_ms\n1,2\n1,3\n", "line 3"),
        ("X,time_ms\n1,\n", "no configuration is valid"),
        ("{}", "neither a cache file"),
    ],
)
def test_bad_files_are_refused(tmp_path: pathlib.Path, text: str, says: str) -> None:
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(tonno.Error, match=says):
        tonno.read_recordings(tmp_path / "x.csv")


def test_missing_file_is_pythons_error(tmp_path: pathlib.Path) -> None:
    for read in (tonno.read_recordings, tonno.read_journal):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / "none")
        with pytest.raises(IsADirectoryError):
            read(tmp_path)


def test_replay_is_deterministic(transpose: tonno.Recording) -> None:
    run = tonno.replay(transpose, seed=7, trials=60)
    assert run.steps == tonno.replay(transpose, seed=7, trials=60).steps
    assert run.steps != tonno.replay(transpose, seed=8, trials=60).steps
    assert len({step.trial for step in run.steps}) == len(run.steps) == 60
    best = [step.best for step in run.steps]
    assert best == sorted(best, reverse=True)
    assert run.fraction(60) == transpose.best_seconds / best[-1] > 0.9
    within = run.trials_within(0.05)
    assert within is not None and best[within - 1] <= 1.05 * transpose.best_seconds < best[within - 2]
    assert run.trials_within(-0.5) is None
    assert run.proposing_seconds > 0


def test_replay_of_the_whole_space_finds_the_optimum(transpose: tonno.Recording) -> None:
    run = tonno.replay(transpose, "exhaustive", trials=1000)
    assert run.has_ended
    assert len(run.steps) == 144
    assert run.fraction(144) == 1
    spent = sum(t.compile_seconds + t.run_seconds + t.other_seconds for t in transpose.trials)
    assert run.steps[-1].spent == pytest.approx(spent)
    part = tonno.replay(transpose, "exhaustive", seconds=spent / 2)
    assert len(part.steps) < 144 and part.steps[-2].spent < spent / 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"strategy": "best"}, "unknown strategy"),
        ({"trials": 0}, "at least 1 trial"),
        ({"pending": 0}, "the number of pending candidates must be at least 1"),
        ({"seed": -1}, "seed must be from 0 to"),
        ({"seed": 2**64}, "seed must be from 0 to .*, not 18446744073709551616"),
        ({"trials": -1}, "trials must be from 0 to .*, not -1"),
        ({"pending": -1}, "pending must be from 0 to .*, not -1"),
        ({"noise": -1.0}, "noise"),
    ],
)
def test_replay_of_nothing_is_refused(
    transpose: tonno.Recording, options: dict[str, object], says: str
) -> None:
    with pytest.raises(tonno.Error, match=says):
        tonno.replay(transpose, **options)  # type: ignore[arg-type]


def replayed(strategy: str, pending: int, noise: float) -> list[float]:
    """Mean shares of the optimum after 25, 50 and 100 trials, as the tool prints them."""
    build = os.environ.get("TONNO_BUILD_DIR", "")
    tool = pathlib.Path(build) / "bin/tonno-tune"
    if not build or not tool.exists():
        pytest.skip("there is no build tree with tonno-tune")
    options = [f"--strategy={strategy}", f"--pending={pending}", f"--noise={noise}"]
    command = [str(tool), "replay", str(DATA / "transpose.csv"), *options]
    said = subprocess.run(
        [*command, "--seeds=3", "--budget-trials=100", "--json"],
        check=True,
        stdout=subprocess.PIPE,
    )
    (summary,) = json.loads(said.stdout)["strategies"]
    return [summary["fractions"][trials] for trials in ("25", "50", "100")]


@pytest.mark.parametrize(
    ("strategy", "pending", "noise"),
    [("ensemble", 1, 0.0), ("lfbo-pattern", 4, 0.0), ("genetic", 8, 0.03)],
)
def test_numbers_are_those_of_the_tool(
    transpose: tonno.Recording, strategy: str, pending: int, noise: float
) -> None:
    expected = replayed(strategy, pending, noise)
    runs = [
        tonno.replay(transpose, strategy, seed, 100, pending=pending, noise=noise)
        for seed in (1, 2, 3)
    ]
    fractions = [sum(run.fraction(n) for run in runs) / 3 for n in (25, 50, 100)]
    assert fractions == pytest.approx(expected, rel=1e-12)


def test_best_configurations_of_a_recording_begin_a_search(transpose: tonno.Recording) -> None:
    best = transpose.best(3)
    assert transpose.find(best[0]) == min(transpose.trials, key=lambda t: t.seconds or 0)
    few = tonno.SearchSpace({**transpose.space.knobs, "MR": [2, 4]})
    assert all(config["MR"] in (2, 4) for config in transpose.best(5, few))
    assert transpose.best(5, tonno.SearchSpace({"OTHER": [1]})) == []
