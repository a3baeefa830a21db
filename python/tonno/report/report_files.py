# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions of a report, which `tonno-tune --report` writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tonno.report.decoding import (
    Malformed,
    get_member,
    get_number,
    get_objects,
    get_text,
    parse_constraints,
    parse_decision,
    parse_knobs,
    parse_phases,
    parse_sizes,
    parse_values,
)
from tonno.report.failures import ReadFailure
from tonno.report.journal_lines import parse_timed_trial
from tonno.report.roofline import read_limit
from tonno.report.sessions import Decision, Session

_SCHEMA = 1


def is_report(content: Any) -> bool:
    return isinstance(content, Mapping) and content.get("tool") == "tonno-tune"


def read_report(file: str, content: Mapping[str, Any]) -> list[Session]:
    """Returns a session for each kernel that was decided."""
    if content.get("schema") != _SCHEMA:
        raise ReadFailure(
            f"the report '{file}' has another schema than {_SCHEMA}; use tonno-report of the "
            "version that wrote it"
        )
    sessions = []
    for member, read in (("kernels", _read_kernel), ("surveys", _read_survey)):
        listed = get_objects(content, member) if member in content or member == "kernels" else []
        for number, kernel in enumerate(listed):
            try:
                sessions.append(read(file, content, kernel))
            except Malformed as error:
                raise ReadFailure(f"'{file}', '{member}[{number}]': {error}") from error
    if not sessions:
        raise ReadFailure(f"the report '{file}' has no decided kernel")
    return sessions


def _begin(file: str, report: Mapping[str, Any], kernel: Mapping[str, Any]) -> Session:
    space = kernel.get("space")
    session = Session(
        file,
        "report",
        get_member(kernel, "kernel", str),
        parse_knobs(space),
        [
            parse_timed_trial(trial, trial, trial.get("is_recalled"))
            for trial in get_objects(kernel, "trials")
        ],
        get_text(kernel, "device"),
        get_text(kernel, "chip"),
        versions=f"tonno {get_text(report, 'version')}",
        interval="order statistics at z = 3",
    )
    session.sizes = parse_sizes(space)
    session.key = get_text(kernel, "key")
    session.constraints = parse_constraints(space)
    return session


def _read_survey(file: str, report: Mapping[str, Any], kernel: Mapping[str, Any]) -> Session:
    session = _begin(file, report, kernel)
    session.is_survey = True
    session.strategy = "survey"
    session.device = get_text(kernel, "target")
    session.total_seconds = get_number(kernel, "seconds")
    session.notes.append(
        "candidates that are ok were verified on a simulated device"
        if kernel.get("is_verified") is True
        else "candidates that are ok were compiled, and not verified"
    )
    return session


def _read_kernel(file: str, report: Mapping[str, Any], kernel: Mapping[str, Any]) -> Session:
    session = _begin(file, report, kernel)
    decided = kernel.get("decision")
    if isinstance(decided, Mapping):
        session.decision = parse_decision(decided)
        session.strategy = get_text(decided, "strategy")
        session.versions = get_text(decided, "versions") or session.versions
        seed = get_number(decided, "seed")
        session.seed = None if seed is None else int(seed)
    elif "values" in kernel:
        session.decision = Decision(parse_values(kernel["values"]))
    session.search_end = get_text(kernel, "search_end") or None
    session.total_seconds = get_number(kernel, "seconds")
    session.phase_seconds = parse_phases(kernel.get("phase_seconds"))
    read_limit(session, kernel.get("work"), kernel)
    source = get_text(kernel, "source")
    if source:
        session.notes.append(f"the decision is from {source}: this session did not make it")
    if kernel.get("is_cut_short") is True:
        session.notes.append("cut short: a cause outside of the kernel ended the session")
    reference = get_text(kernel, "reference")
    if reference:
        session.notes.append(f"outputs were compared with {reference}")
    if isinstance(kernel.get("model"), Mapping):
        session.notes.append(
            "the function was tuned kernel by kernel; journals have the trials of its kernels"
        )
    return session
