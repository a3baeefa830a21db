# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reasons why other candidates lost, as far as usage and bounds of binaries show them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tonno import statistics
from tonno.report.sessions import Roofline, Session, SessionTrial
from tonno.report.table import TrialTable, format_option

USAGE = {
    "spill_bytes": "spilled registers, bytes of a thread",
    "stack_bytes": "stack, bytes of a thread",
    "registers": "registers of a thread",
    "shared_bytes": "shared memory, bytes of a workgroup",
    "occupancy": "occupancy, share of the most subgroups",
    "stack_share": "accesses of the stack, share of the instructions in innermost loops",
    "vector_share": "instructions on vectors, share of those in innermost loops",
    "memory_share": "loads and stores, share of the instructions in innermost loops",
    "loop_intensity": "operations for each byte that innermost loops access",
    "instructions": "instructions in the code",
    "code_bytes": "code, bytes",
    "workspace_bytes": "workspace, bytes",
}
"""Members of the resource usage, those first that most often explain a time."""

EVENTS = {
    "llc_misses": "misses of the last-level cache in a launch",
    "l1d_misses": "loads that miss the first cache in a launch",
    "branch_misses": "mispredicted branches in a launch",
    "executed_instructions": "instructions executed in a launch",
    "cycles": "cycles of a launch",
}
"""Events that the processor counted, in the same order."""
PROPERTIES = USAGE | EVENTS

_MOST_RUNNERS_UP = 15
_LEAST = 1e-9
_SHARE = 0.05
"""Least difference of shares that is reported."""
_MORE_EVENTS = 1.2
"""Least factor of counted events that is reported: counts of two launches differ."""
_TELLING = 1.05
"""Least factor between candidates with and without a property that is reported."""

_Compare = Callable[[float, float], bool]


def _is_more(one: float, best: float) -> bool:
    return one > _MORE_EVENTS * best


_WORSE: dict[str, tuple[str, _Compare]] = {
    "spill_bytes": ("more spilled registers", lambda one, best: one > best),
    "stack_bytes": ("more stack", lambda one, best: one > best),
    "occupancy": ("less occupancy", lambda one, best: one < best - _LEAST),
    "shared_bytes": ("more shared memory", lambda one, best: one > best),
    "registers": ("more registers", lambda one, best: one > best),
    "stack_share": ("more accesses of the stack", lambda one, best: one > best + _SHARE),
    "vector_share": ("fewer instructions on vectors", lambda one, best: one < best - _SHARE),
    "loop_intensity": (
        "fewer operations for each byte in innermost loops",
        lambda one, best: one < (1 - _SHARE) * best,
    ),
    "instructions": ("at least twice the instructions", lambda one, best: one >= 2 * best),
    "workspace_bytes": ("more workspace", lambda one, best: one > best),
    "llc_misses": ("more misses of the last-level cache", _is_more),
    "l1d_misses": ("more loads that miss the first cache", _is_more),
    "branch_misses": ("more mispredicted branches", _is_more),
    "executed_instructions": ("more instructions executed", _is_more),
}


def explain_losses(table: TrialTable, winner: int | None) -> dict[str, Any]:
    """Returns the closest candidates, and the properties that slower ones have and the winner
    does not."""
    if winner is None:
        return {"runners_up": [], "properties": [], "near": 0, "slower": 0}
    base = table.trials[winner]
    timed = np.flatnonzero(np.isfinite(table.ratio) & (np.arange(len(table.trials)) != winner))
    is_other = [table.trials[row].values != base.values for row in timed]
    timed = timed[np.array(is_other, np.bool_)] if len(timed) else timed
    near = [row for row in timed.tolist() if _overlaps(table.trials[row], base)]
    order = timed[np.argsort(table.ratio[timed], kind="stable")]
    ok = [row for row in order.tolist() if table.is_ok[row]][:_MOST_RUNNERS_UP]
    return {
        "near": len(near),
        "slower": len(timed),
        "has_intervals": base.interval is not None,
        "runners_up": [_describe(table, row, winner) for row in ok],
        "properties": _summarize_properties(table, timed.tolist(), winner),
    }


