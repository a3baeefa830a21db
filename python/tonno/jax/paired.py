# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno's own protocol (docs/Measuring.md), in short.

Each sample of a candidate is divided by one of the baseline that was taken just
before or after it, since what the machine does at a moment is in both. Who may be
the best play finals by halving, in rounds of random order; and the winner is
tested against the baseline on new samples.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
import time

from tonno import statistics
from tonno.jax.candidates import Candidate, brief
from tonno.jax.runs import Bench
from tonno.jax.timing import Check

FINALS_SECONDS = 20.0
"""After which finals and test end with what they know."""

# The constants of Runtime/Protocol.h, which has the reasons.
MAX_SAMPLES = 8
LEAD_FACTOR = 0.97
FINALS_ERROR = 0.007
MAX_FINAL_ROUNDS = 512
FIRST_LOOK, MAX_ROUNDS = 64, 3400
FASTER_Z = 3.0
TIE_CEILING = 0.008


@dataclasses.dataclass(eq=False)
class _Entry:
    candidate: Candidate
    ratio: float
    interval: statistics.Interval
    logs: list[float] = dataclasses.field(default_factory=list)
    """Of its times over the round's, in the finals."""


class _Lost(Exception):
    """One of those in the finals failed."""


class PairedTiming:
    """The baseline is the first candidate that runs."""

    def __init__(self, bench: Bench, warmup: int, seed: int) -> None:
        self._bench = bench
        self._warmup = warmup
        self._random = random.Random(seed)
        self._entries: list[_Entry] = []
        self._incumbent_high = math.inf
        """The upper end of the last leader's interval."""
        self._unmoved = ""
        """Why arguments could not be redrawn."""

    def trial(self, candidate: Candidate, check: Check) -> float:
        outputs = self._bench.first_run(candidate)[1]
        check(outputs)
        del outputs
        for _ in range(self._warmup):
            self._bench.run(candidate)
        baseline = self._entries[0].candidate if self._entries else candidate
        ratios: list[float] = []
        samples: list[float] = []
        last = self._bench.run(baseline)[0]
        next_look = 6
        while True:
            sample, last_outputs = self._bench.run(candidate)
            samples.append(sample)
            ratios.append(samples[-1] / last)
            last = self._bench.run(baseline)[0]
            if len(ratios) == 3 and min(ratios) > 1.5 * self._incumbent_high:
                candidate.trial.status = "pruned"
                break
            if len(ratios) == next_look:
                if len(ratios) >= MAX_SAMPLES or self._is_clear(ratios):
                    break
                next_look = MAX_SAMPLES
        if candidate.trial.status != "pruned":
            check(last_outputs)  # Memory that the first run found zeroed may be so no more.
        ratio = statistics.median(ratios) if self._entries else 1.0
        candidate.trial.samples_ms = [sample * 1e3 for sample in samples]
        candidate.trial.time_ms = statistics.median(samples) * 1e3
        if candidate.trial.status == "pruned":
            candidate.compiled = None
        else:
            interval = statistics.median_interval(ratios, 3.0)
            if interval.high < LEAD_FACTOR * self._incumbent_high:
                self._incumbent_high = interval.high
            self._entries.append(_Entry(candidate, ratio, interval))
        return ratio

    def _high(self) -> float:
        return min((entry.interval.high for entry in self._entries), default=math.inf)

    def _is_clear(self, ratios: list[float]) -> bool:
        interval = statistics.median_interval(ratios)
        half_width = math.log(interval.high / interval.low) / 2
        return half_width < 0.02 or interval.low > 1.01 * self._incumbent_high

    def choose(self) -> tuple[Candidate, list[str]]:
        """Who fails in the finals is out, and the others play them again."""
        baseline = self._entries[0]
        end = time.perf_counter() + FINALS_SECONDS
        while True:  # The last one does not play.
            try:
                winner, note = self._best(baseline, end)
            except _Lost:
                self._entries = [entry for entry in self._entries if entry.candidate.trial.ok]
                continue
            unmoved = f"arguments stayed where they were: {self._unmoved}"
            return winner, [note] + ([unmoved] if self._unmoved else [])

    def _best(self, baseline: _Entry, end: float) -> tuple[Candidate, str]:
        limit = 1.005 * self._high()
        field = [entry for entry in self._entries if entry.interval.low <= limit]
        field = sorted(field, key=lambda entry: entry.ratio)[:64]
        for entry in field:
            entry.logs.clear()
        target = FINALS_ERROR
        while len(field) > 1 and time.perf_counter() < end:
            self._play(field, target, end)
            field.sort(key=lambda entry: statistics.median(entry.logs))
            leader = field[0]
            field = [
                entry
                for entry in field[: max(1, len(field) // 2)]
                if entry is leader or not _is_behind(entry, leader)
            ]
            target *= 0.75
        winner = field[0]
        if baseline not in self._entries:
            return winner.candidate, "the best of those that did not fail as the baseline did"
        if winner is baseline:
            return baseline.candidate, "the baseline is the best"
        return self._tested(winner, baseline, end)

    def _play(self, field: list[_Entry], target: float, end: float) -> None:
        for number in itertools.count(len(field[0].logs)):
            if number % 4 == 0:
                self._redraw()
            times = {}
            for place in self._random.sample(range(len(field)), len(field)):
                times[place] = math.log(self._seconds(field[place]))
            middle = statistics.median(times.values())
            for place, entry in enumerate(field):
                entry.logs.append(times[place] - middle)
            rounds = number + 1
            if rounds >= MAX_FINAL_ROUNDS or time.perf_counter() >= end:
                return
            if rounds >= 8 and rounds % 4 == 0:
                errors = [_standard_error(entry.logs) for entry in field]
                if statistics.median(errors) <= target:
                    return

    def _redraw(self) -> None:
        try:
            self._bench.redraw()
        except Exception as error:
            self._unmoved = brief(error)

    def _seconds(self, entry: _Entry) -> float:
        """Of a run in the finals. Raises _Lost where it fails."""
        try:
            return self._bench.run(entry.candidate)[0]
        except Exception as error:
            entry.candidate.fail_running(error)
            raise _Lost from error

    def _tested(self, winner: _Entry, baseline: _Entry, end: float) -> tuple[Candidate, str]:
        gains: list[float] = []
        most = FIRST_LOOK
        while True:
            while len(gains) < most and (len(gains) < 16 or time.perf_counter() < end):
                if len(gains) % 8 == 0:
                    self._redraw()
                gains.append(self._gain(winner, baseline))
            blocks = [
                statistics.median(gains[i : i + 8]) for i in range(0, len(gains) - 7, 8)
            ]
            mean = statistics.estimate_mean(blocks)
            freedom = len(blocks) - 1
            low = mean.mean - statistics.student_quantile(FASTER_Z, freedom) * mean.standard_error
            high = mean.mean + statistics.student_quantile(1.96, freedom) * mean.standard_error
            if low > 0.005:
                gain = f"{math.exp(mean.mean):.3g}x, at least {math.exp(low):.3g}x"
                return winner.candidate, f"faster than the baseline: {gain}"
            if high < TIE_CEILING or most >= MAX_ROUNDS or time.perf_counter() >= end:
                break
            most = min(2 * most, MAX_ROUNDS)
        return baseline.candidate, "a tie with the baseline, which stays"

    def _gain(self, winner: _Entry, baseline: _Entry) -> float:
        pair = [winner, baseline]
        self._random.shuffle(pair)
        times = {id(entry): self._seconds(entry) for entry in pair}
        return math.log(times[id(baseline)] / times[id(winner)])


def _standard_error(logs: list[float]) -> float:
    of_median = statistics.median_interval(logs).half_width / 1.96
    blocks = [statistics.median(logs[i : i + 4]) for i in range(0, len(logs) - 3, 4)]
    # Noise is correlated in time: blocks show what single rounds hide.
    return max(of_median, statistics.estimate_mean(blocks).standard_error)


def _is_behind(entry: _Entry, leader: _Entry) -> bool:
    n = min(len(entry.logs), len(leader.logs))
    pairs = zip(entry.logs[-n:], leader.logs[-n:], strict=True)
    return statistics.signed_rank_z([a - b for a, b in pairs]) > 2.3
