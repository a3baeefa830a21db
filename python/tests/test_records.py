# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Journals and the cache, as tonno-tune writes them."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
from typing import Any

import pytest

import tonno

DISTRIBUTION = {"n": 8, "min": 1.0, "q1": 2.0, "median": 3.0, "q3": 4.0}
SPACE = {
    "knobs": [
        {"name": "BM", "options": [16, 32, 64], "default": 32},
        {"name": "order", "options": [[0, 1], [1, 0]], "default": [0, 1]},
    ],
    "constraints": ["BM <= 32 or order[0] == 0"],
}
MEASUREMENT = {
    "seconds": DISTRIBUTION,
    "baseline_seconds": DISTRIBUTION,
    "ratio": 0.5,
    "ratio_interval": [0.25, 0.75],
}
TRIAL = {
    "values": {"BM": 16, "order": [1, 0]},
    "status": "ok",
    "message": "",
    "usage": {"code_bytes": 100},
    "artifact": "fe",
    "measurement": MEASUREMENT,
}
FAILED = {
    "values": {"BM": 64, "order": [0, 1]},
    "status": "compile_error",
    "message": "too many registers",
    "usage": {},
    "artifact": "",
}
DECISION = {
    "kernel": "matmul",
    "values": {"BM": 16, "order": [1, 0]},
    "artifact": "fe",
    "comparison": {
        "verdict": "faster",
        "seconds": DISTRIBUTION,
        "baseline_seconds": DISTRIBUTION,
        "speedup": 2.0,
        "speedup_interval": [1.5, 2.5],
        "rounds": 64,
    },
    "trials": 2,
    "seed": 0,
    "strategy": "ensemble",
    "versions": "tonno 0.1.0",
}


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def sealed(line: dict[str, Any]) -> str:
    body = canonical({"schema": 1, "session": "a1", **line})[:-1]
    check = hashlib.sha256(body.encode()).hexdigest()[:16]
    return f'{body},"check":"{check}"}}\n'


def trial_line(record: dict[str, Any], seconds: float) -> str:
    times = {"compile_seconds": 0.5, "run_seconds": 0.25, "session_seconds": seconds}
    return sealed({"trial": record, **times})


@pytest.fixture
def journal(tmp_path: pathlib.Path) -> pathlib.Path:
    about = {"kernel": "matmul", "device": "cpu", "space": SPACE}
    path = tmp_path / "session.jsonl"
    path.write_text(
        sealed({"begin": about}) + trial_line(TRIAL, 1.0) + trial_line(FAILED, 2.0)
    )
    return path


def test_journal_tells_its_session(journal: pathlib.Path) -> None:
    (session,) = tonno.read_journal(journal)
    assert session.key == "a1"
    assert session.about["kernel"] == "matmul"
    assert session.decision is None
    assert session.space is not None
    assert session.space.default == {"BM": 32, "order": (0, 1)}
    assert session.space.constraints == SPACE["constraints"]
    first, second = session.trials
    assert first.record.config == {"BM": 16, "order": (1, 0)}
    assert first.record.measurement is not None
    assert first.record.measurement.ratio == 0.5
    assert first.record.measurement.ratio_interval.half_width == 0.25
    assert first.record.measurement.seconds.median == 3
    assert first.record.usage == {"code_bytes": 100}
    assert (first.compile_seconds, first.run_seconds) == (0.5, 0.25)
    assert (second.session_seconds, second.is_recalled) == (2.0, False)
    assert (second.record.status, second.record.measurement) == ("compile_error", None)
    assert second.record.message == "too many registers"


def test_journal_has_the_decision(journal: pathlib.Path) -> None:
    with journal.open("a") as file:
        file.write(sealed({"end": DECISION, "key": "k"}))
    (session,) = tonno.read_journal(journal)
    assert session.decision is not None
    assert session.decision.config == {"BM": 16, "order": (1, 0)}
    assert session.decision.comparison.verdict == "faster"
    assert session.decision.comparison.speedup_interval == (1.5, 2.5)
    assert session.decision.comparison.shown_speedup is None  # an older record
    assert session.decision.environment == {}


def test_journal_that_is_being_written_is_left_alone(journal: pathlib.Path) -> None:
    text = journal.read_text() + '{"begin":'
    journal.write_text(text)
    (session,) = tonno.read_journal(journal)
    assert len(session.trials) == 2
    assert journal.read_text() == text


def test_damaged_line_is_warned_about(journal: pathlib.Path) -> None:
    journal.write_text(journal.read_text().replace("0.25,", "0.35,", 1))
    with pytest.warns(UserWarning, match="1 damaged lines, the first of them line 2"):
        (session,) = tonno.read_journal(journal)
    assert len(session.trials) == 1
    with pytest.raises(tonno.Error, match="line 2"):
        tonno.read_recordings(journal)


def test_journal_is_a_recording(journal: pathlib.Path) -> None:
    with pytest.warns(UserWarning, match="at least 10 % uncertain: 1"):
        (recording,) = tonno.read_recordings(journal)
    assert recording.name == "matmul__cpu"
    assert [t.status for t in recording.trials] == ["ok", "compile_error"]
    assert recording.best_seconds == 0.5 * 3


def store(root: pathlib.Path, key: str, record: dict[str, Any]) -> pathlib.Path:
    whole = {"schema": 1, "key": key, "record": record}
    whole["checksum"] = hashlib.sha256(canonical(record).encode()).hexdigest()
    path = root / "v1" / key[:2] / f"{key}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole))
    return path


def test_cache_is_read_and_left_alone(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(tmp_path, "aa11", TRIAL)
    store(tmp_path, "ab22", DECISION)
    store(tmp_path, "ab33", {"best": [{"BM": 16}]})
    damaged = store(tmp_path, "ac44", TRIAL)
    damaged.write_text(damaged.read_text().replace('"fe"', '"ff"'))
    with pytest.warns(UserWarning, match="ac44.json' is left out: .*checksum is wrong"):
        records = tonno.read_cache(tmp_path)
    assert list(records) == ["aa11", "ab22", "ab33"]
    trial, decision = records["aa11"], records["ab22"]
    assert isinstance(trial, tonno.TrialRecord) and trial.config["BM"] == 16
    assert isinstance(decision, tonno.DecisionRecord)
    assert decision.comparison.speedup == 2
    assert records["ab33"] == {"best": ({"BM": 16},)}
    assert damaged.exists()
    damaged.unlink()
    monkeypatch.setenv("TONNO_CACHE_DIR", str(tmp_path))
    assert tonno.read_cache() == records
    monkeypatch.setenv("HOME", str(tmp_path.parent))
    monkeypatch.setenv("TONNO_CACHE_DIR", f"~/{tmp_path.name}")
    assert tonno.read_cache() == tonno.read_cache(f"~/{tmp_path.name}") == records


def test_missing_cache_is_an_error(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="no cache directory"):
        tonno.read_cache(tmp_path / "none")


def test_pipe_in_a_records_place_is_left_out(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "v1" / "00"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "0.json")
    with pytest.warns(UserWarning, match="not a regular file"):
        assert tonno.read_cache(tmp_path) == {}
