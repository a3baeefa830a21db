# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tuning loop for candidates that Python builds and times.

A frontend builds configurations, runs them, and defines how they are timed. `tune` does the rest,
as `tonno-tune` does for MLIR: the default, the search, finals, the test, the verdict.
`tonno.minimize` and `tonno.autotune` are frontends.
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
    """A configuration failed; the search continues."""

    def __init__(self, status: str, message: str) -> None:
        """`status`: one of `tonno.statuses()` except `ok` and `pruned`. `message`: the reason,
        for users. Raises `Error` for another status."""
        allowed = [name for name in _core.statuses() if name not in ("ok", "pruned")]
        if status not in allowed:
            raise Error(
                f"{status!r} is not a failure status; the statuses are: {', '.join(allowed)}"
            )
        super().__init__(message)
        self.status = status
        self.message = message

    def __reduce__(self) -> tuple[type[CandidateFailed], tuple[str, str]]:
        return type(self), (self.status, self.message)


class TrialSampler(protocol.Sampler, Protocol):
    """Launches the baseline, which is entrant 0, and candidates. If a method raises
    CandidateFailed, the measurement ends; any other exception ends `tune`."""

    def launch_first(self) -> float:
        """Returns the seconds of entrant 1's first launch, whose outputs are verified. Called at
        the start of a trial, not in finals and test."""

    def verify_last(self) -> None:
        """Verifies the outputs of entrant 1's last launch. Keep outputs by entrant: the baseline
        may have been launched since."""


class Policy(NamedTuple):
    """Method of timing candidates and of choosing one."""

    name: str
    """`paired`: candidates are timed beside the baseline, with finals and a test. `median`: each
    candidate is timed by itself, and the least median wins. `repeated`: each candidate has one
    sample, and the best are sampled again."""
    options: dict[str, Any]
    """Changes by `paired` to `tonno.protocol.OPTIONS`."""


def paired(**options: Any) -> Policy:
    """Returns the policy of timing beside the default, with finals and a test; `options` change
    `tonno.protocol.OPTIONS`."""
    return Policy("paired", options)


PRUNE_FACTOR: float = _core.PRUNE_FACTOR
"""Default `prune_factor` of `median`."""
FINALISTS: int = _core.FINALISTS
"""Maximum number of finalists under `tonno.autotune(protocol="median")`."""


def median(
    samples: int,
    warmup: int,
    short_warmup: int = 0,
    prune_factor: float = PRUNE_FACTOR,
    finalists: int = 0,
) -> Policy:
    """Returns the policy of timing each candidate by itself.

        samples: number of launches that count
        warmup: number of launches before them, which do not count
        short_warmup: number of additional ones, for launches under 5 ms
        prune_factor: a configuration that takes this many times as long as the best so far is
            `pruned` after its first run, or after its second if the first takes under 50 ms;
            none under 5 ms is pruned
        finalists: if medians overlap, maximum number of configurations in finals: the best one
            and those with a run faster than the upper end of its median's interval

    Finalists run in turn, for at most as long as the trials ran. The fastest quarter of their
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

    Afterwards the best are sampled again, at most `calls` times in total. Half of these samples
    choose one candidate, the others estimate its time. If the first two samples equal those of
    the trials bit for bit, sampling ends.
    """
    return Policy("repeated", {"calls": calls})


class Lock(NamedTuple):
    """The lock of a device, as the tools take it. No other process that takes the lock times on
    the device, and threads of this process take turns."""

    device: tuple[str, str]
    """Kind and UUID; see `host`."""
    waiting: Callable[[str], None]
    """Called once for each wait, with the process that has held the device for `told_seconds`."""
    covers_building: Callable[[], bool] = lambda: False
    """Returns True if `build` may time candidates, too."""
    told_seconds: float = _core.TOLD_SECONDS
    thread_seconds: float = _core.THREAD_SECONDS
    """Time limit, in seconds, of the wait for another thread of this process; that thread may
    itself wait for a measurement. `tune` then continues with a warning."""


def host() -> tuple[str, str]:
    """Returns kind and UUID of the device that stands for this machine's CPUs."""
    return _core.host_identity()


def report_waiting(subject: str, holder: str) -> None:
    """Reports on stderr that a lock is waited for; the text starts with `subject`, such as
    "scale: "."""
    text = f"tonno: {subject}waiting for {holder}, which times on the device; if it hangs, end it"
    with contextlib.suppress(OSError, ValueError):  # A closed stderr has no reader.
        print(printable(text), file=sys.stderr)


