# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of knobs as functions; for integers with a constant step, use Python's `range`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from tonno.errors import Error


def pow2(low: int, high: int) -> list[int]:
    """Returns the powers of two from `low` to `high`, both included.

    The same as `pow2<low to high>` in MLIR. Raises `Error` unless both are powers of two and
    `low` is at most `high`.
    """
    for bound in (low, high):
        if bound < 1 or bound & (bound - 1):
            raise Error(f"{bound} is not a power of two")
    if low > high:
        raise Error(f"there is no power of two from {low} to {high}")
    return [1 << i for i in range(low.bit_length() - 1, high.bit_length())]


def permutations(length: int) -> list[tuple[int, ...]]:
    """Returns the permutations of 0, 1, ..., length - 1, in lexical order.

    The same as `permutations<length>` in MLIR. Models encode a permutation by the position of
    each element, and constraints name element i as `order[i]`. Raises `Error` unless `length` is
    1 to 8; 8 elements have 40320 permutations.
    """
    if not 1 <= length <= 8:
        raise Error(f"permutations have 1 to 8 elements, not {length}")
    return list(itertools.permutations(range(length)))


def alternatives(
    name: str, choices: Mapping[str, Mapping[str, Sequence[Any]]]
) -> tuple[dict[str, list[Any]], list[str]]:
    """Returns a knob that chooses among alternatives with knobs of their own, and constraints.

        knobs, constraints = tonno.alternatives(
            "method", {"direct": {}, "winograd": {"TILE": [2, 4, 6]}})
        space = tonno.SearchSpace({"BM": [16, 32], **knobs}, constraints)

    The options of knob `name` are the names of the alternatives. The constraints fix the knobs of
    an alternative that is not chosen to their first options, so that each point counts once. If
    such a knob has a default, the default must be its first option.

    Raises `Error` if two alternatives have a knob of the same name, and if a first option is not
    an integer, a bool or a string, or is a string with both kinds of quotes.
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
    raise Error(f"a constraint cannot contain {value!r}")
