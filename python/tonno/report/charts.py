# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Charts of one kernel, as Vega-Lite by Altair.

Fields have names of this module, never names of knobs, so that nothing in a file is read as a
field path or an expression. Data are by name: the page inserts them.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import altair as alt
import numpy as np

from tonno.report.losses import PROPERTIES
from tonno.report.sentences import format_factor
from tonno.report.table import TrialTable, format_option

_MOST_SESSIONS = 6
"""Maximum number of sessions with a picture of their samples."""
_MOST_KNOBS = 12
"""Maximum number of knobs with a chart."""
_MOST_LINES = 300
"""Maximum number of trials in parallel coordinates."""
_HEIGHT = 260
_STATUS_COLORS = {"ok": "#1864ab", "pruned": "#e8890c", "bounded": "#868e96"}
_FAILED = "#c92a2a"
_WINNER = "#d6336c"
_KINDS = {
    "at_winner": "neighbour of the winner",
    "pairs": "pairs that differ in the knob alone",
    "trials": "all trials with the option",
}


@dataclasses.dataclass
class Chart:
    spec: dict[str, Any]
    data: str
    """Name of the data among those of the kernel."""
    caption: str


@dataclasses.dataclass
class Charts:
    """Charts by the part of the report that shows them, and their data, by columns."""

    parts: dict[str, list[Chart]]
    data: dict[str, dict[str, Any]]


def make_charts(kernel: dict[str, Any], table: TrialTable) -> Charts:
    """Returns the charts of one kernel of a document."""
    names = [session["name"] for session in kernel["sessions"]]
    charts = Charts({}, {"trials": _list_trials(kernel, table)})
    charts.data["curves"] = _list_curves(kernel, names)
    if charts.data["curves"]["ratio"]:
        charts.parts["curves"] = [_plot_curve(names, "trial", "trials")]
        if any(curve["has_time"] for curve in kernel["curves"]):
            charts.parts["curves"].append(_plot_curve(names, "seconds", "seconds of the session"))
    if kernel["projection"] and table.is_ok.any() and len(table.knobs) > 1:
        charts.parts["samples"] = _plot_samples(kernel, names, _find_span(table))
    if kernel["effects"] and table.is_ok.sum() > 1:
        if len(table.knobs) > 1:
            charts.data["parallel"], charts.data["options"] = _list_parallel(kernel, table)
            charts.parts["parallel"] = [_plot_parallel(kernel, table)]
        charts.data["effects"] = _list_effects(kernel)
        shown = [effect for effect in kernel["effects"] if effect["spread"]]
        charts.parts["effects"] = [_plot_effect(effect) for effect in shown[:_MOST_KNOBS]]
    tables = [each for each in kernel["tables"] if len(each["cells"]) > 1]
    for number, each in enumerate(tables):
        charts.data[f"cells{number}"] = _list_cells(each)
        charts.parts.setdefault("tables", []).append(_plot_cells(kernel, each, number))
    if kernel["losses"]["runners_up"]:
        charts.data["runners"] = _list_runners(kernel)
        charts.parts["runners"] = [_plot_runners(kernel)]
    if kernel["usage"]:
        is_timed = bool(np.isfinite(table.ratio).any())
        if is_timed or kernel["limit"]["with_bound"]:
            y = ("ratio", "time / default") if is_timed else ("bound", _name_bound(kernel))
            won = (kernel["winner"] or {}).get("usage", {})
            charts.parts["usage"] = [_plot_usage(n, *y, n in won) for n in kernel["usage"]]
    roofline = kernel["roofline"]
    if roofline and roofline["operations"] and roofline["peak"] and roofline["levels"]:
        charts.data["roofs"] = _list_roofs(
            roofline, table, kernel["winner"]["row"] if kernel["winner"] else -1
        )
        charts.parts["roofline"] = [_plot_roofline(roofline)]
    if any(t.bound and t.seconds for t in table.trials):
        charts.parts["bounds"] = [_plot_bounds(choose_unit(kernel)[0])]
    return charts


