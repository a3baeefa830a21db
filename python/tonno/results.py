# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searches of one call, with their progress and their result."""

from __future__ import annotations

import collections
import dataclasses
import hashlib
import logging
import math
import os
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tonno import _core, frontends
from tonno.errors import AllFailed, Error
from tonno.modes import Mode, UntunedWarning
from tonno.printable import printable
from tonno.proposals import Proposals, Proposer
from tonno.progress import Progress, ProgressReport
from tonno.space import SearchSpace
from tonno.statistics import Interval
from tonno.trials import Configuration, Trial, tabulate

if TYPE_CHECKING:
    from tonno.report import Report


@dataclasses.dataclass(frozen=True)
class Result:
    """Result of `tonno.minimize` and of `tonno.command.tune`."""

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
    name: str = ""
    """Function in `tonno` that searched."""
    subject: str = ""
    """Function or program that was tuned."""
    space: SearchSpace | None = None
    strategy: str = ""
    seed: int | None = None

    @property
    def config(self) -> Configuration:
        return self.best.config

    @property
    def seconds(self) -> float:
        """Seconds of the best. NaN if the verdict is `untuned`. Raises `Error` if values are
        ranked."""
        if self.verdict == UNTUNED:
            return math.nan
        if self.best.seconds is None:
            raise Error("the result has values and no seconds, since objective is 'value'")
        return self.best.seconds

    @property
    def value(self) -> float:
        """Value of the best. NaN if the verdict is `untuned`. Raises `Error` if times are ranked.
        """
        if self.verdict == UNTUNED:
            return math.nan
        if self.best.value is None:
            raise Error("the result has seconds and no values, since objective is 'time'")
        return self.best.value

    def to_dataframe(self) -> Any:
        """Returns the trials as a pandas.DataFrame: a row for each, with a column for each knob.
        Raises ImportError without pandas."""
        return tabulate(self.trials, () if self.space is None else self.space.knobs)

    def report(self) -> Report:
        """Returns the report, which notebooks show: best so far, effects of knobs, failures.
        Raises `Error` if values are ranked, or nothing was measured."""
        from tonno.report import Report

        return Report(self)

    def __repr__(self) -> str:
        if self.verdict == UNTUNED:
            return f"Result({self.verdict}, {self.config}; {self.best.message})"
        ok = sum(trial.ok for trial in self.trials)
        text = f"{_shown(self.best)} with {self.config}; {len(self.trials)} trials, {ok} ok"
        if self.interval is not None:
            low, high = self.interval
            text += f"; {self.verdict}, {self.speedup:.4g}x [{low:.4g}, {high:.4g}]"
        return f"Result({text})"


def _shown(trial: Trial) -> str:
    return f"{trial.seconds:.4g} s" if trial.value is None else f"value {trial.value:.6g}"


def search(
    frontend: frontends.Resumable,
    space: SearchSpace,
    followed: Followed,
    *,
    journal: str | os.PathLike[str] | None,
    subject: Mapping[str, Any],
    start: Iterable[Mapping[str, Any]],
    proposer: Proposer | None,
    **how: Any,
) -> Result:
    """Searches by `frontends.tune`, to which `how` goes.

        journal: a file that keeps the trials; with trials of the same search, which it continues
        subject: what the trials depend on, in addition to the space and the search, as JSON

    Raises `AllFailed`, with the trials, if no configuration succeeds; and `Error` for a journal
    of another search. A KeyboardInterrupt gets the `result` so far and the `trials` as
    attributes.
    """
    if isinstance(start, Mapping):
        raise TypeError("start must be a list of configurations, not one")
    start = [dict(config) for config in start]
    proposals = None if proposer is None else Proposals(proposer, space, followed.warnings)
    subject_name = str(subject.get("name", followed.name))
    about = _About(followed.name, subject_name, space, how["strategy"], how["seed"])
    kept = None
    if journal is not None:
        parts = {"name": followed.name, "subject": subject, "start": start}
        parts |= {part: how[part] for part in ("strategy", "seed", "objective") if part in how}
        parts["space"] = space.__getstate__()
        if how.get("objective") != "value":
            parts["host"] = frontends.host()  # times of another machine are no times of this one
        # Trials are replayed as they are proposed again.
        course = {"batch": how.get("batch", 1), "has_proposer": proposer is not None}
        kept, tried = _open_journal(os.fspath(journal), parts, {"kernel": about.subject} | course)
        start += tried
    try:
        found = frontends.tune(
            frontend,
            space,
            report=followed.report,
            start=start,
            proposer=proposals,
            journal=kept,
            **how,
        )
    except KeyboardInterrupt as interrupt:
        if hasattr(interrupt, "outcome"):
            _attach(interrupt, interrupt.outcome, frontend.policy(), about)
        raise
    finally:
        followed.close()
    found.warnings.extend(followed.warnings + ([] if proposals is None else proposals.warnings))
    if found.chosen is None:
        # A candidate that failed after its trial is not among the failures.
        reason = found.error if any(t.ok for t in found.trials) else _describe(found.trials)
        raise AllFailed(reason, found.trials)
    return _result(found, found.chosen, frontend.policy(), about)


