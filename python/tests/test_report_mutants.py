# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files in which any member is missing or has another value are reported or refused."""

from __future__ import annotations

import copy
import json
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
from report_journals import begin, end, list_configurations, seal, trial

from tonno.report.document import add_trials, make_document
from tonno.report.failures import ReadFailure
from tonno.report.reading import read_sessions
from tonno.report.text import write_text

_VALUES: list[Any] = [None, True, 0, -1, 1e308, 10**400, float("nan"), "x", [], [1], {}, {"a": 1}]


def list_places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if not isinstance(value, (dict, list)):
        return
    for name, each in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*place, name)
        yield from list_places(each, (*place, name))


def mutate(value: Any, stride: int) -> Iterator[Any]:
    """Yields copies without a member, or with another value of it; of each `stride` one."""
    number = 0
    for *outer, name in list_places(value):
        for other in (..., *_VALUES):
            number += 1
            if number % stride:
                continue
            mutant = copy.deepcopy(value)
            inner = mutant
            for each in outer:
                inner = inner[each]
            if other is ...:
                del inner[name]
            else:
                inner[name] = other
            yield mutant


def report(path: pathlib.Path) -> bool:
    """Returns True if the file is reported, and False if it is refused."""
    try:
        document, tables = make_document(read_sessions(str(path)))
    except ReadFailure:
        return False
    write_text(document)
    json.dumps(add_trials(document, tables), allow_nan=False)
    return True


def make_lines() -> list[Any]:
    usage = {
        "registers": 3,
        "spill_bytes": 0,
        "time_bound": {"seconds": 0.001, "limit": "issue", "share": 0.5},
    }
    one, other = list_configurations()[:2]
    return [begin(), trial(one, 1.0, usage=usage), trial(other, 0.5, usage=usage), end(other, 2.0)]


def make_jax_records() -> Any:
    trials = [
        {"config": {"BM": bm}, "status": "ok", "time_ms": 1.0, "samples_ms": [1.0, 2.0]}
        for bm in (8, 16)
    ]
    record = {"config": {"BM": 8}, "time_ms": 1.0, "versions": {"jax": "1"}, "notes": ["n"]}
    return {"cpu": {"key": {"module": [{**record, "trials": trials}]}}}


def make_report() -> Any:
    lines = make_lines()
    kernel = {"kernel": "f", "space": lines[0]["begin"]["space"], "decision": lines[-1]["end"]}
    kernel |= {"trials": [line["trial"] for line in lines[1:-1]], "device": "d", "chip": "c"}
    survey = {"kernel": "f", "space": lines[0]["begin"]["space"], "trials": kernel["trials"][:1]}
    return {"schema": 1, "tool": "tonno-tune", "kernels": [kernel], "surveys": [survey]}


@pytest.mark.parametrize(
    ("content", "stride"),
    [(make_jax_records(), 1), (make_report(), 5)],
    ids=["jax", "report"],
)
def test_json_with_other_members(tmp_path: pathlib.Path, content: Any, stride: int) -> None:
    path = tmp_path / "f.json"
    path.write_text(json.dumps(content))
    assert report(path)
    outcomes = []
    for mutant in mutate(content, stride):
        path.write_text(json.dumps(mutant))
        outcomes.append(report(path))
    assert set(outcomes) == {True, False} and len(outcomes) > 300


def test_journals_with_other_members(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "f.jsonl"
    lines = make_lines()
    outcomes = []
    for mutant in mutate(lines, 5):
        if all(isinstance(line, dict) for line in mutant):
            path.write_text("".join(map(seal, mutant)))
            outcomes.append(report(path))
    assert set(outcomes) == {True, False} and len(outcomes) > 300
