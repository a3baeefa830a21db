#!/usr/bin/env python3
# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the sources of the man pages, from what --help of each tool prints.

    write_man.py <folder of the tools> <folder>

`scripts/docs.sh man` makes docs/man/*.1 of them, by Sphinx. Environment and exit statuses
are those of docs/reference/environment.md and statuses.md.
"""

from __future__ import annotations

import pathlib
import re
import sys

from write_options import SUBCOMMANDS, Option, find_tool, read_options, run_help

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUMMARIES = {
    "tonno-tune": "tune the kernels of an MLIR file, or a kernel in OpenCL C",
    "tonno-opt": "run MLIR's and tonno's passes",
    "tonno-compile": "compile a kernel of an MLIR file",
    "tonno-lsp-server": "describe, complete and check MLIR files in an editor",
    "tonno-runner": "run, verify and time tonno's candidates on a device",
    "tonno-worker": "compile tonno's candidates",
    "tonno-command": "tune anything that command lines build and run",
    "tonno-import": "import a model as linalg, which tonno-tune reads",
    "tonno-report": "report what tuning sessions found, as a page, as text or as JSON",
}
_PYTHON_PROGRAMS = ("tonno-command", "tonno-import", "tonno-report")

_TRIALS = "STATUSES OF TRIALS"
_GENERIC = [
    Option("--help", "Print the options", []),
    Option("--version", "Print the version", []),
]
_EXAMPLES = {
    "tonno-opt": [
        "tonno-opt matmul.tuned.mlir --tonno-apply -o applied.mlir",
        "tonno-opt matmul.mlir --tonno-apply-cached -o applied.mlir",
        "tonno-opt matmul.mlir --tonno-annotate --tonno-apply --tonno-lower-host",
    ],
    "tonno-compile": [
        "tonno-compile matmul.tuned.mlir --emit=obj,header -o matmul.o",
        "tonno-compile matmul.mlir --emit=llvm -o -",
    ],
    "tonno-lsp-server": ["tonno-lsp-server --load-dialect-plugin=/path/to/Mine.so"],
    "tonno-runner": [
        "tonno-runner --list-devices",
        "tonno-runner --bundle=matmul.bundle -o results.json",
    ],
    "tonno-worker": ['tonno-tune matmul.mlir --worker-command="ssh builder tonno-worker"'],
}
_OPT_TEXT = (
    "tonno-opt is mlir-opt with tonno's dialect and passes. This page has tonno's passes and"
    " pipelines; --help lists the options and passes of mlir-opt as well."
)
_SITE = "The site that scripts/docs.sh builds of tonno's sources describes knobs, passes and files."
_PLAIN_OPTION = re.compile(r"^  (-{1,2}\S+(?: [A-Z]+)?)(?:  +(.*))?$")
_PARSER_OPTION = re.compile(r"^  (-\S+(?:, --\S+)?(?: <\S+)?)(?:  +(.*))?$")
_USAGE_OPTION = re.compile(r"\[(--[\w-]+(?:=<\w+>)?)\]")
_TERM = re.compile(r"^  (\w+)  +(.*)$")
_PASS = re.compile(r"^      (--tonno-[\w-]+) +- +(.*)$")
_PASS_OPTION = re.compile(r"^        (--[\w-]+(?:=<[^ ]+>)?) +- +(.*)$")


def escape(text: str) -> str:
    """Returns the text for Markdown, of which nothing is markup."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)


def format_option(option: Option) -> list[str]:
    lines = [f"`{option.name}`", f": {escape(option.meaning)}", ""]
    for name, meaning in option.values:
        lines += [f"  `{name}`", f"  : {escape(meaning)}", ""]
    return lines


def format_all(options: list[Option]) -> list[str]:
    return [line for option in options for line in format_option(option)]


def format_code(lines: list[str]) -> list[str]:
    return ["```text", *lines, "```", ""]


def split_paragraphs(text: str) -> list[list[str]]:
    return [part.split("\n") for part in text.strip("\n").split("\n\n") if part.strip()]


def read_summary(text: str) -> str:
    return text.partition("OVERVIEW: ")[2].partition("\n")[0]


def read_description(text: str) -> tuple[list[str], list[str]]:
    """Returns the paragraphs of the overview after its first line, and the examples."""
    overview = text.partition("OVERVIEW: ")[2].partition("\nUSAGE:")[0].partition("\n")[2]
    overview = overview.partition("\npositional arguments:")[0]
    paragraphs: list[str] = []
    examples: list[str] = []
    section = ""
    for lines in split_paragraphs(overview):
        if len(lines) == 1 and re.fullmatch(r"[A-Z ]+:", lines[0]):
            section = lines[0]
        elif lines[0].startswith("  "):
            # The exit statuses are those of statuses.md.
            examples += [line.strip() for line in lines if section == "EXAMPLES:"]
        else:
            paragraphs.append(" ".join(lines))
    return paragraphs, examples


def read_definitions(text: str, heading: str) -> list[Option]:
    """Returns the terms that a section of the overview explains."""
    terms: list[Option] = []
    for line in text.partition(f"\n{heading}:\n\n")[2].partition("\n\n")[0].splitlines():
        if match := _TERM.match(line):
            terms.append(Option(match[1], match[2], []))
        else:
            terms[-1].meaning += f" {line.strip()}"
    return terms


def format_section(heading: str, lines: list[str]) -> list[str]:
    """Returns a section; nothing if it would be empty."""
    return [f"## {heading}", "", *lines] if lines else []


def read_plain_options(text: str) -> tuple[list[Option], list[str]]:
    """Returns the options of a tool that prints --help itself, and what follows them."""
    options: list[Option] = []
    paragraphs: list[str] = []
    usage, _, body = text.partition("USAGE: ")[2].partition("\n\n")
    for lines in split_paragraphs(body):
        if not lines[0].startswith("  "):
            paragraphs.append(" ".join(lines))
            continue
        for line in lines:
            if match := _PLAIN_OPTION.match(line):
                options.append(Option(match[1], match[2] or "", []))
            else:
                options[-1].meaning = f"{options[-1].meaning} {line.strip()}".strip()
    return options or [Option(name, "", []) for name in _USAGE_OPTION.findall(usage)], paragraphs


def read_parser_options(text: str) -> list[Option]:
    """Returns the options that Python's argparse describes."""
    options: list[Option] = []
    for line in text.partition("\noptions:\n")[2].splitlines():
        if match := _PARSER_OPTION.match(line):
            options.append(Option(match[1], match[2], []))
        else:
            options[-1].meaning = f"{options[-1].meaning} {line.strip()}".strip()
    return [one for one in options if not one.name.endswith(("--help", "--version"))]


def read_usage(text: str) -> list[str]:
    if text.startswith("usage: "):
        return [" ".join(text.partition("\n\n")[0].removeprefix("usage: ").split())]
    usage = text.partition("USAGE: ")[2].partition("\n\n")[0]
    joined = re.sub(r"\n +(?=\[)", " ", usage)
    return [line.strip() for line in joined.split("\n")]


def read_passes(text: str) -> list[Option]:
    """Returns tonno's passes and pipelines in --help of tonno-opt; their options as values."""
    passes: list[Option] = []
    inside = False
    for line in text.splitlines():
        if match := _PASS.match(line):
            inside = True
            passes.append(Option(match[1], match[2], []))
        elif inside and (match := _PASS_OPTION.match(line)):
            passes[-1].values.append((match[1].removeprefix("--"), match[2]))
        elif line.startswith("      --"):
            inside = False
    return passes


def read_rows(page: str, heading: str) -> list[list[str]]:
    """Returns the cells of the table below a heading, without markup; an empty first cell
    repeats the one above it."""
    section = (ROOT / page).read_text().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows: list[list[str]] = []
    for line in section.splitlines():
        if line.startswith("|"):
            plain = re.sub(r"(: see )?\[([^\]]*)\]\([^)]*\)", _unlink, line).replace("`", "")
            cells = [cell.strip() for cell in plain.strip("|").split("|")]
            rows.append([cells[0] or rows[-1][0], *cells[1:]])
    return rows[2:]


def _unlink(link: re.Match[str]) -> str:
    """Drops a link that only says where to read more, and keeps the text of others."""
    return "" if link[1] else link[2]


def format_statuses(name: str) -> list[str]:
    lines: list[str] = []
    for tools, status, meaning in read_rows("docs/reference/statuses.md", "Exit statuses"):
        if name in (one.strip() for one in tools.split(",")):
            lines += [f"`{status}`", f": {escape(meaning)}", ""]
        elif tools.startswith(f"{name} "):
            lines += [f"`{tools}: {status}`", f": {escape(meaning)}", ""]
    return lines


def format_variables(name: str) -> list[str]:
    lines: list[str] = []
    for names, readers, meaning in read_rows("docs/reference/environment.md", "Variables"):
        if name in (one.strip() for one in readers.split(",")):
            lines += [f"`{names}`", f": {escape(meaning)}", ""]
    return lines


def format_groups(text: str, level: str) -> list[str]:
    lines: list[str] = []
    for heading, options in read_options(text).items():
        lines += [f"{level} {heading}", "", *format_all(options)]
    return lines


def format_subcommands(folder: pathlib.Path) -> list[str]:
    lines = ["## Subcommands", ""]
    for name in SUBCOMMANDS:
        text = run_help(folder / "tonno-tune", *name.split())
        summary = text.partition(f"SUBCOMMAND '{name}': ")[2].partition("\n")[0]
        lines += [f"### {escape(' '.join(read_usage(text)))}", "", escape(f"{summary}."), ""]
        for heading, options in read_options(text).items():
            lines += [escape(f"{heading}:"), "", *format_all(options)]
    return lines


def format_page(folder: pathlib.Path, name: str) -> list[str]:
    text = run_help(find_tool(folder, name))
    paragraphs, examples = read_description(text)
    paragraphs.insert(0, f"{name} {read_summary(text)}.")
    examples = examples or _EXAMPLES[name]
    options = ["### General", "", *format_all(_GENERIC)]
    if name == "tonno-opt":
        paragraphs = [_OPT_TEXT]
        options += ["### Passes and pipelines", "", *format_all(read_passes(text))]
    elif name in _PYTHON_PROGRAMS:
        options = format_all(read_parser_options(text) + _GENERIC)
    elif groups := format_groups(text, "###"):
        options = groups + options
    else:
        found, more = read_plain_options(text)
        paragraphs += more
        described = {
            option.name: option.meaning
            for group in read_options(run_help(folder / "tonno-tune")).values()
            for option in group
        }
        for option in found:
            option.meaning = option.meaning or described.get(option.name, "")
        options = format_all(
            [one for one in found if one.name not in ("--help", "--version")] + _GENERIC
        )
    lines = [f"# {name}", "", "## Synopsis", "", *format_code(read_usage(text))]
    lines += ["## Description", ""]
    for paragraph in paragraphs:
        lines += [escape(paragraph), ""]
    lines += ["## Options", "", *options]
    if name == "tonno-tune":
        lines += format_subcommands(folder)
    lines += ["## Examples", "", *format_code(examples)]
    lines += format_section("Exit status", format_statuses(name))
    lines += format_section("Statuses of trials", format_all(read_definitions(text, _TRIALS)))
    lines += format_section("Environment", format_variables(name))
    others = [f"{{manpage}}`{other}(1)`" for other in SUMMARIES if other != name]
    return [*lines, "## See also", "", ", ".join(others), "", escape(_SITE)]


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    folder, target = map(pathlib.Path, sys.argv[1:])
    target.mkdir(parents=True, exist_ok=True)
    for name in SUMMARIES:
        (target / f"{name}.md").write_text("\n".join(format_page(folder, name)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
