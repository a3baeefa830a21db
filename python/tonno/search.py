# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A search that asks for measurements and is told them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tonno import _core
from tonno.errors import check_natural
from tonno.space import SearchSpace
from tonno.trials import Configuration, Trial


class Search:
    """Proposes configurations and learns from their trials.

        search = tonno.Search(space, seed=0)
        while not search.done and len(search.trials) < 60:
            for config in search.ask(4):
                search.tell(config, seconds=run_and_time(config))

    Deterministic for a seed and a sequence of calls. Any number of
    configurations may be pending, and they are told in any order. Threads may
    share one: calls take turns, without the interpreter's lock.
    """

    def __init__(
        self,
        space: SearchSpace,
        strategy: str = "ensemble",
        seed: int = 0,
        start: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        """Begins a search of the space.

        `strategy`: one of `tonno.strategies()`. `seed`: 0 to 2^64 - 1. `start`:
        legal configurations to propose first, such as the space's default or
        the best of a similar problem. Raises `Error` for an unknown strategy,
        for another seed, and for a start that is not of the space.
        """
        check_natural("seed", seed)
        if not isinstance(space, SearchSpace):
            raise TypeError(f"the space is a tonno.SearchSpace, not {space!r}")
        if isinstance(start, Mapping):
            raise TypeError("start is a list of configurations, not one")
        self._space = space
        self._strategy = strategy
        self._seed = seed
        points = [dict(config) for config in start]
        self._native = _core.AskTell(space._native, strategy, seed, points)

    @property
    def space(self) -> SearchSpace:
        return self._space

    def ask(self, n: int = 1) -> list[Configuration]:
        """Up to n configurations: legal, distinct, and proposed never before.

        None of them: the strategy is done, or waits for what is pending.
        """
        check_natural("n", n)
        return self._native.ask(n)

    def tell(
        self,
        config: Mapping[str, Any],
        seconds: float | None = None,
        status: str | None = None,
        message: str = "",
    ) -> None:
        """What became of a configuration, whether or not it was asked for.

        Either `seconds`, positive, of any unit as long as it is one for all, or
        a failing `status`, one of `tonno.statuses()`, with its reason for
        people. With status "pruned" the seconds are a lower bound. No time is
        invented for what failed.

        Raises `Error` for a configuration that is not legal or was told before,
        for an unknown status, and for seconds that are no time.
        """
        if status is None:
            status = "ok"
        self._native.tell(config, seconds, status, message)

    def explain(self, config: Mapping[str, Any]) -> str:
        """Why it was proposed, in a few words; empty: for no reason."""
        return self._native.explain(config)

    @property
    def best(self) -> Trial | None:
        """The trial with the least seconds of those that are ok, the first of equals."""
        succeeded = [trial for trial in self.trials if trial.ok]
        return min(succeeded, key=lambda t: t.seconds or 0.0, default=None)

    @property
    def trials(self) -> list[Trial]:
        """What was told, in order."""
        return [Trial(*fields) for fields in self._native.trials()]

    @property
    def pending(self) -> list[Configuration]:
        """What was asked for and not told yet, in order."""
        return self._native.pending()

    @property
    def done(self) -> bool:
        """Whether the last `ask` got nothing, so that a loop can end."""
        return self._native.is_done()

    def __repr__(self) -> str:
        trials, pending = len(self.trials), len(self.pending)
        return (
            f"Search({self._strategy}, seed {self._seed}: "
            f"{trials} trials, {pending} pending)"
        )
