# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report as one HTML file that needs no network.

Text of files reaches the page in two ways: escaped by Jinja2, or as JSON that scripts read. The
page's content security policy allows its own scripts by their hashes, and nothing else.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import pathlib
from collections.abc import Callable, Sequence
from typing import Any

import jinja2
from markupsafe import Markup

from tonno.report.charts import Charts, make_charts
from tonno.report.sentences import QUESTIONS, answer_questions, format_factor, format_seconds
from tonno.report.table import TrialTable, format_option
from tonno.report.text import name_kernel, show
from tonno.report.vega import load_vega

_FOLDER = pathlib.Path(__file__).parent
_CONFIG = {
    "font": "system-ui, sans-serif",
    "axis": {
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": "#eee",
    },
    "legend": {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal"},
    "view": {"stroke": "#dee2e6"},
}


def render_page(document: dict[str, Any], tables: Sequence[TrialTable]) -> str:
    """Returns the page of a document."""
    kernels = document["kernels"]
    charts = [make_charts(kernel, table) for kernel, table in zip(kernels, tables, strict=True)]
    vega, script = load_vega(), (_FOLDER / "page.js").read_text(encoding="utf-8")
    names = list(dict.fromkeys(name_kernel(kernel) for kernel in kernels))
    files = dict.fromkeys(session["file"] for kernel in kernels for session in kernel["sessions"])
    page: str = _load_template().render(
        document=document,
        title=names[0] if len(names) == 1 else f"{len(names)} kernels",
        files=list(files),
        kernels=[
            _prepare_kernel(index, kernel, chart)
            for index, (kernel, chart) in enumerate(zip(kernels, charts, strict=True))
        ],
        policy=_make_policy([vega, script]),
        style=Markup((_FOLDER / "page.css").read_text(encoding="utf-8")),
        data=Markup(encode_json(_clean(_list_data(kernels, charts)))),
        vega=Markup(vega),
        script=Markup(script),
    )
    return page


def encode_json(value: Any) -> str:
    """Returns JSON that ends neither a script element nor begins another one."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _clean(value: Any) -> Any:
    """Returns the value with control characters in strings escaped."""
    if isinstance(value, str):
        return show(value)
    if isinstance(value, list):
        return [_clean(each) if isinstance(each, (str, list, dict)) else each for each in value]
    if isinstance(value, dict):
        return {name: _clean(each) for name, each in value.items()}
    return value


def _make_policy(scripts: list[str]) -> str:
    digests = [hashlib.sha256(each.encode()).digest() for each in scripts]
    hashes = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


@functools.cache
def _load_template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=jinja2.ChainableUndefined,
        finalize=_make_printable,
        trim_blocks=True,
    )
    environment.filters |= {"factor": _show_factor, "time": _show_time, "number": _show_number}
    return environment.get_template("page.html.jinja")


def _make_printable(value: Any) -> Any:
    is_text = isinstance(value, str) and not isinstance(value, Markup)
    return show(value) if is_text else value


def _show_factor(factor: Any, interval: Any = None) -> str:
    is_number = isinstance(factor, (int, float))
    return format_factor(factor, interval or None) if is_number else ""


def _show_time(seconds: Any) -> str:
    return format_seconds(seconds) if isinstance(seconds, (int, float)) else ""


def _show_number(number: float) -> str:
    return f"{number:g}"


def _prepare_kernel(index: int, kernel: dict[str, Any], charts: Charts) -> dict[str, Any]:
    """Returns what the template shows of a kernel."""
    answers = answer_questions(kernel)
    return {
        **kernel,
        "index": index,
        "title": name_kernel(kernel),
        "answers": [
            {"question": question, "sentences": answers[name]}
            for name, question in QUESTIONS.items()
            if answers[name]
        ],
        "sessions": [_prepare_session(session) for session in kernel["sessions"]],
        "winner_rows": _list_winner(kernel),
        "matrices": _list_matrices(kernel["sessions"]),
        "charts": {
            part: [{"caption": c.caption, "height": c.spec["height"]} for c in listed]
            for part, listed in charts.parts.items()
        },
    }


def _prepare_session(session: dict[str, Any]) -> dict[str, Any]:
    decision = session["decision"]
    verdict = "none" if decision is None else decision["verdict"] or "not tested"
    verdict = "survey" if session["is_survey"] else verdict
    budget = [
        f"{session['budget_trials']} trials" if session["budget_trials"] else "",
        format_seconds(session["budget_seconds"]) if session["budget_seconds"] else "",
    ]
    return {
        **session,
        "verdict": verdict,
        "verdict_class": verdict.replace(" ", "-"),
        "budget": ", ".join(each for each in budget if each),
    }


def _list_matrices(sessions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns tables of trials by status and of time by phase, a column for each session."""
    phases = [{each["phase"]: each["seconds"] for each in s["phases"]} for s in sessions]
    return [
        _make_matrix("Trials by status", [session["statuses"] for session in sessions], str),
        _make_matrix("Time by phase", phases, format_seconds),
    ]


def _make_matrix(
    caption: str, columns: list[dict[str, Any]], show: Callable[[Any], str]
) -> dict[str, Any]:
    names = dict.fromkeys(name for column in columns for name in column)
    return {
        "caption": caption,
        "most": max((value for column in columns for value in column.values()), default=1) or 1,
        "rows": [
            {
                "name": name,
                "cells": [show(column[name]) if name in column else "" for column in columns],
                "value": columns[0].get(name, 0),
            }
            for name in names
        ],
    }


def _list_winner(kernel: dict[str, Any]) -> list[dict[str, Any]]:
    winner = kernel["winner"]
    rows = []
    for knob in kernel["knobs"] if winner else ():
        option = format_option(winner["values"].get(knob["name"]))
        rows.append(
            {
                "name": knob["name"],
                "default": knob["default"],
                "winner": option,
                "differs": option != knob["default"],
                "options": ", ".join(knob["options"]),
            }
        )
    return rows


def _list_data(kernels: list[dict[str, Any]], charts: list[Charts]) -> dict[str, Any]:
    return {
        "config": _CONFIG,
        "kernels": [
            {
                "knobs": [
                    {"name": knob["name"], "options": knob["options"]}
                    for knob in kernel["knobs"]
                ],
                "sessions": [session["name"] for session in kernel["sessions"]],
                "data": chart.data,
                "charts": {
                    part: [each.spec for each in listed] for part, listed in chart.parts.items()
                },
            }
            for kernel, chart in zip(kernels, charts, strict=True)
        ],
    }
