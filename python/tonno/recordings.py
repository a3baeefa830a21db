# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recorded tuning spaces, and searches replayed on them."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

from tonno import _core
from tonno.errors import Error, check_natural
from tonno.printable import printable
from tonno.space import SearchSpace
from tonno.trials import Configuration


class RecordedTrial(NamedTuple):
    """A configuration with its recorded outcome."""

    config: Configuration
    status: str
    seconds: float | None
    """Seconds of the kernel, if it is ok."""
    compile_seconds: float
    run_seconds: float
    """Seconds that verifying and measuring took; of all work if only the sum is known."""
    other_seconds: float
    """Seconds that the tuner itself took."""


class Recording:
    """A recorded space. Its measured points, which may be all or some, are the legal ones.

    Immutable; threads may share it.
    """

    def __init__(self, native: _core.RecordedSpace) -> None:
        """Not for users: `read_recordings` creates recordings."""
        self._native = native

    @property
    def name(self) -> str:
        """Name of the file, or of a journal's kernel and device."""
        return self._native.name()

    @functools.cached_property
    def space(self) -> SearchSpace:
        """Search space of the knobs, with the recorded points as the legal ones."""
        return SearchSpace._wrap(self._native.space())

    @functools.cached_property
    def trials(self) -> tuple[RecordedTrial, ...]:
        """Trials in the recorded order, without duplicate configurations."""
        return tuple(RecordedTrial(*fields) for fields in self._native.trials())

    def find(self, config: Mapping[str, Any]) -> RecordedTrial | None:
        """Returns the trial of this configuration. Raises `Error` for a configuration of other
        knobs."""
        index = self._native.find(config)
        return None if index is None else self.trials[index]

    def best(self, count: int, space: SearchSpace | None = None) -> list[Configuration]:
        """Returns the configurations with the least seconds, the best first, for the `start` of a
        search; of those that are legal in `space`, if one is given."""

        def is_legal(config: Configuration) -> bool:
            try:
                return space is None or space.is_legal(config)
            except Error:  # other knobs
                return False

        timed = [trial for trial in self.trials if trial.seconds is not None]
        ranked = sorted(timed, key=lambda trial: trial.seconds or 0.0)
        return [dict(trial.config) for trial in ranked if is_legal(trial.config)][:count]

    @property
    def best_seconds(self) -> float:
        return self._native.best_seconds()

    @property
    def ok_count(self) -> int:
        """Number of trials that are ok, at least one."""
        return self._native.ok_count()

    @property
    def excluded(self) -> int:
        """Number of entries that violate constraints known without measuring; these are no
        trials."""
        return self._native.excluded()

    @property
    def disturbed(self) -> int:
        """Number of entries whose failure had other causes than their configuration; these are no
        trials."""
        return self._native.disturbed()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the recording, for example that its file may be incomplete."""
        return tuple(self._native.notes())

    def __len__(self) -> int:
        return self._native.size()

    def __repr__(self) -> str:
        return (
            f"Recording({self.name}: {len(self)} trials, {self.ok_count} ok, "
            f"best {self.best_seconds:.4g} s)"
        )


class ReplayStep(NamedTuple):
    """A trial of a replay, with the state after it."""

    trial: int
    """Index in `Recording.trials`."""
    best: float
    """Recorded seconds of the best trial so far; infinite until one is ok."""
    spent: float
    """Sum of the recorded seconds that all trials so far took, failed ones included."""


@dataclasses.dataclass(frozen=True)
class ReplayRun:
    """A search on recorded times."""

    recording: Recording
    steps: tuple[ReplayStep, ...]
    proposing_seconds: float
    """Seconds that the strategy took on this machine."""
    has_ended: bool
    """True if the strategy had no more proposals before the budget was spent."""

    def fraction(self, trials: int) -> float:
        """Returns the recorded optimum divided by the best after `trials` trials, 0 to 1."""
        if trials < 1 or not self.steps:
            return 0.0
        return self.recording.best_seconds / self.steps[:trials][-1].best

    def trials_within(self, share: float) -> int | None:
        """Returns the number of trials until the best was within `share`, such as 0.05, of the
        optimum; None if it never was."""
        goal = self.recording.best_seconds * (1 + share)
        reached = (i for i, step in enumerate(self.steps, 1) if step.best <= goal)
        return next(reached, None)

    def __repr__(self) -> str:
        fraction = self.fraction(len(self.steps))
        return (
            f"ReplayRun({self.recording.name}: {len(self.steps)} trials, "
            f"{fraction:.3f} of the optimum)"
        )


def read_recordings(path: str | os.PathLike[str]) -> list[Recording]:
    """Reads a file of recorded spaces; the content determines the format.

    Formats: cache files of Kernel Tuner, T4 files and CSV, each optionally compressed with gzip,
        and tonno's journals, which may have several sessions. Raises `Error`, with file and line,
        for a file that is damaged, contradicts itself or has no valid entry; OSError for a file
        that can't be read. Warns of a recording's `notes`.
    """
    with open(path, "rb"):  # raises Python's own error
        recordings = [Recording(native) for native in _core.read_recordings(os.fspath(path))]
    for recording in recordings:
        for note in recording.notes:
            warnings.warn(printable(f"{recording.name}: {note}"), stacklevel=2)
    return recordings


def replay(
    recording: Recording,
    strategy: str = "ensemble",
    seed: int = 0,
    trials: int = 400,
    *,
    seconds: float = math.inf,
    pending: int = 1,
    noise: float = 0.0,
) -> ReplayRun:
    """Runs a strategy on recorded times, without measuring.

        seed: 0 to 2^64 - 1
        trials: maximum number of trials
        seconds: recorded seconds after which no trial begins
        pending: number of candidates that are proposed before the oldest is reported
        noise: relative error of the times that the strategy observes, such as 0.03

    The same arguments give the same steps on every machine, and the steps of `tonno-tune replay`
    with that seed. Raises `Error` for an unknown strategy, for budgets of nothing, and for
    invalid counts and seeds.
    """
    for name, count in (("seed", seed), ("trials", trials), ("pending", pending)):
        check_natural(name, count)
    steps, proposing, ended = recording._native.replay(
        strategy, seed, trials, seconds, pending, noise
    )
    return ReplayRun(recording, tuple(ReplayStep(*s) for s in steps), proposing, ended)
