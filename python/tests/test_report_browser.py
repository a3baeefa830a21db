# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of tonno-report in a browser: it draws its charts, fits, and runs no text of files."""

from __future__ import annotations

import dataclasses
import html
import json
import pathlib
import re
import shutil
import subprocess
from typing import Any

import pytest
from report_journals import add_roofline, begin, end, list_configurations, make_session, seal, trial

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from tonno.report.document import make_document
from tonno.report.journal_lines import read_journal_lines
from tonno.report.page import render_page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DESKTOP, PHONE = 1280, 390

FRAME = """\
<!doctype html><body>
<iframe src="report.html" style="width:{width}px;height:4000px;border:0"></iframe>
<script>
addEventListener("load", () => setTimeout(() => {{
  const page = document.querySelector("iframe").contentDocument;
  const root = page.documentElement;
  document.title = JSON.stringify({{
    overflow: root.scrollWidth - root.clientWidth,
    drawn: page.querySelectorAll("svg.marks, canvas.marks").length,
    images: page.querySelectorAll("img").length,
    text: root.innerText.length,
  }});
}}, 5000));
</script>
"""


@dataclasses.dataclass
class Shown:
    """A page as a browser drew it."""

    overflow: int
    """Number of pixels by which the page is wider than the screen."""
    drawn: int
    """Number of charts that were drawn."""
    images: int
    text: int
    console: list[str]


def show(folder: pathlib.Path, page: str, width: int) -> Shown:
    """Opens a page in a frame of this width, without a network."""
    browser = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if browser is None:
        pytest.skip("no browser is installed")
    (folder / "report.html").write_text(page, encoding="utf-8", errors="backslashreplace")
    frame = folder / "frame.html"
    frame.write_text(FRAME.format(width=width))
    done = subprocess.run(
        [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--allow-file-access-from-files",
            f"--user-data-dir={folder / 'profile'}",
            f"--window-size={max(width, 500) + 40},4100",
            "--virtual-time-budget=20000",
            "--enable-logging=stderr",
            "--dump-dom",
            frame.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert title, done.stderr
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return Shown(**json.loads(html.unescape(title[1])), console=console)


def render(lines: list[Any]) -> str:
    content = "".join(map(seal, lines)).encode()
    return render_page(*make_document(read_journal_lines("a.jsonl", content, False)))


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
def test_page_is_drawn_and_fits(tmp_path: pathlib.Path, width: int) -> None:
    shown = show(tmp_path, render(add_roofline(make_session(list_configurations()))), width)
    assert shown.console == []
    assert shown.drawn >= 4  # those that are in sight
    assert shown.overflow <= 0
    assert shown.text > 1000


def test_text_of_files_runs_nothing(tmp_path: pathlib.Path) -> None:
    hostile = "</script><img src=x onerror=console.log(1)><script>console.log(2)</script>"
    knobs: dict[str, list[Any]] = {"A": [hostile, "b"], "B": [1, 2, 3]}
    tried = [{"A": a, "B": b} for a in knobs["A"] for b in knobs["B"]]
    lines = [begin(knobs=knobs, kernel=hostile, device=hostile)]
    lines += [trial(values, 0.5 + 0.1 * i) for i, values in enumerate(tried)]
    lines.append(trial(tried[0], None, "fault", message=hostile))
    shown = show(tmp_path, render([*lines, end(tried[0], 2.0)]), DESKTOP)
    assert shown.console == []
    assert shown.images == 0
    assert shown.drawn > 0


def test_errors_of_a_page_are_seen(tmp_path: pathlib.Path) -> None:
    page = "<!doctype html><p>short<script>noSuchFunction()</script><img src=x>"
    page += '<div style="width:2000px">wide</div>'
    shown = show(tmp_path, page, PHONE)
    assert any("noSuchFunction" in line for line in shown.console)
    assert (shown.images, shown.drawn) == (1, 0)
    assert shown.overflow > 1000