def _round(number: float | None) -> float | None:
    return None if number is None or number != number else float(f"{number:.5g}")


def _list_trials(kernel: dict[str, Any], table: TrialTable) -> dict[str, Any]:
    """Returns the columns of the trials. Constant columns are one value."""
    winner = kernel["winner"]["row"] if kernel["winner"] else -1
    numbers = [i + 1 for session in table.sessions for i in range(len(session.trials))]
    columns: dict[str, Any] = {
        "number": numbers,
        "session": table.session.tolist(),
        "status": [trial.status for trial in table.trials],
        "ratio": [_round(trial.ratio) for trial in table.trials],
        "low": [_round(t.interval.low) if t.interval else None for t in table.trials],
        "high": [_round(t.interval.high) if t.interval else None for t in table.trials],
        "winner": [int(row == winner) for row in range(len(table.trials))],
        "chosen": [int(_is_chosen(table, row)) for row in range(len(table.trials))],
        "codes": table.codes.tolist(),
    }
    if kernel["projection"]:
        columns["x"] = [_round(each) for each in kernel["projection"]["x"]]
        columns["y"] = [_round(each) for each in kernel["projection"]["y"]]
    for name in kernel["usage"]:
        columns[name] = [_round(trial.usage.get(name)) for trial in table.trials]
    if any(trial.bound for trial in table.trials):
        scale = choose_unit(kernel)[1]
        columns["time"] = [_round(t.seconds / scale) if t.seconds else None for t in table.trials]
        columns["bound"] = [
            _round(t.bound.seconds / scale) if t.bound else None for t in table.trials
        ]
    return columns


def _is_chosen(table: TrialTable, row: int) -> bool:
    decision = table.sessions[int(table.session[row])].decision
    return decision is not None and decision.values == table.trials[row].values


def _list_curves(kernel: dict[str, Any], names: list[str]) -> dict[str, Any]:
    rows = [
        (names[curve["session"]], curve["has_time"], point)
        for curve in kernel["curves"]
        for point in curve["points"]
    ]
    return {
        "name": [name for name, _, _ in rows],
        "trial": [point["trial"] for *_, point in rows],
        "seconds": [_round(point["seconds"]) if timed else None for _, timed, point in rows],
        "ratio": [_round(point["ratio"]) for *_, point in rows],
    }


def _named(data: str) -> alt.NamedData:
    return alt.NamedData(name=data)


def _scale_ratio() -> alt.Scale:
    return alt.Scale(type="log", nice=False, padding=12)


_LABELS: dict[str, Any] = {"format": ".3~r", "tickCount": 5, "labelOverlap": True}


def _tooltip(*more: alt.Tooltip) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("name:N", title="session"),
        alt.Tooltip("number:Q", title="trial"),
        alt.Tooltip("status:N", title="status"),
        alt.Tooltip("ratio:Q", title="time / default", format=".4~r"),
        *more,
        alt.Tooltip("config:N", title="configuration"),
    ]


def _finish(chart: Any, height: int = _HEIGHT) -> dict[str, Any]:
    spec: dict[str, Any] = chart.properties(width="container", height=height).to_dict(
        validate=False
    )
    spec.pop("config", None)  # the page has one for all
    return spec


def _plot_curve(names: list[str], field: str, title: str) -> Chart:
    chart = (
        alt.Chart(_named("curves"))
        .mark_line(interpolate="step-after", strokeWidth=2, point=alt.OverlayMarkDef(size=18))
        .encode(
            x=alt.X(f"{field}:Q", title=title, scale=alt.Scale(nice=False)),
            y=alt.Y(
                "ratio:Q",
                title="best time so far / default",
                scale=_scale_ratio(),
                axis=alt.Axis(**_LABELS),
            ),
            color=alt.Color(
                "name:N",
                title=None,
                scale=alt.Scale(domain=names),
                legend=alt.Legend(orient="top", columns=2, labelLimit=300)
                if len(names) > 1
                else None,
            ),
            tooltip=[
                alt.Tooltip("name:N", title="session"),
                alt.Tooltip(f"{field}:Q", title=title),
                alt.Tooltip("ratio:Q", title="time / default", format=".4~r"),
            ],
        )
    )
    return Chart(_finish(chart), "curves", f"Best so far against {title}. Lower is faster.")


