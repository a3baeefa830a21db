# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`minimize`: a search in one call."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import logging
import math
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tonno import frontends
from tonno.errors import AllFailed, Error, check_natural
from tonno.frontends import CandidateFailed
from tonno.modes import Mode, UntunedWarning, mode_in_force
from tonno.printable import printable
from tonno.progress import Progress, ProgressReport
from tonno.space import SearchSpace
from tonno.statistics import Interval
from tonno.trials import Configuration, Trial

log = logging.getLogger("tonno.minimize")


@dataclasses.dataclass(frozen=True)
class Result:
    """Result of `minimize`."""

    best: Trial
    """Best trial. Its seconds or value are estimated by calls that did not choose it, if there
    were any."""
    trials: list[Trial]
    """All trials in order; the first is the default's."""
    verdict: str | None = None
    """`faster` if the best was shown to be at least 0.5 % faster than the default; else `tie`,
    and the default is the best. `interrupted` before the test. None if times were not taken in
    pairs. `untuned` in the modes `cached` and `off`: then `best` is the default, without
    seconds, and there are no trials."""
    speedup: float | None = None
    """Default / best; for a tie, of the best candidate."""
    interval: Interval | None = None
    """95 % interval of the speedup."""
    rounds: int = 0
    """Number of rounds of the test."""
    repeats: int = 0
    """Number of calls behind the estimate, for a function that measures itself; 0 if the estimate
    is the trial's single call."""
    warnings: list[str] = dataclasses.field(default_factory=list)
    """Conditions that made the result less certain."""
    ended: str = ""
    """Reason why the search ended, as in `tonno.frontends.Outcome.ended`."""

    @property
    def config(self) -> Configuration:
        return self.best.config

    @property
    def seconds(self) -> float:
        """Seconds of the best. NaN if the verdict is `untuned`. Raises `Error` if values are
        ranked."""
        if self.verdict == _UNTUNED:
            return math.nan
        if self.best.seconds is None:
            raise Error("the result has values and no seconds, since objective is 'value'")
        return self.best.seconds

    @property
    def value(self) -> float:
        """Value of the best. NaN if the verdict is `untuned`. Raises `Error` if times are ranked.
        """
        if self.verdict == _UNTUNED:
            return math.nan
        if self.best.value is None:
            raise Error("the result has seconds and no values, since objective is 'time'")
        return self.best.value

    def __repr__(self) -> str:
        if self.verdict == _UNTUNED:
            return f"Result({self.verdict}, {self.config}; {self.best.message})"
        ok = sum(trial.ok for trial in self.trials)
        text = f"{_shown(self.best)} with {self.config}; {len(self.trials)} trials, {ok} ok"
        if self.interval is not None:
            low, high = self.interval
            text += f"; {self.verdict}, {self.speedup:.4g}x [{low:.4g}, {high:.4g}]"
        return f"Result({text})"


def _shown(trial: Trial) -> str:
    return f"{trial.seconds:.4g} s" if trial.value is None else f"value {trial.value:.6g}"


