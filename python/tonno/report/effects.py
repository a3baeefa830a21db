# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Effects of knobs: at the winner, over pairs of trials that differ in one knob, and inert ones."""

from __future__ import annotations

import dataclasses
import heapq
from typing import Any

import numpy as np

from tonno import statistics
from tonno.report.table import TrialTable, format_option, format_values

_MOST_CLIFFS = 10
_CLIFF = 1.5
"""Least factor between neighbours that is listed as a cliff."""
_MOST_KNOBS = 12
"""Maximum number of knobs whose interactions are looked for."""
_MOST_INTERACTIONS = 10
_Z95 = 1.96


@dataclasses.dataclass(frozen=True)
class Pairs:
    """Trials that are equal but for one knob."""

    groups: list[list[int]]
    """Rows, of at least two different options."""


def find_pairs(table: TrialTable, knob: int) -> Pairs:
    """Returns the groups of trials that differ in this knob alone."""
    remainder = table.hashes.sum(1, dtype=np.uint64) - table.hashes[:, knob]
    order = np.argsort(remainder, kind="stable")
    sorted_remainder = remainder[order]
    ends = np.flatnonzero(np.diff(sorted_remainder)) + 1
    sizes = np.diff([0, *ends.tolist(), len(order)])
    groups = []
    begin = 0
    codes = table.codes[:, knob]
    for size in sizes.tolist():
        if size > 1:
            rows = order[begin : begin + size].tolist()
            if len({int(codes[row]) for row in rows}) > 1:
                groups.append(rows)
        begin += size
    return Pairs(groups)


def analyze_knobs(table: TrialTable, winner: int | None) -> dict[str, Any]:
    """Returns effects, cliffs and inert options of all knobs; effects of the largest spread
    first."""
    pairs = [find_pairs(table, knob) for knob in range(len(table.knobs))]
    effects = [_measure_effect(table, knob, pairs[knob], winner) for knob in range(len(pairs))]
    effects.sort(key=lambda effect: -(effect["spread"] or 0))
    return {
        "effects": effects,
        "cliffs": find_cliffs(table, pairs),
        "inert": find_inert(table, pairs),
    }


def _measure_effect(
    table: TrialTable, knob: int, pairs: Pairs, winner: int | None
) -> dict[str, Any]:
    """Returns the effect of each option, as a factor on the time, against the winner's option."""
    options = table.knobs[knob].options
    reference = None if winner is None else int(table.codes[winner, knob])
    neighbours = _find_neighbours(table, knob, pairs, winner)
    compared = _compare_options(table, knob, pairs, reference)
    rows = []
    for code, option in enumerate(options):
        used = table.ratio[(table.codes[:, knob] == code) & table.is_ok]
        # Relative to the winner, as the other columns are.
        scale = 1.0 if winner is None else float(table.ratio[winner])
        rows.append(
            {
                "option": format_option(option),
                "is_winner": code == reference,
                "is_default": option == table.knobs[knob].default,
                "at_winner": neighbours.get(code),
                "pairs": _estimate(compared.get(code, [])),
                "trials": _estimate((used / scale).tolist()),
            }
        )
    factors, evidence = _choose_evidence(rows)
    return {
        "knob": table.knobs[knob].name,
        "index": knob,
        "evidence": evidence,
        "spread": max(factors) / min(factors) if len(factors) > 1 else None,
        "options": rows,
    }


def _choose_evidence(rows: list[dict[str, Any]]) -> tuple[list[float], str]:
    """Returns the factors of the options by the best evidence that covers two of them."""
    for name, meaning in (
        ("at_winner", "neighbours of the winner"),
        ("pairs", "pairs that differ in the knob alone"),
        ("trials", "all trials with the option"),
    ):
        factors = [row[name]["ratio"] for row in rows if row[name]]
        if name != "trials" and factors:
            factors.append(1.0)
        if len(factors) > 1:
            return factors, meaning
    return [], "none"


def _find_neighbours(
    table: TrialTable, knob: int, pairs: Pairs, winner: int | None
) -> dict[int, dict[str, Any]]:
    """Returns the trials that differ from the winner in this knob alone, by option."""
    found: dict[int, dict[str, Any]] = {}
    group = next((rows for rows in pairs.groups if winner in rows), None)
    if group is None or winner is None:
        return found
    base = table.trials[winner]
    for row in group:
        code, trial = int(table.codes[row, knob]), table.trials[row]
        if code == table.codes[winner, knob]:
            continue
        entry: dict[str, Any] = {"ratio": None, "interval": None, "status": trial.status}
        if trial.ratio is not None and base.ratio is not None:
            entry["ratio"] = trial.ratio / base.ratio
            if trial.interval and base.interval and base.interval.low > 0:
                entry["interval"] = [
                    trial.interval.low / base.interval.high,
                    trial.interval.high / base.interval.low,
                ]
        known = found.get(code)
        if entry["ratio"] is not None and (known is None or _blur(entry) < _blur(known)):
            found[code] = entry
    return found


