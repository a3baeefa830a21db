# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The search in one call."""

from __future__ import annotations

import collections
import dataclasses
import math
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tonno.errors import AllFailed, Error
from tonno.search import Search
from tonno.space import SearchSpace
from tonno.trials import Configuration, Trial


@dataclasses.dataclass(frozen=True)
class Result:
    """What `minimize` found."""

    best: Trial
    trials: list[Trial]
    """All, in order; the first is the default's, or the first start's."""

    @property
    def config(self) -> Configuration:
        return self.best.config

    @property
    def seconds(self) -> float:
        assert self.best.seconds is not None
        return self.best.seconds

    def __repr__(self) -> str:
        ok = sum(trial.ok for trial in self.trials)
        return (
            f"Result({self.seconds:.4g} s with {self.config}; "
            f"{len(self.trials)} trials, {ok} ok)"
        )


def minimize(
    function: Callable[[Configuration], float],
    space: SearchSpace,
    budget_trials: int = 60,
    budget_seconds: float = math.inf,
    seed: int = 0,
    strategy: str = "ensemble",
    start: Iterable[Mapping[str, Any]] = (),
) -> Result:
    """Finds the configuration for which the function takes the least time.

    `function` measures a configuration and returns its seconds. What it raises
    is recorded as that trial's failure, and the search goes on: MemoryError as
    `out_of_memory`, TimeoutError as `hang`, any other Exception as `fault`, and
    so is a time that is not finite. KeyboardInterrupt and the like end it; use
    `Search` to keep what is known then. No trial but the first begins after
    `budget_trials` or `budget_seconds`.

    The space's default is tried first, then `start`. Deterministic for a seed
    as far as `function` is.

    Raises `Error` for a budget that allows no trial or a time that is not
    positive, `AllFailed` with the trials if none succeeds, and TypeError if the
    function returns no number.
    """
    if budget_trials < 1:
        raise Error(f"a budget of {budget_trials} trials finds nothing; give at least 1")
    if not budget_seconds > 0:
        raise Error(f"a budget of {budget_seconds} seconds finds nothing; give more")
    search = Search(space, strategy, seed, [space.default, *start])
    end = time.monotonic() + budget_seconds
    for trial in range(budget_trials):
        # The default's is made in any case.
        if trial > 0 and time.monotonic() >= end:
            break
        proposed = search.ask()
        if not proposed:
            break
        _try(search, function, proposed[0])
    trials = search.trials
    best = search.best
    if best is None:
        raise AllFailed(_describe(trials), trials)
    return Result(best, trials)


def _try(
    search: Search, function: Callable[[Configuration], float], config: Configuration
) -> None:
    try:
        seconds = function(dict(config))
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        search.tell(config, status=_status_of(error), message=message)
        return
    seconds = float(seconds)
    if math.isfinite(seconds):
        search.tell(config, seconds=seconds)
    else:
        search.tell(config, status="fault", message=f"it took {seconds} seconds")


def _status_of(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "out_of_memory"
    return "hang" if isinstance(error, TimeoutError) else "fault"


def _describe(trials: list[Trial]) -> str:
    counts = collections.Counter(trial.status for trial in trials)
    lines = [f"none of {len(trials)} configurations succeeded"]
    for status, count in counts.most_common():
        first = next(trial for trial in trials if trial.status == status)
        lines.append(f"  {count} {status}, the first: {first.message} ({first.config})")
    return "\n".join(lines)
