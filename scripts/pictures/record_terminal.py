#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the README's example in a pseudo-terminal, and draws the screen as an SVG.

    record_terminal.py <folder of the tools> <picture>

The picture is docs/pictures/terminal.svg:

    chrt --fifo 1 build/venv/bin/python scripts/pictures/record_terminal.py build/bin \\
      docs/pictures/terminal.svg

The machine had other work: chrt gave the session precedence.

It shows the screen after half of the trials and at the end. Its text remains text, and its
<desc> has the lines before the terminal breaks them.
"""

from __future__ import annotations

import datetime
import html
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

from rich.console import Console
from rich.rule import Rule
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COLUMNS = 80
COMMAND = "tonno-tune examples/matmul.mlir -o matmul.tuned.mlir --emit=obj,header"

_STYLE = re.compile(r"\x1b\[\d*m")
_ERASED = re.compile(r"\r\x1b\[(\d+)A(?:\x1b\[2K\n)+\r\x1b\[\1A")
"""How a live region of so many lines is taken off the screen."""
_TRIAL = re.compile(r"^@\w+ .*?(\d+)/(\d+) trials", re.MULTILINE)
_THEME = TerminalTheme((24, 27, 31), (222, 226, 230), [(134, 142, 150)] * 8)
_FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace"


def record(tools: pathlib.Path, *options: str) -> str:
    """Returns what COMMAND writes to a terminal, control characters included."""
    controller, terminal = pty.openpty()
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "examples").symlink_to(ROOT / "examples")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TONNO_")}
        environment["PATH"] = f"{tools.resolve()}:{environment['PATH']}"
        # Lines are rewritten as on any terminal, also where this runs in CI.
        environment["TERM"] = "xterm-256color"
        for variable in ("CI", "NO_COLOR"):
            environment.pop(variable, None)
        process = subprocess.Popen(
            [*COMMAND.split(), *options],
            cwd=folder,
            env=environment,
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
        )
        os.close(terminal)
        output = bytearray()
        while chunk := _read(controller):
            output += chunk
        os.close(controller)
        if process.wait() != 0:
            raise RuntimeError(f"status {process.returncode} of {COMMAND}:\n{output.decode()}")
    return output.decode().replace("\r\n", "\n")


def _read(controller: int) -> bytes:
    """Returns what the terminal was sent, and nothing once no process has it open."""
    try:
        return os.read(controller, 65536)
    except OSError:
        return b""


def read_screen(output: str) -> list[str]:
    """Returns the lines that a terminal shows after the output."""
    # Of each piece, the rows by which it is shorter once it is off the screen.
    text, *pieces = _ERASED.split(_STYLE.sub("", output))
    lines = text.split("\n")[:-1]
    for rows, more in zip(pieces[::2], pieces[1::2], strict=True):
        del lines[len(lines) - int(rows) :]
        lines += more.split("\n")[:-1]
    return lines


def read_screens(output: str) -> tuple[str, list[str], str, list[str]]:
    """Returns a heading and the lines of the screen at half of the trials, and of the
    lines that are new at the end."""
    screens = [read_screen(output[: erased.start()]) for erased in _ERASED.finditer(output)]
    counted = [
        (trials, screen) for screen in screens if (trials := _TRIAL.search("\n".join(screen)))
    ]
    # A session may end before it spent its trials: half is of those that it made.
    made = max(int(trials[1]) for trials, _ in counted)
    trials, half = next(one for one in counted if 2 * int(one[0][1]) >= made)
    end = read_screen(output)
    common = len(os.path.commonprefix([half, end]))
    return f"after {trials[1]} of {trials[2]} trials", half, "at the end", end[common:]


def mask(line: str) -> str:
    """Returns the line without what differs between machines and runs."""
    line = re.sub(r"^(@\w+) on .*?, (?=\d+ of )", r"\1 on DEVICE, ", line)
    line = re.sub(r"\(\d+ \w+(, \d+ \w+)*; strategy", "(STATUSES; strategy", line)
    line = re.sub(r"^(@\w+)  \w+, (?=\d+/\d+ trials)", r"\1 PHASE, ", line)
    line = re.sub(r"^(@\w+ PHASE, \d+/\d+ trials).*", r"\1", line)
    line = re.sub(r"(?<=the default)  .*", "", line)
    line = re.sub(r"\d+(\.\d+)?", "#", line)
    line = re.sub(r"# (ns|us|ms|s)\b", "# SECONDS", line)
    return re.sub(r"(?<=\S)  +", " ", line.rstrip())


def break_line(line: str) -> list[str]:
    """Breaks a line where a terminal of COLUMNS does."""
    return [line[i : i + COLUMNS] for i in range(0, max(len(line), 1), COLUMNS)]


def draw(output: str, date: str) -> str:
    """Returns the picture of a recorded output."""
    first, half, second, end = read_screens(output)
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), color_system=None)
    console.print(Text(f"$ {COMMAND}", style="bold"))
    for heading, lines in ((first, half), (second, end)):
        console.print(Rule(Text(heading), style="white"))
        for part in (part for line in lines for part in break_line(line)):
            console.print(Text(part), no_wrap=True)
    svg = console.export_svg(title="tonno-tune", theme=_THEME, unique_id="terminal")
    title = f"tonno-tune on a terminal: it tunes a matrix product; recorded on {date}"
    transcript = "\n".join([f"$ {COMMAND}", f"-- {first}", *half, f"-- {second}", *end])
    svg = re.sub(r"\s*@font-face \{.*?\n    \}", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code, monospace", _FONTS).replace("family: arial", "family: sans-serif")
    head, comment, body = svg.partition("<!-- Generated with Rich https://www.textualize.io -->")
    assert comment, "rich has another template"
    width, height = re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', head)[0]
    size = f'width="{float(width):.0f}" height="{float(height):.0f}"'
    head = head.replace("<svg ", f'<svg role="img" aria-labelledby="title" {size} ')
    return (
        f"{head}<!-- scripts/pictures/record_terminal.py, {date} -->\n"
        f'    <title id="title">{html.escape(title)}</title>\n'
        f"    <desc>{html.escape(transcript, quote=False)}</desc>{body}"
    )


def read_transcript(svg: str) -> list[str]:
    """Returns the lines of the <desc> of a picture."""
    return html.unescape(svg.partition("<desc>")[2].partition("</desc>")[0]).split("\n")


def read_shown(svg: str) -> list[str]:
    """Returns the rows of text that a picture shows."""
    rows: dict[str, str] = {}
    for row, text in re.findall(r'clip-path="url\(#terminal-(line-\d+)\)">([^<]*)</text>', svg):
        rows[row] = rows.get(row, "") + html.unescape(text).replace("\xa0", " ")
    return [row.rstrip() for row in rows.values()]


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    output = record(pathlib.Path(sys.argv[1]))
    print(output)
    pathlib.Path(sys.argv[2]).write_text(draw(output, datetime.date.today().isoformat()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
