# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of tonno-report: it is whole, needs no network, and shows text of files as text."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import json
import pathlib
import re
from typing import Any

import pytest
from report_journals import (
    Line,
    add_roofline,
    begin,
    end,
    list_configurations,
    make_session,
    seal,
    trial,
)

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

import altair as alt

from tonno.report import vega
from tonno.report.charts import make_charts
from tonno.report.document import make_document
from tonno.report.journal_lines import read_journal_lines
from tonno.report.page import encode_json, render_page

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    '" onmouseover="alert(3)',
    "{{7*7}}{% raw %}",
    "datum.x[alert(4)]",
    "<!--",
    "\x1b[31mred",
    "\u202egnp.exe",
    "\ud800",
    "image",
    "__proto__",
]


class Page(html.parser.HTMLParser):
    """The elements of a page, and the text of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[str | None, str]] = []
        self.shown: list[str] = []
        self._inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append((dict(attrs).get("type"), ""))

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = kind, text + data
        elif self._inside != "style":
            self.shown.append(data)

    @property
    def data(self) -> Any:
        (text,) = [text for kind, text in self.scripts if kind == "application/json"]
        return json.loads(text)


@pytest.fixture(autouse=True, scope="module")
def small_vega() -> Any:
    """A stand-in for Vega's script, which takes a second to bundle."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tonno.report.page.load_vega", lambda: "window.vegaEmbed = null;")
        yield


def render(lines: list[Line]) -> tuple[str, Page]:
    content = "".join(map(seal, lines)).encode()
    page = render_page(*make_document(read_journal_lines("a.jsonl", content, False)))
    return page, Page(page)


def make_hostile_session() -> list[Line]:
    knobs = {text: [1, text] for text in HOSTILE}
    about = {"kernel": HOSTILE[0], "device": HOSTILE[1], "chip": HOSTILE[2], "strategy": HOSTILE[3]}
    lines = [begin(HOSTILE[0], knobs, **about, versions=HOSTILE[1])]
    for number in range(30):
        values = {text: options[number >> i & 1] for i, (text, options) in enumerate(knobs.items())}
        is_ok = number % 3 > 0
        line = trial(
            values,
            0.5 + number / 100 if is_ok else None,
            "ok" if is_ok else HOSTILE[number % len(HOSTILE)],
            HOSTILE[0],
            message="" if is_ok else HOSTILE[number % len(HOSTILE)],
            usage={HOSTILE[0]: 1, "registers": number},
        )
        lines.append(line)
    return lines


def test_text_of_files_makes_no_markup() -> None:
    text, page = render(make_hostile_session())
    _, plain = render(make_session(list_configurations()))
    assert {tag for tag, _ in page.elements} <= {tag for tag, _ in plain.elements} | {"pre"}
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    assert sum(tag == "script" for tag, _ in page.elements) == 3
    shown = "".join(page.shown)
    assert HOSTILE[0] in shown and HOSTILE[3] in shown
    assert "49" not in shown.split(HOSTILE[3])[0][:100]
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e\ud800]", text)
    assert "\\x1b[31mred" in shown and "\\u202egnp.exe" in shown


def test_no_name_of_a_file_becomes_a_field_or_an_expression() -> None:
    _, page = render(make_hostile_session())
    _, plain = render([begin(), *(trial(v, 0.5) for v in list_configurations())])

    def list_code(value: Any) -> set[str]:
        """Returns the fields and expressions of a specification."""
        if isinstance(value, list):
            return set().union(*map(list_code, value))
        if not isinstance(value, dict):
            return set()
        keys = ("field", "filter", "calculate", "expr", "labelExpr", "test", "href", "url")
        found = {each for key in keys if isinstance(each := value.get(key), str)}
        return found.union(*(list_code(each) for each in value.values()))

    code = list_code([kernel["charts"] for kernel in page.data["kernels"]])
    assert {"ratio", "registers", "winner", "status"} & code
    assert not any(text in each for each in code for text in HOSTILE if text != "image")
    assert all(re.fullmatch(r"[\w .=()!&]+", each) for each in code), code
    assert list_code(plain.data["kernels"][0]["charts"])


def test_policy_allows_the_scripts_of_the_page_alone() -> None:
    _, page = render(make_session(list_configurations()))
    (policy,) = [a["content"] for tag, a in page.elements if "http-equiv" in a and tag == "meta"]
    assert policy and policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy and "script-src 'unsafe" not in policy
    scripts = [text for kind, text in page.scripts if kind is None]
    assert len(scripts) == 2
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_page_needs_no_network() -> None:
    _, page = render(make_session(list_configurations()))
    for _, attrs in page.elements:
        assert "src" not in attrs
        assert (attrs.get("href") or "#").startswith(("#", "data:"))


def test_charts_are_valid_vega_lite_with_their_data() -> None:
    usage = {"registers": 3, "time_bound": {"seconds": 0.001, "limit": "issue", "share": 0.5}}
    lines = add_roofline(make_session(list_configurations()))
    for number, line in enumerate(lines[1:-1]):
        line["trial"]["usage"] = {**usage, "registers": number}
    content = "".join(map(seal, lines)).encode()
    document, (table,) = make_document(read_journal_lines("a.jsonl", content, False))
    charts = make_charts(document["kernels"][0], table)
    assert set(charts.parts) == {
        "curves", "samples", "parallel", "effects", "tables", "runners", "usage", "bounds",
        "roofline",
    }
    for part in charts.parts.values():
        for chart in part:
            alt.Chart.from_dict(chart.spec)  # checks the schema
            assert chart.data in charts.data
            assert f'"{chart.data}"' in json.dumps(chart.spec)
    for name, columns in charts.data.items():
        assert len({len(column) for column in columns.values()}) == 1, name


@pytest.mark.parametrize(
    "lines",
    [
        [begin()],
        [begin(knobs={}), trial({}, 1.0), end({}, 1.0, "tie")],
        [begin(), *(trial(v, None, "wrong") for v in list_configurations())],
        [begin(), trial(list_configurations()[0], 1.0)],
    ],
)
def test_pages_of_little_are_whole(lines: list[Line]) -> None:
    text, page = render(lines)
    assert text.rstrip().endswith("</html>")
    drawn = [a for tag, a in page.elements if (a.get("class") or "") == "chart"]
    specified = sum(len(part) for part in page.data["kernels"][0]["charts"].values())
    assert len(drawn) == specified


def test_several_kernels_have_a_table_of_contents() -> None:
    lines = make_session(list_configurations())
    other = [begin("b", kernel="other"), trial(list_configurations()[0], 1.0, session="b")]
    _, page = render([*lines, *other])
    links = [a["href"] for tag, a in page.elements if tag == "a"]
    assert links == ["#kernel0", "#kernel1"]
    assert [a for tag, a in page.elements if tag == "details" and "open" in a and "id" in a]


def test_json_in_scripts_has_no_markup() -> None:
    encoded = encode_json({"a": HOSTILE})
    assert not set("<>&") & set(encoded)
    assert json.loads(encoded) == {"a": HOSTILE}


def test_vega_is_bundled_once(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def bundle(*_: object) -> str:
        calls.append(1)
        return "vega\n"

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("vl_convert.javascript_bundle", bundle)
    assert [vega.load_vega() for _ in range(2)] == ["vega\n"] * 2
    assert len(calls) == 1
    (kept,) = (tmp_path / "tonno").iterdir()
    kept.write_text(kept.read_text() + "alert(1)")
    assert vega.load_vega() == "vega\n"
    assert len(calls) == 2
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/none")
    assert vega.load_vega() == "vega\n"
