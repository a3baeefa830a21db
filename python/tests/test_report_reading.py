# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno-report reads journals, reports and records, and refuses other files with the place."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
from report_journals import (
    KNOBS,
    begin,
    end,
    list_configurations,
    make_session,
    seal,
    trial,
    write,
)

import tonno
from tonno.report.failures import ReadFailure
from tonno.report.reading import read_sessions

BEST = {"BM": 64, "BN": 32, "UNROLL": 1}


@pytest.fixture
def journal(tmp_path: pathlib.Path) -> pathlib.Path:
    return write(tmp_path / "a.jsonl", make_session(list_configurations()))


def test_journal_is_read_as_the_library_reads_it(journal: pathlib.Path) -> None:
    (ours,), (theirs,) = read_sessions(str(journal)), tonno.read_journal(journal)
    assert [t.values for t in ours.trials] == [t.record.config for t in theirs.trials]
    measured = [t.record.measurement for t in theirs.trials]
    assert [t.ratio for t in ours.trials] == [m and m.ratio for m in measured]
    assert [t.interval for t in ours.trials] == [m and m.ratio_interval for m in measured]
    assert theirs.decision and ours.decision
    assert ours.decision.values == theirs.decision.config == BEST
    assert ours.decision.speedup == theirs.decision.comparison.speedup
    assert (ours.kernel, ours.seed, ours.search_end) == ("matmul", 0, "budget")
    assert ours.total_seconds == 90


def test_amended_trials_have_failed(tmp_path: pathlib.Path) -> None:
    worst = {"BM": 16, "BN": 16, "UNROLL": 1}
    later = {"values": BEST, "status": "wrong", "message": "differs", "usage": {}, "artifact": ""}
    lines = [begin(), trial(worst, 1.0), trial(BEST, 0.1)]
    lines.append({"amended": later, "schema": 1, "session": "a"})
    (session,) = read_sessions(str(write(tmp_path / "a.jsonl", lines)))
    amended = session.trials[1]
    assert (amended.status, amended.message, amended.ratio) == ("wrong", "differs", None)


def test_sessions_that_begin_again_count_once(tmp_path: pathlib.Path) -> None:
    lines = [begin(), trial(BEST, 0.1), begin(), trial(BEST, 0.2), trial(BEST, 0.3)]
    (session,) = read_sessions(str(write(tmp_path / "a.jsonl", lines)))
    assert [t.ratio for t in session.trials] == [0.2, 0.3]
    assert "no decision" in session.notes[0]


def damage(text: str, line: int) -> str:
    lines = text.splitlines(keepends=True)
    lines[line - 1] = lines[line - 1].replace("0.", "1.", 1)
    return "".join(lines)


@pytest.mark.parametrize(
    ("mutate", "place"),
    [
        (lambda text: damage(text, 7), "line 7: the checksum is wrong"),
        (lambda text: text[:-40], "line 50: the line is torn"),
        (lambda text: text[:5000], "line 11: the line is torn"),
        (lambda text: text.partition("\n")[2], "line 1: the session 'a' has no beginning"),
        (lambda text: text + "{}\n", "line 51: the line is torn"),
        (lambda text: text + seal({"schema": 2, "session": "a"}), "line 51: the schema is not 1"),
        (lambda text: text + seal({"schema": 1, "session": "a"}), "line 51: "),
        (lambda text: text + seal({"schema": 1, "session": 5}), "'session' is missing"),
    ],
)
def test_damaged_lines_are_refused_with_their_place(
    journal: pathlib.Path, mutate: Any, place: str
) -> None:
    journal.write_text(mutate(journal.read_text()))
    with pytest.raises(ReadFailure, match="'--partial'") as failure:
        read_sessions(str(journal))
    assert place in str(failure.value) and str(journal) in str(failure.value)


