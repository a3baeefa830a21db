# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program tonno-report."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from tonno import _core
from tonno.errors import Error
from tonno.printable import printable
from tonno.report.reading import read_sessions
from tonno.report.sessions import Session

_DESCRIPTION = """\
OVERVIEW: reports what tuning sessions found, as a page, as text or as JSON

EXAMPLES:

  tonno-report matmul.jsonl -o report.html
  tonno-report ensemble.jsonl random.jsonl -o report.html
  tonno-report .tonno-cache/journals/*.jsonl --text
  tonno-report matmul.jsonl --json | jq '.kernels[0].sessions[0].decision'

A session is a journal of tonno-tune, its --report, results of tonno-runner, or a
record of tonno.autotune or WorkGroupTuner. Sessions of one kernel on one device
are compared. The page is one file that needs no network.

EXIT STATUS:

  0    the report is written
  1    a file can't be reported; the message names its place
  2    the command line is invalid
"""
_REMEDY = "pip install 'tonno-mlir[report]'"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs tonno-report, and returns its exit status."""
    parser = _make_parser()
    given = parser.parse_args(arguments)
    if given.output == "-" and not (given.json or given.text) and sys.stdout.isatty():
        parser.error("a page is not for a terminal; name a file by '-o'")
    try:
        sessions = _read_all(given)
        _write(given, _render(given, sessions))
    except (Error, OSError) as error:
        print(f"tonno-report: error: {printable(str(error))}", file=sys.stderr)
        return 1
    return 0


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "tonno-report",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("sessions", metavar="<session>", nargs="+", help="a journal, a report or a record")
    add(
        "-o",
        dest="output",
        metavar="<file>",
        default="-",
        help="output file; - by default, which is stdout",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="write the data as JSON, for programs")
    form.add_argument("--text", action="store_true", help="write the short form, for a terminal")
    add("--kernel", metavar="<name>", help="report only this kernel")
    add("--partial", action="store_true", help="leave out torn and damaged lines of journals")
    version = f"tonno-report {_core.version()}"
    add("--version", action="version", version=version, help="print the version")
    return parser


def _read_all(given: argparse.Namespace) -> list[Session]:
    """Returns the sessions of all files, of the chosen kernel."""
    if given.output != "-" and any(_is_same(given.output, file) for file in given.sessions):
        raise Error(f"'-o' names the session '{given.output}'; name another file")
    found = [s for file in given.sessions for s in read_sessions(file, given.partial)]
    if given.kernel is None:
        return found
    name = given.kernel.removeprefix("@")
    chosen = [session for session in found if session.kernel == name]
    if not chosen:
        names = ", ".join(dict.fromkeys(f"@{session.kernel}" for session in found))
        raise Error(f"unknown kernel '@{name}'; the kernels are: {names}")
    return chosen


def _is_same(output: str, file: str) -> bool:
    with contextlib.suppress(OSError):
        return os.path.samefile(output, file)
    return False


def _render(given: argparse.Namespace, sessions: list[Session]) -> str:
    try:
        from tonno.report.document import add_trials, make_document

        document, tables = make_document(sessions)
        if given.json:
            return json.dumps(add_trials(document, tables), indent=1, allow_nan=False) + "\n"
        if given.text:
            from tonno.report.text import write_text

            return write_text(document)
        from tonno.report.page import render_page

        return render_page(document, tables)
    except ImportError as error:
        raise Error(f"{error}; install what reports need by {_REMEDY}") from error


def _write(given: argparse.Namespace, text: str) -> None:
    content = text.encode("utf-8", errors="backslashreplace")
    if given.output == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    _replace(pathlib.Path(given.output), content)
    print(printable(f"wrote '{given.output}': the report"), file=sys.stderr)


def _replace(path: pathlib.Path, content: bytes) -> None:
    """Writes a file as a whole. A pipe or a device is written to."""
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    path = path.resolve()
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        new: Any = file.name
        try:
            file.write(content)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(new, 0o666 & ~mask)
            os.replace(new, path)
        except BaseException:
            os.unlink(new)
            raise
