# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C++ comments begin with a verb or a noun: "Returns ...", "The limit of ..."."""

from __future__ import annotations

import pathlib
import re

import pytest
from sources import CXX, sources

_FOLDERS = ("include", "lib", "tools", "benchmarks", "python/src", "test/unit")
_OPENING = re.compile(r"(?:^|\s)//+<? ?(?:What|Whether|Of|So many) ")


def test_comments_begin_with_a_verb_or_a_noun(root: pathlib.Path) -> None:
    opaque = [
        f"{path.relative_to(root)}:{number}"
        for path in sources(root, (*CXX, ".td"))
        if path.relative_to(root).as_posix().startswith(_FOLDERS)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if _OPENING.search(line)
    ]
    assert opaque == [], 'say "Returns ..." or "Checks that ..."'


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("/// Whether the chip has the feature.", True),
        ("  uint64_t limit; ///< What a launch may take.", True),
        ("// So many are enough.", True),
        ("/// Returns true if the chip has the feature.", False),
        ("/// Offsets of the operands.", False),
        ('auto page = "https://Whether this";', False),
    ],
)
def test_openings_are_told_apart(line: str, expected: bool) -> None:
    assert bool(_OPENING.search(line)) is expected
