# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sweeps: try the configurations of a problem, and choose one."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import math
import os
import pathlib
import sys
import time
from collections.abc import Iterator

from tonno import frontends, protocol
from tonno._core import version
from tonno.errors import AllFailed
from tonno.frontends import CandidateFailed
from tonno.jax import fingerprints, hangs, verification
from tonno.jax.arguments import get_sources, get_timed_arguments
from tonno.jax.cache import journal_path, stored_config
from tonno.jax.candidates import (
    Candidate,
    Compiler,
    are_left_behind,
    is_of_memory,
    lower_all,
    workers,
)
from tonno.jax.decisions import ConfigTrial, Decision, describe_arguments, shown
from tonno.jax.failures import RUNNING, Attempts
from tonno.jax.hangs import Patience, after
from tonno.jax.isolation import IsolatedBench
from tonno.jax.locks import sampling_lock
from tonno.jax.messages import log
from tonno.jax.plans import Plan
from tonno.jax.problems import CannotTime, NotTunable, Problem, check_placement
from tonno.jax.programs import Programs
from tonno.jax.runs import Bench, Runs
from tonno.jax.verification import Verification
from tonno.progress import Progress
from tonno.space import SearchSpace
from tonno.trials import Configuration, Trial

_BATCH = 64
"""Number of programs of a long list that are loaded at once."""
_GRACE_SECONDS = 1.0
"""Grace period in seconds, in which a HangError is raised instead of the report, if it can be."""
_PAIRED = frontends.paired()
_SHORT_WARMUP = 2
"""Warmup runs of each candidate with short runs: of a program of 10 us, the second run took 40
and the third 11. The first candidate to warm up for all looked 1.4 times as slow. If only that
candidate had more warmup, equal candidates looked 1.3 times as slow as it."""
_PARTS_OF_SESSION = (
    "num_warmup",
    "num_timing",
    "protocol",
    "outputs",
    "tolerance",
    "bits",
    "strategy",
    "seed",
    "isolate",
)
"""Fields of a plan on which its trials, or the choice of trials, depend."""
_PLACE = "place"
"""Knob of a list of configurations: the position in the list."""


