# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trying the configurations of a problem, and choosing one."""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import pathlib
import time
from collections.abc import Iterator
from typing import Any

from tonno.errors import AllFailed
from tonno.jax import fingerprints, hangs, verification
from tonno.jax.attempts import RUNNING, Attempts
from tonno.jax.candidates import Candidate, is_of_memory, lower_all, workers
from tonno.jax.compilations import Compiler, are_left_behind
from tonno.jax.decisions import ConfigTrial, Decision, shown
from tonno.jax.limits import Patience, after
from tonno.jax.locks import timing_turn
from tonno.jax.paired import PairedTiming
from tonno.jax.plans import Plan
from tonno.jax.problems import NotTunable, Problem, check_placement
from tonno.jax.progress import Progress
from tonno.jax.runs import Bench
from tonno.jax.timing import MedianTiming, Timing
from tonno.jax.verification import Verification, WrongOutputs
from tonno.jax.winners import CacheWarning
from tonno.search import Search
from tonno.trials import Configuration, Trial

log = logging.getLogger("tonno.autotune")

_BATCH = 64
"""Programs that are loaded at once, of a long list."""
_GRACE_SECONDS = 1.0
"""In which a HangError comes instead, where it can."""


class Sweep:
    """One sweep; `run` is called once.

    `lock`: the problem's, if it is held. Only then is known what became of what
    earlier processes tried.
    """

    def __init__(
        self, problem: Problem, plan: Plan, lock: pathlib.Path | None = None
    ) -> None:
        self._problem = problem
        self._plan = plan
        self._name = problem.contract.name
        self._progress = Progress(self._name)
        self._begin = time.perf_counter()
        self._attempts = Attempts(lock, fingerprints.versions(problem.device))
        self._compiler = Compiler(
            self._attempts, self._progress, self._begin, plan.compile_seconds
        )
        self._patience = Patience()
        """With first runs."""
        self._trials: list[ConfigTrial] = []
        self._verification = Verification(plan)
        self.warnings: list[Warning] = []
        """Once it has run: for the caller to give, who keeps the decision first."""
        self._is_disturbed = False
        self._is_beside_compiling = False
        self._error: Exception | None = None
        """Of the first that failed."""

    def run(self) -> Decision:
        """Raises AllFailed where nothing ran, NotTunable where nothing can, OutputError
        where the baseline may be wrong, and HangError where something ran without end."""
        check_placement(self._problem)
        hangs.check_none(self._problem.device)
        try:
            timing = self._timing(self._bench())
            if self._plan.configs is not None:
                self._try_list(timing, self._plan.configs)
            else:
                self._search(timing)
            if self._verification.is_undecidable:
                raise self._verification.error(self._name, self._trials)
            if not any(trial.ok for trial in self._trials):
                raise self._all_failed() from self._error  # Which says where.
            with self._turn():
                winner, notes = timing.choose()
        finally:
            self._error = None  # Its frames hold the call's arguments.
            self._progress.close(self._summary())
        if self._is_disturbed:
            notes.append("something else was timed meanwhile")
        if self._is_beside_compiling:
            notes.append("compilations that were given up went on meanwhile")
        found, self.warnings = verification.of_sweep(self._name, winner.trial, self._trials)
        notes += found
        self._log(winner)
        return Decision(
            device=self._problem.device.device_kind,
            key=self._problem.key,
            config=dict(winner.config),
            time_ms=winner.trial.time_ms,
            source="sweep",
            notes=tuple(notes),
            trials=tuple(self._trials),
        )

    def _bench(self) -> Bench:
        try:
            return Bench(self._problem, self._plan.seed, self._watch)
        except Exception as error:
            if not is_of_memory(error):
                raise
            raise NotTunable(
                "there is too little memory for arguments to time it with, beside what is "
                "there already: tune(...) it with jax.ShapeDtypeStructs before the arrays "
                "are made, or pass the tunable parameters explicitly"
            ) from error

    def _timing(self, bench: Bench) -> Timing:
        if self._plan.protocol == "paired":
            return PairedTiming(bench, self._plan.num_warmup, self._plan.seed)
        return MedianTiming(bench, self._plan.num_warmup, self._plan.num_timing)

    def _try_list(self, timing: Timing, configs: list[Configuration]) -> None:
        for i in range(0, len(configs), _BATCH):
            if self._verification.is_undecidable:
                return
            for candidate in self._compiled(configs[i : i + _BATCH]):
                self._try(timing, candidate)

    def _search(self, timing: Timing) -> None:
        assert self._plan.space is not None
        space, budget = self._plan.space, self._plan.budget_trials
        defaults = self._problem.contract.defaults
        start = [defaults] if self._plan.has(defaults) else [space.default]
        search = Search(space, self._plan.strategy, self._plan.seed, start)
        while len(self._trials) < budget and not self._verification.is_undecidable:
            # The first by itself: the others are compared with it.
            most = min(budget - len(self._trials), 2 * workers())
            asked = search.ask(most if self._trials else 1)
            if not asked:
                return
            for candidate in self._compiled(asked):
                seconds = self._try(timing, candidate)
                trial = candidate.trial
                search.tell(trial.config, seconds, trial.status, trial.reason)

    def _compiled(self, configs: list[Configuration]) -> list[Candidate]:
        candidates = lower_all(self._problem, configs, self._attempts, self._progress.show)
        self._compiler.compile(candidates, workers())
        return candidates

    def _try(self, timing: Timing, candidate: Candidate) -> float | None:
        self._trials.append(candidate.trial)
        if candidate.trial.left_out_by:
            found = f"{candidate.trial.status}: {candidate.trial.reason}"
            self._progress.say(f"{shown(candidate.config)} is left out: {found}")
        if candidate.compiled is None:
            self._note_error(candidate)
            return None
        self._progress.show(f"timing {len(self._trials)}: {shown(candidate.config)}")
        try:
            with self._turn():
                check = functools.partial(self._verification.check, candidate.trial)
                return timing.trial(candidate, check)
        except (hangs.HangError, CacheWarning):
            raise  # The next one would only wait for this one; or it is none of its faults.
        except WrongOutputs as error:
            candidate.trial.status, candidate.trial.reason = "wrong", str(error)
        except Exception as error:
            candidate.fail_running(error)
        self._note_error(candidate)
        candidate.compiled = None
        return None

    def _note_error(self, candidate: Candidate) -> None:
        # Taken away, as it leads to the candidate: a circle would hold the arguments.
        error, candidate.error = candidate.error, None
        self._error = self._error or error

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        """Raises HangError where the device is blocked by now, by another thread's."""
        with timing_turn() as is_alone:
            hangs.check_none(self._problem.device)
            self._is_disturbed |= not is_alone
            self._is_beside_compiling |= are_left_behind()
            yield

    @contextlib.contextmanager
    def _watch(self, candidate: Candidate) -> Iterator[hangs.FirstRun]:
        """Around a first run: remembers it, and tells if it takes long."""
        config, limit = candidate.config, self._plan.limit_seconds
        # Where the call itself does not return, this is all that is heard of its limit.
        usual = min(self._patience.seconds, limit + _GRACE_SECONDS)
        end = f"end this process (kill {os.getpid()})"  # Ctrl-C may not get through.
        ending = f"{end}, and the next one leaves it out"
        if not self._attempts.are_remembered:
            ending = f"{end}, and leave it out: the next one won't know of it"
        blocking = "can't be stopped, and whatever its device is asked next waits for it"

        is_told = False

        def tell() -> None:
            nonlocal is_told
            is_told = True
            self._progress.say(
                f"{shown(config)} has been running for {usual:.3g} s, and can't be stopped "
                f"from here. If it hangs, {ending}"
            )
            self._attempts.slow(config, usual)

        begin = time.perf_counter()
        run = hangs.FirstRun(limit)
        try:
            self._attempts.begin(config, candidate.program, RUNNING)
            with after(usual, tell):
                yield run
        except hangs.Unready:
            self._attempts.slow(config, limit)
            self._attempts.keep(config)
            raise hangs.remember(
                run,
                f"{self._name}: {shown(config)} has been running for over {limit:.3g} s "
                f"(limit_seconds=) on made-up arguments, {blocking}: {ending}",
            ) from None
        except KeyboardInterrupt:
            if is_told:  # Somebody did as they were told to.
                self._attempts.keep(config)
            hangs.remember(
                run,
                f"{self._name}: {shown(config)} was interrupted but still runs, {blocking}: "
                f"wait, or {end}",
            )
            raise
        finally:
            self._attempts.end(config)
        self._patience.note(time.perf_counter() - begin)

    def _all_failed(self) -> AllFailed:
        lines = [f"all {len(self._trials)} configs failed for {self._name}:"]
        lines += [f"  {shown(t.config)}: {t.status}: {t.reason}" for t in self._trials]
        if self._problem.is_traced:
            lines.append(
                "It was tuned beside a trace, on arrays of the shapes seen there: names of "
                "axes of a vmap or shard_map around it, a checkify around it, and values other "
                "than its arguments are not to be had. Pass the tunable parameters explicitly "
                "there."
            )
        if any(trial.status == "wrong" for trial in self._trials):
            lines.append(f"{verification.ADVICE}.")
        return AllFailed(
            "\n".join(lines), [Trial(t.config, t.status, None, t.reason) for t in self._trials]
        )

    def _summary(self) -> str:
        ok = sum(trial.ok for trial in self._trials)
        seconds = time.perf_counter() - self._begin
        return f"{ok} of {len(self._trials)} configurations in {seconds:.1f} s"

    def _log(self, winner: Candidate) -> None:
        for trial in self._trials:
            if trial.time_ms is None:
                found = f"{trial.status}: {trial.reason}"
            else:
                found = f"{trial.time_ms:.4g} ms"
            log.info("%s: %s %s", self._name, shown(trial.config), found)
        log.info("%s: picked %s", self._name, shown(winner.config))