def _find_span(table: TrialTable) -> tuple[float, float]:
    """Returns the least and the largest ratio of all sessions."""
    ratios = table.ratio[np.isfinite(table.ratio)]
    return float(ratios.min()), float(ratios.max())


@functools.cache
def _color_ratio(span: tuple[float, float] | None = None) -> alt.Color:
    """Colours of ratios; `span` makes them those of several charts."""
    domain = alt.Undefined if span is None else list(span)
    return alt.Color(
        "ratio:Q",
        title="time / default",
        scale=alt.Scale(type="log", scheme="viridis", reverse=False, domain=domain),
        legend=alt.Legend(
            orient="top", format=".2~r", tickCount=4, gradientLength=180, labelOverlap="greedy"
        ),
    )


def _plot_samples(
    kernel: dict[str, Any], names: list[str], span: tuple[float, float]
) -> list[Chart]:
    projection = kernel["projection"]
    spans = [[min(projection[each]), max(projection[each])] for each in ("x", "y")]
    shares = [f"component {i + 1}, {100 * s:.0f} %" for i, s in enumerate(projection["shares"])]
    axes: list[dict[str, Any]] = [
        {"title": title, "scale": alt.Scale(domain=span, padding=10, nice=False, zero=False)}
        for title, span in zip(shares, spans, strict=True)
    ]
    charts = []
    for number, name in enumerate(names[:_MOST_SESSIONS]):
        base = alt.Chart(_named("trials")).transform_filter(
            f"datum.session == {number}"
        )
        timed = (
            base.transform_filter("isValid(datum.ratio)")
            .mark_circle(size=45, opacity=0.8)
            .encode(
                x=alt.X("x:Q", **axes[0]),
                y=alt.Y("y:Q", **axes[1]),
                color=_color_ratio(span),
                tooltip=_tooltip(),
            )
        )
        failed = (
            base.transform_filter("!isValid(datum.ratio)")
            .mark_point(shape="cross", angle=45, size=45, color=_FAILED, opacity=0.8)
            .encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), tooltip=_tooltip())
        )
        winner = (
            base.transform_filter("datum.chosen == 1")
            .mark_point(shape="diamond", size=220, color=_WINNER, strokeWidth=2.5)
            .encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), tooltip=_tooltip())
        )
        caption = f"Samples of {name}: a cross failed or has no time, the diamond is its choice."
        charts.append(Chart(_finish(timed + failed + winner), "trials", caption))
    return charts


