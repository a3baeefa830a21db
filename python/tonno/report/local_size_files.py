# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sweeps of `WorkGroupTuner`, from its records in a cache."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tonno import statistics
from tonno.report.decoding import (
    freeze,
    get_member,
    get_objects,
    get_positive,
    get_positives,
    get_text,
    get_texts,
)
from tonno.report.jax_files import find_knobs
from tonno.report.sessions import Decision, Session, SessionTrial
from tonno.statistics import Interval

_MICRO = 1e-6
_KNOB = "local_size"


def is_local_sizes(record: Any) -> bool:
    return isinstance(record, Mapping) and "best_local_size" in record and "measured" in record


def read_local_sizes(file: str, record: Mapping[str, Any]) -> list[Session]:
    """Returns the one session of a record."""
    measured = get_objects(record, "measured")
    baseline = next((get_positive(each, "runtime_us") for each in measured), None)
    trials = [_parse_measured(each, baseline) for each in measured]
    for member, status in (("failed", "fault"), ("left_out", "unlaunchable")):
        listed = get_objects(record, member) if member in record else []
        trials += [
            SessionTrial(_parse_size(each), status, get_text(each, "reason")) for each in listed
        ]
    session = Session(
        file,
        "record of WorkGroupTuner",
        "local size",
        find_knobs([trial.values for trial in trials]),
        trials,
        strategy="the list of sizes",
    )
    session.baseline = "the first size that was measured"
    session.interval = "order statistics of the candidate's own samples, at 95 % if there are six"
    best = freeze(get_member(record, "best_local_size", list))
    session.decision = Decision({_KNOB: _shorten(best)})
    seconds = get_positive(record, "runtime_us")
    session.decision.seconds = None if seconds is None else seconds * _MICRO
    session.decision.baseline_seconds = None if baseline is None else baseline * _MICRO
    session.notes = get_texts(record, "notes")
    session.notes.append("the record has neither the kernel's name nor the device's")
    if record.get("comparison") is None:
        session.notes.append("protocol 'median': the winner is not tested on fresh samples")
    return [session]


def _parse_size(table: Mapping[str, Any]) -> dict[str, Any]:
    return {_KNOB: _shorten(freeze(get_member(table, "local_size", list)))}


def _shorten(size: Any) -> Any:
    return size[0] if len(size) == 1 else size


def _parse_measured(table: Mapping[str, Any], baseline: float | None) -> SessionTrial:
    trial = SessionTrial(_parse_size(table), "ok")
    runtime = get_positive(table, "runtime_us")
    if runtime is None:
        return trial
    trial.seconds = runtime * _MICRO
    if baseline:
        trial.ratio = runtime / baseline
        samples = get_positives(table, "samples_us")
        if len(samples) > 1:
            found = statistics.median_interval(samples)
            trial.interval = Interval(found.low / baseline, found.high / baseline)
    return trial