class Sweep:
    """One sweep; `run` is called once.

    `lock` is the problem's lock, if it is held. The outcomes of earlier processes' attempts are
    known only under it.
    """

    def __init__(
        self, problem: Problem, plan: Plan, lock: pathlib.Path | None = None
    ) -> None:
        self._problem = problem
        self._plan = plan
        self._name = problem.contract.name
        self._progress = Progress(self._name)
        self._begin = time.perf_counter()
        # A configuration that ends a child does not endanger the next process.
        at_risk = None if plan.isolate else lock
        self._attempts = Attempts(at_risk, fingerprints.versions(problem.device))
        self._compiler = Compiler(
            self._attempts, self._progress, self._begin, plan.compile_seconds
        )
        self._patience = Patience()
        """Limits of first runs."""
        self._candidates: dict[str, Candidate] = {}
        """Candidates by the text of the configuration, in the loop's form and order."""
        self._programs = Programs()
        self._past: dict[str, ConfigTrial] = {}
        """Trials of an interrupted sweep, by the same text."""
        self._deadline = math.inf
        """End of the budget, by time.perf_counter()."""
        if plan.budget_seconds is not None:
            self._deadline = self._begin + plan.budget_seconds
        self._journal_path = lock and journal_path(lock)
        self._bench: Bench | IsolatedBench | None = None
        self._inputs = get_sources(problem)
        self._inputs_digest = ""
        """Digest of the values that inputs= gives, if the sweep has a journal."""
        self._notes_of_inputs: tuple[str, ...] = ()
        self._trials: list[ConfigTrial] = []
        self._unmoved = ""
        """Reason why arguments could not be redrawn."""
        self._verification = Verification(plan)
        self.warnings: list[Warning] = []
        """Warnings of the finished sweep; the caller issues them after it has stored the
        decision."""
        self._is_beside_compiling = False
        self._error: Exception | None = None
        """Error of the first candidate that failed."""

    def run(self) -> Decision:
        """Runs the sweep. Raises AllFailed if no candidate ran; NotTunable if none may run;
        CannotTime if none can be timed; OutputError if the baseline may be wrong; HangError if
        a run does not end."""
        check_placement(self._problem)
        hangs.check_none(self._problem.device)
        try:
            self._bench = self._made_bench()
            found = self._tuned()
            # Candidates compiled ahead of the end are not trials.
            told = [self._told(t) for t in found.trials if not self._is_untried(t.config)]
            self._trials = told
            if self._verification.is_undecidable:
                arguments = describe_arguments(self._inputs)
                raise self._verification.error(self._name, self._trials, arguments)
            if not any(trial.ok for trial in self._trials):
                raise self._all_failed() from self._error  # the cause states the place
        except (AllFailed, NotTunable):
            self.forget()  # nothing to resume: the user must change something
            raise
        finally:
            if isinstance(self._bench, IsolatedBench):
                self._bench.close()
            # Its frames hold the call's arguments, and the bench holds its caller.
            self._error = self._bench = None
            for candidate in self._candidates.values():
                candidate.compiled = None  # of finalists, too
            self._trials = self._trials or list(
                map(self._programs.trial, self._candidates.values())
            )
            self._progress.close(self._summary())
        winner, notes = self._chosen(found)
        if self._is_beside_compiling:
            notes.append("compilations that were given up went on meanwhile")
        notes += [*self._make_end_notes(), *self._notes_of_inputs]
        arguments = describe_arguments(self._inputs)
        doubts, self.warnings = verification.of_sweep(
            self._name, winner, self._trials, arguments
        )
        notes += doubts
        self._log(winner)
        return Decision(
            device=self._problem.device.device_kind,
            key=self._problem.key,
            config=dict(winner.config),
            time_ms=winner.time_ms,
            source="sweep",
            notes=tuple(notes),
            trials=tuple(self._trials),
            dimensions=dict(self._problem.sizes),
            inputs=self._inputs,
        )

    def _made_bench(self) -> Bench | IsolatedBench:
        problem, plan = self._problem, self._plan
        try:
            arguments = get_timed_arguments(problem, plan.seed)
            self._notes_of_inputs = arguments.notes
            if self._journal_path is not None:
                self._inputs_digest = arguments.compute_digest()
            if plan.isolate:
                limits = plan.limit_seconds, plan.compile_seconds
                return IsolatedBench(arguments, *limits, self._progress, self._begin)
            return Bench(problem.device, arguments.get_arrays(), self._watch)
        except Exception as error:
            if not is_of_memory(error):
                raise
            raise CannotTime(
                "the device has too little free memory for the arguments; tune(...) with "
                "jax.ShapeDtypeStructs before the arrays exist, or pass the tunable parameters "
                "explicitly"
            ) from error

    def _tuned(self) -> frontends.Outcome:
        plan = self._plan
        lock = sampling_lock(self._problem.device, self._progress.say)
        if plan.configs is not None:
            places = SearchSpace({_PLACE: range(len(plan.configs))})
            return frontends.tune(
                self,
                places,
                budget_trials=len(plan.configs),
                budget_seconds=self._seconds_left(),
                strategy="exhaustive",
                seed=plan.seed,
                lock=lock,
                journal=self._journal(),
            )
        assert plan.space is not None
        return frontends.tune(
            self,
            plan.space,
            budget_trials=plan.budget_trials,
            budget_seconds=self._seconds_left(),
            strategy=plan.strategy,
            seed=plan.seed,
            batch=workers(),
            lock=lock,
            journal=self._journal(),
        )

    def _seconds_left(self) -> float:
        return max(self._deadline - time.perf_counter(), sys.float_info.min)

    def _journal(self) -> frontends.Journal | None:
        """Returns the journal of the sweep, if another process finds it."""
        if self._journal_path is None:
            return None
        problem, plan = self._problem, self._plan
        first = plan.baseline
        parts = {
            "key": problem.key,
            "device": problem.device.device_kind,
            "versions": fingerprints.versions(problem.device),
            "tonno": version(),
            "function": fingerprints.of_code(problem.contract.jitted),
            "trace": problem.trace_fingerprint(first),
            "choices": plan.fingerprint if plan.configs is None else repr(plan.configs),
            "baseline": repr(first),
            "inputs": self._inputs_digest,
            **{part: getattr(plan, part) for part in _PARTS_OF_SESSION},
        }
        session = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
        about = {"kernel": self._name, "device": parts["device"], "key": problem.key}
        return frontends.Journal(str(self._journal_path), session, about)

    def describe(self, config: Configuration) -> str:
        """As of `frontends.Resumable`; so is the next method."""
        details = self._known(config).json
        candidate = self._candidates.get(repr(config))
        if candidate is not None and candidate.is_shared:
            details["program"] = candidate.program
        return json.dumps(details)

    def resume(self, trials: list[frontends.ResumedTrial]) -> None:
        fields = {field.name for field in dataclasses.fields(ConfigTrial)}
        for config, status, details, _ in trials:
            if status not in ("ok", "pruned"):
                continue
            parts = json.loads(details)
            table = {part: v for part, v in parts.items() if part in fields}
            table |= {"config": self._own(config), "is_resumed": True}
            table["equals"] = stored_config(table, "equals") or None
            trial = self._past[repr(config)] = ConfigTrial(**table)
            if "program" in parts:
                self._programs.add_past(trial, parts["program"])
        self._deadline -= max((trial[3] for trial in trials), default=0.0)
        log.info("%s: resuming a sweep of %d trials", self._name, len(trials))

    def forget(self) -> None:
        """Removes the journal, so that the sweep is not resumed."""
        if self._journal_path is not None:
            with contextlib.suppress(OSError):  # a folder that can't be written has none
                self._journal_path.unlink()

    def _make_end_notes(self) -> list[str]:
        notes = []
        resumed = sum(trial.is_resumed for trial in self._trials)
        if resumed:
            notes.append(
                f"resumed: {resumed} of {len(self._trials)} configurations were timed before "
                "the sweep was interrupted"
            )
        for draw, reason in self._verification.uncompared.items():
            notes.append(f"bits were not always compared on {draw.name}: {reason}")
        if time.perf_counter() >= self._deadline:
            configs = self._plan.configs
            of = "" if configs is None else f" of {len(configs)}"
            notes.append(
                f"budget_seconds={self._plan.budget_seconds:g} was spent after "
                f"{len(self._trials)}{of} configurations"
            )
        return notes

    def _chosen(self, found: frontends.Outcome) -> tuple[ConfigTrial, list[str]]:
        """Returns the winner, and notes on it."""
        if found.chosen is None or found.comparison is None:
            # Nothing can be compared with a baseline that fails at the end.
            ok = [trial for trial in self._trials if trial.ok]
            return min(ok, key=lambda trial: trial.time_ms or 0.0), [found.error]
        winner, compared = self._trials[found.chosen], found.comparison
        notes = list(found.warnings)
        if self._plan.protocol == "paired":
            notes.append(_describe_comparison(compared))
        else:
            notes += _make_finals_notes(self._trials)
        if self._unmoved:
            notes.append(f"arguments stayed where they were: {self._unmoved}")
        return winner, notes

    def _told(self, trial: Trial) -> ConfigTrial:
        """Returns what is known of the loop's trial, with the loop's reason if it was pruned."""
        known = self._known(trial.config)
        if known.status == "pruned" and not known.reason:
            known.reason = trial.message
        return known

    def _known(self, config: Configuration) -> ConfigTrial:
        """Returns the trial of this process, or of the interrupted one."""
        candidate = self._candidates.get(repr(config))
        return self._past[repr(config)] if candidate is None else self._programs.trial(candidate)

    def _is_untried(self, config: Configuration) -> bool:
        candidate = self._candidates.get(repr(config))
        return candidate is not None and self._programs.first(candidate).is_untried

    def _own(self, config: Configuration) -> Configuration:
        """Returns the configuration in the user's form."""
        listed = self._plan.configs
        return dict(config if listed is None else listed[config[_PLACE]])

    def _candidate(self, config: Configuration) -> Candidate:
        """Returns the candidate that has the configuration's program."""
        return self._programs.first(self._candidates[repr(config)])

    def build(self, configs: list[Configuration]) -> list[str | CandidateFailed | None]:
        """As of `frontends.Frontend`; so are the next three methods."""
        missing = [config for config in configs if repr(config) not in self._candidates]
        if missing and self._plan.configs is not None:
            missing = self._ahead(missing[0])
            self._compile(missing, [self._own(place) for place in missing])
        elif missing:
            self._compile(missing, missing)
        return [self._built(self._candidates[repr(config)]) for config in configs]

    def _built(self, candidate: Candidate) -> str | CandidateFailed | None:
        """Returns the program that a candidate shares, None for a program of its own, or the
        failure."""
        trial = self._programs.trial(candidate)
        if trial.status not in ("ok", "pruned"):
            return CandidateFailed(trial.status, trial.reason)
        return candidate.program if candidate.is_shared else None

    def _ahead(self, place: Configuration) -> list[Configuration]:
        """Returns a place of the list and the following ones that are built with it."""
        assert self._plan.configs is not None
        behind = [{_PLACE: i} for i in range(place[_PLACE] + 1, len(self._plan.configs))]
        known = self._candidates.keys() | self._past.keys()
        left = [other for other in behind if repr(other) not in known]
        # With a budget, the first ones of a long list are timed before all are compiled.
        is_limited = self._deadline < math.inf
        batch = _BATCH if not is_limited else workers() if self._candidates else 1
        return [place, *left[: batch - 1]]

    def _compile(self, keys: list[Configuration], configs: list[Configuration]) -> None:
        is_first = not self._candidates
        deadline = math.inf if is_first else self._deadline
        if isinstance(self._bench, IsolatedBench):
            made = [Candidate(ConfigTrial(dict(config))) for config in configs]
            self._bench.prepare(made, self._programs.has)
            self._bench.compile(made, workers(), deadline)
        else:
            made = lower_all(
                self._problem, configs, self._attempts, self._programs.has, self._progress.show
            )
            self._compiler.compile(made, workers(), deadline)
        for key, candidate in zip(keys, made, strict=True):
            past = self._past.get(repr(key))
            if past is not None and self._plan.protocol == "paired" and candidate.compiled:
                candidate.trial = past  # finals and test do not time it again
            self._note_error(candidate)
            trial = candidate.trial
            if trial.left_out_by:
                found = f"{trial.status}: {trial.reason}"
                self._progress.say(f"{shown(candidate.config)} is left out: {found}")
        self._candidates.update(zip(map(repr, keys), made, strict=True))

    def policy(self) -> frontends.Policy:
        plan = self._plan
        if plan.protocol == "paired":
            return _PAIRED
        return frontends.median(
            plan.num_timing,
            plan.num_warmup,
            short_warmup=_SHORT_WARMUP,
            finalists=frontends.FINALISTS,
        )

    def release(self, config: Configuration) -> None:
        """As of `frontends.Releasing`."""
        self._candidate(config).compiled = None

    @contextlib.contextmanager
    def sampler(self, entrants: list[Configuration]) -> Iterator[Runs]:
        assert self._bench is not None
        candidates = [self._candidate(config) for config in entrants]
        trial = candidates[1].trial
        if len(candidates) > 2 or trial.time_ms is not None:
            self._progress.show("comparing the best")
        else:
            number = list(self._candidates).index(repr(entrants[1])) + 1
            self._progress.show(f"timing {number}: {shown(trial.config)}")
        # Another thread's run may have blocked the device meanwhile.
        hangs.check_none(self._problem.device)
        self._is_beside_compiling |= are_left_behind()
        runs = Runs(self._bench, self._plan, self._verification, candidates)
        try:
            yield runs
        finally:
            runs.close()
            self._unmoved = self._unmoved or runs.unmoved
            for candidate in candidates:
                self._note_error(candidate)

    def is_stopped(self) -> bool:
        """Returns True if the search must end. If the baseline may be wrong, the candidates
        already compiled show how many differ."""
        return self._verification.is_undecidable and all(
            candidate.compiled is None or candidate.trial.difference is not None
            for candidate in self._candidates.values()
        )

    @contextlib.contextmanager
    def _watch(self, candidate: Candidate) -> Iterator[hangs.FirstRun]:
        """Watches a first run: records the attempt, and reports if it takes long."""
        config, limit = candidate.config, self._plan.limit_seconds
        # If the call itself does not return, this is the only report of its limit.
        usual = min(self._patience.seconds, limit + _GRACE_SECONDS)
        end = f"end this process (kill {os.getpid()})"  # Ctrl-C may not get through
        ending = f"{end}, and the next process leaves it out"
        if not self._attempts.are_remembered:
            ending = f"{end}, and leave the configuration out, since failures are not remembered"
        blocking = "cannot be stopped, and later work on its device waits"

        is_told = False

        def tell() -> None:
            nonlocal is_told
            is_told = True
            self._progress.say(
                f"{shown(config)} has been running for {usual:.3g} s, and cannot be stopped from "
                f"here; if it hangs, {ending}"
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
                f"(limit_seconds=) on {describe_arguments(self._inputs)}, {blocking}: {ending}",
            ) from None
        except KeyboardInterrupt:
            if is_told:  # someone followed the instruction
                self._attempts.keep(config)
            hangs.remember(
                run,
                f"{self._name}: {shown(config)} was interrupted but still runs, {blocking}: "
                f"wait, or {end}",
                hangs.GRACE_SECONDS,
            )
            raise
        finally:
            self._attempts.end(config)
        self._patience.note(time.perf_counter() - begin)

    def _note_error(self, candidate: Candidate) -> None:
        # Removed, since it refers to the candidate: a cycle would keep the arguments alive.
        error, candidate.error = candidate.error, None
        self._error = self._error or error

    def _all_failed(self) -> AllFailed:
        lines = [f"all {len(self._trials)} configs failed for {self._name}:"]
        lines += [f"  {shown(t.config)}: {t.status}: {t.reason}" for t in self._trials]
        if any(trial.status == "wrong" for trial in self._trials):
            lines.append(f"{verification.ADVICE}.")
        return AllFailed(
            "\n".join(lines), [Trial(t.config, t.status, None, t.reason) for t in self._trials]
        )

    def _summary(self) -> str:
        # An interrupted sweep has compiled some that were not timed.
        ok = sum(trial.ok and trial.time_ms is not None for trial in self._trials)
        seconds = time.perf_counter() - self._begin
        return f"{ok} of {len(self._trials)} configurations in {seconds:.1f} s"

    def _log(self, winner: ConfigTrial) -> None:
        for trial in self._trials:
            if trial.time_ms is None:
                found = f"FAILED: {trial.status}: {trial.reason}"
            else:
                best = " ← best" if trial is winner else ""
                found = f"{trial.time_ms:.4g} ms{best}"
            log.info("%s: %s %s", self._name, shown(trial.config), found)
        device = self._problem.device.device_kind
        log.info("%s: picked %s (device=%s)", self._name, shown(winner.config), device)


def _make_finals_notes(trials: list[ConfigTrial]) -> list[str]:
    finalists = [
        len(trial.finals_ms) for trial in trials if trial.finals_ms and trial.equals is None
    ]
    if not finalists:
        return []
    return [
        f"finals: the times of {len(finalists)} configurations overlapped, so they ran up to "
        f"{max(finalists)} more times in turn, and their fastest runs decided"
    ]


def _describe_comparison(compared: protocol.Comparison) -> str:
    if compared.is_faster:
        gain = f"{compared.speedup:.3g}x, at least {compared.shown:.3g}x"
        return f"faster than the baseline: {gain}"
    if compared.verdict == "tie":
        is_alone = compared.rounds == 0
        return "the baseline is the best" if is_alone else "a tie with the baseline, which stays"
    return "the best of those that did not fail as the baseline did"