def _blur(entry: dict[str, Any]) -> tuple[bool, float]:
    """Returns a key by which the most precise of several measurements comes first: sessions on a
    busy machine measure the same configuration less precisely."""
    low, high = entry["interval"] or (0.0, 1.0)
    return entry["status"] != "ok", high / low if low > 0 else float("inf")


def _compare_options(
    table: TrialTable, knob: int, pairs: Pairs, reference: int | None
) -> dict[int, list[float]]:
    """Returns the factors of each option against the reference's, one for each group."""
    factors: dict[int, list[float]] = {}
    codes, ratio = table.codes[:, knob].tolist(), table.ratio.tolist()
    is_ok = table.is_ok.tolist()
    for rows in pairs.groups:
        timed = {codes[row]: ratio[row] for row in reversed(rows) if is_ok[row]}
        base = timed.get(reference) if reference is not None else None
        if base is None:
            continue
        for code, each in timed.items():
            if code != reference:
                factors.setdefault(code, []).append(each / base)
    return factors


def _estimate(factors: list[float]) -> dict[str, Any] | None:
    """Returns the median and its interval by order statistics; with fewer than six factors, the
    interval spans all of them."""
    if not factors:
        return None
    interval = statistics.median_interval(factors, _Z95) if len(factors) > 1 else None
    return {
        "n": len(factors),
        "ratio": statistics.median(factors),
        "interval": None if interval is None else list(interval),
    }


def find_cliffs(table: TrialTable, pairs: list[Pairs]) -> list[dict[str, Any]]:
    """Returns the largest factors between trials that differ by adjacent options of one knob."""
    codes, ratio = table.codes, table.ratio.tolist()
    is_ok = table.is_ok.tolist()
    is_pruned = [trial.status == "pruned" and trial.ratio is not None for trial in table.trials]
    steps: list[tuple[float, int, int, int]] = []
    for knob, found in enumerate(pairs):
        column = codes[:, knob].tolist()
        for rows in found.groups:
            by_code = {column[row]: row for row in reversed(rows) if is_pruned[row]}
            by_code |= {column[row]: row for row in reversed(rows) if is_ok[row]}
            for code, row in by_code.items():
                other = by_code.get(code + 1)
                if other is not None and (is_ok[row] or is_ok[other]):
                    # The ratio of a pruned trial is a lower bound: it may be the slower one.
                    factor = ratio[other] / ratio[row]
                    if (is_pruned[row] and factor > 1) or (is_pruned[other] and factor < 1):
                        continue
                    steps.append((max(factor, 1 / factor), knob, row, other))
    largest = heapq.nlargest(_MOST_CLIFFS, (step for step in steps if step[0] >= _CLIFF))
    return [_describe_cliff(table, *step) for step in largest]


def _describe_cliff(
    table: TrialTable, factor: float, knob: int, row: int, other: int
) -> dict[str, Any]:
    fast, slow = (row, other) if table.ratio[row] < table.ratio[other] else (other, row)
    name = table.knobs[knob].name
    before, after = table.trials[fast], table.trials[slow]
    changed = {
        usage: [before.usage[usage], after.usage[usage]]
        for usage in before.usage
        if usage in after.usage and before.usage[usage] != after.usage[usage]
    }
    remainder = {n: option for n, option in before.values.items() if n != name}
    return {
        "knob": name,
        "from": format_option(before.values.get(name)),
        "to": format_option(after.values.get(name)),
        "factor": factor,
        "is_least": after.status == "pruned",
        "others": format_values(remainder),
        "usage": changed,
    }


def find_inert(table: TrialTable, pairs: list[Pairs]) -> dict[str, Any]:
    """Returns knobs and options whose binaries are byte-equal, by the hashes of the binaries."""
    artifacts = [trial.artifact for trial in table.trials]
    known = [each for each in artifacts if each]
    knobs = []
    for knob, found in enumerate(pairs):
        column = table.codes[:, knob].tolist()
        counts: dict[tuple[int, int], list[int]] = {}
        for rows in found.groups:
            by_code = {column[row]: artifacts[row] for row in rows if artifacts[row]}
            used = sorted(by_code)
            for i, one in enumerate(used):
                for other in used[i + 1 :]:
                    count = counts.setdefault((one, other), [0, 0])
                    count[0] += by_code[one] == by_code[other]
                    count[1] += 1
        equal, total = (sum(count[i] for count in counts.values()) for i in (0, 1))
        if equal:
            knobs.append(_describe_inert(table, knob, counts, equal, total))
    knobs.sort(key=lambda each: -each["equal"] / each["pairs"])
    return {"binaries": len(known), "distinct": len(set(known)), "knobs": knobs}


