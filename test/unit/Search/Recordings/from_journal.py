#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a recorded space of an exhaustive session's journal.

    from_journal.py JOURNAL OUT.csv.gz

Times are ratios to the baseline, taken beside it, times its first median, as
lib/Session/RecordedJournal.cpp has them; a pruned trial has that of its three
samples. A trial whose ratio is known to no better than 25 % was disturbed: it
is left out, and is then no point of the space.
"""

from __future__ import annotations

import gzip
import json
import pathlib
import sys

MOST_UNCERTAIN = 0.25


def is_disturbed(trial: dict) -> bool:
    if trial["status"] == "pruned":  # far from the best, whatever the interval
        return False
    low, high = trial["measurement"]["ratio_interval"]
    return (high - low) / 2 > MOST_UNCERTAIN * trial["measurement"]["ratio"]


def usage_of(trial: dict) -> dict:
    usage = dict(trial.get("usage", {}))
    bound = usage.pop("time_bound", None)
    return usage | ({"time_bound_seconds": bound["seconds"]} if bound else {})


def varies(member: str, usages: list[dict]) -> bool:
    return member == "time_bound_seconds" or len({usage.get(member) for usage in usages}) > 1


def printed(number: float | None) -> str:
    return "" if number is None else f"{number:.4g}" if isinstance(number, float) else str(number)


def rows(journal: list[dict]) -> list[list[str]]:
    knobs = [knob["name"] for knob in journal[0]["begin"]["space"]["knobs"]]
    usages = [usage_of(line["trial"]) for line in journal if "trial" in line]
    members = sorted(name for name in set().union(*usages) if varies(name, usages))
    titles = [f"usage.{name}" for name in members]
    found = [[*knobs, "time_us", "status", "compile_ms", "run_ms", *titles]]
    baseline = 0.0
    for line in journal:
        trial = line.get("trial", {"status": "lost"})
        if trial["status"] in ("lost", "contended"):
            continue
        values = [json.dumps(trial["values"][name]) for name in knobs]
        spent = [f"{1e3 * line[part]:.4g}" for part in ("compile_seconds", "run_seconds")]
        spent += [printed(usage_of(trial).get(name)) for name in members]
        if trial["status"] not in ("ok", "pruned"):
            found.append([*values, "", trial["status"], *spent])
            continue
        baseline = baseline or trial["measurement"]["baseline_seconds"]["median"]
        if not is_disturbed(trial):
            time = 1e6 * baseline * trial["measurement"]["ratio"]
            found.append([*values, f"{time:.4g}", "ok", *spent])
    return found


def main() -> None:
    journal, out = map(pathlib.Path, sys.argv[1:])
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    text = "".join(",".join(row) + "\n" for row in rows(lines))
    out.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
