# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What objects print, without what differs in another process."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_SET = "frozenset({"
_TOKEN = re.compile(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|[()\[\]{},]")
"""Text in quotes, or what an element can end at."""


def without_addresses(text: str) -> str:
    """The same for all objects that only their place in memory tells apart."""
    return _ADDRESS.sub("", text)


def with_sorted_sets(text: str) -> str:
    """The same however text hashes, by which frozensets are ordered.

    Other braces are as they were: in them an order may mean something.
    """
    # From the last, so that those within one are sorted before it.
    begin = text.rfind(_SET)
    while begin >= 0:
        first = begin + len(_SET)
        ends = _ends(text, first)
        if ends:
            starts = [first, *(end + 1 for end in ends[:-1])]
            elements = [text[i:j].strip() for i, j in zip(starts, ends, strict=True)]
            elements.sort(key=without_addresses)
            text = text[:first] + ", ".join(elements) + text[ends[-1] :]
        begin = text.rfind(_SET, 0, begin)
    return text


def _ends(text: str, first: int) -> list[int]:
    """Where the elements of what is open at `first` end; none if it is not closed."""
    ends = []
    depth = 0
    for token in _TOKEN.finditer(text, first):
        if token[0] in "([{":
            depth += 1
        elif token[0] == "," and depth == 0:
            ends.append(token.start())
        elif token[0] in ")]}":
            if depth == 0:
                return [*ends, token.start()]
            depth -= 1
    return []
