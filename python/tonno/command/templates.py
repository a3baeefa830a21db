# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Command lines with places for the values of knobs."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from tonno.errors import Error
from tonno.trials import Configuration

OUT = "OUT"
"""Name of the place for the file that the build writes."""

_PLACE = re.compile("@(?:@|([A-Za-z_][A-Za-z0-9_]*)@)")


class Template:
    """The words of a command line, with places."""

    def __init__(self, what: str, command: str | Sequence[str]) -> None:
        """Splits a text as a shell would; a sequence has the words already.

            what: name of the command in messages, such as "build"

        Raises `tonno.Error` for a command line without words, and for a quotation without end.
        """
        try:
            words = shlex.split(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise Error(f"the {what} command cannot be split: {error}") from None
        self.words: list[str] = [_read_word(what, word) for word in words]
        if not self.words:
            raise Error(f"the {what} command is empty")
        self.what = what

    def __repr__(self) -> str:
        return shlex.join(self.words)

    @property
    def places(self) -> set[str]:
        """Names of the places."""
        return {found[1] for word in self.words for found in _PLACE.finditer(word) if found[1]}

    def fill(self, values: Mapping[str, str]) -> list[str]:
        """Returns the words with a value for each place."""
        return [_PLACE.sub(lambda f: values[f[1]] if f[1] else "@", word) for word in self.words]


def _read_word(what: str, word: Any) -> str:
    if not isinstance(word, (str, os.PathLike)):
        raise TypeError(f"the words of the {what} command must be texts, not {word!r}")
    return os.fsdecode(word)


def check_places(
    tuned: Sequence[Template], others: Sequence[Template], knobs: Sequence[str], *, is_built: bool
) -> None:
    """Raises `tonno.Error` for a place without a knob, and for a knob without a place.

        tuned: the commands that knobs bear on
        others: checkers and outputs, which may have places, too
    """
    known = {*knobs, OUT} if is_built else set(knobs)
    if OUT in knobs:
        raise Error(f"a knob cannot be called {OUT}: @{OUT}@ is the file that the build writes")
    for template in (*tuned, *others):
        for place in sorted(template.places - known):
            if place == OUT:
                raise Error(f"the {template.what} command has @{OUT}@, and nothing is built")
            raise Error(
                f"the {template.what} command has @{place}@, and no knob is called {place}; the "
                f"knobs are {', '.join(knobs)}; write @@ for @"
            )
    used = set().union(*(template.places for template in tuned))
    if unused := [knob for knob in knobs if knob not in used]:
        raise Error(f"no build or run has a place @{unused[0]}@ for the knob {unused[0]}")


def check_overwriting(build: Template, run: Template) -> None:
    """Raises `tonno.Error` if the build of one configuration overwrites what another one runs."""
    if OUT in build.places or build.places <= run.places:
        return
    first = min(build.places - run.places)
    raise Error(
        f"the build command has no @{OUT}@, so that each build overwrites the one before; let it "
        f"write @{OUT}@, or a file with @{first}@ in its name that the run command names, too"
    )


def format_values(config: Configuration) -> dict[str, str]:
    """Returns the text of each knob's value."""
    return {name: format_option(option) for name, option in config.items()}


def format_option(option: Any) -> str:
    """Returns the text of a knob's value: 1 and 0 for booleans, items of a tuple with commas."""
    if isinstance(option, bool):
        return str(int(option))
    if isinstance(option, tuple):
        return ",".join(map(format_option, option))
    return str(option)
