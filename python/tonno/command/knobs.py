# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Knobs of the command line, in the notation of MLIR: `TILE=pow2<8 to 64> default 16`."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from tonno.domains import permutations, pow2
from tonno.errors import Error

_MOST_OPTIONS = 1 << 20
_HELP = "write NAME=domain, for example 'TILE=8,16,32' or 'TILE=pow2<8 to 64> default 16'"
_DOMAIN = re.compile(r"(pow2|range|permutations)<(-?\d+)(?: to (-?\d+))?(?: step (\d+))?>")


class GivenKnob(NamedTuple):
    name: str
    options: list[Any]
    default: Any = None
    """None: the first option."""


def read_knob(text: str) -> GivenKnob:
    """Reads the value of `--knob`. Raises `tonno.Error`."""
    name, equals, domain = (part.strip() for part in text.partition("="))
    if not equals or not domain or not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
        raise Error(f"'--knob={text}': {_HELP}")
    domain, has_default, default = domain.partition(" default ")
    try:
        options = _read_options(domain.strip())
        is_json = domain.startswith("[")
        value = _read_default(default.strip(), is_json) if has_default else None
    except (Error, ValueError) as error:
        raise Error(f"'--knob={text}': {error}; {_HELP}") from None
    if has_default and value not in options:
        raise Error(f"'--knob={text}': the default is not among the options")
    return GivenKnob(name, options, value)


def _read_default(text: str, is_json: bool) -> Any:
    """Reads an option: a list is one of permutations."""
    if text.startswith("["):
        return tuple(json.loads(text))
    return json.loads(text) if is_json else _read_option(text)


def _read_plain(text: str) -> int | float | str:
    """Reads an option of a list, which is no domain with a mistake."""
    if not text.startswith('"') and re.search(r"[<>(){}]| to | step ", text):
        raise Error(f"'{text}' is not an option; if it is a text, write it in double quotes")
    return _read_option(text)


def _read_options(domain: str) -> list[Any]:
    if domain.startswith("["):
        return list(json.loads(domain))
    if (found := _DOMAIN.fullmatch(domain)) is None:
        return [_read_plain(option.strip()) for option in domain.split(",")]
    kind, first = found[1], int(found[2])
    if found[4] and kind != "range":
        raise Error(f"{kind} has no step")
    if kind == "permutations":
        return list(permutations(first))
    if found[3] is None:
        raise Error(f"{kind} needs two ends")
    last, step = int(found[3]), int(found[4] or 1)
    if kind == "pow2":
        return pow2(first, last)
    if step < 1 or not first <= last < first + _MOST_OPTIONS:
        raise Error("the range has no or too many options")
    return list(range(first, last + 1, step))


def _read_option(text: str) -> int | float | str:
    for kind in (int, float):
        # Only numbers as Python writes them: 08 stays a text.
        try:
            if str(kind(text)) == text:
                return kind(text)
        except ValueError:
            continue
    return text.strip('"')