class Frontend(Protocol):
    """Builds and runs the configurations of a space."""

    def build(self, configs: list[Configuration]) -> Sequence[str | CandidateFailed | None]:
        """Builds several configurations. Returns for each one the failure, the text of its
        program, or None if its program equals no other.

        Among configurations with the same text, the first one that was built is run for all.
        """

    def policy(self) -> Policy:
        """Returns how the built configurations are timed; the same for all."""

    def sampler(
        self, entrants: list[Configuration]
    ) -> contextlib.AbstractContextManager[TrialSampler]:
        """Returns a sampler of built configurations, which have the device until the context
        exits."""

    def is_stopped(self) -> bool:
        """Returns True if the search must end; checked between trials."""


class Releasing(Frontend, Protocol):
    """A frontend that frees built configurations. Other frontends keep all of them until the end.
    """

    def release(self, config: Configuration) -> None:
        """Frees a built configuration, which is not sampled again. Called under `median` with
        `finalists`, once other configurations have displaced this one from the finals."""


class ResumedTrial(NamedTuple):
    """A trial of an interrupted session."""

    config: Configuration
    status: str
    details: str
    """Text that `Resumable.describe` returned for the trial."""
    seconds: float
    """Seconds from the start of the session to the end of the trial."""


class Resumable(Frontend, Protocol):
    """A frontend whose trials are kept in a journal."""

    def describe(self, config: Configuration) -> str:
        """Returns the text that the journal keeps of an ended trial, in addition to its time."""

    def resume(self, trials: list[ResumedTrial]) -> None:
        """Receives the trials of an interrupted session, before the first trial.

        If a trial is `ok` or `pruned`, and its configuration is proposed again, that
        configuration is not built or run. Under `median`, the baseline still is, and a winner
        among these trials is timed again, because times of two processes are not comparable.
        """


class Journal(NamedTuple):
    """A session in a file, which is started there or resumed."""

    file: str
    session: str
    """Hash of everything that the trials depend on."""
    about: dict[str, Any]
    """Description for readers of the file, such as `tonno.read_journal`."""
    is_required: bool = False
    """True: a journal that cannot be written is an `Error`, and not a warning."""


class Outcome(NamedTuple):
    """Result of `tune`."""

    trials: list[Trial]
    """Trials in order; the first is the default's."""
    chosen: int | None
    """Index of the chosen trial; None if no configuration was ok."""
    comparison: protocol.Comparison | None
    """Comparison with the default. Its verdict is `faster` or `tie`; `no-baseline` if no test was
    made, because the default failed or the policy has no test; `interrupted` if the search was
    stopped. None if nothing was chosen."""
    estimate: float | None
    """Seconds, or the value, of the chosen configuration: from the test, else from the repeated
    samples, else from its trial. None if nothing was chosen."""
    ended: str | None
    """Reason why the search ended: `budget`, `converged`, `done` if no configurations were left,
    `stopped` by `report`, `cut_short` by the device, or `interrupted`. None if nothing was chosen."""
    warnings: list[str]
    error: str
    """Reason why nothing was chosen."""


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
    report: Callable[[Trial], object] | None = None,
    lock: Lock | None = None,
    journal: Journal | None = None,
    proposer: Callable[[list[tuple[Any, ...]]], list[Configuration]] | None = None,
) -> Outcome:
    """Chooses a configuration of the space.

    Tries the space's default first, by itself, then `start`, then the proposals of `strategy`;
    builds `batch` configurations at once. Except for the first one, no trial begins after
    `budget_trials` or `budget_seconds`. Calls `report` with each ended trial; if the answer is
    True, no other begins, and finals and the test follow. Holds `lock` while
    a sampler is open; the remaining `budget_seconds` limit the wait for it.

    With the objective `value`, samples are finite numbers of any sign, the least is the best, and
    the policy is `repeated`. The rounds of a comparison under `repeated` are the samples behind
    the estimate.

    A KeyboardInterrupt ends the search as `is_stopped` does, and is raised at the end: its
    attribute `outcome` is the Outcome.

    With `journal`, the frontend must be `Resumable`. A journal that can't be written, or that
    another process writes, is a warning, unless it is required.

    `proposer` is called with the fields of all trials, and returns legal configurations; a part of
    the proposals are these, as of `tonno.Search`.

    Raises `Error` for a budget that allows no trial, and for a batch of 0.
    """
    if budget_trials < 1:
        raise Error(f"budget_trials must be at least 1, not {budget_trials}")
    if not budget_seconds > 0:
        raise Error(f"budget_seconds must be more than 0, not {budget_seconds}")
    check_natural("seed", seed)
    if batch < 1:
        raise Error(f"batch must be at least 1, not {batch}")
    points = [dict(config) for config in start]
    reporter = None if report is None else lambda *fields: report(Trial(*fields)) is True
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
        proposer,
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
