#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots the best configuration so far over the trials of sessions, by Altair.

    plot_best_so_far.py <data> [<report>...]

Writes <data> with the suffix .svg. With reports of `tonno-tune --report`, all of one
kernel on one machine, first writes the data from them. docs/pictures/best-so-far.json is
from six sessions:

    for seed in 0 1 2; do
      for strategy in ensemble random; do
        chrt --fifo 1 tonno-tune examples/matmul.mlir -o tuned.mlir --cache=off \\
          --strategy=$strategy --seed=$seed --report=$strategy-$seed.json
      done
    done

The machine had other work: chrt gave the sessions precedence.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import pathlib
import sys
from typing import Any

import altair
import vl_convert

_COLORS = {"ensemble": "#1864ab", "random": "#d9480f"}
_BACKGROUND = "#f8f9fa"


def read_session(report: pathlib.Path) -> dict[str, Any]:
    """Returns the part of a report that the plot shows."""
    (kernel,) = json.loads(report.read_text())["kernels"]
    return {
        "kernel": kernel["kernel"],
        "chip": kernel["chip"],
        "strategy": kernel["decision"]["strategy"],
        "seed": kernel["decision"]["seed"],
        # The ratio to the default that was timed beside it; null if there is no time.
        "ratios": [
            round(trial["measurement"]["ratio"], 4) if trial["status"] == "ok" else None
            for trial in kernel["trials"]
            if trial["status"] != "bounded"  # never ran, and is no trial of the budget
        ],
    }


def compute_best_so_far(ratios: list[float | None]) -> list[float]:
    """Returns the least ratio after each trial; 1, the default's, before there is one."""
    best, found = 1.0, []
    for ratio in ratios:
        best = min(best, best if ratio is None else ratio)
        found.append(best)
    return found


def build_chart(sessions: list[dict[str, Any]]) -> Any:
    rows = [
        {"strategy": s["strategy"], "seed": s["seed"], "trial": trial, "ratio": ratio}
        for s in sessions
        for trial, ratio in enumerate(compute_best_so_far(s["ratios"]), start=1)
    ]
    strategies = sorted({s["strategy"] for s in sessions})
    color = altair.Color(
        "strategy:N",
        title="strategy, three seeds each",
        scale=altair.Scale(domain=strategies, range=[_COLORS[s] for s in strategies]),
        legend=altair.Legend(orient="top"),
    )
    dash = altair.StrokeDash(
        "strategy:N",
        scale=altair.Scale(domain=strategies, range=[[1, 0], [5, 3]][: len(strategies)]),
        legend=altair.Legend(orient="top"),
    )
    x = altair.X("trial:Q", title="trials", scale=altair.Scale(nice=False))
    y = altair.Y(
        "ratio:Q",
        title="time of the best so far / time of the default",
        scale=altair.Scale(domain=[0.4, 1], clamp=True),
    )
    lines = (
        altair.Chart(altair.InlineData(values=rows))
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(x=x, y=y, color=color, strokeDash=dash, detail="seed:N")
    )
    return altair.layer(lines, width=520, height=300).configure(
        background=_BACKGROUND,
        padding=12,
        axis=altair.AxisConfig(labelFontSize=13, titleFontSize=14, titleFontWeight="normal"),
        legend=altair.LegendConfig(labelFontSize=13, titleFontSize=13, titleFontWeight="normal"),
    )


def compute_mark(data: pathlib.Path) -> str:
    """Returns the comment that ties a plot to its data."""
    digest = hashlib.sha256(data.read_bytes()).hexdigest()
    return f"<!-- scripts/pictures/plot_best_so_far.py, from {data.name}, SHA-256 {digest} -->"


def draw(data: pathlib.Path) -> str:
    read = json.loads(data.read_text())
    title = (
        f"Best so far over trials: @{read['kernel']} on {read['chip']}, recorded on {read['date']}"
    )
    svg: str = vl_convert.vegalite_to_svg(build_chart(read["sessions"]).to_dict())
    head, _, body = svg.partition(">")
    head = head.replace("<svg ", '<svg role="img" aria-labelledby="title" ')
    return f'{head}>\n{compute_mark(data)}\n<title id="title">{title}</title>{body}\n'


def write_data(data: pathlib.Path, reports: list[pathlib.Path]) -> None:
    sessions = [read_session(report) for report in reports]
    ((kernel, chip),) = {(s.pop("kernel"), s.pop("chip")) for s in sessions}
    head = {"kernel": kernel, "chip": chip, "date": datetime.date.today().isoformat()}
    lines = ",\n".join(f"  {json.dumps(session)}" for session in sessions)
    data.write_text(f'{json.dumps(head)[:-1]}, "sessions": [\n{lines}\n]}}\n')


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    data, *reports = map(pathlib.Path, sys.argv[1:])
    if reports:
        write_data(data, reports)
    data.with_suffix(".svg").write_text(draw(data))
    return 0


if __name__ == "__main__":
    sys.exit(main())
