# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures as tables of Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cases import DEFAULT_AIM, DEFAULT_MUST, DEFAULT_ROW, Row


def _ratio(ratio: dict[str, Any]) -> str:
    low, high = ratio["interval"]
    return f"{ratio['value']:.2f} [{low:.2f}, {high:.2f}]"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} us"


def _judgement(ratio: dict[str, Any], must: float, aim: float) -> str:
    value = ratio["value"]
    return "aim" if value >= aim else "must" if value >= must else "**no**"


def _table(header: Sequence[str], rows: Iterator[Sequence[str]]) -> list[str]:
    lines = [header, ["---"] * len(header), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _summary(rows: list[Row], figures: dict[str, Any]) -> Iterator[Sequence[str]]:
    found = {row["name"]: row for row in figures["rows"]}
    for row in rows:
        limits = (f"{row.must:.2f}", f"{row.aim:.2f}")
        mean = found.get(row.name, {}).get("mean")
        if mean:
            ratio, count = mean["ratio"], f"{mean['cases']} of {len(row.cases)}"
            yield row.name, count, _ratio(ratio), *limits, _judgement(ratio, row.must, row.aim)
        else:
            nothing = "not measured: see its cases"
            yield row.name, f"0 of {len(row.cases)}", nothing, *limits, ""
    if mean := figures.get("default"):
        limits = (f"{DEFAULT_MUST:.2f}", f"{DEFAULT_AIM:.2f}")
        judgement = _judgement(mean["ratio"], DEFAULT_MUST, DEFAULT_AIM)
        yield DEFAULT_ROW, str(mean["cases"]), _ratio(mean["ratio"]), *limits, judgement


def _case(case: dict[str, Any], tuning: str) -> Sequence[str]:
    sides = {side["name"]: side for side in case.get("sides", [])}
    if "problem" in case or "seconds" not in sides.get("tuned", {}):
        return _unmeasured(case["name"], case.get("problem", "no pass ended"))
    default = _ratio(case["default"]) if "default" in case else "not measured"
    tuned = _time(sides["tuned"]["seconds"])
    if "best" not in case:
        return case["name"], tuned, "no opponent computes the same", "", "", default, tuning
    name = case["best"]["name"]
    opponent = _time(sides[name]["seconds"])
    return case["name"], tuned, name, opponent, _ratio(case["best"]["ratio"]), default, tuning


def _unmeasured(name: str, why: str) -> Sequence[str]:
    return name, f"not measured: {why}", *[""] * 5


def _cases(figures: dict[str, Any]) -> Iterator[Sequence[str]]:
    for row in figures["rows"]:
        for case in row["cases"]:
            yield _case(case, figures["tunings"][case["name"]])
    for name, why in figures["missing_cases"].items():
        yield _unmeasured(name, why)


def _notes(figures: dict[str, Any]) -> Iterator[str]:
    """Who could not take part, and what was disturbed."""
    for row in figures["rows"]:
        for case in row["cases"]:
            for side in case.get("sides", []):
                if "problem" in side:
                    yield f"{case['name']}: {side['name']}: {side['problem']}"
            if count := case.get("contended_passes"):
                yield f"{case['name']}: others had the processor in {count} passes"


def markdown(rows: list[Row], figures: dict[str, Any]) -> str:
    speeds = figures["blas_speeds"]
    if isinstance(speeds, dict):
        ordered = sorted(speeds.items(), key=lambda item: -item[1])
        each = ", ".join(f"{core} {speed:.0f}" for core, speed in ordered)
        blas = f"OpenBLAS core types in GFLOP/s, of which the first was taken: {each}."
    else:
        blas = f"Without OpenBLAS: {speeds}."
    lines = [f"`{figures['command']}`, {figures.get('device', 'nothing run')}. {blas}", ""]
    lines += _table(["row", "cases", "ratio", "must", "aim", "reached"], _summary(rows, figures))
    header = ["case", "tuned", "best opponent", "its time", "ratio", "default / tuned", "tuning"]
    lines += ["", *_table(header, _cases(figures))]
    if notes := list(_notes(figures)):
        lines += ["", *(f"- {note}" for note in notes)]
    return "\n".join(lines)
