# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations and what became of them."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeAlias

from tonno import _core

Configuration: TypeAlias = dict[str, Any]
"""An option for each knob of a space, by name. Options are bools, integers of 64
bits, finite floats, text, and tuples of these; lists are taken for tuples."""


def statuses() -> list[str]:
    """The names of what may become of a trial.

    `ok` and `pruned` (clearly slower than the best, with its lower bound) ran
    correctly, and have seconds; every other status says why there are none.
    """
    return _core.statuses()


@dataclasses.dataclass(frozen=True, slots=True)
class Trial:
    """A configuration with what became of it."""

    config: Configuration
    status: str
    """One of `statuses()`."""
    seconds: float | None
    """Duration of an `ok` or `pruned` trial, unless trials have values; None for a
    default that was not tried."""
    message: str = ""
    """Why, unless it is `ok`."""
    value: float | None = None
    """Number that the function returned, where `tonno.minimize` ranks values."""

    @property
    def ok(self) -> bool:
        return self.status == "ok"