def _list_parallel(
    kernel: dict[str, Any], table: TrialTable
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the points of the fastest trials, and the options at the axes."""
    shown = kernel["effects"][:_MOST_KNOBS]
    rows = np.flatnonzero(table.is_ok)
    rows = rows[np.argsort(table.ratio[rows], kind="stable")][:_MOST_LINES]
    winner = kernel["winner"]["row"] if kernel["winner"] else -1
    # Slow ones first, so that fast ones are drawn over them.
    points = [
        (int(row), rank, int(table.codes[row, effect["index"]]), effect)
        for row in rows[::-1].tolist()
        for rank, effect in enumerate(shown)
    ]
    steps = {e["index"]: max(1, len(table.knobs[e["index"]].options) - 1) for e in shown}
    parallel = {
        "row": [row for row, *_ in points],
        "axis": [rank for _, rank, *_ in points],
        "place": [_round(code / steps[effect["index"]]) for *_, code, effect in points],
        "ratio": [_round(float(table.ratio[row])) for row, *_ in points],
        "winner": [int(row == winner) for row, *_ in points],
    }
    options = [
        (rank, code / steps[effect["index"]], format_option(option))
        for rank, effect in enumerate(shown)
        for code, option in enumerate(table.knobs[effect["index"]].options)
    ]
    return parallel, {
        "axis": [rank for rank, *_ in options],
        "place": [_round(place) for _, place, _ in options],
        "option": [text for *_, text in options],
        "knob": [shown[rank]["knob"] if place == 0 else "" for rank, place, _ in options],
    }


def _plot_parallel(kernel: dict[str, Any], table: TrialTable) -> Chart:
    count = min(len(kernel["effects"]), _MOST_KNOBS)
    x = alt.X(
        "axis:Q",
        axis=None,
        scale=alt.Scale(domain=[-0.4, max(count - 1, 1) + 0.2], nice=False),
    )
    y = alt.Y("place:Q", axis=None, scale=alt.Scale(domain=[-0.16, 1.04], nice=False))
    base = alt.Chart(_named("parallel"))
    lines = base.mark_line(opacity=0.35, strokeWidth=1.2).encode(
        x=x, y=y, detail="row:N", color=_color_ratio()
    )
    winner = (
        base.transform_filter("datum.winner == 1")
        .mark_line(strokeWidth=3.5, color=_WINNER)
        .encode(x=x, y=y, detail="row:N")
    )
    labels = (
        alt.Chart(_named("options"))
        .mark_text(align="right", dx=-5, fontSize=11, limit=70, stroke="white", strokeWidth=4)
        .encode(x=x, y=y, text="option:N")
    )
    plain = (
        alt.Chart(_named("options"))
        .mark_text(align="right", dx=-5, fontSize=11, limit=70)
        .encode(x=x, y=y, text="option:N")
    )
    titles = (
        alt.Chart(_named("options"))
        .mark_text(align="center", dy=24, fontSize=12, fontWeight="bold", limit=90)
        .encode(x=x, y=y, text="knob:N")
    )
    shown = min(int(table.is_ok.sum()), _MOST_LINES)
    caption = (
        f"The {shown} fastest of {int(table.is_ok.sum())} timed trials. Each line is a "
        "configuration, the thick one the winner; knobs of the largest effect are at the left."
    )
    return Chart(_finish(lines + winner + labels + plain + titles, 320), "parallel", caption)


def _list_effects(kernel: dict[str, Any]) -> dict[str, Any]:
    rows = []
    for effect in kernel["effects"]:
        for order, row in enumerate(effect["options"]):
            option = row["option"]
            if row["is_winner"]:
                rows.append((effect["index"], order, option, "the winner", 1.0, None, 1))
            for name, kind in _KINDS.items():
                found = row[name]
                if found:
                    rows.append(
                        (
                            effect["index"],
                            order,
                            option,
                            kind,
                            found["ratio"],
                            found["interval"],
                            found.get("n", 1),
                        )
                    )
    return {
        "knob": [row[0] for row in rows],
        "order": [row[1] for row in rows],
        "option": [row[2] for row in rows],
        "kind": [row[3] for row in rows],
        "ratio": [_round(row[4]) for row in rows],
        "low": [_round(row[5][0]) if row[5] else None for row in rows],
        "high": [_round(row[5][1]) if row[5] else None for row in rows],
        "n": [row[6] for row in rows],
    }


def _plot_effect(effect: dict[str, Any]) -> Chart:
    kinds = ["the winner", *_KINDS.values()]
    base = alt.Chart(_named("effects")).transform_filter(f"datum.knob == {effect['index']}")
    x = alt.X(
        "option:N",
        title=None,
        sort=alt.EncodingSortField("order"),
        axis=alt.Axis(labelAngle=0, labelOverlap=True, labelLimit=80),
    )
    offset = alt.XOffset("kind:N", sort=kinds, scale=alt.Scale(domain=kinds))
    color = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=kinds, range=[_WINNER, "#1864ab", "#2f9e44", "#adb5bd"]),
        legend=None,
    )
    y_axis = alt.Axis(**_LABELS)
    points = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=x,
        xOffset=offset,
        y=alt.Y("ratio:Q", title="time / winner", scale=_scale_ratio(), axis=y_axis),
        color=color,
        tooltip=[
            alt.Tooltip("option:N", title="option"),
            alt.Tooltip("kind:N", title="from"),
            alt.Tooltip("n:Q", title="measurements"),
            alt.Tooltip("ratio:Q", title="time / winner", format=".4~r"),
            alt.Tooltip("low:Q", title="interval from", format=".4~r"),
            alt.Tooltip("high:Q", title="to", format=".4~r"),
        ],
    )
    bars = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=1.6).encode(
        x=x, xOffset=offset, y=alt.Y("low:Q"), y2="high:Q", color=color
    )
    spread = format_factor(effect["spread"])
    caption = f"{effect['knob']}: {spread} between its options, by {effect['evidence']}."
    return Chart(_finish(bars + points, 190), "effects", caption)


def _list_cells(pair: dict[str, Any]) -> dict[str, Any]:
    cells = pair["cells"]
    return {
        "one": [cell["one"] for cell in cells],
        "other": [cell["other"] for cell in cells],
        "ratio": [_round(cell["ratio"]) for cell in cells],
        "n": [cell["n"] for cell in cells],
        "least": [int(cell["is_least"]) for cell in cells],
    }


def _plot_cells(kernel: dict[str, Any], pair: dict[str, Any], number: int) -> Chart:
    knobs = [kernel["knobs"][index] for index in pair["indices"]]
    level = alt.Axis(labelAngle=0)
    x = alt.X("one:N", title=knobs[0]["name"], sort=knobs[0]["options"], axis=level)
    y = alt.Y("other:N", title=knobs[1]["name"], sort=knobs[1]["options"])
    base = alt.Chart(_named(f"cells{number}"))
    tooltip = [
        alt.Tooltip("one:N", title="x"),
        alt.Tooltip("other:N", title="y"),
        alt.Tooltip("ratio:Q", title="best time / default", format=".4~r"),
        alt.Tooltip("least:Q", title="is a lower bound"),
        alt.Tooltip("n:Q", title="trials"),
    ]
    timed = base.transform_filter("datum.least == 0").mark_rect(stroke="white")
    pruned = base.transform_filter("datum.least == 1").mark_rect(stroke="white", color="#dee2e6")
    cells = timed.encode(x=x, y=y, color=_color_ratio(), tooltip=tooltip) + pruned.encode(
        x=x, y=y, tooltip=tooltip
    )
    caption = (
        f"Best time / default of each pair of {pair['knobs'][0]} and {pair['knobs'][1]}; a grey "
        "cell is clearly slower, and was pruned; an empty one failed or was not tried."
    )
    return Chart(_finish(cells, 220), f"cells{number}", caption)


def _list_runners(kernel: dict[str, Any]) -> dict[str, Any]:
    runners = kernel["losses"]["runners_up"]
    return {
        "rank": list(range(1, len(runners) + 1)),
        "factor": [_round(each["factor"]) for each in runners],
        "low": [_round(each["interval"][0]) if each["interval"] else None for each in runners],
        "high": [_round(each["interval"][1]) if each["interval"] else None for each in runners],
        "overlaps": ["may be as fast" if each["overlaps"] else "slower" for each in runners],
        "config": [each["values"] for each in runners],
    }


def _plot_runners(kernel: dict[str, Any]) -> Chart:
    base = alt.Chart(_named("runners"))
    y = alt.Y("rank:O", title="place in the table")
    x = alt.X(
        "factor:Q",
        title="time / winner, in the search",
        scale=alt.Scale(zero=False),
        axis=alt.Axis(format=".3~r", tickCount=5),
    )
    color = alt.Color(
        "overlaps:N",
        title=None,
        scale=alt.Scale(domain=["may be as fast", "slower"], range=["#e8890c", "#1864ab"]),
        legend=alt.Legend(orient="top"),
    )
    points = base.mark_point(filled=True, size=60).encode(
        x=x,
        y=y,
        color=color,
        tooltip=[
            alt.Tooltip("factor:Q", title="time / winner", format=".4~r"),
            alt.Tooltip("low:Q", title="interval from", format=".4~r"),
            alt.Tooltip("high:Q", title="to", format=".4~r"),
            alt.Tooltip("config:N", title="configuration"),
        ],
    )
    bars = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=1.6).encode(
        x=alt.X("low:Q", title="time / winner, in the search"), x2="high:Q", y=y, color=color
    )
    one = alt.Chart(alt.InlineData(values=[{"factor": 1}])).mark_rule(
        color=_WINNER, strokeDash=[4, 3]
    ).encode(x=alt.X("factor:Q"))
    height = 60 + 20 * len(kernel["losses"]["runners_up"])
    caption = (
        "The closest other candidates, and the winner at 1. The interval of a factor is made of "
        f"those of both ratios, {kernel['interval'] or 'which the file lacks'}."
    )
    return Chart(_finish(bars + points + one, height), "runners", caption)


def _name_bound(kernel: dict[str, Any]) -> str:
    return f"time bound, {choose_unit(kernel)[0]}"


def _plot_usage(name: str, field: str, title: str, has_winner: bool) -> Chart:
    chart = (
        alt.Chart(_named("trials"))
        .transform_filter(f"isValid(datum.{field}) && isValid(datum.{name})")
        .mark_circle(size=40, opacity=0.6)
        .encode(
            x=alt.X(
                f"{name}:Q",
                title=PROPERTIES[name],
                scale=alt.Scale(zero=False, padding=8),
                axis=alt.Axis(format="%" if name == "occupancy" else "~s", tickCount=6),
            ),
            y=alt.Y(
                f"{field}:Q", title=title, scale=_scale_ratio(), axis=alt.Axis(**_LABELS)
            ),
            color=_color_status(),
            tooltip=_tooltip(alt.Tooltip(f"{name}:Q", title=PROPERTIES[name])),
        )
    )
    winner = (
        alt.Chart(_named("trials"))
        .transform_filter("datum.winner == 1")
        .mark_point(shape="diamond", size=200, color=_WINNER, strokeWidth=2.5)
        .encode(x=alt.X(f"{name}:Q"), y=alt.Y(f"{field}:Q"))
    )
    layers = chart + winner if has_winner else chart
    return Chart(_finish(layers, 220), "trials", f"{PROPERTIES[name].capitalize()}.")


@functools.cache
def _color_status() -> alt.Color:
    return alt.Color(
        "status:N",
        title=None,
        scale=alt.Scale(
            domain=list(_STATUS_COLORS), range=list(_STATUS_COLORS.values())
        ),
        legend=None,
    )


def choose_unit(kernel: dict[str, Any]) -> tuple[str, float]:
    """Returns the unit of times, and its seconds, by the winner's time."""
    seconds = (kernel["winner"] or {}).get("seconds") or kernel["limit"].get("least_bound", 1.0)
    units = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6))
    return next((unit for unit in units if seconds >= unit[1]), ("ns", 1e-9))


