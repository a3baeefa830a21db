# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions of `tonno-runner --bundle`, from the file of its results."""

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
    parse_record,
    parse_sizes,
)
from tonno.report.failures import ReadFailure
from tonno.report.sessions import Session

_FORMAT = "tonno results 1"


def is_results(content: Any) -> bool:
    return isinstance(content, Mapping) and get_text(content, "format").startswith("tonno results")


def read_results(file: str, content: Mapping[str, Any]) -> list[Session]:
    """Returns a session for each kernel of the bundle."""
    if content["format"] != _FORMAT:
        raise ReadFailure(
            f"the results '{file}' have the format '{content['format']}' instead of '{_FORMAT}'; "
            "use tonno-report of the version that wrote them"
        )
    sessions = []
    for number, kernel in enumerate(get_objects(content, "kernels")):
        try:
            sessions.append(_read_kernel(file, kernel))
        except Malformed as error:
            raise ReadFailure(f"'{file}', 'kernels[{number}]': {error}") from error
    if not sessions:
        raise ReadFailure(f"the results '{file}' have no kernel")
    return sessions


def _read_kernel(file: str, kernel: Mapping[str, Any]) -> Session:
    space, search, device = (kernel.get(name) for name in ("space", "search", "device"))
    session = Session(
        file,
        "results of tonno-runner",
        get_member(kernel, "kernel", str),
        parse_knobs(space),
        [parse_record(trial) for trial in get_objects(kernel, "trials")],
        get_text(device, "name"),
        get_text(kernel.get("identity"), "chip"),
        get_text(search, "strategy"),
        sizes=parse_sizes(space),
        constraints=parse_constraints(space),
        budget_seconds=get_number(search, "budget_seconds"),
        interval="order statistics at z = 3",
    )
    budget = get_number(search, "budget_trials")
    session.budget_trials = None if budget is None else int(budget)
    decided = kernel.get("decision")
    if isinstance(decided, Mapping):
        session.decision = parse_decision(decided)
        session.versions = get_text(decided, "versions")
        seed = get_number(decided, "seed")
        session.seed = None if seed is None else int(seed)
    if kernel.get("conclusive") is False:
        session.notes.append("the results are not conclusive: the cache does not keep them")
    return session
