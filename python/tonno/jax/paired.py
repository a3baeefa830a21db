# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timing by tonno's own protocol (`tonno.protocol`)."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from tonno import protocol, statistics
from tonno.jax.candidates import Candidate, brief
from tonno.jax.runs import Bench
from tonno.jax.timing import Check

FINALS_SECONDS = 20.0
"""After which the finals, and then the test, end with what they know."""


@dataclasses.dataclass(eq=False)
class _Entry:
    candidate: Candidate
    measured: protocol.Measurement


class _Lost(Exception):
    """One of those in the finals failed."""


class _Runs:
    """The baseline, then candidates."""

    def __init__(self, bench: Bench, entrants: list[Candidate]) -> None:
        self._bench = bench
        self.entrants = entrants
        self.samples: list[float] = []
        """Seconds of the first candidate's."""
        self.outputs: Any = None
        """Of its last sample."""
        self.unmoved = ""
        """Why arguments could not be redrawn."""

    def sample(self, entrant: int) -> float:
        seconds, outputs = self._bench.run(self.entrants[entrant])
        if entrant == 1:
            self.samples.append(seconds)
            self.outputs = outputs
        return seconds

    def warm(self, entrant: int) -> float:
        return self._bench.run(self.entrants[entrant])[0]

    def redraw(self) -> None:
        try:
            self._bench.redraw()
        except Exception as error:
            self.unmoved = brief(error)


class _Finals(_Runs):
    """Raises _Lost where one fails, which is then out."""

    def sample(self, entrant: int) -> float:
        return self._checked(entrant, super().sample)

    def warm(self, entrant: int) -> float:
        return self._checked(entrant, super().warm)

    def _checked(self, entrant: int, run: Any) -> float:
        try:
            seconds: float = run(entrant)
        except Exception as error:
            self.entrants[entrant].fail_running(error)
            raise _Lost from error
        self.outputs = None
        return seconds


class PairedTiming:
    """The baseline is the first candidate that runs."""

    def __init__(self, bench: Bench, warmup: int, seed: int) -> None:
        self._bench = bench
        self._warmup = warmup
        self._seed = seed
        self._entries: list[_Entry] = []
        self._incumbent_high = math.inf

    def trial(self, candidate: Candidate, check: Check) -> float:
        first, outputs = self._bench.first_run(candidate)
        check(outputs)
        del outputs
        seconds = [first, *(self._bench.run(candidate)[0] for _ in range(self._warmup))]
        baseline = self._entries[0].candidate if self._entries else candidate
        runs = _Runs(self._bench, [baseline, candidate])
        measured = protocol.measure_paired(
            runs,
            self._incumbent_high,
            is_long=min(seconds) >= protocol.OPTIONS["long_launch_seconds"],
        )
        if measured.is_pruned:
            candidate.trial.status = "pruned"
            candidate.compiled = None
        else:
            check(runs.outputs)  # Memory that the first run found zeroed may be so no more.
            if protocol.takes_lead(measured, self._incumbent_high):
                self._incumbent_high = measured.interval.high
            self._entries.append(_Entry(candidate, measured))
        candidate.trial.samples_ms = [sample * 1e3 for sample in runs.samples]
        candidate.trial.time_ms = statistics.median(runs.samples) * 1e3
        return measured.ratio if len(self._entries) > 1 else 1.0

    def choose(self) -> tuple[Candidate, list[str]]:
        """Who fails in the finals is out, and the others play them again."""
        baseline = self._entries[0]
        while True:  # The last one does not play.
            runs = _Finals(self._bench, [])
            try:
                winner, note = self._best(baseline, runs)
            except _Lost:
                self._entries = [entry for entry in self._entries if entry.candidate.trial.ok]
                continue
            unmoved = f"arguments stayed where they were: {runs.unmoved}"
            return winner, [note] + ([unmoved] if runs.unmoved else [])

    def _best(self, baseline: _Entry, runs: _Finals) -> tuple[Candidate, str]:
        field = [entry.candidate for entry in self._finalists() if entry is not baseline]
        if not field:
            return baseline.candidate, "the baseline is the best"
        has_baseline = baseline in self._entries
        runs.entrants = [baseline.candidate if has_baseline else field[0], *field]
        ranking = protocol.choose_by_halving(
            runs, len(field), self._seed, finals_seconds=FINALS_SECONDS
        )
        winner = field[ranking[0].candidate]
        if not has_baseline:
            return winner, "the best of those that did not fail as the baseline did"
        runs.entrants = [baseline.candidate, winner]
        found = protocol.compare_with_baseline(runs, self._seed, test_seconds=FINALS_SECONDS)
        if not found.is_faster:
            return baseline.candidate, "a tie with the baseline, which stays"
        gain = f"{found.speedup:.3g}x, at least {found.shown:.3g}x"
        return winner, f"faster than the baseline: {gain}"

    def _finalists(self) -> list[_Entry]:
        least = min(entry.measured.interval.high for entry in self._entries)
        limit = protocol.OPTIONS["finalist_margin"] * least
        field = [entry for entry in self._entries if entry.measured.interval.low <= limit]
        field.sort(key=lambda entry: entry.measured.ratio)
        return field[: protocol.OPTIONS["max_finalists"]]