def test_partial_reports_whole_lines(journal: pathlib.Path) -> None:
    journal.write_text(damage(journal.read_text(), 7)[:-40])
    (session,) = read_sessions(str(journal), is_partial=True)
    assert len(session.trials) == 47
    assert "left out: 2, the first: line 7: the checksum is wrong" in session.notes[-1]


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ({"values": 3}, "'values' must be an object"),
        ({"values": {}, "status": 3}, "'status' is missing"),
        ({"values": {"X": {}}, "status": "ok"}, "must not be an object"),
        ([], "must be an object"),
    ],
)
def test_other_shapes_are_refused(tmp_path: pathlib.Path, record: Any, why: str) -> None:
    path = write(tmp_path / "a.jsonl", [begin(), {"trial": record, "schema": 1, "session": "a"}])
    with pytest.raises(ReadFailure, match=f"line 2: .*{why}"):
        read_sessions(str(path))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("func.func @f() {}\n", "line 1: the file is not a journal"),
        ('{"a": 1}', "line 1: the object is not a journal"),
        ('{"a": [1,\n 2', "line 2, column 3: the JSON is torn or damaged"),
        ("[" * 100000, "is not JSON|torn or damaged"),
        ('{"tool": "tonno-tune", "schema": 9}', "another schema than 1"),
        ('{"tool": "tonno-tune", "schema": 1}', "'kernels' is missing"),
        ('{"tool": "tonno-tune", "schema": 1, "kernels": []}', "no decided kernel"),
        ('{"tool": "tonno-tune", "schema": 1, "kernels": [{}]}', r"'kernels\[0\]': "),
        ('{"format": "tonno results 9"}', "instead of 'tonno results 1'"),
        ('{"format": "tonno results 1", "kernels": []}', "have no kernel"),
        ('{"format": "tonno results 1", "kernels": [{}]}', r"'kernels\[0\]': "),
        ('{"cpu": {"k": {"config": {}, "time_ms": 1.0}}}', "without their trials"),
        ('{"cpu": {"k": {"m": [{"config": {}, "trials": []}]}}}', "no trials of a sweep"),
        ('{"key": "00", "record": {}, "checksum": "", "schema": 1}', "is damaged"),
    ],
)
def test_foreign_files_are_refused(tmp_path: pathlib.Path, content: str, message: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(content)
    with pytest.raises(ReadFailure, match=message):
        read_sessions(str(path))


def test_folders_are_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ReadFailure, match="is a directory; name files"):
        read_sessions(str(tmp_path))


def test_reports_have_the_trials_of_each_kernel(tmp_path: pathlib.Path) -> None:
    lines = make_session(list_configurations())
    space = lines[0]["begin"]["space"]
    kernel = {
        "kernel": "matmul",
        "device": "AMD EPYC",
        "chip": "znver4",
        "space": space,
        "values": BEST,
        "decision": lines[-1]["end"],
        "search_end": "done",
        "seconds": 3.5,
        "is_cut_short": True,
        "source": "the cache",
        "reference": "@other",
        "trials": [{**line["trial"], "session_seconds": 1.5} for line in lines[1:-1]],
    }
    path = tmp_path / "report.json"
    path.write_text(json.dumps({"schema": 1, "tool": "tonno-tune", "kernels": [kernel]}))
    (session,) = read_sessions(str(path))
    assert [knob.name for knob in session.knobs] == list(KNOBS)
    assert len(session.trials) == 48 and session.trials[3].session_seconds == 1.5
    assert session.decision and session.decision.verdict == "faster"
    assert (session.strategy, session.total_seconds) == ("ensemble", 3.5)
    notes = " ".join(session.notes)
    assert "from the cache" in notes and "cut short" in notes and "@other" in notes


def test_surveys_are_read_from_reports(tmp_path: pathlib.Path) -> None:
    bound = {"time_bound": {"seconds": 0.001, "limit": "issue", "share": 0.5}}
    line = trial(BEST, None, usage=bound)
    survey = {
        "kernel": "matmul",
        "target": "nvptx",
        "chip": "sm_90",
        "is_verified": False,
        "seconds": 2.0,
        "space": begin()["begin"]["space"],
        "trials": [line["trial"]],
    }
    report = {"schema": 1, "tool": "tonno-tune", "kernels": [], "surveys": [survey]}
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    (session,) = read_sessions(str(path))
    assert session.is_survey and (session.device, session.chip) == ("nvptx", "sm_90")
    assert session.trials[0].bound and session.trials[0].bound.limit == "issue"
    assert "not verified" in session.notes[0]
    survey["trials"] = 3
    path.write_text(json.dumps(report))
    with pytest.raises(ReadFailure, match=r"'surveys\[0\]': 'trials' is missing"):
        read_sessions(str(path))