def _describe_inert(
    table: TrialTable,
    knob: int,
    counts: dict[tuple[int, int], list[int]],
    equal: int,
    total: int,
) -> dict[str, Any]:
    options = table.knobs[knob].options
    return {
        "knob": table.knobs[knob].name,
        "equal": equal,
        "pairs": total,
        "is_inert": equal == total,
        "options": [
            {
                "options": [format_option(options[one]), format_option(options[other])],
                "equal": count[0],
                "pairs": count[1],
            }
            for (one, other), count in sorted(counts.items())
            if count[0]
        ],
    }


def find_interactions(
    table: TrialTable, winner: int | None, knobs: list[int]
) -> list[dict[str, Any]]:
    """Returns how much the effect of one knob depends on another, from squares of four trials.

    With the winner's options a, b and others x, y, and all else equal, the factor is
    t(x, y) t(a, b) / (t(x, b) t(a, y)): 1 if the effects are independent. The largest first.
    """
    if winner is None:
        return []
    found: list[dict[str, Any]] = []
    total = table.hashes.sum(1, dtype=np.uint64)
    kept = knobs[:_MOST_KNOBS]
    for i, one in enumerate(kept):
        for other in kept[i + 1 :]:
            factors = _measure_squares(table, total, winner, one, other)
            if factors:
                estimate = _estimate(factors)
                strength = statistics.median([max(f, 1 / f) for f in factors])
                names = [table.knobs[each].name for each in (one, other)]
                pair = {"knobs": names, "indices": [one, other], "strength": strength}
                found.append(pair | (estimate or {}))
    found.sort(key=lambda each: -each["strength"])
    return found[:_MOST_INTERACTIONS]


def _measure_squares(
    table: TrialTable, total: Any, winner: int, one: int, other: int
) -> list[float]:
    remainder = total - table.hashes[:, one] - table.hashes[:, other]
    is_a = table.codes[:, one] == table.codes[winner, one]
    is_b = table.codes[:, other] == table.codes[winner, other]
    corners = np.flatnonzero(is_a & is_b & table.is_ok)
    by_remainder = dict(zip(remainder[corners].tolist(), corners.tolist(), strict=True))
    is_near = np.isin(remainder, remainder[corners]) & table.is_ok
    rows_a, rows_b = (np.flatnonzero(is_near & kept) for kept in (is_a & ~is_b, ~is_a & is_b))
    keys = remainder.tolist()
    beside_a = {(keys[row], int(table.codes[row, other])): row for row in rows_a.tolist()}
    beside_b = {(keys[row], int(table.codes[row, one])): row for row in rows_b.tolist()}
    factors = []
    for row in np.flatnonzero(is_near & ~is_a & ~is_b).tolist():
        key = keys[row]
        a = beside_a.get((key, int(table.codes[row, other])))
        b = beside_b.get((key, int(table.codes[row, one])))
        if a is not None and b is not None:
            corner = by_remainder[key]
            time = table.ratio
            factors.append(float(time[row] * time[corner] / (time[a] * time[b])))
    return factors


def tabulate_pair(table: TrialTable, one: int, other: int) -> list[dict[str, Any]]:
    """Returns the best ratio and the number of trials of each pair of options; if all were pruned,
    the least lower bound."""
    cells: dict[tuple[int, int], list[float]] = {}
    bounds: dict[tuple[int, int], list[float]] = {}
    for row in np.flatnonzero(np.isfinite(table.ratio)).tolist():
        key = (int(table.codes[row, one]), int(table.codes[row, other]))
        kept = cells if table.is_ok[row] else bounds
        kept.setdefault(key, []).append(float(table.ratio[row]))
    bounds = {key: ratios for key, ratios in bounds.items() if key not in cells}
    options = [table.knobs[each].options for each in (one, other)]
    return [
        {
            "one": format_option(options[0][a]),
            "other": format_option(options[1][b]),
            "ratio": min(ratios),
            "n": len(ratios),
            "is_least": (a, b) in bounds,
        }
        for (a, b), ratios in sorted((cells | bounds).items())
        if a >= 0 and b >= 0
    ]
