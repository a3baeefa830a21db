# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a record of an earlier process still holds for a problem."""

from __future__ import annotations

import math
from typing import Any

from tonno.jax import fingerprints
from tonno.jax.plans import Plan
from tonno.jax.problems import Problem
from tonno.jax.winners import Table
from tonno.trials import Configuration


def made_by(plan: Plan, code: str, problem: Problem) -> Table:
    """What a record has, beside its outcome, of how it was made."""
    return {
        "function": code,
        "choices": plan.fingerprint,
        "versions": fingerprints.versions(problem.device),
        "protocol": plan.protocol,
        "outputs": plan.outputs,
        "tolerance": plan.tolerance,
    }


def changed(plan: Plan, code: str, problem: Problem, record: Table) -> list[str]:
    """What is no more as it was when the record was made; nothing if it holds."""
    config = plan.own(configuration(record))
    if config is None:
        return ["its configurations"]
    now = made_by(plan, code, problem)
    names = {"choices": "its configurations", "function": "the function"}
    names["versions"] = "JAX or the processor"
    found = [name for part, name in names.items() if record.get(part) != now[part]]
    if plan.protocol == "paired" and record.get("protocol") != "paired":
        found.append("the protocol")
    if plan.outputs == "refuse" and not _is_within(plan.tolerance, record):
        found.append("what is asked of its outputs")
    if not found and record.get("trace") != problem.trace_fingerprint(config):
        found.append("what it calls")
    return found


def is_of_one_machine(one: Table, other: Table) -> bool:
    """Whether two records are of a processor of one name, with as many for the process."""
    first, second = (
        found if isinstance(found, dict) else {}
        for found in (one.get("versions"), other.get("versions"))
    )
    return all(first.get(part) == second.get(part) for part in ("processor", "processors"))


def configuration(stored: Table) -> Configuration:
    """That of an entry, a record or a trial."""
    config = stored.get("config")
    items = config.items() if isinstance(config, dict) else ()
    return {name: _value(value) for name, value in items}


def _value(stored: Any) -> Any:
    return tuple(map(_value, stored)) if isinstance(stored, list) else stored


def _is_within(tolerance: float | None, record: Table) -> bool:
    """Whether the winner's outputs would not be refused."""
    difference = _difference_of_winner(record)
    if difference is None or not math.isfinite(difference):
        return False
    if difference == 0:
        return True
    before = record.get("tolerance", math.nan)
    if before == tolerance:
        return difference <= 1
    if before is None or tolerance is None:
        return False  # One of them is each type's own.
    return bool(difference * before <= tolerance)


def _difference_of_winner(record: Table) -> float | None:
    trials = record.get("trials")
    for trial in trials if isinstance(trials, list) else []:
        if isinstance(trial, dict) and trial.get("config") == record.get("config"):
            found = trial.get("difference")
            return float(found) if isinstance(found, (int, float)) else None
    return None
