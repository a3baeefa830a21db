# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions of a journal, from its lines.

`tonno.read_journal` leaves damaged lines out and has no reasons of trials, amended trials and
phases. A report states all of these, and refuses a damaged line with its place.
"""

from __future__ import annotations

import gc
import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from tonno.report.decoding import (
    Malformed,
    get_member,
    get_number,
    get_text,
    parse_constraints,
    parse_decision,
    parse_knobs,
    parse_phases,
    parse_record,
    parse_sizes,
)
from tonno.report.failures import ReadFailure
from tonno.report.roofline import read_limit
from tonno.report.sessions import Session, SessionTrial

_CHECK = b',"check":"'
_FIRST = b'{"begin":{'
_DIGITS = 16
_SCHEMA = 1
_REMEDY = "'--partial' reports the undamaged lines"


def is_journal(content: bytes) -> bool:
    """Returns True if the first line is a journal's, whole or torn."""
    first = content.lstrip(b"\r\n").split(b"\n", 1)[0]
    return first.startswith(_FIRST) or (first.startswith(b"{") and _CHECK in first)


def read_journal_lines(file: str, content: bytes, is_partial: bool) -> list[Session]:
    """Returns the sessions in the order in which they began.

    Raises `ReadFailure` for a damaged or torn line unless `is_partial`: the sessions then have a
    note.
    """
    was_enabled = gc.isenabled()
    gc.disable()  # thousands of small objects, none of them garbage
    try:
        return _read(file, content, is_partial)
    finally:
        if was_enabled:
            gc.enable()


def _read(file: str, content: bytes, is_partial: bool) -> list[Session]:
    sessions: dict[str, Session] = {}
    damaged: list[str] = []
    for number, line in _split(content):
        try:
            _take(file, _unseal(line), sessions)
        except Malformed as error:
            damaged.append(f"line {number}: {error}")
            if not is_partial:
                raise ReadFailure(f"'{file}', {damaged[0]}; {_REMEDY}") from error
    if not sessions:
        why = f": {damaged[0]}" if damaged else ""
        raise ReadFailure(f"the journal '{file}' has no whole line of a session{why}")
    found = list(sessions.values())
    for session in found:
        _finish(session)
        if damaged:
            session.notes.append(
                f"torn or damaged lines left out: {len(damaged)}, the first: {damaged[0]}"
            )
    return found


def _split(content: bytes) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip(b"\r"):
            yield number, line.removesuffix(b"\r")


def _unseal(line: bytes) -> Mapping[str, Any]:
    """Returns the object of a line. Raises `Malformed` unless its checksum is right."""
    body, found, tail = line.rpartition(_CHECK)
    if not found or len(tail) != _DIGITS + 2 or not tail.endswith(b'"}'):
        raise Malformed("the line is torn: it does not end with a checksum")
    if hashlib.sha256(body).hexdigest()[:_DIGITS].encode() != tail[:_DIGITS]:
        raise Malformed("the checksum is wrong")
    try:
        decoded = json.loads(body + b"}")
    except (ValueError, RecursionError) as error:
        raise Malformed("the line is not JSON") from error
    if not isinstance(decoded, dict) or decoded.get("schema") != _SCHEMA:
        raise Malformed(f"the schema is not {_SCHEMA}: another version of tonno wrote it")
    return decoded


def _take(file: str, line: Mapping[str, Any], sessions: dict[str, Session]) -> None:
    key = get_member(line, "session", str)
    if "begin" in line:
        sessions.pop(key, None)  # begun anew: the last one counts, and stands last
        sessions[key] = _begin(file, key, line["begin"])
        return
    session = sessions.get(key)
    if session is None:
        raise Malformed(f"the session '{key}' has no beginning")
    if "trial" in line:
        session.trials.append(parse_timed_trial(line, line["trial"], line.get("recalled")))
    elif "error" in line:
        session.notes.append(f"the session ended with an error: {get_text(line, 'error')}")
    elif "amended" in line:
        _amend(session, parse_record(line["amended"]))
    else:
        session.decision = parse_decision(line.get("end"))
        about = line.get("about")
        session.search_end = get_text(about, "search_end") or None
        session.total_seconds = get_number(about, "session_seconds")
        session.proposing_seconds = get_number(about, "proposing_seconds")
        if isinstance(about, Mapping):
            session.phase_seconds = parse_phases(about.get("phase_seconds"))
            read_limit(session, session.work, about)


def parse_timed_trial(
    table: Mapping[str, Any], record: Any, is_recalled: Any
) -> SessionTrial:
    """Returns the trial of a line, or of a report, where the record is the same object."""
    trial = parse_record(record)
    trial.reason = get_text(table, "reason")
    trial.compile_seconds = get_number(table, "compile_seconds")
    trial.run_seconds = get_number(table, "run_seconds")
    trial.session_seconds = get_number(table, "session_seconds")
    trial.is_recalled = is_recalled is True
    return trial


def _begin(file: str, key: str, about: Any) -> Session:
    space = about.get("space") if isinstance(about, Mapping) else None
    seed = get_number(about, "seed")
    budget = get_number(about, "budget_trials")
    session = Session(
        file,
        "journal",
        get_text(about, "kernel") or key,
        () if space is None else parse_knobs(space),
        [],
        get_text(about, "device"),
        get_text(about, "chip"),
        get_text(about, "strategy"),
        None if seed is None else int(seed),
        get_text(about, "versions"),
        key,
        interval="order statistics at z = 3",
    )
    session.sizes = parse_sizes(space)
    session.budget_trials = None if budget is None else int(budget)
    session.budget_seconds = get_number(about, "budget_seconds")
    session.constraints = parse_constraints(space)
    session.work = about.get("work") if isinstance(about, Mapping) else None
    return session


def _amend(session: Session, later: SessionTrial) -> None:
    """Replaces the outcome of a trial that failed in the finals or in the test."""
    for trial in reversed(session.trials):
        if trial.values == later.values:
            trial.status, trial.message = later.status, later.message
            trial.seconds = trial.ratio = trial.interval = None
            return


def _finish(session: Session) -> None:
    if session.decision is None:
        session.notes.append(
            "the session has no decision: it still runs, was interrupted, or its end is missing"
        )
