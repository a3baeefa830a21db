# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno's loop for candidates that Python builds and times.

A frontend is a builder and a sampler: it builds configurations, runs them, and says
how they are timed. `tune` does the rest, as `tonno-tune` does it for MLIR: the
default, the search, finals, the test, the verdict. `tonno.minimize` and
`tonno.autotune` are frontends.
"""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from tonno import _core, protocol
from tonno.errors import Error, check_natural
from tonno.printable import printable
from tonno.space import SearchSpace
from tonno.statistics import Interval
from tonno.trials import Configuration, Trial

__all__ = [
    "FINALISTS",
    "PRUNE_FACTOR",
    "CandidateFailed",
    "Frontend",
    "Journal",
    "Lock",
    "Outcome",
    "Policy",
    "Releasing",
    "Resumable",
    "ResumedTrial",
    "TrialSampler",
    "host",
    "median",
    "paired",
    "repeated",
    "tune",
]


class CandidateFailed(Error):
    """A configuration failed, and the search goes on."""

    def __init__(self, status: str, message: str) -> None:
        """`status`: one of `tonno.statuses()` but `ok` and `pruned`; `message`: why, in
        words for the user. Raises `Error` for another status."""
        allowed = [name for name in _core.statuses() if name not in ("ok", "pruned")]
        if status not in allowed:
            raise Error(f"{status!r} is no failure; a failure is {', '.join(allowed)}")
        super().__init__(message)
        self.status = status
        self.message = message

    def __reduce__(self) -> tuple[type[CandidateFailed], tuple[str, str]]:
        return type(self), (self.status, self.message)


class TrialSampler(protocol.Sampler, Protocol):
    """Launches the baseline, entrant 0, and candidates. A method that raises
    CandidateFailed ends what is measured; anything else ends `tune`."""

    def launch_first(self) -> float:
        """Seconds of entrant 1's first launch, whose outputs are verified. Called at the
        start of a trial, not in finals and test."""

    def verify_last(self) -> None:
        """Verifies the outputs of entrant 1's last launch. Keep them by entrant: the
        baseline may have been launched after it."""


class Policy(NamedTuple):
    """How candidates are timed and one is chosen."""

    name: str
    """`paired`: beside the baseline, by finals and a test; `median`: each by itself,
    and the least median is chosen; `repeated`: by one sample, and the best again."""
    options: dict[str, Any]
    """Of `paired`, changes to `tonno.protocol.OPTIONS`."""


def paired(**options: Any) -> Policy:
    """Beside the default, by finals and a test; `options` change `tonno.protocol.OPTIONS`."""
    return Policy("paired", options)


PRUNE_FACTOR: float = _core.PRUNE_FACTOR
"""Default of `median`."""
FINALISTS: int = _core.FINALISTS
"""Configurations that play finals under `tonno.autotune(protocol="median")`, at most."""


def median(
    samples: int,
    warmup: int,
    short_warmup: int = 0,
    prune_factor: float = PRUNE_FACTOR,
    finalists: int = 0,
) -> Policy:
    """`samples` count; `warmup` don't, and `short_warmup` more if they take under 5 ms.

    A configuration that takes `prune_factor` times as long as the best so far is
    `pruned` after its first run, or its second if that takes under 50 ms; none that
    takes under 5 ms is.

    With `finalists`, finals decide among at most this many if medians overlap: the best
    one and those that have run faster than the upper end of its median's interval. They
    run in turn for at most as long as the trials ran, and the fastest quarter of their
    samples ranks them. The trials keep their medians.
    """
    options = {
        "samples": samples,
        "warmup": warmup,
        "short_warmup": short_warmup,
        "prune_factor": prune_factor,
        "finalists": finalists,
    }
    return Policy("median", options)


REPEATED_CALLS: int = _core.REPEATED_CALLS
"""Default of `repeated`."""


def repeated(calls: int = REPEATED_CALLS) -> Policy:
    """Returns the policy for candidates that measure themselves: `launch_first` is a trial.
    Then the best are sampled again, at most `calls` times in all: half of the samples choose
    one, the others estimate it. If the first two samples give the same bits as the trials, they end it."""
    return Policy("repeated", {"calls": calls})


class Lock(NamedTuple):
    """The lock of a device, as the tools take it: no other process that takes it times
    there, and threads of this process take turns."""

    device: tuple[str, str]
    """Kind and UUID; see `host`."""
    waiting: Callable[[str], None]
    """Called once for each wait, with who has had the device for `told_seconds`."""
    covers_building: Callable[[], bool] = lambda: False
    """Returns True if `build` may time candidates, too."""
    told_seconds: float = _core.TOLD_SECONDS
    thread_seconds: float = _core.THREAD_SECONDS
    """Limits the wait for another thread of this process, since what that thread times
    may need something timed itself. Then `tune` goes on, and warns."""


def host() -> tuple[str, str]:
    """Returns the device that this machine's CPUs are."""
    return _core.host_identity()


def tell_of_waiting(subject: str, holder: str) -> None:
    """Prints to stderr that a lock is waited for; `subject`, such as "scale: ", comes
    first."""
    text = f"tonno: {subject}waiting for {holder}, which times here; if that hangs, end it"
    with contextlib.suppress(OSError, ValueError):  # A closed one is nobody's to read.
        print(printable(text), file=sys.stderr)


