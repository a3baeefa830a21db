# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The man pages have what --help of the tools prints, and linters accept them."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess

import pytest
from write_man import SUBCOMMANDS, SUMMARIES, read_definitions, read_rows
from write_options import find_tool, run_help

_OPTION = re.compile(r"^ {1,8}(-{1,2}\w[\w-]*)", re.MULTILINE)
_SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"]
_LISTED_ELSEWHERE = {"--help-list", "-h"}


def read_page(path: pathlib.Path) -> str:
    """Returns a man page without roff's escapes and fonts."""
    text = re.sub(r"^\.B |\\f[A-Z]|\\&", "", path.read_text(), flags=re.MULTILINE)
    return text.replace(r"\-", "-").replace(r"\(aq", "'")


def find_missing_options(text: str, page: str) -> list[str]:
    """Returns the options that --help prints at the beginning of a line, and that begin no
    line of the page."""
    options = set(_OPTION.findall(text)) - _LISTED_ELSEWHERE
    return sorted(o for o in options if not re.search(rf"^{o}(?![\w-])", page, re.MULTILINE))


def read_help(build: pathlib.Path, tool: str) -> str:
    """Returns --help of a tool and its subcommands; of tonno-opt, tonno's passes."""
    text = run_help(find_tool(build / "bin", tool))
    if tool == "tonno-opt":
        lines = [line for line in text.splitlines() if line.startswith("      --tonno-")]
        assert len(lines) > 40
        return "\n".join(lines)
    if tool == "tonno-tune":
        text += "".join(run_help(build / "bin" / tool, name) for name in SUBCOMMANDS)
    return text


def test_pages_are_those_of_the_tools(
    root: pathlib.Path, build: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    command = [str(root / "scripts/docs.sh"), "man", str(build), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    built = {page.name: page.read_text() for page in tmp_path.glob("*.1")}
    kept = {page.name: page.read_text() for page in (root / "docs/man").glob("*.1")}
    assert built == kept, "cmake --build build --target update-docs"
    assert set(kept) == {f"{tool}.1" for tool in SUMMARIES}


@pytest.mark.parametrize("tool", SUMMARIES)
def test_every_option_has_its_entry(
    root: pathlib.Path, build: pathlib.Path, tool: str
) -> None:
    page = read_page(root / f"docs/man/{tool}.1")
    text = read_help(build, tool)
    assert _OPTION.search(text) or tool == "tonno-worker"
    assert find_missing_options(text, page) == []
    sections = re.findall(r"^\.SH (.*)\n((?:(?!\.SH ).*\n)*)", page, re.MULTILINE)
    assert set(_SECTIONS) <= {heading for heading, _ in sections}
    assert [heading for heading, text in sections if not text.strip()] == []


def test_variables_have_their_entries(root: pathlib.Path) -> None:
    assert ".B \\fBTONNO_MODE\\fP" in (root / "docs/man/tonno-tune.1").read_text()
    assert ".SH ENVIRONMENT" not in (root / "docs/man/tonno-lsp-server.1").read_text()


def test_statuses_of_trials_are_explained(root: pathlib.Path, build: pathlib.Path) -> None:
    rows = read_rows("docs/reference/statuses.md", "Statuses")
    statuses = {status for status, *_ in rows}
    assert len(statuses) > 10
    explained = read_definitions(read_help(build, "tonno-tune"), "STATUSES OF TRIALS")
    assert {one.name for one in explained} == statuses
    page = read_page(root / "docs/man/tonno-tune.1")
    section = page.partition("\n.SH STATUSES OF TRIALS\n")[2].partition("\n.SH ")[0]
    assert [one for one in sorted(statuses) if f"\n{one}\n" not in section] == []


@pytest.mark.parametrize("tool", SUMMARIES)
def test_examples_use_options_that_exist(
    root: pathlib.Path, build: pathlib.Path, tool: str
) -> None:
    page = read_page(root / f"docs/man/{tool}.1")
    examples = page.partition("\n.SH EXAMPLES\n")[2].partition("\n.SH ")[0]
    commands = re.findall(r"^(tonno-[a-z-]+) (.*)$", examples, re.MULTILINE)
    assert commands
    for called, arguments in commands:
        known = set(re.findall(r"--?[\w-]+", run_help(find_tool(build / "bin", called))))
        arguments = re.sub(r"'[^']*'", "", arguments.replace(r"\(aq", "'"))  # other commands
        assert set(re.findall(r"(?<!\S)--?\w[\w-]*", arguments)) - known == set()


@pytest.mark.parametrize(
    "linter",
    [["mandoc", "-T", "lint", "-W", "warning"], ["groff", "-man", "-ww", "-T", "utf8", "-z"]],
    ids=lambda command: command[0],
)
def test_linter_has_no_warning(root: pathlib.Path, linter: list[str]) -> None:
    if not shutil.which(linter[0]):
        pytest.skip(f"{linter[0]} is not installed")
    for page in sorted((root / "docs/man").glob("*.1")):
        done = subprocess.run([*linter, str(page)], capture_output=True, text=True)
        assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_missing_option_is_found() -> None:
    text = "  --one=<n>  - One\n  -o <file>  - Output\n  --one-more  - More\n"
    assert find_missing_options(text, "--one=<n>\nOne; see --one-more\n-o <file>\n") == [
        "--one-more"
    ]
