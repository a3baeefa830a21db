# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JSON members with their types checked: a file may have been edited."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tonno.report.sessions import Bound, Decision, Knob, SessionTrial
from tonno.statistics import Interval
from tonno.trials import Configuration


class Malformed(Exception):
    """A member is missing or has another type."""


def get_member(table: Any, name: str, kind: type) -> Any:
    """Returns a member of this type. Raises `Malformed`."""
    if not isinstance(table, Mapping):
        raise Malformed(f"an object with '{name}' is missing")
    if not isinstance(table.get(name), kind) or isinstance(table[name], bool) is not (kind is bool):
        raise Malformed(f"'{name}' is missing or has another type")
    return table[name]


_LARGEST = 1e30
"""Limit on numbers, whose products and quotients are finite then."""
_POSITIVE = (1e-15, 1e15)
"""Limits on times and ratios."""


def get_number(table: Any, name: str) -> float | None:
    """Returns a number of a credible size, or None."""
    found = table.get(name) if isinstance(table, Mapping) else None
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        return None
    try:
        number = float(found)
    except OverflowError:
        return None
    return number if abs(number) <= _LARGEST else None


def get_positive(table: Any, name: str) -> float | None:
    """Returns a positive number of the size of a time or ratio, or None."""
    number = get_number(table, name)
    return None if number is None or not _POSITIVE[0] <= number <= _POSITIVE[1] else number


def get_positives(table: Any, name: str) -> list[float]:
    """Returns the positive numbers of a list; none if there is no list."""
    found = table.get(name) if isinstance(table, Mapping) else None
    numbers = [get_positive({"": each}, "") for each in found] if isinstance(found, list) else []
    return [each for each in numbers if each is not None]


def get_texts(table: Any, name: str) -> list[str]:
    """Returns the strings of a list, or of the values of an object; none if there is neither."""
    found = table.get(name) if isinstance(table, Mapping) else None
    if isinstance(found, Mapping):
        found = list(found.values())
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def get_text(table: Any, name: str) -> str:
    """Returns a string; empty if there is none."""
    found = table.get(name) if isinstance(table, Mapping) else None
    return found if isinstance(found, str) else ""


def get_objects(table: Any, name: str) -> list[Mapping[str, Any]]:
    """Returns a list of objects. Raises `Malformed`."""
    found: list[Any] = get_member(table, name, list)
    if not all(isinstance(each, Mapping) for each in found):
        raise Malformed(f"'{name}' must be a list of objects")
    return found


def parse_interval(ends: Any) -> Interval | None:
    pair = ends if isinstance(ends, list) and len(ends) == 2 else [None, None]
    low, high = (get_positive({"end": end}, "end") for end in pair)
    return None if low is None or high is None else Interval(low, high)


def freeze(option: Any) -> Any:
    """Returns an option of a knob as a hashable value."""
    if isinstance(option, list):
        return tuple(freeze(each) for each in option)
    if isinstance(option, Mapping):
        raise Malformed("an option of a knob must not be an object")
    if isinstance(option, float) and not math.isfinite(option):
        raise Malformed("an option of a knob must be finite")
    return option


def parse_values(values: Any) -> Configuration:
    if not isinstance(values, Mapping):
        raise Malformed("'values' must be an object")
    return {name: freeze(option) for name, option in values.items()}


def parse_knobs(space: Any) -> tuple[Knob, ...]:
    return tuple(
        Knob(
            get_member(knob, "name", str),
            tuple(freeze(option) for option in get_member(knob, "options", list)),
            freeze(knob.get("default")),
        )
        for knob in get_objects(space, "knobs")
    )


def parse_sizes(space: Any) -> dict[str, int]:
    has_any = isinstance(space, Mapping) and "dimensions" in space
    stated = get_objects(space, "dimensions") if has_any else []
    return {get_member(each, "name", str): get_member(each, "size", int) for each in stated}


def parse_constraints(space: Any) -> tuple[str, ...]:
    return tuple(get_texts(space, "constraints"))


def parse_record(record: Any) -> SessionTrial:
    """Returns a trial record of tonno's, as journals and reports have it."""
    trial = SessionTrial(
        parse_values(record.get("values") if isinstance(record, Mapping) else None),
        get_member(record, "status", str),
        get_text(record, "message"),
        artifact=get_text(record, "artifact"),
    )
    usage = record.get("usage")
    if isinstance(usage, Mapping):
        trial.usage = _get_numbers(usage)
        trial.bound = _parse_bound(usage.get("time_bound"))
    measured = record.get("measurement")
    if isinstance(measured, Mapping):
        trial.seconds = get_positive(measured.get("seconds"), "median")
        trial.ratio = get_positive(measured, "ratio")
        trial.usage |= _get_numbers(measured.get("events"))
        if trial.ratio is not None:
            trial.interval = parse_interval(measured.get("ratio_interval"))
    return trial


def _get_numbers(table: Any) -> dict[str, float]:
    """Returns the members of an object that are numbers."""
    names = table if isinstance(table, Mapping) else ()
    numbers = {name: get_number(table, name) for name in names}
    return {name: each for name, each in numbers.items() if each is not None}


def _parse_bound(bound: Any) -> Bound | None:
    seconds = get_positive(bound, "seconds")
    if seconds is None:
        return None
    share = min(1.0, get_positive(bound, "share") or 0.0)
    return Bound(seconds, get_text(bound, "limit"), share)


def parse_decision(record: Any) -> Decision:
    """Returns a decision record of tonno's."""
    compared = get_member(record, "comparison", Mapping)
    other = compared.get("other_cache_state")
    notes = get_texts(record, "environment")
    if compared.get("contended") or record.get("condition") == "contended":
        notes.append("other processes used the device at the same time")
    if compared.get("overhead_bound"):
        notes.append("overhead-bound: a launch takes no longer than launching itself")
    has_baseline = (get_number(compared.get("baseline_seconds"), "n") or 0) > 0
    tied = record.get("tied")
    rounds = get_number(compared, "rounds")
    baseline = get_positive(compared.get("baseline_seconds"), "median") if has_baseline else None
    speedup = get_positive(compared, "speedup") if has_baseline else None
    return Decision(
        parse_values(record.get("values")),
        get_member(compared, "verdict", str),
        _find_chosen_seconds(compared, baseline, speedup),
        baseline,
        speedup,
        parse_interval(compared.get("speedup_interval")) if has_baseline else None,
        get_positive(compared, "shown_speedup"),
        None if rounds is None else int(rounds),
        get_text(compared, "cache_state") or "cold",
        get_positive(other, "speedup"),
        parse_interval(other.get("speedup_interval")) if isinstance(other, Mapping) else None,
        tuple(notes),
        None if tied is None else parse_values(tied),
    )


def _find_chosen_seconds(
    compared: Mapping[str, Any], baseline: float | None, speedup: float | None
) -> float | None:
    """Returns the time of what was chosen, as the tools state it: after a tie that of the default,
    else what follows from the speedup, which is of pairs."""
    if baseline is None:
        return get_positive(compared.get("seconds"), "median")
    if compared.get("verdict") == "tie" or speedup is None:
        return baseline
    return baseline / speedup


_PHASES = {name: place for place, name in enumerate(("baseline", "search", "finals", "test"))}


def parse_phases(table: Any) -> dict[str, float]:
    """Returns the seconds of each phase of a session."""
    if not isinstance(table, Mapping):
        return {}
    seconds = {name: get_number(table, name) for name in table}
    known = {name: each for name, each in seconds.items() if each is not None}
    return dict(sorted(known.items(), key=lambda item: _PHASES.get(item[0], len(_PHASES))))