def test_results_of_the_runner_are_read(tmp_path: pathlib.Path) -> None:
    lines = make_session(list_configurations())
    kernel = {
        "kernel": "matmul",
        "conclusive": False,
        "device": {"name": "AMD EPYC"},
        "identity": {"chip": "znver4"},
        "search": {"budget_seconds": 120.0, "budget_trials": 20, "strategy": "ensemble"},
        "space": lines[0]["begin"]["space"],
        "decision": lines[-1]["end"],
        "trials": [line["trial"] for line in lines[1:-1]],
    }
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"format": "tonno results 1", "kernels": [kernel]}))
    (session,) = read_sessions(str(path))
    assert (session.device, session.chip, session.budget_trials) == ("AMD EPYC", "znver4", 20)
    assert session.decision and session.decision.values == BEST and len(session.trials) == 48
    assert "not conclusive" in session.notes[0]


def jax_trial(config: dict[str, Any], milliseconds: float | None, **others: Any) -> dict[str, Any]:
    samples = [] if milliseconds is None else [milliseconds * f for f in (0.98, 1.0, 1.02)]
    status = "fault" if milliseconds is None else "ok"
    return {
        "config": config,
        "status": status,
        "reason": "",
        "time_ms": milliseconds,
        "samples_ms": samples,
        "equals": None,
        **others,
    }


def test_sweeps_of_jax_are_read_from_their_records(tmp_path: pathlib.Path) -> None:
    trials = [
        jax_trial({"BM": 8}, None),
        jax_trial({"BM": 64}, 4.0),
        jax_trial({"BM": 32}, 2.0),
        jax_trial({"BM": 128}, 4.0, equals={"BM": 64}),
    ]
    record = {"config": {"BM": 32}, "time_ms": 2.0, "protocol": "median", "trials": trials}
    (tmp_path / "jax").mkdir()
    (tmp_path / "jax/matmul.json").write_text(json.dumps({"cpu": {"{}": {"m": [record]}}}))
    entry = {"config": {"BM": 32}, "time_ms": 2.0}
    (tmp_path / "matmul.json").write_text(json.dumps({"cpu": {"{}": entry}}))
    (session,) = read_sessions(str(tmp_path / "matmul.json"))
    assert session.kernel == "matmul" and session.baseline == "the first configuration that ran"
    assert [t.ratio for t in session.trials] == [None, 1.0, 0.5, 1.0]
    assert session.knobs[0].options == (8, 32, 64, 128)
    assert session.trials[1].artifact == session.trials[3].artifact != session.trials[2].artifact
    assert session.decision and session.decision.verdict is None
    assert session.decision.seconds == 0.002


def test_local_sizes_are_read_from_the_cache(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("pyopencl")
    from tonno import _core

    record = {
        "best_local_size": [64],
        "runtime_us": 20.0,
        "measured": [
            {"local_size": [32], "runtime_us": 40.0, "samples_us": [39.0, 41.0]},
            {"local_size": [64], "runtime_us": 20.0, "samples_us": [19.0, 21.0]},
        ],
        "left_out": [],
        "failed": [{"local_size": [128], "reason": "too large"}],
        "overhead_bound": False,
        "busy": False,
        "notes": [],
    }
    assert _core.keep_tuned(str(tmp_path), "ab" * 32, record) == []
    (path,) = tmp_path.glob("v1/*/*.json")
    (session,) = read_sessions(str(path))
    assert session.decision and session.decision.values == {"local_size": 64}
    assert [t.status for t in session.trials] == ["ok", "ok", "fault"]
    assert session.trials[1].ratio == 0.5
    path.write_text(path.read_text().replace("too large", "too small"))
    with pytest.raises(ReadFailure, match="is damaged"):
        read_sessions(str(path))


def test_hostile_numbers_are_no_times(tmp_path: pathlib.Path) -> None:
    lines = [begin(), trial(BEST, -1.0), trial(BEST, 0.5)]
    lines[2]["trial"]["measurement"]["ratio"] = 10**400
    lines[2]["trial"]["usage"] = {"registers": True, "occupancy": "many", "code_bytes": 1e999}
    (session,) = read_sessions(str(write(tmp_path / "a.jsonl", [*lines, end(BEST, 2.0)])))
    assert [t.ratio for t in session.trials] == [None, None]
    assert session.trials[1].usage == {}
