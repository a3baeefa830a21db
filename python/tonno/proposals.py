# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations that a proposer of the user suggests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from tonno.space import SearchSpace
from tonno.trials import Configuration, Trial

Proposer: TypeAlias = Callable[[list[Trial]], Iterable[Mapping[str, Any]]]
"""Returns configurations that are worth a trial, given all trials so far: an expert's list, the
output of a model. They need not be legal, or new."""


class Proposals:
    """Asks a proposer, and leaves out what is not legal."""

    def __init__(
        self, proposer: Proposer, space: SearchSpace, warnings: list[str] | None = None
    ) -> None:
        """`warnings` takes the exceptions of the proposer; without it, they are raised."""
        if not callable(proposer):
            raise TypeError("the proposer must be callable; for known configurations, use start")
        self._proposer = proposer
        self._space = space
        self._raised = warnings
        self._left_out = 0
        self._first = ""
        """Reason why the first configuration was left out."""

    def __call__(self, fields: list[tuple[Any, ...]]) -> list[Configuration]:
        """Returns legal configurations, given the fields of all trials."""
        try:
            answer = self._list([Trial(*each) for each in fields])
        except Exception as error:
            if self._raised is None:
                raise
            text = f"the proposer raised {type(error).__name__}: {error}"
            if text not in self._raised:
                self._raised.append(text)
            return []
        return [dict(config) for config in answer if self._check(config)]

    def _list(self, trials: list[Trial]) -> list[Mapping[str, Any]]:
        """Calls the proposer. Raises TypeError for an answer that is not a list of dicts."""
        answer = self._proposer(trials)
        if isinstance(answer, (str, Mapping)) or not isinstance(answer, Iterable):
            raise TypeError(f"the proposer must return a list of configurations, not {answer!r}")
        listed = list(answer)
        for config in listed:
            if not isinstance(config, Mapping):
                raise TypeError(f"the proposer's configurations must be dicts, not {config!r}")
        return listed

    def _check(self, config: Mapping[str, Any]) -> bool:
        """Returns True if a configuration is legal, and notes why it is not."""
        reason = self._explain(config)
        self._left_out += bool(reason)
        self._first = self._first or reason
        return not reason

    def _explain(self, config: Mapping[str, Any]) -> str:
        """Returns why a configuration is not legal; empty if it is."""
        try:
            broken = self._space.broken_constraint(config)
            if broken is not None:
                return f"{dict(config)} breaks '{broken}'"
            return "" if self._space.is_legal(config) else f"{dict(config)} is not in the space"
        except (TypeError, ValueError) as error:
            return str(error)

    @property
    def warnings(self) -> list[str]:
        """Returns a warning if configurations were left out."""
        if not self._left_out:
            return []
        noun = "configuration" if self._left_out == 1 else "configurations"
        return [f"the proposer's {self._left_out} illegal {noun} were left out: {self._first}"]
