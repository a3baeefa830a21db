#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the reference page that shows IR before and after each pass.

    write_pass_examples.py <folder of the tools>

The IR before a pass is docs/reference/examples/<pass>.mlir, whose first line has the
options of tonno-opt; the IR after is what tonno-opt prints. docs/reference/pass-examples.md
is this page: `cmake --build build --target update-docs` renews it, and a test of the house
fails where it differs, or where a pass has no example.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "docs/reference/examples"
MOST_LINES = 24

_PAGES = {
    "knob-passes.md": "Passes over knobs and kernels",
    "tuner-passes.md": "Passes that tune",
    "schedule-passes.md": "Passes of the schedule",
    "reference-passes.md": "Passes of the reference",
}
_REFUSING = "tonno-check-lowered"
"""The pass whose example shows an error."""
_PASS = re.compile(r"^## `-(tonno-[\w-]+)`\n\n_(.*?)_$", re.MULTILINE | re.DOTALL)
_HEAD = """\
<!-- Made by scripts/write_pass_examples.py; don't edit. -->
# Passes by example

Each pass has a piece of IR, the options of `tonno-opt`, and what `tonno-opt` makes of it.
Long results end with `// ...`.
"""


def find_passes(root: pathlib.Path = ROOT) -> dict[str, list[tuple[str, str]]]:
    """Returns the passes of each reference page, with their summaries."""
    folder = root / "docs/reference"
    return {page: _PASS.findall((folder / page).read_text()) for page in _PAGES}


def shorten(text: str) -> str:
    lines = text.strip("\n").split("\n")
    return "\n".join([*lines[:MOST_LINES], *(["// ..."] if len(lines) > MOST_LINES else [])])


def run_example(tool: pathlib.Path, example: pathlib.Path) -> tuple[str, str, str]:
    """Returns the options, the IR before, and the IR after or the error."""
    first, _, before = example.read_text().partition("\n")
    options = first.removeprefix("// tonno-opt ")
    command = f'"{tool}" {options} {example.name}'
    done = subprocess.run(command, shell=True, cwd=EXAMPLES, capture_output=True, text=True)
    if done.returncode != (1 if example.stem == _REFUSING else 0):
        raise SystemExit(f"{example}: {command} ended with {done.returncode}\n{done.stderr}")
    return options, before, done.stdout or done.stderr


def format_example(tool: pathlib.Path, page: str, name: str, summary: str) -> list[str]:
    lines = [f"### {name}", "", f"[{summary}]({page}#-{name})", ""]
    if name == "tonno-autotune":
        example = "[Your first kernel](../start/first-kernel.md#look-at-the-result)"
        return [*lines, f"{example} shows IR before and after, with times of one machine.", ""]
    options, before, after = run_example(tool, EXAMPLES / f"{name}.mlir")
    shown = ["```mlir", before.rstrip("\n"), "```", "", f"After `tonno-opt {options}`:", ""]
    return [*lines, *shown, "```mlir", shorten(after), "```", ""]


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    tool = (pathlib.Path(sys.argv[1]) / "tonno-opt").resolve()
    lines = [_HEAD]
    for page, passes in find_passes().items():
        lines += [f"## {_PAGES[page]}", ""]
        for name, summary in passes:
            lines += format_example(tool, page, name, " ".join(summary.split()))
    print("\n".join(lines).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