def _open_journal(
    file: str, parts: Mapping[str, Any], about: dict[str, Any]
) -> tuple[frontends.Journal, list[Configuration]]:
    """Returns the journal of a search with these parts, and the configurations that it has to
    propose to continue: those of the journal if other ones would be proposed, since a proposer
    makes some of the proposals, or since another number is built at once.

    Raises `Error` if the file has another search.
    """
    session = hashlib.sha256(repr(sorted(parts.items())).encode()).hexdigest()
    journal = frontends.Journal(file, session, about, is_required=True)
    if not os.path.exists(file) or not os.path.getsize(file):
        return journal, []
    sessions = _core.read_sessions(file)["sessions"]
    if session not in sessions:
        raise Error(
            f"the journal '{file}' is not of this search: the function or commands, the machine, "
            "the space, start, objective, strategy or seed differ; name another file, or delete "
            "this one"
        )
    past = sessions[session]
    course = ("batch", "has_proposer")
    if not about["has_proposer"] and all(past["about"].get(c) == about[c] for c in course):
        return journal, []
    records = [trial["record"] for trial in past["trials"]]
    return journal, [r["values"] for r in records if r["status"] in ("ok", "pruned")]


UNTUNED = "untuned"
_warned: set[tuple[str, str]] = set()
"""Subjects and spaces that a warning has reported."""


def untuned(name: str, subject: str, space: SearchSpace, mode: Mode) -> Result:
    """Returns the space's default. Warns in mode `cached`, once for each subject and space.

        name: of the function in `tonno` that measures nothing in this mode
    """
    problem = subject, repr((space.knobs, space.constraints))
    if not mode.is_off and problem not in _warned:
        _warned.add(problem)
        text = (
            f"{name} returns the default, {space.default}, since {mode.description} measures "
            f"nothing and {name} has no cache: store its result, or call it in mode tune"
        )
        warnings.warn(printable(text), UntunedWarning, stacklevel=3)
    return Result(Trial(space.default, "ok", None, mode.description), [], UNTUNED)


class _About(NamedTuple):
    """Fields of a Result that are known before the search."""

    name: str
    subject: str
    space: SearchSpace
    strategy: str
    seed: int


def _result(
    found: frontends.Outcome, chosen: int, policy: frontends.Policy, about: _About
) -> Result:
    trial, compared = found.trials[chosen], found.comparison
    assert found.ended is not None and compared is not None
    if trial.value is None:
        best = dataclasses.replace(trial, seconds=found.estimate)
    else:
        best = dataclasses.replace(trial, value=found.estimate)
    result = Result(
        best, found.trials, warnings=found.warnings, ended=found.ended, **about._asdict()
    )
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
    interrupt: KeyboardInterrupt,
    found: frontends.Outcome,
    policy: frontends.Policy,
    about: _About,
) -> None:
    """Adds the trials and the result to the exception, and a note to its traceback."""
    result = None if found.chosen is None else _result(found, found.chosen, policy, about)
    vars(interrupt).update(trials=found.trials, result=result)
    ok = sum(trial.ok for trial in found.trials)
    note = f"tonno.{about.name} was interrupted after {len(found.trials)} trials, {ok} ok"
    if result is not None:
        note += f"; the exception's `result` is {result!r}"
    interrupt.add_note(note)


class Followed:
    """Reports trials to the user's callbacks, to the progress line and to the log."""

    def __init__(
        self,
        name: str,
        progress: bool | None,
        callbacks: Iterable[Callable[[ProgressReport], object]],
        budget_trials: int,
    ) -> None:
        """`name`: of the function in `tonno` that searches."""
        if not (progress is None or isinstance(progress, bool)):
            raise TypeError("progress must be True, False or None; callables go to callbacks")
        if callable(callbacks):
            raise TypeError("callbacks must be a list of callables, not one")
        self.name = name
        self.warnings: list[str] = []
        """Warnings of the search."""
        self._callbacks = list(callbacks)
        self._progress = Progress(name, lines=bool(progress)) if progress is not False else None
        self._budget = budget_trials
        self._begin = time.perf_counter()
        self._trials = self._ok = 0
        self._best: Trial | None = None
        self._is_stopped = False

    def report(self, trial: Trial) -> bool:
        """Reports a trial. Returns True if a callback has stopped the search."""
        self._trials += 1
        self._ok += trial.ok
        if trial.ok and (self._best is None or _number(trial) < _number(self._best)):
            self._best = trial
        found = _shown(trial) if trial.ok else f"{trial.status}: {trial.message}"
        logging.getLogger(f"tonno.{self.name}").info("%s: %s", trial.config, found)
        text = f"trial {self._trials} of {self._budget}: {found} with {trial.config}"
        if self._best is not None and self._best is not trial:
            text += f"; best {_shown(self._best)}"
        self.show(text)
        told = ProgressReport(trial, self._trials, self._budget, self._best, self._stop)
        for call in self._callbacks:
            call(told)
        return self._is_stopped

    def _stop(self) -> None:
        self._is_stopped = True

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


def _describe(trials: list[Trial]) -> str:
    counts = collections.Counter(trial.status for trial in trials)
    lines = [f"none of {len(trials)} configurations succeeded"]
    for status, count in counts.most_common():
        first = next(trial for trial in trials if trial.status == status)
        lines.append(f"  {count} {status}, the first: {first.message} ({first.config})")
    return "\n".join(lines)