class Frontend(Protocol):
    """Builds and runs the configurations of a space."""

    def build(self, configs: list[Configuration]) -> Sequence[str | CandidateFailed | None]:
        """Builds several. Returns for each why it failed, the text of its program, or
        None if its program equals no other.

        Of those with the same text the first one that was built is run, once for all.
        """

    def policy(self) -> Policy:
        """How those that were built are timed; the same for all."""

    def sampler(
        self, entrants: list[Configuration]
    ) -> contextlib.AbstractContextManager[TrialSampler]:
        """Of configurations that were built. Until its exit, they have the device."""

    def is_stopped(self) -> bool:
        """Whether the search is to end; looked at between trials."""


class Releasing(Frontend, Protocol):
    """A frontend that frees what it built. Others keep all until the end."""

    def release(self, config: Configuration) -> None:
        """Frees what was built of a configuration, which is sampled no more. Called under
        `median` with `finalists`, once others have displaced it from the finals."""


class ResumedTrial(NamedTuple):
    """A trial of a session that was cut short."""

    config: Configuration
    status: str
    details: str
    """The text that `Resumable.describe` returned then."""
    seconds: float
    """Seconds of the session when the trial ended."""


class Resumable(Frontend, Protocol):
    """A frontend whose trials are kept in a journal."""

    def describe(self, config: Configuration) -> str:
        """Returns what the journal keeps of a trial that has ended, beside its time."""

    def resume(self, trials: list[ResumedTrial]) -> None:
        """Takes the trials of a session that was cut short, before the first trial.

        Of those that are `ok` or `pruned`, the ones that are proposed again are not
        built or run. Under `median` the baseline is, and a winner among them is timed
        again, since times of two processes are not comparable.
        """


class Journal(NamedTuple):
    """A session in a file, which is begun there or resumed."""

    file: str
    session: str
    """A hash of all that its trials depend on."""
    about: dict[str, Any]
    """For readers of the file, such as `tonno.read_journal`."""


class Outcome(NamedTuple):
    """What `tune` found."""

    trials: list[Trial]
    """In order; the first is the default's."""
    chosen: int | None
    """Index of the trial that was chosen; None if no configuration was ok."""
    comparison: protocol.Comparison | None
    """With the default. Its verdict is `faster` or `tie`; `no-baseline` if no test was
    made, since the default failed or the policy has none; `interrupted` if it was
    stopped. None if nothing was chosen."""
    estimate: float | None
    """Seconds, or the value, of the chosen configuration: by the test, by samples that
    were taken again, or else by its trial. None if nothing was chosen."""
    ended: str | None
    """Why the search ended: `budget`, `converged`, `done` if nothing else was left to
    try, `cut_short` by the device, or `interrupted`. None if nothing was chosen."""
    warnings: list[str]
    error: str
    """Why nothing was chosen."""


def tune(
    frontend: Frontend,
    space: SearchSpace,
    *,
    budget_trials: int = 60,
    budget_seconds: float = math.inf,
    strategy: str = "ensemble",
    seed: int = 0,
    start: Iterable[Mapping[str, Any]] = (),
    batch: int = 1,
    objective: str = "time",
    report: Callable[[Trial], None] | None = None,
    lock: Lock | None = None,
    journal: Journal | None = None,
) -> Outcome:
    """Chooses a configuration of the space.

    The space's default is tried first, by itself, then `start`, then what `strategy`
    proposes, `batch` built at once. No trial but the first begins after `budget_trials`
    or `budget_seconds`. `report` is called with each trial that has ended.
    `lock` is held while a sampler is open, and the budget's seconds limit the wait for it.

    With the objective `value`, samples are finite numbers of any sign, the least is the
    best, and the policy is `repeated`. The rounds of a comparison under `repeated` are the
    samples behind the estimate.

    A KeyboardInterrupt ends the search as `is_stopped` does, and is raised then: its
    attribute `outcome` is the Outcome.

    With `journal` the frontend is `Resumable`. A journal that can't be written, or that
    another process writes, is a warning.

    Raises `Error` for a budget that allows no trial, and for a batch of none.
    """
    if budget_trials < 1:
        raise Error(f"a budget of {budget_trials} trials finds nothing; give at least 1")
    if not budget_seconds > 0:
        raise Error(f"a budget of {budget_seconds} seconds finds nothing; give more")
    check_natural("seed", seed)
    if batch < 1:
        raise Error(f"a batch of {batch} builds nothing; give at least 1")
    points = [dict(config) for config in start]
    reporter = None if report is None else lambda *fields: report(Trial(*fields))
    told, chosen, compared, ended, warnings, error, interrupt = _core.tune(
        space._native,
        frontend,
        strategy,
        seed,
        points,
        budget_trials,
        budget_seconds,
        batch,
        objective,
        reporter,
        lock,
        journal,
    )
    trials = [Trial(*fields) for fields in told]
    comparison = estimate = None
    if compared is not None:
        verdict, speedup, low, high, shown, rounds, estimate = compared
        comparison = protocol.Comparison(verdict, speedup, Interval(low, high), shown, rounds)
    outcome = Outcome(trials, chosen, comparison, estimate, ended, warnings, error)
    if interrupt is not None:
        interrupt.outcome = outcome
        raise interrupt
    return outcome
