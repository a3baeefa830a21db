#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the reference page of the tools' options, from what --help of each prints.

    write_options.py <folder of the tools>

docs/reference/options.md is this page: `cmake --build build --target update-docs` renews
it, and a test of the house fails where it differs.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import subprocess
import sys

_OPTION = re.compile(r"^ +(-{1,2}[\w-]+(?:=<[^ ]+>|\[=<[^ ]+>\]| <[^ ]+>)?|-o <[^ ]+>) +- +(.*)$")
_VALUE = re.compile(r"^ +=([\w-]+) +- +(.*)$")
_PASS_OPTION = re.compile(r"^        --([\w-]+=<[^ ]+>) +- (.*)$")
_HEADING = re.compile(r"^(\w[\w ]+):$")
_GENERIC = "Generic Options"
_CACHE_VERBS = ("list", "show", "why-miss", "diff", "merge", "prune", "export", "import")
SUBCOMMANDS = (
    "space",
    "replay",
    "explain",
    "reproduce",
    "lock",
    "check",
    *(f"cache {verb}" for verb in _CACHE_VERBS),
)
"""Of tonno-tune, each as words of its command line."""


def run_help(tool: pathlib.Path, *arguments: str) -> str:
    command = [str(tool), *arguments, "--help"]
    environment = os.environ | {"COLUMNS": "80"}
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env=environment
    ).stdout


def find_tool(folder: pathlib.Path, name: str) -> pathlib.Path:
    """Returns a tool of the folder, or else a program of the Python package, which the
    environment of the tests has."""
    tool = folder / name
    return tool if tool.exists() else folder.parent / "venv/bin" / name


def escape(text: str) -> str:
    """Returns text for the cell of a table."""
    return re.sub(r"([|<>*_\\])", r"\\\1", text)


@dataclasses.dataclass
class Option:
    name: str
    meaning: str
    values: list[tuple[str, str]]
    """The values that it takes and their meanings, if they are listed."""


def read_options(text: str) -> dict[str, list[Option]]:
    """Returns the options by heading that LLVM's command line describes."""
    groups: dict[str, list[Option]] = {}
    options: list[Option] = []
    for line in text.partition("\nOPTIONS:\n")[2].splitlines():
        if match := _HEADING.match(line):
            options = groups.setdefault(match[1], [])
        elif match := _OPTION.match(line):
            options.append(Option(match[1], match[2], []))
        elif (match := _VALUE.match(line)) and options:
            options[-1].values.append((match[1], match[2]))
    return {heading: options for heading, options in groups.items() if heading != _GENERIC}


def format_options(text: str) -> list[str]:
    """Returns a table for each heading of the options that LLVM's command line describes."""
    lines: list[str] = []
    for heading, options in read_options(text).items():
        lines += [f"{heading}:", "", "| Option | Meaning |", "| --- | --- |"]
        for option in options:
            values = [f"<br>`{name}`: {escape(meaning)}" for name, meaning in option.values]
            lines.append(f"| `{option.name}` | {escape(option.meaning)}{''.join(values)} |")
        lines.append("")
    return lines[:-1]


def format_overview(text: str) -> list[str]:
    overview = text.partition("OVERVIEW: ")[2]
    overview = overview.partition("\nUSAGE:")[0].partition("\nSUBCOMMAND")[0].strip()
    usage = next(line for line in text.splitlines() if line.startswith("USAGE:"))
    return ["```text", usage.removeprefix("USAGE: "), "", *overview.splitlines(), "```"]


def format_tool(folder: pathlib.Path, name: str) -> list[str]:
    text = run_help(folder / name)
    return [f"## {name}", "", *format_overview(text), "", *format_options(text), ""]


def format_subcommand(folder: pathlib.Path, tool: str, name: str) -> list[str]:
    text = run_help(folder / tool, *name.split())
    summary = text.partition(f"SUBCOMMAND '{name}': ")[2].partition("\n")[0]
    usage = next(line for line in text.splitlines() if line.startswith("USAGE:"))
    lines = ["```text", usage.removeprefix("USAGE: "), "", summary, "```"]
    return [f"### {tool} {name}", "", *lines, "", *format_options(text), ""]


def format_plain(folder: pathlib.Path, name: str) -> list[str]:
    return [f"## {name}", "", "```text", run_help(find_tool(folder, name)).rstrip(), "```", ""]


def format_pipelines(folder: pathlib.Path) -> list[str]:
    """Returns the table of tonno-opt's pipelines and their options; its passes have pages."""
    rows: list[str] = []
    inside = False
    for line in run_help(folder / "tonno-opt").splitlines():
        if match := re.match(r"^      --([\w-]+) +- +(.*)$", line):
            inside = match[1] in _PIPELINES
            if inside:
                rows.append(f"| `--{match[1]}` | | {escape(match[2])} |")
        elif inside and (match := _PASS_OPTION.match(line)):
            rows.append(f"| | `{match[1]}` | {escape(match[2])} |")
    return ["| Pipeline | Option | Meaning |", "| --- | --- | --- |", *rows]


_PIPELINES = [f"tonno-lower-{one}" for one in ("host", "nvptx", "amdgpu", "reference")]

_HEAD = """\
<!-- Made by scripts/write_options.py; don't edit. -->
# Options of the tools

```sh
tonno-tune --help
tonno-tune replay --help
```

This page is what `--help` of each tool prints. Every tool also has `--help` and `--version`.
"""

_OPT = """\
## tonno-opt

`tonno-opt` is `mlir-opt` with tonno's dialect and passes. `tonno-opt --help` lists all
options of `mlir-opt`. tonno's own passes are described in four pages:
[knobs](knob-passes.md), [schedule](schedule-passes.md), [reference](reference-passes.md) and
[tuner](tuner-passes.md). These pipelines of passes are for looking at the IR of a kernel:
"""


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[1])
    lines = [_HEAD, *format_tool(folder, "tonno-tune")]
    for name in SUBCOMMANDS:
        lines += format_subcommand(folder, "tonno-tune", name)
    lines += format_tool(folder, "tonno-compile")
    lines += [_OPT, *format_pipelines(folder), ""]
    lines += format_tool(folder, "tonno-lsp-server")
    for name in ("tonno-runner", "tonno-worker", "tonno-command", "tonno-import", "tonno-report"):
        lines += format_plain(folder, name)
    print("\n".join(lines).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
