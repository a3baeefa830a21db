# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options of a knob, where they need no list: `range` is Python's own."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from tonno.errors import Error


def pow2(low: int, high: int) -> list[int]:
    """The powers of two from `low` to `high`, both among them.

    As `pow2<low to high>` in MLIR. Raises `Error` unless both are powers of two
    and `low` is not the larger one.
    """
    for bound in (low, high):
        if bound < 1 or bound & (bound - 1):
            raise Error(f"{bound} is no power of two")
    if low > high:
        raise Error(f"there is no power of two from {low} to {high}")
    return [1 << i for i in range(low.bit_length() - 1, high.bit_length())]


def permutations(length: int) -> list[tuple[int, ...]]:
    """The permutations of 0, 1, ..., length - 1, in lexical order.

    As `permutations<length>` in MLIR; models know them by the position of each
    element, and constraints may ask for element i as `order[i]`. Raises `Error`
    unless `length` is 1 to 8, which has 40320.
    """
    if not 1 <= length <= 8:
        raise Error(f"permutations of 1 to 8 elements can be knobs, not of {length}")
    return list(itertools.permutations(range(length)))


def alternatives(
    name: str, choices: Mapping[str, Mapping[str, Sequence[Any]]]
) -> tuple[dict[str, list[Any]], list[str]]:
    """A choice whose alternatives bring knobs of their own.

        knobs, constraints = tonno.alternatives(
            "method", {"direct": {}, "winograd": {"TILE": [2, 4, 6]}})
        space = tonno.SearchSpace({"BM": [16, 32], **knobs}, constraints)

    Returns the knob `name`, whose options are the names of the alternatives,
    with all of their knobs, and constraints: in a configuration of another
    alternative a knob has its first option, and so each point counts once. Its
    default, if one is stated, is to be that option.

    Raises `Error` where two alternatives have a knob of one name, where a first
    option is neither an integer, a bool nor text, or text has both kinds of
    quotes.
    """
    knobs: dict[str, list[Any]] = {name: list(choices)}
    constraints = []
    for choice, brought in choices.items():
        for knob, options in brought.items():
            if knob in knobs:
                raise Error(f"the knob {knob!r} is in two alternatives of {name!r}")
            knobs[knob] = list(options)
            if len(options) > 1:
                is_chosen = f"{_quoted_name(name)} == {_literal(choice)}"
                stays = f"{_quoted_name(knob)} == {_literal(options[0])}"
                constraints.append(f"{is_chosen} or {stays}")
    return knobs, constraints


def _quoted_name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _literal(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        for quote in "'\"":
            if quote not in value:
                return quote + value + quote
    raise Error(f"no constraint can state {value!r}")
