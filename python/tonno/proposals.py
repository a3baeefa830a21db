# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations that a proposer of the user suggests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from tonno.errors import Error
from tonno.space import SearchSpace
from tonno.trials import Configuration, Trial

Proposer: TypeAlias = Callable[[list[Trial]], Iterable[Mapping[str, Any]]]
"""Returns configurations that are worth a trial, given all trials so far: an expert's list, the
output of a model. They need not be legal, or new."""


class Proposals:
    """Asks a proposer, and leaves out what is not legal."""

    def __init__(self, proposer: Proposer, space: SearchSpace) -> None:
        self._proposer = proposer
        self._space = space
        self._left_out = 0
        self._first = ""
        """Reason why the first configuration was left out."""

    def __call__(self, told: list[tuple[Any, ...]]) -> list[Configuration]:
        """Returns legal configurations. `told` are the fields of all trials."""
        answer = self._proposer([Trial(*fields) for fields in told])
        if isinstance(answer, Mapping):
            raise TypeError("the proposer must return a list of configurations, not one")
        legal = []
        for config in answer:
            if not isinstance(config, Mapping):
                raise TypeError(f"the proposer's configurations must be dicts, not {config!r}")
            reason = self._explain(config)
            if reason:
                self._left_out += 1
                self._first = self._first or reason
            else:
                legal.append(dict(config))
        return legal

    def _explain(self, config: Mapping[str, Any]) -> str:
        """Returns why a configuration is not legal; empty if it is."""
        try:
            broken = self._space.broken_constraint(config)
            if broken is not None:
                return f"{dict(config)} breaks '{broken}'"
            return "" if self._space.is_legal(config) else f"{dict(config)} is not in the space"
        except (Error, TypeError) as error:
            return str(error)

    @property
    def warnings(self) -> list[str]:
        """Returns a warning if configurations were left out."""
        if not self._left_out:
            return []
        noun = "configuration" if self._left_out == 1 else "configurations"
        return [f"the proposer's {self._left_out} illegal {noun} were left out: {self._first}"]
