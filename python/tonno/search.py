# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A search with an ask-and-tell interface."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tonno import _core
from tonno.errors import check_natural
from tonno.proposals import Proposals, Proposer
from tonno.space import SearchSpace
from tonno.trials import Configuration, Trial, tabulate


class Search:
    """Proposes configurations and learns from their trials.

        search = tonno.Search(space, seed=0)
        while not search.done and len(search.trials) < 60:
            for config in search.ask(4):
                search.tell(config, seconds=run_and_time(config))

    Deterministic for a seed and a sequence of calls. Any number of configurations may be pending,
    and may be reported in any order. Threads may share a search: calls are serialized, and
    release the interpreter's lock.
    """

    def __init__(
        self,
        space: SearchSpace,
        strategy: str = "ensemble",
        seed: int = 0,
        start: Iterable[Mapping[str, Any]] = (),
        fix: Mapping[str, Any] | None = None,
        proposer: Proposer | None = None,
    ) -> None:
        """Starts a search of the space.

            strategy: one of `tonno.strategies()`
            seed: 0 to 2^64 - 1
            start: legal configurations to propose first, such as the space's default or the best
                of a similar problem
            fix: values of knobs, as of `SearchSpace.fix`
            proposer: called with the list of all trials; returns configurations that it expects
                to be good. `ask` returns some of them: the more, the better they are, at most
                half. Configurations that are not legal are left out. If an answer has no new
                one, the proposer is called again after two more trials, then after four, eight,
                and so on. What it raises, `ask` raises. It must not call the search

        Raises `Error` for an unknown strategy, an invalid seed, and a start that is not in the
        space.
        """
        check_natural("seed", seed)
        if not isinstance(space, SearchSpace):
            raise TypeError(f"the space must be a tonno.SearchSpace, not {space!r}")
        if isinstance(start, Mapping):
            raise TypeError("start must be a list of configurations, not one")
        if fix:
            space = space.fix(fix)
        self._space = space
        self._strategy = strategy
        self._seed = seed
        points = [dict(config) for config in start]
        self._proposals = None if proposer is None else Proposals(proposer, space)
        has_proposer = proposer is not None
        self._native = _core.AskTell(space._native, strategy, seed, points, has_proposer)

    @property
    def space(self) -> SearchSpace:
        return self._space

    def ask(self, n: int = 1) -> list[Configuration]:
        """Returns up to n configurations: legal, distinct, and never proposed before.

        An empty list means that the strategy has finished, or waits for pending configurations.
        Raises what the proposer raises.
        """
        check_natural("n", n)
        return self._native.ask(n, self._proposals)

    def tell(
        self,
        config: Mapping[str, Any],
        seconds: float | None = None,
        status: str | None = None,
        message: str = "",
    ) -> None:
        """Reports the outcome of a configuration, whether or not `ask` returned it.

            seconds: a positive time, in any unit that is the same for all
            status: for a failure, one of `tonno.statuses()`; "pruned" makes `seconds` a lower
                bound
            message: the reason of the failure, for users

        Failed configurations have no time, and none is invented for them. Raises `Error` for a
        configuration that is not legal or was reported before, for an unknown status, and for
        invalid seconds.
        """
        if status is None:
            status = "ok"
        self._native.tell(config, seconds, status, message)

    def explain(self, config: Mapping[str, Any]) -> str:
        """Returns why the configuration was proposed, in a few words; empty if there is no
        reason."""
        return self._native.explain(config)

    @property
    def best(self) -> Trial | None:
        """Trial with the least seconds of those that are ok; the first of equals."""
        succeeded = [trial for trial in self.trials if trial.ok]
        return min(succeeded, key=lambda t: t.seconds or 0.0, default=None)

    @property
    def trials(self) -> list[Trial]:
        """Reported trials, in order."""
        return [Trial(*fields) for fields in self._native.trials()]

    @property
    def warnings(self) -> list[str]:
        """Conditions that the search has met, such as proposed configurations that are not legal.
        """
        return [] if self._proposals is None else self._proposals.warnings

    def to_dataframe(self) -> Any:
        """Returns the trials as a pandas.DataFrame, as `tonno.Result.to_dataframe` does."""
        return tabulate(self.trials, self._space.knobs)

    @property
    def pending(self) -> list[Configuration]:
        """Configurations that `ask` returned and that are not reported yet, in order."""
        return self._native.pending()

    @property
    def done(self) -> bool:
        """True if the last `ask` returned nothing, so that a loop can end."""
        return self._native.is_done()

    def __repr__(self) -> str:
        trials, pending = len(self.trials), len(self.pending)
        return (
            f"Search({self._strategy}, seed {self._seed}: "
            f"{trials} trials, {pending} pending)"
        )
