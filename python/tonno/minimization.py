# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`minimize`: a search in one call."""

from __future__ import annotations

import concurrent.futures
import contextlib
import dis
import functools
import hashlib
import math
import os
import time
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tonno import frontends
from tonno.errors import Error, check_natural
from tonno.frontends import CandidateFailed
from tonno.modes import mode_in_force
from tonno.progress import ProgressReport
from tonno.proposals import Proposer
from tonno.results import Followed, Result, search, untuned
from tonno.space import SearchSpace
from tonno.trials import Configuration


def minimize(
    function: Callable[[Configuration], float | Callable[[], float | None]],
    space: SearchSpace | Mapping[str, Iterable[Any]],
    budget_trials: int = 60,
    budget_seconds: float = math.inf,
    seed: int = 0,
    strategy: str = "ensemble",
    start: Iterable[Mapping[str, Any]] = (),
    fix: Mapping[str, Any] | None = None,
    proposer: Proposer | None = None,
    objective: str = "time",
    repeats: int | None = None,
    mode: str | None = None,
    n_jobs: int = 1,
    journal: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    callbacks: Iterable[Callable[[ProgressReport], object]] = (),
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
        fix: values of knobs that do not vary, or lists and ranges of fewer options, as of
            `SearchSpace.fix`
        proposer: called with the list of all trials; returns configurations that it expects to be
            good, as of `tonno.Search`. If it raises an exception, the search continues, with a
            warning in the result
        repeats: by default `budget_trials`, at most `tonno.frontends.REPEATED_CALLS`; 0 chooses
            by the trials alone
        mode: "tune", "cached" or "off"; by default $TONNO_MODE, else "tune". "cached" and "off"
            return the default and call nothing, because there is no cache; "cached" warns by a
            `tonno.UntunedWarning`, once for each function and space
        n_jobs: number of calls of `function` at once, in threads; -1: one for each processor.
            Callables run one after another
            all the same; a function that returns seconds is refused, since its calls would
            disturb each other
        journal: a file that keeps each trial. A search of the same function (by its name, code,
            defaults, and plain values of enclosing functions, not by what else it reads), space,
            start, objective, strategy and seed on the same machine continues what the file has:
            after Ctrl-C, a kill, or with a larger budget.
            The default, finalists and failed configurations are tried again
        progress: by default, a status line on a terminal and in a notebook; True also prints a
            line for each trial to stderr elsewhere; False prints nothing
        callbacks: each is called with a `tonno.ProgressReport` after each trial; `report.stop()`
            ends the search. An exception ends the call, without a result
        lock: "host" holds the lock of this machine's CPUs while the callable, or a function that
            returns seconds, runs: no other process that takes the lock times meanwhile; None
            locks nothing. Values are never locked

    The logger `tonno.minimize` reports each trial at level INFO.

    If the function or the callable raises an exception, the trial fails and the search continues:
    MemoryError becomes `out_of_memory`, TimeoutError `hang`, any other Exception `fault`. A time
    that is not positive and finite, and a value that is not finite, are also a `fault`.

    A KeyboardInterrupt ends the search, and is raised. Its attribute `result` is the Result so
    far, or None if no configuration succeeded; `trials` are the trials.

    Raises `Error` for an unknown mode or objective, for a budget that allows no trial, and for a
    journal that has another search or cannot be written;
    `AllFailed`, with the trials, if none succeeds; and TypeError if the function returns
    something else, or seconds for some configurations and callables for others.
    """
    if not isinstance(space, (SearchSpace, Mapping)):
        raise TypeError('space must be a dict of lists, such as {"BM": [32, 64]}, or a SearchSpace')
    if not isinstance(space, SearchSpace):
        space = SearchSpace(space)
    if fix:
        space = space.fix(fix)
    if n_jobs == -1:
        n_jobs = len(os.sched_getaffinity(0))
    check_natural("n_jobs", n_jobs)
    if n_jobs < 1:
        raise Error(f"n_jobs must be at least 1, or -1 for all processors, not {n_jobs}")
    if lock not in ("host", None):
        raise Error(f"lock must be 'host' or None, not {lock!r}")
    if repeats is None:
        repeats = min(budget_trials, frontends.REPEATED_CALLS)
    check_natural("repeats", repeats)
    in_force = mode_in_force(mode)
    name = _name(function)
    if not in_force.measures:
        return untuned("minimize", name, space, in_force)
    followed = Followed("minimize", progress, callbacks, budget_trials)
    candidates = _Candidates(function, objective, repeats, n_jobs, followed.show)
    return search(
        candidates,
        space,
        followed,
        journal=journal,
        subject={"name": name, "code": _identify(function)},
        proposer=proposer,
        batch=n_jobs,
        budget_trials=budget_trials,
        budget_seconds=budget_seconds,
        strategy=strategy,
        seed=seed,
        start=start,
        objective=objective,
        lock=None if lock is None or objective == "value" else candidates.lock(),
    )


def _name(function: Any) -> str:
    """Returns a name for reports and warnings."""
    while isinstance(function, functools.partial):
        function = function.func
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"


def _identify(function: Any) -> str:
    """Returns what a journal knows a function by, the same in each process: its code, defaults,
    and plain values that it was made with."""
    if isinstance(function, functools.partial):
        keywords = sorted(function.keywords.items())
        made_with = _print_value((function.args, tuple(keywords)))
        return f"{_identify(function.func)} of {made_with}"
    plain = getattr(function, "__func__", function)
    if not hasattr(plain, "__code__"):
        plain = type(function).__call__
    if not hasattr(plain, "__code__"):
        return ""
    named = tuple(sorted((plain.__kwdefaults__ or {}).items()))
    parts = [_print_value((plain.__defaults__, named)), *_print_cells(plain)]
    code = _print_value(plain.__code__)
    return hashlib.sha256("\n".join([code, *parts]).encode()).hexdigest()


def _print_cells(function: types.FunctionType) -> list[str]:
    """Returns the values of variables of enclosing functions that this one does not set."""
    code = function.__code__
    is_set = {each.argval for each in dis.get_instructions(code) if each.opname == "STORE_DEREF"}
    printed = []
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # an empty cell
            if name not in is_set:
                printed.append(f"{name}: {_print_value(cell.cell_contents)}")
    return printed


def _print_value(value: Any) -> str:
    """Returns a plain value as text, and of another one its type, since its text may have an
    address or change as it is used."""
    if isinstance(value, types.CodeType):
        constants = [_print_value(each) for each in value.co_consts]
        return repr((value.co_code, value.co_names, value.co_varnames, constants))
    if isinstance(value, tuple):
        return f"({', '.join(map(_print_value, value))})"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(_print_value, value)))}}}"
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return repr(value)
    return type(value).__qualname__


class _Candidates:
    """Numbers or callables that the function returned for configurations."""

    def __init__(
        self,
        function: Callable[[Configuration], float | Callable[[], float | None]],
        objective: str,
        repeats: int,
        n_jobs: int,
        show: Callable[[str], None],
    ) -> None:
        """`show` is called with the description of work that is not a trial."""
        self._show = show
        self._function = function
        self._objective = objective
        self._repeats = repeats
        self._n_jobs = n_jobs
        self._built: dict[str, float | Callable[[], float | None]] = {}
        self._are_numbers: bool | None = None

    def build(self, configs: list[Configuration]) -> list[CandidateFailed | None]:
        if self._n_jobs == 1:
            return [self._failure(config) for config in configs]
        with concurrent.futures.ThreadPoolExecutor(self._n_jobs) as threads:
            return list(threads.map(self._failure, configs))

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
        if self._n_jobs > 1 and self._objective == "time":
            raise TypeError(
                "a function that returns seconds cannot run n_jobs times at once, since its calls "
                "would disturb each other; return a callable, or use n_jobs=1"
            )
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

    def describe(self, config: Configuration) -> str:
        """As of `frontends.Resumable`; so is the next method."""
        return ""

    def resume(self, trials: list[frontends.ResumedTrial]) -> None: ...

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