def _list_roofs(roofline: dict[str, Any], table: TrialTable, winner: int) -> dict[str, Any]:
    """Returns the corners of each level's roof, and the trials: billions of operations a second by
    intensity."""
    intensity = roofline["operations"] / roofline["bytes"]
    rows: list[tuple[str, str, float, float]] = []
    levels = [e for e in roofline["levels"] if e["bytes_per_second"] > 0]
    ridges = [roofline["peak"] / level["bytes_per_second"] for level in levels]
    low, high = min([intensity, *ridges]) / 4, max([intensity, *ridges]) * 4
    for level, ridge in zip(levels, ridges, strict=True):
        rate = level["bytes_per_second"]
        rows += [
            (level["name"], "roof", x, min(roofline["peak"], rate * x)) for x in (low, ridge, high)
        ]
    for row, trial in enumerate(table.trials):
        if trial.seconds and trial.status in ("ok", "pruned"):
            kind = "winner" if row == winner else trial.status
            rows.append((table.describe(row), kind, intensity, roofline["operations"] / trial.seconds))
    return {
        "name": [name for name, *_ in rows],
        "status": [kind for _, kind, *_ in rows],
        "intensity": [_round(x) for *_, x, _ in rows],
        "rate": [_round(rate / 1e9) for *_, rate in rows],
    }


