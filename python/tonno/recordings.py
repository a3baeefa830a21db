# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning spaces that somebody measured, and searches replayed on them."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

from tonno import _core
from tonno.errors import check_natural
from tonno.printable import printable
from tonno.space import SearchSpace
from tonno.trials import Configuration


class RecordedTrial(NamedTuple):
    """A configuration with what became of it when somebody measured it."""

    config: Configuration
    status: str
    seconds: float | None
    """Of the kernel, where it is ok."""
    compile_seconds: float
    run_seconds: float
    """That verifying and measuring took; all there is, where only the sum is known."""
    other_seconds: float
    """Of the tuner itself."""


class Recording:
    """A space of which points were measured, all or some: its legal ones.

    Immutable; threads may share it.
    """

    def __init__(self, native: _core.RecordedSpace) -> None:
        """Is not for users: `read_recordings` gives them."""
        self._native = native

    @property
    def name(self) -> str:
        """That of the file, or of a journal's kernel and device."""
        return self._native.name()

    @functools.cached_property
    def space(self) -> SearchSpace:
        """The knobs, and the recorded points as the legal ones."""
        return SearchSpace._wrap(self._native.space())

    @functools.cached_property
    def trials(self) -> tuple[RecordedTrial, ...]:
        """In the recorded order, no configuration twice."""
        return tuple(RecordedTrial(*fields) for fields in self._native.trials())

    def find(self, config: Mapping[str, Any]) -> RecordedTrial | None:
        """The trial of this configuration. Raises `Error` for one of other knobs."""
        index = self._native.find(config)
        return None if index is None else self.trials[index]

    @property
    def best_seconds(self) -> float:
        return self._native.best_seconds()

    @property
    def ok_count(self) -> int:
        """How many trials are ok; one at least."""
        return self._native.ok_count()

    @property
    def excluded(self) -> int:
        """Entries that broke constraints known without measuring: no trials."""
        return self._native.excluded()

    @property
    def disturbed(self) -> int:
        """Entries that told nothing of their configuration: no trials either."""
        return self._native.disturbed()

    @property
    def notes(self) -> tuple[str, ...]:
        """What one should know of it, such as that its file may have been cut off."""
        return tuple(self._native.notes())

    def __len__(self) -> int:
        return self._native.size()

    def __repr__(self) -> str:
        return (
            f"Recording({self.name}: {len(self)} trials, {self.ok_count} ok, "
            f"best {self.best_seconds:.4g} s)"
        )


class ReplayStep(NamedTuple):
    """A trial of a replay, with what is known after it."""

    trial: int
    """Its index in `Recording.trials`."""
    best: float
    """The best trial's recorded seconds so far; infinite while none was ok."""
    spent: float
    """Recorded seconds that all trials so far took, failed ones too."""


@dataclasses.dataclass(frozen=True)
class ReplayRun:
    """A search on recorded times."""

    recording: Recording
    steps: tuple[ReplayStep, ...]
    proposing_seconds: float
    """What the strategy took on this machine."""
    has_ended: bool
    """Whether it proposed no more before the budget was spent."""

    def fraction(self, trials: int) -> float:
        """The recorded optimum over the best after so many trials, 0 to 1."""
        if trials < 1 or not self.steps:
            return 0.0
        return self.recording.best_seconds / self.steps[:trials][-1].best

    def trials_within(self, share: float) -> int | None:
        """After how many trials the best was within this share (0.05) of the
        optimum; None: never."""
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
    """Reads a file of recorded spaces; its content says of which format.

    Those are cache files of Kernel Tuner, T4 files, CSV, each compressed with
    gzip or not, and tonno's journals, which may have several sessions. Raises
    `Error`, with file and line, for what is damaged, contradicts itself or has
    nothing valid, and OSError for a file that can't be read. Warns of what is
    among a recording's `notes`.
    """
    with open(path, "rb"):  # for Python's own error
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
    """Runs a strategy on recorded times; nothing is measured.

    At most so many `trials`, and so many recorded `seconds`, after which none
    begins. `pending`: candidates proposed before the oldest of them is told.
    `noise`: relative error of the times that the strategy sees, such as 0.03.
    `seed`: 0 to 2^64 - 1.
    The same arguments give the same steps, on every machine, and those of
    `tonno-tune replay` with that seed. Raises `Error` for an unknown strategy,
    for budgets of nothing, and for counts and seeds that are none.
    """
    for name, count in (("seed", seed), ("trials", trials), ("pending", pending)):
        check_natural(name, count)
    steps, proposing, ended = recording._native.replay(
        strategy, seed, trials, seconds, pending, noise
    )
    return ReplayRun(recording, tuple(ReplayStep(*s) for s in steps), proposing, ended)
