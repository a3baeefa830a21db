# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The search in one call."""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tonno import _core
from tonno.errors import AllFailed, Error, check_natural
from tonno.space import SearchSpace
from tonno.statistics import Interval
from tonno.trials import Configuration, Trial


@dataclasses.dataclass(frozen=True)
class Result:
    """What `minimize` found."""

    best: Trial
    trials: list[Trial]
    """All, in order; the first is the default's."""
    verdict: str | None = None
    """`faster` if the best was shown to be at least 0.5 % faster than the default,
    else `tie`, and the default is the best; None if times were not taken in pairs."""
    speedup: float | None = None
    """Default / best; for a tie, of the best candidate."""
    interval: Interval | None = None
    """Of the speedup, 95 %."""
    rounds: int = 0
    """Of the test."""

    @property
    def config(self) -> Configuration:
        return self.best.config

    @property
    def seconds(self) -> float:
        assert self.best.seconds is not None
        return self.best.seconds

    def __repr__(self) -> str:
        ok = sum(trial.ok for trial in self.trials)
        text = f"{self.seconds:.4g} s with {self.config}; {len(self.trials)} trials, {ok} ok"
        if self.interval is not None:
            low, high = self.interval
            text += f"; {self.verdict}, {self.speedup:.4g}x [{low:.4g}, {high:.4g}]"
        return f"Result({text})"


def minimize(
    function: Callable[[Configuration], float | Callable[[], float | None]],
    space: SearchSpace,
    budget_trials: int = 60,
    budget_seconds: float = math.inf,
    seed: int = 0,
    strategy: str = "ensemble",
    start: Iterable[Mapping[str, Any]] = (),
) -> Result:
    """Finds the configuration that takes the least time.

    `function` builds a configuration and returns a callable without arguments that
    runs it once. The callable returns its seconds, or None to be timed by the clock.
    Candidates are then timed in pairs with the default, the best play finals, and the
    winner is tested against the default, as by `tonno-tune`
    (`tonno.protocol`): `Result.verdict`, `.speedup` and `.interval` say what was shown.

    A function that returns seconds is called once for each configuration, and the
    least seconds win.

    What the function or the callable raises is recorded as that trial's failure, and
    the search goes on: MemoryError as `out_of_memory`, TimeoutError as `hang`, any
    other Exception as `fault`, and so is a time that is not finite. KeyboardInterrupt
    and the like end it; use `Search` to keep what is known then. No trial but the first
    begins after `budget_trials` or `budget_seconds`.

    The space's default is tried first, then `start`. Deterministic for a seed
    as far as `function` is.

    Raises `Error` for a budget that allows no trial or a time that is not
    positive, `AllFailed` with the trials if none succeeds, and TypeError if the
    function returns neither.
    """
    if budget_trials < 1:
        raise Error(f"a budget of {budget_trials} trials finds nothing; give at least 1")
    if not budget_seconds > 0:
        raise Error(f"a budget of {budget_seconds} seconds finds nothing; give more")
    check_natural("seed", seed)
    points = [dict(config) for config in start]
    told, chosen, comparison = _core.minimize(
        space._native, function, strategy, seed, points, budget_trials, budget_seconds
    )
    trials = [Trial(*fields) for fields in told]
    if chosen is None:
        raise AllFailed(_describe(trials), trials)
    if comparison is None:
        return Result(trials[chosen], trials)
    verdict, speedup, low, high, rounds = comparison
    return Result(trials[chosen], trials, verdict, speedup, Interval(low, high), rounds)


def _describe(trials: list[Trial]) -> str:
    counts = collections.Counter(trial.status for trial in trials)
    lines = [f"none of {len(trials)} configurations succeeded"]
    for status, count in counts.most_common():
        first = next(trial for trial in trials if trial.status == status)
        lines.append(f"  {count} {status}, the first: {first.message} ({first.config})")
    return "\n".join(lines)