def _plot_roofline(roofline: dict[str, Any]) -> Chart:
    scale = alt.Scale(type="log", nice=False, padding=12)
    encoded = {
        "x": alt.X(
            "intensity:Q",
            title="operations for each byte",
            scale=scale,
            axis=alt.Axis(**_LABELS),
        ),
        "y": alt.Y("rate:Q", title="GOP/s", scale=scale, axis=alt.Axis(**_LABELS)),
    }
    base = alt.Chart(_named("roofs"))
    roofs = base.transform_filter("datum.status == 'roof'")
    lines = roofs.mark_line(color="#868e96").encode(**encoded, detail="name:N")
    names = (
        roofs.transform_aggregate(
            intensity="min(intensity)", rate="min(rate)", groupby=["name"]
        )
        .mark_text(align="left", dx=4, dy=-8, fontSize=11)
        .encode(**encoded, text="name:N")
    )
    points = (
        base.transform_filter("datum.status == 'ok' || datum.status == 'pruned'")
        .mark_circle(size=40, opacity=0.6)
        .encode(
            **encoded,
            color=_color_status(),
            tooltip=["name:N", alt.Tooltip("rate:Q", title="GOP/s", format=".4~r")],
        )
    )
    winner = (
        base.transform_filter("datum.status == 'winner'")
        .mark_point(shape="diamond", size=200, color=_WINNER, strokeWidth=2.5)
        .encode(**encoded)
    )
    threads = roofline["threads"]
    source = (
        f"in the data sheet of {roofline['data_sheet']}"
        if roofline["data_sheet"]
        else f"by micro-benchmarks on {threads} thread{'s' if threads > 1 else ''}"
    )
    caption = (
        f"Roofline: the machine's peaks, {source}. The flat roof is {roofline['instruction']}; a slope "
        "is the bandwidth of a level of the memory. Candidates are at the kernel's operations for "
        "each byte that a launch must move."
    )
    return Chart(_finish(lines + names + points + winner), "roofs", caption)


