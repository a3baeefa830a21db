# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report as data, which `--json` prints and the page shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tonno import _core
from tonno.report.curves import compute_curves, project
from tonno.report.effects import analyze_knobs, find_interactions, tabulate_pair
from tonno.report.losses import (
    PROPERTIES,
    describe_limit,
    find_roofline,
    explain_losses,
    list_usage,
    rank_by_bound,
    summarize_needs,
)
from tonno.report.outcomes import count_statuses, list_failures, measure_phases
from tonno.report.sessions import Decision, Session, SessionTrial
from tonno.report.table import TrialTable, format_option, format_values, group_sessions, make_table
from tonno.trials import Configuration

SCHEMA = 1
_MOST_TABLES = 3
"""Maximum number of pairs of knobs with a table."""


def make_document(sessions: Sequence[Session]) -> tuple[dict[str, Any], list[TrialTable]]:
    """Returns the report of the sessions, and the trials of each kernel in it."""
    tables = [make_table(group) for group in group_sessions(sessions)]
    document = {
        "schema": SCHEMA,
        "tool": "tonno-report",
        "version": _core.version(),
        "kernels": [describe_kernel(table) for table in tables],
    }
    return document, tables


def describe_kernel(table: TrialTable) -> dict[str, Any]:
    """Returns what the sessions of one kernel show."""
    first, winner = table.sessions[0], table.winner
    knobs = analyze_knobs(table, winner)
    by_spread = [effect["index"] for effect in knobs["effects"]]
    interactions = find_interactions(table, winner, by_spread)
    pairs = [each["indices"] for each in interactions]
    pairs += [[one, other] for i, one in enumerate(by_spread[:3]) for other in by_spread[i + 1 : 3]]
    chosen = [list(pair) for pair in dict.fromkeys(tuple(sorted(pair)) for pair in pairs)]
    return {
        "kernel": first.kernel,
        "device": first.device,
        "chip": first.chip,
        "sizes": first.sizes,
        "constraints": list(first.constraints),
        "baseline": first.baseline,
        "interval": first.interval,
        "knobs": [
            {
                "name": knob.name,
                "options": [format_option(option) for option in knob.options],
                "default": format_option(knob.default),
            }
            for knob in table.knobs
        ],
        "sessions": [_describe_session(session) for session in table.sessions],
        "winner": _describe_winner(table, winner),
        "curves": compute_curves(table),
        "projection": project(table),
        **knobs,
        "interactions": interactions,
        "tables": [
            {
                "knobs": [table.knobs[each].name for each in pair],
                "indices": pair,
                "cells": tabulate_pair(table, *pair),
            }
            for pair in chosen[:_MOST_TABLES]
        ],
        "losses": explain_losses(table, winner),
        "usage": {name: PROPERTIES[name] for name in list_usage(table)},
        "needs": summarize_needs(table),
        "limit": describe_limit(table, winner),
        "roofline": _describe_roofline(table, winner),
        "is_survey": first.is_survey,
        "least_bounds": rank_by_bound(table) if first.is_survey else [],
        "failures": list_failures(table.sessions),
    }


def _describe_session(session: Session) -> dict[str, Any]:
    return {
        "name": name_session(session),
        "file": session.file,
        "source": session.source,
        "key": session.key,
        "strategy": session.strategy,
        "seed": session.seed,
        "versions": session.versions,
        "trials": sum(trial.is_run for trial in session.trials),
        "statuses": count_statuses(session),
        "budget_trials": session.budget_trials,
        "budget_seconds": session.budget_seconds,
        "search_end": session.search_end,
        "is_survey": session.is_survey,
        "phases": measure_phases(session),
        "decision": _describe_decision(session),
        "notes": session.notes,
    }


def _describe_roofline(table: TrialTable, winner: int | None) -> dict[str, Any] | None:
    roofline = find_roofline(table, winner)
    return None if roofline is None else roofline.describe()


def name_session(session: Session) -> str:
    """Returns a label for legends."""
    seed = "" if session.seed is None else f", seed {session.seed}"
    return f"{session.strategy or session.source}{seed}"


def _describe_decision(session: Session) -> dict[str, Any] | None:
    decision = session.decision
    if decision is None:
        return None
    defaults = session.defaults
    return {
        "verdict": decision.verdict,
        "values": format_values(decision.values),
        "default": format_values(defaults),
        "differs": [
            [name, format_option(defaults.get(name)), format_option(option)]
            for name, option in decision.values.items()
            if option != defaults.get(name)
        ],
        "seconds": decision.seconds,
        "baseline_seconds": decision.baseline_seconds,
        "speedup": decision.speedup,
        "speedup_interval": None if decision.interval is None else list(decision.interval),
        "shown_speedup": decision.shown_speedup,
        "rounds": decision.rounds,
        "cache_state": decision.cache_state,
        "other_speedup": decision.other_speedup,
        "other_speedup_interval": _listed(decision),
        "notes": list(decision.notes),
        "tied": None if decision.tied is None else _format_changes(decision.tied, defaults),
    }


def _format_changes(values: Configuration, defaults: Configuration) -> str:
    return format_values({n: option for n, option in values.items() if option != defaults.get(n)})


def _listed(decision: Decision) -> list[float] | None:
    return None if decision.other_interval is None else list(decision.other_interval)


def _describe_winner(table: TrialTable, winner: int | None) -> dict[str, Any] | None:
    if winner is None:
        return None
    return {"row": winner, "session": int(table.session[winner]), **describe_trial(table, winner)}


def describe_trial(table: TrialTable, row: int) -> dict[str, Any]:
    """Returns a trial for `--json`."""
    trial: SessionTrial = table.trials[row]
    found: dict[str, Any] = {
        "values": {
            name: list(option) if isinstance(option, tuple) else option
            for name, option in trial.values.items()
        },
        "status": trial.status,
        "message": trial.message,
        "reason": trial.reason,
        "seconds": trial.seconds,
        "ratio": trial.ratio,
        "ratio_interval": None if trial.interval is None else list(trial.interval),
        "usage": trial.usage,
        "artifact": trial.artifact,
        "compile_seconds": trial.compile_seconds,
        "run_seconds": trial.run_seconds,
        "session_seconds": trial.session_seconds,
        "is_recalled": trial.is_recalled,
    }
    if trial.bound:
        found["time_bound"] = {
            "seconds": trial.bound.seconds,
            "limit": trial.bound.limit,
            "share": trial.bound.share,
        }
    return found


def add_trials(document: dict[str, Any], tables: Sequence[TrialTable]) -> dict[str, Any]:
    """Returns the document with the trials of each session."""
    kernels = []
    for kernel, table in zip(document["kernels"], tables, strict=True):
        trials = [
            {"session": int(table.session[row]), **describe_trial(table, row)}
            for row in range(len(table.trials))
        ]
        kernels.append({**kernel, "trials": trials})
    return {**document, "kernels": kernels}
