# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The search in one call."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import math
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tonno import frontends
from tonno.errors import AllFailed
from tonno.frontends import CandidateFailed
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
    else `tie`, and the default is the best; `interrupted` before the test; None if times
    were not taken in pairs."""
    speedup: float | None = None
    """Default / best; for a tie, of the best candidate."""
    interval: Interval | None = None
    """Of the speedup, 95 %."""
    rounds: int = 0
    """Of the test."""
    warnings: list[str] = dataclasses.field(default_factory=list)
    """What made the result less certain."""
    ended: str = ""
    """Why the search ended, as `tonno.frontends.Outcome.ended`."""

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
    other Exception as `fault`, and so is a time that is not positive and finite. No trial
    but the first begins after `budget_trials` or `budget_seconds`.

    A KeyboardInterrupt ends the search, and is raised. Its attribute `result` is the
    Result so far, or None if no configuration succeeded; `trials` are the trials.

    The space's default is tried first, then `start`. Deterministic for a seed
    as far as `function` is.

    Raises `Error` for a budget that allows no trial, `AllFailed` with the trials if none
    succeeds, and TypeError if the function returns neither.
    """
    candidates = _Callables(function)
    try:
        found = frontends.tune(
            candidates,
            space,
            budget_trials=budget_trials,
            budget_seconds=budget_seconds,
            strategy=strategy,
            seed=seed,
            start=start,
        )
    except KeyboardInterrupt as interrupt:
        if hasattr(interrupt, "outcome"):
            _attach(interrupt, interrupt.outcome, candidates.policy())
        raise
    if found.chosen is None:
        # What failed after its trial is not among the failures.
        reason = found.error if any(t.ok for t in found.trials) else _describe(found.trials)
        raise AllFailed(reason, found.trials)
    return _result(found, found.chosen, candidates.policy())


def _result(found: frontends.Outcome, chosen: int, policy: frontends.Policy) -> Result:
    best, compared = found.trials[chosen], found.comparison
    assert found.ended is not None and compared is not None
    if policy.name != "paired" or compared.verdict == "no-baseline":
        return Result(best, found.trials, warnings=found.warnings, ended=found.ended)
    return Result(
        best,
        found.trials,
        compared.verdict,
        compared.speedup,
        compared.interval,
        compared.rounds,
        found.warnings,
        found.ended,
    )


def _attach(
    interrupt: KeyboardInterrupt, found: frontends.Outcome, policy: frontends.Policy
) -> None:
    """Adds the trials and the result to the exception, and a note to its traceback."""
    result = None if found.chosen is None else _result(found, found.chosen, policy)
    vars(interrupt).update(trials=found.trials, result=result)
    ok = sum(trial.ok for trial in found.trials)
    note = f"tonno.minimize was interrupted after {len(found.trials)} trials, {ok} ok"
    if result is not None:
        note += f"; the exception's `result` is {result!r}"
    interrupt.add_note(note)


class _Callables:
    """What the function made of configurations: seconds, or callables."""

    def __init__(
        self, function: Callable[[Configuration], float | Callable[[], float | None]]
    ) -> None:
        self._function = function
        self._built: dict[str, Any] = {}
        self._are_seconds: bool | None = None

    def build(self, configs: list[Configuration]) -> list[CandidateFailed | None]:
        return [self._failure(config) for config in configs]

    def _failure(self, config: Configuration) -> CandidateFailed | None:
        try:
            made = self._function(config)
        except Exception as error:
            return _failed(error)
        are_seconds = not callable(made)
        if are_seconds:
            try:
                made = _checked(float(made))  # type: ignore[arg-type]
            except CandidateFailed as failed:
                return failed
        if self._are_seconds not in (None, are_seconds):
            raise TypeError(
                "the function gives seconds for some configurations, and a callable for others"
            )
        self._are_seconds = are_seconds
        self._built[repr(config)] = made
        return None

    def policy(self) -> frontends.Policy:
        once = frontends.median(samples=1, warmup=0)
        return once if self._are_seconds else frontends.paired()

    def sampler(
        self, entrants: list[Configuration]
    ) -> contextlib.AbstractContextManager[_Calls]:
        return contextlib.nullcontext(_Calls([self._built[repr(c)] for c in entrants]))

    def is_stopped(self) -> bool:
        return False


class _Calls:
    """Calls entrants, or repeats the seconds that they are."""

    def __init__(self, entrants: list[Any]) -> None:
        self._entrants = entrants

    def sample(self, entrant: int) -> float:
        made = self._entrants[entrant]
        if isinstance(made, float):
            return made
        try:
            begin = time.perf_counter()
            seconds = made()
            end = time.perf_counter()
        except Exception as error:
            raise _failed(error) from error
        return end - begin if seconds is None else _checked(float(seconds))

    warm = sample

    def launch_first(self) -> float:
        return self.sample(1)

    def verify_last(self) -> None: ...

    def redraw(self) -> None: ...


def _checked(seconds: float) -> float:
    """Raises CandidateFailed for a number that is no time."""
    if not (math.isfinite(seconds) and seconds > 0):
        raise CandidateFailed("fault", f"it took {seconds} seconds; a time is positive and finite")
    return seconds


def _failed(error: Exception) -> CandidateFailed:
    if isinstance(error, CandidateFailed):
        return error
    status = "fault"
    if isinstance(error, MemoryError):
        status = "out_of_memory"
    elif isinstance(error, TimeoutError):
        status = "hang"
    return CandidateFailed(status, f"{type(error).__name__}: {error}")


def _describe(trials: list[Trial]) -> str:
    counts = collections.Counter(trial.status for trial in trials)
    lines = [f"none of {len(trials)} configurations succeeded"]
    for status, count in counts.most_common():
        first = next(trial for trial in trials if trial.status == status)
        lines.append(f"  {count} {status}, the first: {first.message} ({first.config})")
    return "\n".join(lines)