def minimize(
    function: Callable[[Configuration], float | Callable[[], float | None]],
    space: SearchSpace | Mapping[str, Iterable[Any]],
    budget_trials: int = 60,
    budget_seconds: float = math.inf,
    seed: int = 0,
    strategy: str = "ensemble",
    start: Iterable[Mapping[str, Any]] = (),
    objective: str = "time",
    repeats: int | None = None,
    mode: str | None = None,
    progress: bool | Callable[[ProgressReport], None] | None = None,
    lock: str | None = "host",
) -> Result:
    """Finds the configuration that takes the least time, or has the least value.

        def function(config):
            kernel = build(**config)
            return lambda: kernel(a, b)

        result = tonno.minimize(function, {"BM": [32, 64], "BN": [32, 64]})

    `function` builds a configuration and returns a callable without arguments, which runs it
    once. The callable returns its seconds, or None to be timed by the clock. Candidates are timed
    in pairs with the default, the best play finals, and the winner is tested against the default,
    as in `tonno-tune` (`tonno.protocol`). `Result.verdict`, `.speedup` and `.interval` state what
    was shown.

    A function may instead return seconds. It is then called once for each configuration.
    Afterwards the best few are called again, at most `repeats` times in total. Half of these
    calls choose the best configuration; its seconds are the median of the others. Less noise
    takes fewer calls: two if both equal the first results bit for bit. A fifth of
    `budget_seconds` is reserved for them.

    With `objective="value"`, the function returns any finite number, which may be 0 or negative.
    The least is the best; `Result.value` is the value of the best configuration.

        space: a SearchSpace, or its knobs: a dict of lists, such as {"BM": [32, 64]}
        budget_trials, budget_seconds: limits after which no trial begins, except for the first
        seed: of the search, which is deterministic as far as `function` is
        start: configurations to try after the space's default, which is the first
        repeats: by default `budget_trials`, at most `tonno.frontends.REPEATED_CALLS`; 0 chooses
            by the trials alone
        mode: "tune", "cached" or "off"; by default $TONNO_MODE, else "tune". "cached" and "off"
            return the default and call nothing, because there is no cache; "cached" warns by a
            `tonno.UntunedWarning`, once for each function and space
        progress: by default, a status line on a terminal and in a notebook; True also prints a
            line for each trial to stderr elsewhere; False prints nothing; a callable is called
            with a `tonno.ProgressReport` for each trial
        lock: "host" holds the lock of this machine's CPUs while the callable, or a function that
            returns seconds, runs: no other process that takes the lock times meanwhile; None
            locks nothing. Values are never locked

    The logger `tonno.minimize` reports each trial at level INFO.

    If the function or the callable raises an exception, the trial fails and the search continues:
    MemoryError becomes `out_of_memory`, TimeoutError `hang`, any other Exception `fault`. A time
    that is not positive and finite, and a value that is not finite, are also a `fault`.

    A KeyboardInterrupt ends the search, and is raised. Its attribute `result` is the Result so
    far, or None if no configuration succeeded; `trials` are the trials.

    Raises `Error` for an unknown mode or objective and for a budget that allows no trial;
    `AllFailed`, with the trials, if none succeeds; and TypeError if the function returns
    something else, or seconds for some configurations and callables for others.
    """
    if not isinstance(space, (SearchSpace, Mapping)):
        raise TypeError('space must be a dict of lists, such as {"BM": [32, 64]}, or a SearchSpace')
    if not isinstance(space, SearchSpace):
        space = SearchSpace(space)
    if lock not in ("host", None):
        raise Error(f"lock must be 'host' or None, not {lock!r}")
    if repeats is None:
        repeats = min(budget_trials, frontends.REPEATED_CALLS)
    check_natural("repeats", repeats)
    in_force = mode_in_force(mode)
    if not in_force.measures:
        return _untuned(function, space, in_force)
    followed = _Followed(progress, budget_trials)
    candidates = _Candidates(function, objective, repeats, followed.show)
    try:
        found = frontends.tune(
            candidates,
            space,
            budget_trials=budget_trials,
            budget_seconds=budget_seconds,
            strategy=strategy,
            seed=seed,
            start=start,
            objective=objective,
            report=followed.report,
            lock=None if lock is None or objective == "value" else candidates.lock(),
        )
    except KeyboardInterrupt as interrupt:
        if hasattr(interrupt, "outcome"):
            _attach(interrupt, interrupt.outcome, candidates.policy())
        raise
    finally:
        followed.close()
    if found.chosen is None:
        # A candidate that failed after its trial is not among the failures.
        reason = found.error if any(t.ok for t in found.trials) else _describe(found.trials)
        raise AllFailed(reason, found.trials)
    return _result(found, found.chosen, candidates.policy())


