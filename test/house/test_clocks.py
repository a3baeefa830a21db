# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Limits and times are of clocks that nobody sets: a jump of the date is none."""

from __future__ import annotations

import pathlib
import re

import pytest
from sources import CXX, sources

_DATE = re.compile(
    r"system_clock|high_resolution_clock|file_clock|file_time_type|CLOCK_REALTIME|TIME_UTC"
    r"|\b(?:gettimeofday|ftime|mktime|localtime|gmtime|last_write_time|getLastModificationTime)\b"
    r"|\btime\s*\((?:nullptr|NULL|0|&)|pthread_cond_timedwait|sem_timedwait"
)


# Users see and prune records by the dates of their files.
_DATES_OF_FILES = "lib/Core/FileDate.cpp"


def test_no_code_asks_for_the_date(root: pathlib.Path) -> None:
    asking = [
        f"{path.relative_to(root)}:{number}"
        for path in sources(root, CXX)
        if path.relative_to(root).as_posix() != _DATES_OF_FILES
        and path.relative_to(root).parts[0] in ("include", "lib", "tools")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if _DATE.search(line.partition("//")[0])
    ]
    assert asking == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("auto now = std::chrono::system_clock::now();", True),
        ("::clock_gettime(CLOCK_REALTIME, &now);", True),
        ("std::time(nullptr)", True),
        ("time_t now = time(0);", True),
        ("fs::last_write_time(path)", True),
        ("std::chrono::steady_clock::now()", False),
        ("::clock_gettime(CLOCK_MONOTONIC, &now);", False),
        ("device.time(launches)", False),
    ],
)
def test_the_date_is_recognized(line: str, expected: bool) -> None:
    assert bool(_DATE.search(line)) is expected