def _overlaps(trial: SessionTrial, base: SessionTrial) -> bool:
    return (
        trial.status == "ok"
        and trial.interval is not None
        and base.interval is not None
        and trial.interval.low <= base.interval.high
    )


def find_worse(trial: SessionTrial, base: SessionTrial) -> list[str]:
    """Returns the properties in which the trial is worse than the winner."""
    one, best = trial.usage, base.usage
    found = [
        text
        for name, (text, is_worse) in _WORSE.items()
        if name in one and name in best and is_worse(one[name], best[name])
    ]
    if trial.bound and base.seconds and trial.bound.seconds > base.seconds:
        found.append("a time bound above the winner's time")
    return found


def _describe(table: TrialTable, row: int, winner: int) -> dict[str, Any]:
    trial, base = table.trials[row], table.trials[winner]
    assert trial.ratio is not None and base.ratio is not None
    interval = None
    if trial.interval and base.interval and base.interval.low > 0:
        interval = [
            trial.interval.low / base.interval.high,
            trial.interval.high / base.interval.low,
        ]
    return {
        "session": int(table.session[row]),
        "values": table.describe(row),
        "differs": {
            name: [format_option(option), format_option(base.values.get(name))]
            for name, option in trial.values.items()
            if option != base.values.get(name)
        },
        "factor": trial.ratio / base.ratio,
        "interval": interval,
        "overlaps": _overlaps(trial, base),
        "worse": find_worse(trial, base),
        "usage": trial.usage,
    }


def _summarize_properties(
    table: TrialTable, rows: list[int], winner: int
) -> list[dict[str, Any]]:
    """Returns the median time of slower candidates with and without each property."""
    base = table.trials[winner]
    factors = {row: float(table.ratio[row] / table.ratio[winner]) for row in rows}
    having: dict[str, list[int]] = {}
    for row in rows:
        for text in find_worse(table.trials[row], base):
            having.setdefault(text, []).append(row)
    found: list[dict[str, Any]] = []
    for text, those in having.items():
        chosen = set(those)
        without = [factors[row] for row in rows if row not in chosen]
        median = statistics.median([factors[row] for row in those])
        is_telling = not without or median >= _TELLING * statistics.median(without)
        found.append(
            {
                "property": text,
                "count": len(those),
                "of": len(rows),
                "with": _summarize([factors[row] for row in those]),
                "without": _summarize(without),
                "is_telling": is_telling,
            }
        )
    found.sort(key=lambda each: -each["with"]["median"])
    return found


def _summarize(factors: list[float]) -> dict[str, Any] | None:
    if not factors:
        return None
    interval = statistics.median_interval(factors) if len(factors) > 1 else None
    return {
        "median": statistics.median(factors),
        "interval": None if interval is None else list(interval),
    }


def rank_by_bound(table: TrialTable) -> list[dict[str, Any]]:
    """Returns the candidates with the least time bounds, for sessions that time none."""
    bounded = [
        (trial.bound.seconds, row, trial)
        for row, trial in enumerate(table.trials)
        if trial.bound and trial.status == "ok"
    ]
    return [
        {
            "values": table.describe(row),
            "bound": seconds,
            "limit": trial.bound.limit if trial.bound else "",
            "share": trial.bound.share if trial.bound else 0,
            "usage": trial.usage,
        }
        for seconds, row, trial in sorted(bounded, key=lambda each: each[:2])[:_MOST_RUNNERS_UP]
    ]


def summarize_needs(table: TrialTable) -> dict[str, Any]:
    """Returns the number of binaries that spill, and the range of their occupancy."""
    usages = [trial.usage for trial in table.trials if trial.usage]
    occupancy = [usage["occupancy"] for usage in usages if "occupancy" in usage]
    return {
        "compiled": len(usages),
        "spilling": sum(usage.get("spill_bytes", 0) > 0 for usage in usages),
        "occupancy": [min(occupancy), max(occupancy)] if occupancy else None,
    }


