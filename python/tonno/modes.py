# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modes: whether a configuration comes from the cache, from measurements, or is the default."""

from __future__ import annotations

from typing import NamedTuple

from tonno import _core


class UntunedWarning(UserWarning):
    """A function runs with its default because it has not been tuned and this mode does not tune.
    """


class Mode(NamedTuple):
    """The mode in effect."""

    name: str
    """`tune`: the cache, else measurements. `cached`: the cache, without measurements. `off`: the
    default, without reading a cache."""
    description: str
    """Source of the mode, such as "mode cached by TONNO_MODE"; empty for `tune`."""

    @property
    def notes(self) -> list[str]:
        """Returns the description as a list, without an empty one."""
        return [self.description] if self.description else []

    @property
    def measures(self) -> bool:
        return self.name == "tune"

    @property
    def is_off(self) -> bool:
        return self.name == "off"


def mode_in_force(given: str | None) -> Mode:
    """Returns the mode of the argument, else of $TONNO_MODE, else `tune`.

    Raises TypeError for an argument that is not a string, `tonno.Error` for an unknown mode.
    """
    if given is not None and not isinstance(given, str):
        raise TypeError(f"mode must be text or None, not {given!r}")
    return Mode(*_core.choose_mode(given))


def check_mode(given: str | None) -> None:
    """Raises TypeError for an argument that is not a string, `tonno.Error` for an unknown mode.
    """
    if given is not None:
        mode_in_force(given)
