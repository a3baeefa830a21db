# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a record of an earlier process still holds for a problem."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from tonno.jax import fingerprints
from tonno.jax.decisions import ConfigTrial
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
    found = []
    if plan.protocol == "paired" and record.get("protocol") != "paired":
        found.append("the protocol")
    if not _is_verified(plan, record):
        found.append("what is asked of its outputs")
    return found or changed_since(plan, code, problem, record)


def changed_since(plan: Plan, code: str, problem: Problem, record: Table) -> list[str]:
    """Returns what changed of the function and what runs it, whatever is asked of it."""
    config = plan.own(configuration(record))
    if config is None:
        return ["its configurations"]
    now = made_by(plan, code, problem)
    names = {"choices": "its configurations", "function": "the function"}
    names["versions"] = "JAX or the processor"
    found = [name for part, name in names.items() if record.get(part) != now[part]]
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


def trials(plan: Plan, record: Table) -> list[ConfigTrial]:
    """Returns the trials of a record, with differences in the plan's tolerances."""
    stored = record.get("trials")
    known = {field.name for field in dataclasses.fields(ConfigTrial)}
    found = []
    for table in stored if isinstance(stored, list) else []:
        if not isinstance(table, dict):
            continue
        parts = {part: value for part, value in table.items() if part in known}
        config = configuration(table)
        difference = _difference(plan, record, table)
        parts |= {"config": dict(plan.own(config) or config), "difference": difference}
        counts = {part: table.get(part) for part in ("finite_instead", "failures")}
        parts |= {part: n if type(n) is int else 0 for part, n in counts.items()}
        parts["nonfinite"] = number(table.get("nonfinite")) or 0.0
        found.append(ConfigTrial(**parts))
    return found


def _is_verified(plan: Plan, record: Table) -> bool:
    """Returns whether a record tells of the outputs what the plan asks."""
    if plan.outputs == "ignore":
        return True
    stored = record.get("trials")
    tables = [t for t in stored if isinstance(t, dict)] if isinstance(stored, list) else []
    winner = next((t for t in tables if t.get("config") == record.get("config")), {})
    difference = _difference(plan, record, winner)
    if difference is None:
        return False
    # Older records don't tell whether the baseline was the one without finite values.
    if any(t.get("difference") == math.inf and "finite_instead" not in t for t in tables):
        return False
    is_suspect = any(table.get("finite_instead") for table in tables)
    return plan.outputs == "warn" or (difference <= 1 and not is_suspect)


def _difference(plan: Plan, record: Table, trial: Table) -> float | None:
    """Returns the difference of a trial's outputs in the plan's tolerances, if known."""
    found = number(trial.get("difference"))
    if found in (None, 0, math.inf):
        return found
    if "tolerance" in record and record["tolerance"] == plan.tolerance:
        return found
    before = number(record.get("tolerance"))
    if found is None or before is None or plan.tolerance is None:
        return None  # One of them is each type's own.
    return found * before / plan.tolerance if plan.tolerance else math.inf


def number(stored: Any) -> float | None:
    """Returns a number of a file; None for anything else, as people edit files."""
    try:
        found = float(stored) if isinstance(stored, (int, float)) else math.nan
    except OverflowError:
        return None
    return None if math.isnan(found) else found
