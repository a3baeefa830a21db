# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the sessions of a file, whichever of tonno's formats it has."""

from __future__ import annotations

import json
import pathlib
from typing import Any

from tonno import _core
from tonno.errors import Error
from tonno.files import read_regular
from tonno.report.decoding import Malformed
from tonno.report.failures import ReadFailure
from tonno.report.jax_files import is_jax_records, is_jax_winners, read_jax_records
from tonno.report.journal_lines import is_journal, read_journal_lines
from tonno.report.local_size_files import is_local_sizes, read_local_sizes
from tonno.report.report_files import is_report, read_report
from tonno.report.result_files import is_results, read_results
from tonno.report.sessions import Session

_FORMATS = (
    "a journal of tonno-tune (.jsonl), its '--report', results of tonno-runner, or a record of "
    "tonno.autotune or WorkGroupTuner"
)


def read_sessions(file: str, is_partial: bool = False) -> list[Session]:
    """Returns the sessions of a file.

    Raises `ReadFailure` for a foreign, torn or damaged file, with the place, and OSError for a
    file that cannot be read. With `is_partial`, the damaged lines of a journal are left out.
    """
    path = pathlib.Path(file)
    if path.is_dir():
        raise ReadFailure(
            f"'{file}' is a directory; name files, such as .tonno-cache/journals/*.jsonl"
        )
    content = read_regular(path)
    if not content.strip():
        raise ReadFailure(f"'{file}' is empty; a session must be {_FORMATS}")
    if b'"of_values":true' in content:
        raise ReadFailure(f"'{file}' has values, and reports compare times; see 'to_dataframe'")
    if is_journal(content):
        return read_journal_lines(file, content, is_partial)
    try:
        return _read_json(file, path, _parse_json(file, content))
    except Malformed as error:
        raise ReadFailure(f"'{file}': {error}") from error


def _parse_json(file: str, content: bytes) -> Any:
    if content.lstrip()[:1] not in (b"{", b"["):
        raise ReadFailure(f"'{file}', line 1: the file is not {_FORMATS}")
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise ReadFailure(
            f"'{file}', line {error.lineno}, column {error.colno}: the JSON is torn or damaged: "
            f"{error.msg}; make the session write it again"
        ) from error
    except (ValueError, RecursionError) as error:
        raise ReadFailure(f"'{file}' is not JSON; a session must be {_FORMATS}") from error


def _read_json(file: str, path: pathlib.Path, content: Any) -> list[Session]:
    if is_report(content):
        return read_report(file, content)
    if is_results(content):
        return read_results(file, content)
    if is_jax_records(content):
        return read_jax_records(file, path.stem, content)
    if is_jax_winners(content):
        records = path.parent / "jax" / path.name
        if not records.is_file():
            raise ReadFailure(
                f"'{file}' has winners of tonno.autotune without their trials; name the records "
                f"of the same name in the folder 'jax' beside it"
            )
        return read_sessions(str(records))
    if isinstance(content, dict) and {"record", "checksum", "key"} <= content.keys():
        return _read_record(file, content)
    raise ReadFailure(f"'{file}', line 1: the object is not {_FORMATS}")


def _read_record(file: str, content: dict[str, Any]) -> list[Session]:
    record = content["record"]
    try:
        _core.decode_record(str(content["key"]), json.dumps(content))
    except Error as error:
        raise ReadFailure(f"the record '{file}' is damaged: {error}") from error
    if is_local_sizes(record):
        return read_local_sizes(file, record)
    raise ReadFailure(
        f"the record '{file}' has one trial or decision, not a session; name the journal"
    )
