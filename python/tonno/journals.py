# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Journals: the append-only logs of tuning sessions."""

from __future__ import annotations

import dataclasses
import os
import warnings
from collections.abc import Mapping
from typing import Any

from tonno import _core
from tonno.printable import printable
from tonno.records import DecisionRecord, TrialRecord
from tonno.space import SearchSpace


@dataclasses.dataclass(frozen=True)
class JournaledTrial:
    """A trial as a journal keeps it."""

    record: TrialRecord
    is_recalled: bool
    """Its failure was known, and it was not run."""
    compile_seconds: float
    run_seconds: float
    """That verifying and measuring took."""
    session_seconds: float
    """Of the session, when it ended."""


@dataclasses.dataclass(frozen=True)
class JournaledSession:
    """What a journal tells of a session, since it last began."""

    key: str
    about: dict[str, Any]
    """What its beginning states: kernel, device, space, options."""
    trials: tuple[JournaledTrial, ...]
    decision: DecisionRecord | None
    """None: it has not come to an end."""

    @property
    def space(self) -> SearchSpace | None:
        """What was searched, if it is stated."""
        stated = self.about.get("space")
        return None if stated is None else space_of(stated)


def read_journal(path: str | os.PathLike[str]) -> list[JournaledSession]:
    """The sessions of a journal, by key; also of one that is being written.

    Damaged lines are left out with a warning. `read_recordings` gives the
    sessions' points as spaces to search in. Raises OSError for a file that
    can't be read.
    """
    with open(path, "rb"):  # for Python's own error
        content = _core.read_sessions(os.fspath(path))
    if content["damaged"]:
        warnings.warn(
            printable(
                f"the journal '{os.fspath(path)}' has {content['damaged']} damaged lines, "
                f"the first of them line {content['first_damaged']}; they are left out"
            ),
            stacklevel=2,
        )
    return [_session_of(key, json) for key, json in content["sessions"].items()]


def trial_of(json: Mapping[str, Any], record: Mapping[str, Any]) -> JournaledTrial:
    """A trial as journals and reports state it, beside its record or in one object."""
    return JournaledTrial(
        TrialRecord._of(record),
        json["is_recalled"],
        json["compile_seconds"],
        json["run_seconds"],
        json["session_seconds"],
    )


def _session_of(key: str, json: Mapping[str, Any]) -> JournaledSession:
    trials = tuple(trial_of(trial, trial["record"]) for trial in json["trials"])
    decision = json.get("decision")
    decided = None if decision is None else DecisionRecord._of(decision)
    return JournaledSession(key, json["about"], trials, decided)


def space_of(stated: Mapping[str, Any]) -> SearchSpace:
    """A space as journals and reports state it."""
    knobs = {knob["name"]: knob["options"] for knob in stated["knobs"]}
    defaults = {knob["name"]: knob["default"] for knob in stated["knobs"]}
    dimensions = {each["name"]: each["size"] for each in stated.get("dimensions", ())}
    return SearchSpace(knobs, stated.get("constraints", ()), defaults, dimensions)
