# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sweeps of `tonno.autotune`, from the records beside the file of winners."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tonno import statistics
from tonno.report.decoding import (
    Malformed,
    get_member,
    get_number,
    get_objects,
    get_positive,
    get_positives,
    get_text,
    get_texts,
    parse_values,
)
from tonno.report.failures import ReadFailure
from tonno.report.sessions import Decision, Knob, Session, SessionTrial
from tonno.statistics import Interval
from tonno.trials import Configuration

_MILLI = 1e-3


def is_jax_records(content: Any) -> bool:
    """Returns True for {device: {key: {module: [record, ...]}}}."""
    return any("config" in record and "trials" in record for *_, record in _walk(content))


def is_jax_winners(content: Any) -> bool:
    """Returns True for {device: {key: {config, time_ms}}}, which has no trials."""
    return isinstance(content, Mapping) and any(
        isinstance(entry, Mapping) and "config" in entry and "time_ms" in entry
        for by_key in content.values()
        if isinstance(by_key, Mapping)
        for entry in by_key.values()
    )


def _walk(content: Any) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    for device, by_key in content.items() if isinstance(content, Mapping) else ():
        for key, by_module in by_key.items() if isinstance(by_key, Mapping) else ():
            for module, records in by_module.items() if isinstance(by_module, Mapping) else ():
                for record in records if isinstance(records, list) else ():
                    if isinstance(record, Mapping):
                        yield device, key, module, record


def read_jax_records(file: str, name: str, content: Any) -> list[Session]:
    """Returns a session for each sweep that chose a winner of the function."""
    sessions = []
    for device, key, module, record in _walk(content):
        if record.get("trials"):
            try:
                sessions.append(_read_sweep(file, name, device, key, module, record))
            except Malformed as error:
                place = f"'{device}' / '{key}' / '{module}'"
                raise ReadFailure(f"'{file}', {place}: {error}") from error
    if not sessions:
        raise ReadFailure(f"the records '{file}' have no trials of a sweep")
    return sessions


def _read_sweep(
    file: str, name: str, device: str, key: str, module: str, record: Mapping[str, Any]
) -> Session:
    listed = get_objects(record, "trials")
    first = next((get_positive(trial, "time_ms") for trial in listed if _is_ok(trial)), None)
    trials = [_parse_trial(trial, first) for trial in listed]
    versions = record.get("versions")
    versions = versions if isinstance(versions, Mapping) else {}
    session = Session(
        file,
        "records of tonno.autotune",
        name,
        find_knobs([trial.values for trial in trials]),
        trials,
        str(versions.get("processor") or device),
        device,
        f"the list of {module}",
        versions=f"jax {versions.get('jax', '?')}",
        key=key,
    )
    session.baseline = "the first configuration that ran"
    session.interval = "order statistics of the candidate's own samples, at 95 % if there are six"
    session.decision = Decision(parse_values(record.get("config")))
    session.decision.seconds = _scale(get_positive(record, "time_ms"))
    session.decision.baseline_seconds = _scale(first)
    session.notes += get_texts(record, "notes")
    session.notes.append(f"arguments: {key}")
    session.notes.append(
        f"protocol '{get_text(record, 'protocol')}': the winner is not tested on fresh samples"
    )
    return session


def _is_ok(trial: Mapping[str, Any]) -> bool:
    return trial.get("status") == "ok" and bool(get_positive(trial, "time_ms"))


def _scale(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds * _MILLI


def _parse_trial(trial: Mapping[str, Any], baseline: float | None) -> SessionTrial:
    values = parse_values(trial.get("config"))
    equals = trial.get("equals")
    parsed = SessionTrial(
        values,
        get_member(trial, "status", str),
        get_text(trial, "reason"),
        # Equal programs are compiled once, and name the first.
        artifact=_name(values if equals is None else parse_values(equals)),
    )
    milliseconds = get_positive(trial, "time_ms")
    parsed.seconds = _scale(milliseconds)
    if milliseconds is not None and baseline:
        parsed.ratio = milliseconds / baseline
        samples = get_positives(trial, "samples_ms")
        if len(samples) > 1:
            found = statistics.median_interval(samples)
            parsed.interval = Interval(found.low / baseline, found.high / baseline)
    begin, end = (get_number(trial, f"compile_{each}_s") for each in ("begin", "end"))
    if begin is not None and end is not None:
        parsed.compile_seconds = end - begin
    parsed.is_recalled = trial.get("is_resumed") is True
    return parsed


def _name(values: Configuration) -> str:
    return json.dumps(values, sort_keys=True, default=str)


def find_knobs(configurations: list[Configuration]) -> tuple[Knob, ...]:
    """Returns knobs with the options that configurations have, numbers in ascending order. The
    default is that of the first configuration."""
    names = dict.fromkeys(name for values in configurations for name in values)
    knobs = []
    for name in names:
        options = list(dict.fromkeys(v[name] for v in configurations if name in v))
        if all(isinstance(option, (int, float)) for option in options):
            options.sort()
        knobs.append(Knob(name, tuple(options), configurations[0].get(name)))
    return tuple(knobs)
