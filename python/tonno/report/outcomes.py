# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statuses, failures and phases of sessions."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tonno.report.sessions import Session
from tonno.report.table import format_values

_MOST_MESSAGES = 30
_MOST_TEXT = 2000
_LEAST_SECONDS = 1e-3
"""Shorter phases did not take place."""


def count_statuses(session: Session) -> dict[str, int]:
    """Returns the number of trials by status, the most frequent first."""
    return dict(Counter(trial.status for trial in session.trials).most_common())


def list_failures(sessions: tuple[Session, ...]) -> dict[str, Any]:
    """Returns the reasons of trials without a time, with their number and the first
    configuration."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for session in sessions:
        for trial in session.trials:
            if trial.status not in ("ok", "pruned", "bounded"):
                reasons.setdefault((trial.status, trial.message), []).append(
                    format_values(trial.values)
                )
    ordered = sorted(reasons.items(), key=lambda each: -len(each[1]))
    return {
        "reasons": len(ordered),
        "shown": [
            {
                "status": status,
                "message": message[:_MOST_TEXT],
                "count": len(configurations),
                "first": configurations[0],
            }
            for (status, message), configurations in ordered[:_MOST_MESSAGES]
        ],
    }


def measure_phases(session: Session) -> list[dict[str, Any]]:
    """Returns the seconds of each phase that the file states.

    Compilation may run beside other phases, so the seconds need not add up.
    """
    timed = [trial for trial in session.trials if not trial.is_recalled]
    phases: list[tuple[str, float | None]] = [
        ("compiling, sum over candidates", _sum([t.compile_seconds for t in timed])),
        ("verifying and measuring", _sum([t.run_seconds for t in timed])),
        ("proposing candidates", session.proposing_seconds),
    ]
    if session.is_survey:
        phases = phases[:1]
    ends = [t.session_seconds for t in session.trials if t.session_seconds is not None]
    if ends and not session.is_survey:
        first = session.trials[0]
        known = (first.compile_seconds or 0.0) + (first.run_seconds or 0.0)
        if first.session_seconds is not None:
            before = max(0.0, first.session_seconds - known)
            phases.insert(0, ("before the first trial: reference, waiting for the device", before))
        if session.total_seconds is not None:
            after = max(0.0, session.total_seconds - max(ends))
            phases.append(("after the last trial: finals, final test, verification", after))
    if session.phase_seconds:
        phases = [(name, each) for name, each in phases if not name.startswith(("before", "after"))]
        phases += [
            (f"phase: {name}", each)
            for name, each in session.phase_seconds.items()
            if each >= _LEAST_SECONDS
        ]
    phases.append(("whole session", session.total_seconds))
    return [{"phase": name, "seconds": each} for name, each in phases if each is not None]


def _sum(seconds: list[float | None]) -> float | None:
    known = [each for each in seconds if each is not None]
    return sum(known) if known else None
