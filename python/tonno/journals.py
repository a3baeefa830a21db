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
    """A trial in a journal."""

    record: TrialRecord
    is_recalled: bool
    """True if the failure was known from the cache, and the configuration was not run."""
    compile_seconds: float
    run_seconds: float
    """Seconds that verifying and measuring took."""
    session_seconds: float
    """Seconds from the start of the session to the end of the trial."""


@dataclasses.dataclass(frozen=True)
class JournaledSession:
    """A session in a journal, since it last started."""

    key: str
    about: dict[str, Any]
    """Description from the start of the session: kernel, device, space, options."""
    trials: tuple[JournaledTrial, ...]
    decision: DecisionRecord | None
    """None if the session has not ended."""

    @property
    def space(self) -> SearchSpace | None:
        """Search space, if the journal states it."""
        stated = self.about.get("space")
        return None if stated is None else parse_space(stated)


def read_journal(path: str | os.PathLike[str]) -> list[JournaledSession]:
    """Returns the sessions of a journal, by key; the journal may still be written.

    Skips damaged lines with a warning. `read_recordings` returns the sessions' points as spaces
    to search in. Raises OSError for a file that can't be read.
    """
    with open(path, "rb"):  # raises Python's own error
        content = _core.read_sessions(os.fspath(path))
    if content["damaged"]:
        warnings.warn(
            printable(
                f"the journal '{os.fspath(path)}' has {content['damaged']} damaged lines, "
                f"the first of them line {content['first_damaged']}; they are left out"
            ),
            stacklevel=2,
        )
    return [_parse_session(key, json) for key, json in content["sessions"].items()]


def parse_trial(json: Mapping[str, Any], record: Mapping[str, Any]) -> JournaledTrial:
    """Decodes a trial of a journal or report; its record is separate or the same object."""
    return JournaledTrial(
        TrialRecord._of(record),
        json["is_recalled"],
        json["compile_seconds"],
        json["run_seconds"],
        json["session_seconds"],
    )


def _parse_session(key: str, json: Mapping[str, Any]) -> JournaledSession:
    trials = tuple(parse_trial(trial, trial["record"]) for trial in json["trials"])
    decision = json.get("decision")
    decided = None if decision is None else DecisionRecord._of(decision)
    return JournaledSession(key, json["about"], trials, decided)


def parse_space(stated: Mapping[str, Any]) -> SearchSpace:
    """Decodes the space of a journal or report."""
    knobs = {knob["name"]: knob["options"] for knob in stated["knobs"]}
    defaults = {knob["name"]: knob["default"] for knob in stated["knobs"]}
    dimensions = {each["name"]: each["size"] for each in stated.get("dimensions", ())}
    return SearchSpace(knobs, stated.get("constraints", ()), defaults, dimensions)