def list_usage(table: TrialTable) -> list[str]:
    """Returns the members of the usage that have several values among timed trials; among all
    trials if none is timed."""
    rows = np.flatnonzero(np.isfinite(table.ratio)).tolist()
    timed = [table.trials[row] for row in rows] or table.trials
    return [
        name
        for name in PROPERTIES
        if len({trial.usage[name] for trial in timed if name in trial.usage}) > 1
    ]


def _order_sessions(table: TrialTable, winner: int | None) -> list[Session]:
    """Returns the sessions, the winner's first."""
    sessions = list(table.sessions)
    if winner is not None:
        sessions.insert(0, table.sessions[int(table.session[winner])])
    return sessions


def find_roofline(table: TrialTable, winner: int | None) -> Roofline | None:
    """Returns the roofline of the winner's session, or else of the first that has one."""
    sessions = _order_sessions(table, winner)
    return next((session.roofline for session in sessions if session.roofline), None)


_NO_LIMITS = {
    "work": "the operations and bytes of the kernel are not known",
    "device": "tonno has no peaks of this device",
    "benchmark": "the peaks of the machine could not be measured",
    "types": "tonno has no peak of multiply-adds of these element types",
    "memory": "tonno has no bandwidth of the memory that has the data",
    "exceeded": "the kernel is faster than the peaks",
}
"""Reasons of `tonno-tune`, as docs/start/reading-the-output.md lists them."""


def _explain_no_limit(roofline: Roofline | None, no_limit: str) -> str:
    """Returns why there is no share of the machine's limit; empty if there is one."""
    if roofline and roofline.limit:
        return ""
    if no_limit:
        reason = _NO_LIMITS.get(no_limit, f"tonno-tune's reason is '{no_limit}'")
        return f"no share of the machine's limit: {reason}"
    if roofline:
        return (
            "no share of the machine's limit: the peak of the element type is unknown, or the "
            "kernel is faster than the peaks, which were measured on a busy machine"
        )
    return (
        "no roofline: the file lacks the operations and bytes of the kernel, or the peaks of the "
        "machine"
    )


def describe_limit(table: TrialTable, winner: int | None) -> dict[str, Any]:
    """Returns how far the winner is from bounds of its time, and which data are missing."""
    missing = []
    bounds = [trial.bound for trial in table.trials if trial.bound]
    base = None if winner is None else table.trials[winner]
    found: dict[str, Any] = {
        "bounded": sum(trial.status == "bounded" for trial in table.trials),
        "with_bound": len(bounds),
    }
    if bounds:
        found["least_bound"] = min(bound.seconds for bound in bounds)
    else:
        missing.append(
            "no time bounds of binaries: the backend computes none for this kernel and target"
        )
    if base and base.bound and base.seconds:
        found["winner_seconds"] = base.seconds
        found["winner_bound"] = base.bound.seconds
        found["limit"] = base.bound.limit
        found["share_of_bound"] = base.bound.seconds / base.seconds
        found["at_most"] = base.seconds / min(bound.seconds for bound in bounds)
        if base.bound.share > 0:
            found["data_sheet_seconds"] = base.bound.share * base.bound.seconds
            found["share_of_data_sheet"] = found["data_sheet_seconds"] / base.seconds
    sessions = _order_sessions(table, winner)
    roofline = find_roofline(table, winner)
    no_limit = next((each.no_limit for each in sessions if each.no_limit), "")
    explanation = _explain_no_limit(roofline, no_limit)
    if explanation and (roofline or no_limit or not any(bound.share > 0 for bound in bounds)):
        missing.append(explanation)
    # Of the winner's session alone: another one's best may be slower.
    if winner is not None and sessions[0].most_left:
        found["most_left"] = sessions[0].most_left
    usage = {name for trial in table.trials for name in trial.usage}
    lacking = [USAGE[name].split(",")[0] for name in USAGE if name not in usage]
    if lacking:
        missing.append(f"unknown of the resource usage: {', '.join(lacking)}")
    if not usage & EVENTS.keys():
        missing.append(
            "no performance counters: the machine shows none, the kernel has several threads, or "
            "its device is not the host"
        )
    found["missing"] = missing
    return found
