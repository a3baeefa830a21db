# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of the library."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tonno.trials import Trial


class Error(ValueError):
    """A value is invalid; the message states the reason."""


class ConstraintError(Error):
    """A constraint is invalid."""

    constraint: str
    """Text of the constraint."""
    column: int
    """Position of the error in the text, in bytes of UTF-8, from 1."""
    index: int
    """Index among the given constraints."""

    def __init__(self, message: str, constraint: str, column: int, index: int) -> None:
        super().__init__(message)
        self.constraint = constraint
        self.column = column
        self.index = index

    def __reduce__(self) -> tuple[type[ConstraintError], tuple[str, str, int, int]]:
        return type(self), (str(self), self.constraint, self.column, self.index)


class TriedInVain(RuntimeError):
    """No trial has a usable result."""

    trials: list[Trial]
    """Trials, in order."""

    def __init__(self, message: str, trials: list[Trial]) -> None:
        super().__init__(message)
        self.trials = trials

    def __reduce__(self) -> tuple[type[TriedInVain], tuple[str, list[Trial]]]:
        return type(self), (str(self), self.trials)


class AllFailed(TriedInVain):
    """No configuration succeeded."""


def check_natural(name: str, count: int) -> None:
    """Raises TypeError unless `count` is an integer, and `Error` unless it is within 0 to 2^64 -
    1."""
    try:
        operator.index(count)
    except TypeError:
        raise TypeError(f"{name} must be an int, not {count!r}") from None
    if not 0 <= count < 1 << 64:
        raise Error(f"{name} must be from 0 to 2^64 - 1, not {count}")