def _plot_bounds(unit: str) -> Chart:
    base = alt.Chart(_named("trials")).transform_filter(
        "isValid(datum.time) && isValid(datum.bound)"
    )
    x = alt.X(
        "bound:Q",
        title=f"time bound, {unit}",
        scale=alt.Scale(type="log", nice=False, padding=12),
        axis=alt.Axis(**_LABELS),
    )
    points = base.mark_circle(size=40, opacity=0.6).encode(
        x=x,
        y=alt.Y("time:Q", title=f"time, {unit}", scale=_scale_ratio(), axis=alt.Axis(**_LABELS)),
        color=_color_status(),
        tooltip=_tooltip(
            alt.Tooltip("time:Q", title=f"time, {unit}", format=".4~r"),
            alt.Tooltip("bound:Q", title=f"time bound, {unit}", format=".4~r"),
        ),
    )
    line = base.mark_line(color="#868e96", strokeDash=[4, 3]).encode(x=x, y=alt.Y("bound:Q"))
    winner = (
        base.transform_filter("datum.winner == 1")
        .mark_point(shape="diamond", size=200, color=_WINNER, strokeWidth=2.5)
        .encode(x=x, y=alt.Y("time:Q"))
    )
    caption = (
        "Time of each candidate against the time that its binary cannot be below. The dashed line "
        "is the bound."
    )
    return Chart(_finish(line + points + winner), "trials", caption)