_UNTUNED = "untuned"
_warned: set[tuple[str, str]] = set()
"""Functions, by name, and spaces that a warning has reported."""


def _untuned(function: Callable[..., Any], space: SearchSpace, mode: Mode) -> Result:
    """Returns the space's default. Warns in mode `cached`, once for each function and space."""
    name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '')}"
    problem = name, repr((space.knobs, space.constraints))
    if not mode.is_off and problem not in _warned:
        _warned.add(problem)
        text = (
            f"minimize returns the default, {space.default}, since {mode.description} measures "
            "nothing and minimize has no cache: store its result, or call it in mode tune"
        )
        warnings.warn(printable(text), UntunedWarning, stacklevel=3)
    return Result(Trial(space.default, "ok", None, mode.description), [], _UNTUNED)


def _result(found: frontends.Outcome, chosen: int, policy: frontends.Policy) -> Result:
    trial, compared = found.trials[chosen], found.comparison
    assert found.ended is not None and compared is not None
    if trial.value is None:
        best = dataclasses.replace(trial, seconds=found.estimate)
    else:
        best = dataclasses.replace(trial, value=found.estimate)
    result = Result(best, found.trials, warnings=found.warnings, ended=found.ended)
    if policy.name == "repeated":
        return dataclasses.replace(result, repeats=compared.rounds)
    if compared.verdict == "no-baseline":
        return result
    return dataclasses.replace(
        result,
        verdict=compared.verdict,
        speedup=compared.speedup,
        interval=compared.interval,
        rounds=compared.rounds,
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


class _Followed:
    """Reports trials to the user's callable, to the progress line and to the log."""

    def __init__(
        self,
        progress: bool | Callable[[ProgressReport], None] | None,
        budget_trials: int,
    ) -> None:
        self._call = progress if callable(progress) else None
        is_shown = progress is not False and self._call is None
        self._progress = Progress("minimize", lines=progress is True) if is_shown else None
        self._budget = budget_trials
        self._begin = time.perf_counter()
        self._trials = self._ok = 0
        self._best: Trial | None = None

    def report(self, trial: Trial) -> None:
        self._trials += 1
        self._ok += trial.ok
        if trial.ok and (self._best is None or _number(trial) < _number(self._best)):
            self._best = trial
        found = _shown(trial) if trial.ok else f"{trial.status}: {trial.message}"
        log.info("%s: %s", trial.config, found)
        text = f"trial {self._trials} of {self._budget}: {found} with {trial.config}"
        if self._best is not None and self._best is not trial:
            text += f"; best {_shown(self._best)}"
        self.show(text)
        if self._call is not None:
            self._call(ProgressReport(trial, self._trials, self._budget, self._best))

    def show(self, text: str) -> None:
        if self._progress is not None:
            self._progress.show(text)

    def close(self) -> None:
        if self._progress is not None:
            seconds = time.perf_counter() - self._begin
            self._progress.close(
                f"{self._ok} of {self._trials} configurations in {seconds:.1f} s"
            )


def _number(trial: Trial) -> float:
    number = trial.seconds if trial.value is None else trial.value
    assert number is not None
    return number


class _Candidates:
    """Numbers or callables that the function returned for configurations."""

    def __init__(
        self,
        function: Callable[[Configuration], float | Callable[[], float | None]],
        objective: str,
        repeats: int,
        show: Callable[[str], None],
    ) -> None:
        """`show` is called with the description of work that is not a trial."""
        self._show = show
        self._function = function
        self._objective = objective
        self._repeats = repeats
        self._built: dict[str, float | Callable[[], float | None]] = {}
        self._are_numbers: bool | None = None

    def build(self, configs: list[Configuration]) -> list[CandidateFailed | None]:
        return [self._failure(config) for config in configs]

    def _failure(self, config: Configuration) -> CandidateFailed | None:
        try:
            self._built[repr(config)] = self._make(config)
        except CandidateFailed as failed:
            return failed
        return None

    def _make(self, config: Configuration) -> float | Callable[[], float | None]:
        """Calls the function. Raises CandidateFailed."""
        try:
            made = self._function(config)
        except Exception as error:
            raise _failed(error) from error
        is_number = not callable(made)
        if self._are_numbers not in (None, is_number):
            raise TypeError(
                "the function returns numbers for some configurations, and callables for the "
                "remaining ones"
            )
        if callable(made):
            if self._objective == "value":
                raise TypeError("with objective='value', the function returns its value")
            self._are_numbers = False
            return made
        try:
            number = float(made)
        except (TypeError, ValueError):
            message = f"the function returns a number or a callable, not {made!r}"
            if self._are_numbers is None:
                raise TypeError(message) from None
            raise CandidateFailed("fault", message) from None
        self._are_numbers = True
        return _checked(number, self._objective)

    def policy(self) -> frontends.Policy:
        if self._are_numbers is False:
            return frontends.paired()
        return frontends.repeated(self._repeats)

    def sampler(
        self, entrants: list[Configuration]
    ) -> contextlib.AbstractContextManager[frontends.TrialSampler]:
        if self._are_numbers:
            return contextlib.nullcontext(_Repeats(self, entrants))
        if len(entrants) > 2:
            self._show("comparing the best")
        return contextlib.nullcontext(_Calls([self._callable(c) for c in entrants]))

    def number(self, config: Configuration) -> float:
        """Returns the number from the function's first call."""
        number = self._built[repr(config)]
        assert isinstance(number, float)
        return number

    def repeat(self, config: Configuration) -> float:
        """Calls the function again. Raises CandidateFailed."""
        self._show(f"calling the best again: {config}")
        number = self._make(config)
        assert isinstance(number, float)
        return number

    def _callable(self, config: Configuration) -> Callable[[], float | None]:
        made = self._built[repr(config)]
        assert callable(made)
        return made

    def is_stopped(self) -> bool:
        return False

    def lock(self) -> frontends.Lock:
        """Returns the lock that is held while candidates are timed: while the callables run and,
        until the function is known to return callables, while the function runs."""
        return frontends.Lock(
            frontends.host(),
            functools.partial(frontends.report_waiting, ""),
            covers_building=lambda: self._are_numbers is not False,
        )


class _Repeats:
    """Samples a function that measures itself."""

    def __init__(self, candidates: _Candidates, entrants: list[Configuration]) -> None:
        self._candidates = candidates
        self._entrants = entrants

    def launch_first(self) -> float:
        return self._candidates.number(self._entrants[1])

    def sample(self, entrant: int) -> float:
        return self._candidates.repeat(self._entrants[entrant])

    warm = sample

    def verify_last(self) -> None: ...

    def redraw(self) -> None: ...


class _Calls:
    """Times callables, or takes the times that they return."""

    def __init__(self, entrants: list[Callable[[], float | None]]) -> None:
        self._entrants = entrants

    def sample(self, entrant: int) -> float:
        run = self._entrants[entrant]
        try:
            begin = time.perf_counter()
            seconds = run()
            end = time.perf_counter()
        except Exception as error:
            raise _failed(error) from error
        return end - begin if seconds is None else _checked(float(seconds), "time")

    warm = sample

    def launch_first(self) -> float:
        return self.sample(1)

    def verify_last(self) -> None: ...

    def redraw(self) -> None: ...


def _checked(number: float, objective: str) -> float:
    """Returns the number. Raises CandidateFailed if it is invalid for the objective."""
    if objective == "value" and not math.isfinite(number):
        raise CandidateFailed("fault", f"the value is {number}, which is not finite")
    if objective == "time" and not (math.isfinite(number) and number > 0):
        raise CandidateFailed(
            "fault",
            f"the function returned {number} seconds, but times are positive; see "
            "objective='value'",
        )
    return number


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
