# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pictures of the pages show what the tools print and what their sources say."""

from __future__ import annotations

import os
import pathlib
import re
import sys
import xml.etree.ElementTree

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PICTURES = ROOT / "docs/pictures"
sys.path.insert(0, str(ROOT / "scripts/pictures"))

import draw_graph  # noqa: E402
import plot_best_so_far  # noqa: E402
import record_terminal  # noqa: E402
from record_terminal import mask, read_screen, read_screens  # noqa: E402

_VARYING = (
    *("note: ", "warning: ", "  note ", "  warm ", "  changed ", "  device ", "  headroom "),
    *("  left ", "  rate ", "  record ", "  time "),
)
"""Lines that depend on the machine, and on what else it runs."""


def read_lasting(lines: list[str]) -> list[str]:
    """Returns the lines that every machine prints, masked."""
    return [mask(line) for line in lines if not line.startswith(_VARYING)]


@pytest.fixture(scope="module")
def tools() -> pathlib.Path:
    tree = pathlib.Path(os.environ.get("TONNO_BUILD_DIR", ROOT / "build")).resolve()
    if not (tree / "bin/tonno-tune").exists():
        pytest.skip(f"{tree} has no tonno-tune")
    return tree / "bin"


def test_terminal_shows_what_tonno_tune_prints(tools: pathlib.Path) -> None:
    svg = (PICTURES / "terminal.svg").read_text()
    # Among so many, one is faster than the default on every processor.
    output = record_terminal.record(tools, "--budget-trials=8", "--when-busy=measure")
    drawn = record_terminal.draw(output, "2026-01-01")
    kept = read_lasting(record_terminal.read_transcript(svg))
    assert kept == read_lasting(record_terminal.read_transcript(drawn))
    assert len(kept) > 8


def test_terminal_shows_its_transcript() -> None:
    svg = (PICTURES / "terminal.svg").read_text()
    rows = [
        f"-- {row.strip('─ ')}" if row.startswith("──") else row
        for row in record_terminal.read_shown(svg)
    ]
    lines = record_terminal.read_transcript(svg)
    assert rows == [part.rstrip() for line in lines for part in record_terminal.break_line(line)]
    assert f"$ {record_terminal.COMMAND}" in rows
    assert record_terminal.COMMAND in (ROOT / "README.md").read_text()


def test_screen_is_what_a_terminal_leaves() -> None:
    erased = "\r\x1b[2A\x1b[2K\n\x1b[2K\n\r\x1b[2A"
    shown = [f"\x1b[1m@f\x1b[0m  search, {i}/9 trials\n  device\n{erased}" for i in range(5)]
    output = f"note\n{''.join(shown)}@f on X\n"
    assert read_screen(output) == ["note", "@f on X"]
    half = ["note", "@f  search, 2/9 trials", "  device"]
    assert read_screens(output) == ("after 2 of 9 trials", half, "at the end", ["@f on X"])


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("  winner    1.65 ms   BK=512", "  winner    341 us    BK=32", True),
        ("@f on A (R) (a), 2 of 9 configurations in 1 s (2 ok; strategy x, seed 0)",
         "@f on B, 60 of 9 configurations in 3 ms (4 ok, 1 pruned; strategy x, seed 1)", True),
        ("@f  search, 1/2 trials in 1 s: 1 ok", "@f  finals, 2/9 trials in 2 s: 1 ok, 1 pruned", True),
        ("  best    1 s, 2x [1, 3] the default  M=2", "  best    2 us, 1x [1, 2] the default  K=2", True),
        ("  speedup   2x [1, 3] cold", "  speedup   2x [1, 3] warm", False),
        ("  verdict   faster", "  verdict   tie", False),
    ],
)  # fmt: skip
def test_mask_hides_numbers_only(one: str, other: str, is_same: bool) -> None:
    assert (mask(one) == mask(other)) is is_same


@pytest.mark.parametrize("source", sorted(PICTURES.glob("*.dot")), ids=lambda p: p.name)
def test_graph_is_drawn_from_its_source(source: pathlib.Path) -> None:
    svg = source.with_suffix(".svg").read_text()
    assert draw_graph.compute_mark(source) in svg, "scripts/pictures/draw_graph.py"
    labels = re.findall(r'label="([^"]*)"', source.read_text())
    lines = {line.strip() for label in labels for line in label.split("\\n")} - {""}
    assert lines == read_texts(svg)


def read_texts(svg: str) -> set[str]:
    texts = xml.etree.ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return {text.text.strip() for text in texts if text.text} - {""}


def test_plot_is_drawn_from_its_data() -> None:
    data = PICTURES / "best-so-far.json"
    svg = data.with_suffix(".svg").read_text()
    lines = re.compile(r'aria-roledescription="line mark" d="([^"]*)"')
    assert plot_best_so_far.compute_mark(data) in svg, "scripts/pictures/plot_best_so_far.py"
    drawn = lines.findall(plot_best_so_far.draw(data))
    assert len(drawn) > 2
    # Texts are as wide as the machine's fonts make them.
    assert lines.findall(svg) == drawn


def test_best_so_far_ignores_trials_without_a_time() -> None:
    compute = plot_best_so_far.compute_best_so_far
    assert compute([None, 1.1, 0.5, None, 0.7]) == [1, 1, 0.5, 0.5, 0.5]


@pytest.mark.parametrize("picture", sorted(PICTURES.glob("*.svg")), ids=lambda p: p.name)
def test_picture_can_be_read_aloud_and_alone(picture: pathlib.Path) -> None:
    svg = picture.read_text()
    root = xml.etree.ElementTree.fromstring(svg)
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert root.get("role") == "img" and root.get("aria-labelledby") == "title"
    assert title is not None and title.get("id") == "title" and title.text
    assert len(read_texts(svg)) > 5
    assert re.findall(r"url\(['\"]?http|href=|@import", svg) == []
