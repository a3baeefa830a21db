# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trials of the sessions of one kernel as arrays."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tonno.report.sessions import Knob, Session, SessionTrial
from tonno.trials import Configuration

Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class TrialTable:
    """Trials of sessions that tuned the same kernel, one row for each trial."""

    sessions: tuple[Session, ...]
    knobs: tuple[Knob, ...]
    """Knobs with the options of all sessions."""
    trials: tuple[SessionTrial, ...]
    session: Codes
    """Index of the session of each trial."""
    codes: Codes
    """Index of the option of each trial and knob; -1 if the trial lacks the knob."""
    ratio: Floats
    """Time / time of the default; NaN for trials that have no time."""
    is_ok: npt.NDArray[np.bool_]
    hashes: npt.NDArray[np.uint64]
    """Random number of each trial and knob that depends on the option alone. The sum over the
    knobs, modulo 2^64, stands for the configuration."""

    @property
    def winner(self) -> int | None:
        """Index of the trial whose neighbours are compared: the chosen one of the session with the
        best speedup, else the fastest one."""
        return find_winner(self)

    def describe(self, row: int) -> str:
        return format_values(self.trials[row].values)


def format_values(values: Configuration) -> str:
    """Returns a configuration as `BM=64 BN=32`."""
    return " ".join(f"{name}={format_option(option)}" for name, option in values.items())


def format_option(option: object) -> str:
    if isinstance(option, (tuple, list)):
        return "[" + ", ".join(format_option(each) for each in option) + "]"
    return option if isinstance(option, str) else json.dumps(option)


def group_sessions(sessions: Sequence[Session]) -> list[tuple[Session, ...]]:
    """Returns the sessions of each kernel: equal names, sizes, devices, knobs and defaults, so
    that the ratios to the default are comparable. Keeps the order of the first ones."""
    groups: dict[object, list[Session]] = {}
    for session in sessions:
        knobs = tuple((knob.name, repr(knob.default)) for knob in sorted_knobs(session))
        sizes = tuple(sorted(session.sizes.items()))
        # Records without names tell sessions apart by their key.
        key = session.key if session.strategy.startswith("the list of") else ""
        identity = (session.kernel, session.device, session.chip, knobs, sizes, key)
        groups.setdefault(identity, []).append(session)
    return [tuple(group) for group in groups.values()]


def sorted_knobs(session: Session) -> list[Knob]:
    return sorted(session.knobs, key=lambda knob: knob.name)


def make_table(sessions: Sequence[Session]) -> TrialTable:
    knobs = _merge_knobs(sessions)
    trials = tuple(trial for session in sessions for trial in session.trials)
    owners = [i for i, session in enumerate(sessions) for _ in session.trials]
    codes = np.full((len(trials), len(knobs)), -1, np.int64)
    for column, knob in enumerate(knobs):
        numbers = {_make_key(option): i for i, option in enumerate(knob.options)}
        name = knob.name
        codes[:, column] = [
            numbers.get(_make_key(trial.values[name]), -1) if name in trial.values else -1
            for trial in trials
        ]
    return TrialTable(
        tuple(sessions),
        knobs,
        trials,
        np.array(owners, np.int64),
        codes,
        np.array([np.nan if t.ratio is None else t.ratio for t in trials], np.float64),
        np.array([t.status == "ok" and t.ratio is not None for t in trials], np.bool_),
        _hash(codes, knobs),
    )


def _merge_knobs(sessions: Sequence[Session]) -> tuple[Knob, ...]:
    merged: list[Knob] = []
    for first in sessions[0].knobs if sessions else ():
        options = list(first.options)
        known = {_make_key(option) for option in options}
        for session in sessions:
            used = [trial.values.get(first.name) for trial in session.trials]
            stated = [o for knob in session.knobs if knob.name == first.name for o in knob.options]
            for option in (*stated, *used):
                if option is not None and _make_key(option) not in known:
                    known.add(_make_key(option))
                    options.append(option)
        if all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in options):
            options.sort()
        merged.append(Knob(first.name, tuple(options), first.default))
    return tuple(merged)


def _make_key(option: object) -> object:
    # True == 1 for a dict.
    return (type(option).__name__, option) if isinstance(option, bool) else option


def _hash(codes: Codes, knobs: Sequence[Knob]) -> npt.NDArray[np.uint64]:
    random = np.random.default_rng(0)
    hashes = np.zeros(codes.shape, np.uint64)
    for column, knob in enumerate(knobs):
        numbers = random.integers(0, 2**64, len(knob.options) + 1, np.uint64)
        hashes[:, column] = numbers[codes[:, column]]
    return hashes


def find_winner(table: TrialTable) -> int | None:
    """Returns the row of the configuration that the report explains, or None without any time."""
    chosen: list[tuple[float, int]] = []
    for number, session in enumerate(table.sessions):
        if session.decision is None:
            continue
        rows = np.flatnonzero(table.session == number)
        row = next((r for r in rows if _is_chosen(session, table.trials[r])), None)
        if row is not None and np.isfinite(table.ratio[row]):
            speedup = session.decision.speedup or 1 / float(table.ratio[row])
            if session.decision.verdict == "tie":
                speedup = 1.0
            chosen.append((-speedup, int(row)))
    if chosen:
        return min(chosen)[1]
    rows = np.flatnonzero(table.is_ok)
    return int(rows[np.argmin(table.ratio[rows])]) if len(rows) else None


def _is_chosen(session: Session, trial: SessionTrial) -> bool:
    return session.decision is not None and trial.values == session.decision.values
