# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations with their programs."""

from __future__ import annotations

import atexit
import collections
import ctypes
import dataclasses
import functools
import math
import os
import threading
import time
from collections.abc import Callable
from typing import Any

import jax

from tonno.frontends import CandidateFailed
from tonno.jax import fingerprints
from tonno.jax.decisions import ConfigTrial, shown
from tonno.jax.draws import has_open_loop
from tonno.jax.failures import COMPILING, Attempts
from tonno.jax.hangs import HangError, Patience
from tonno.jax.problems import CannotTime, Problem
from tonno.progress import Progress
from tonno.trials import Configuration

@dataclasses.dataclass(eq=False)
class Candidate:
    """A configuration with its program, or with the reason why it has none."""

    trial: ConfigTrial
    compiled: Any = None
    donated: tuple[bool, ...] = ()
    """For each array that the program is called with: True if the call donates it."""
    lowered: Any = None
    """Lowered program, until it is compiled."""
    program: str = ""
    """Fingerprint of the program."""
    is_shared: bool = False
    """True if configurations with this fingerprint are compiled and timed once."""
    error: Exception | None = None
    """Error of the failure, until a sweep takes it."""
    has_open_loop: bool = False
    """True if other data may lengthen a loop of the program, or never end it."""
    is_untried: bool = False
    """True if the budget was spent before the program was compiled."""

    @property
    def config(self) -> Configuration:
        return self.trial.config

    @property
    def failure(self) -> CandidateFailed:
        return CandidateFailed(self.trial.status, self.trial.reason)

    def identify(self, traced: Any, lowered: Any) -> None:
        """Sets the fingerprint. A program that may not be shared gets a unique one."""
        self.has_open_loop = has_open_loop(traced)
        self.program = fingerprints.of_program(lowered)
        self.is_shared = bool(self.program)
        if not self.is_shared:
            self.program = fingerprints.of_unshared(traced, self.config)

    def fail(self, status: str, error: Exception) -> None:
        self.trial.status = status
        self.trial.reason = brief(error)
        self.trial.time_ms = None
        self.compiled = None
        self.error = error

    def fail_as(self, failure: CandidateFailed) -> None:
        """Sets the failure of the candidate."""
        self.trial.status, self.trial.reason = failure.status, failure.message
        self.trial.time_ms = None
        self.compiled = None

    def leave_untried(self) -> None:
        """Sets the failure of a candidate for which no budget is left; this is not a trial."""
        self.is_untried = True
        self.compiled = None
        self.trial.status = "lost"
        self.trial.reason = "the budget (budget_seconds=) was spent before it was compiled"

    def fail_running(self, error: Exception) -> None:
        """Sets the failure of a run. Raises KeyboardInterrupt if that is the error."""
        # An interrupt in a callback of the function is reported as text.
        if str(error).rstrip().rpartition("\n")[2].startswith("KeyboardInterrupt"):
            raise KeyboardInterrupt from error
        self.fail(failed_status(error), error)


def is_of_memory(error: Exception) -> bool:
    """Returns True if there was too little memory."""
    return "RESOURCE_EXHAUSTED" in str(error) or isinstance(error, MemoryError)


def failed_status(error: Exception) -> str:
    """Returns the status of a candidate whose run raised the error."""
    return "out_of_memory" if is_of_memory(error) else "fault"


def brief(error: Exception) -> str:
    """Returns type and reason of an error; XLA's messages are too long for a table."""
    # The first line has the reason, or the last line of a callback's traceback.
    lines = str(error).strip().splitlines() or [""]
    line = lines[-1] if "Traceback (most recent" in lines[0] else lines[0]
    return f"{type(error).__name__}: {line}".rstrip(": ")


def workers() -> int:
    """Returns the number of threads: one for each processor of this process, at least two."""
    return max(2, len(os.sched_getaffinity(0)))


def lower_all(
    problem: Problem,
    configs: list[Configuration],
    attempts: Attempts,
    is_known: Callable[[Candidate], bool],
    tell: Callable[[str], None],
) -> list[Candidate]:
    """Lowers all configurations, and returns a candidate for each, in order; failures are in the
    candidates.

    Drops the lowering of programs that `is_known`.

    Traces and lowers on the caller's thread, since JAX's settings (precision, 64 bits, mesh)
    belong to a thread. Compiling needs none of these settings, and releases the interpreter's
    lock. All configurations are lowered before one is compiled: a trace may call an autotuned
    function, whose timing must not be disturbed.
    """
    candidates = [Candidate(ConfigTrial(dict(config))) for config in configs]
    for i, candidate in enumerate(candidates):
        tell(f"lowering {i + 1} of {len(candidates)}")
        _lower(problem, candidate, attempts, is_known)
    return candidates


def _lower(
    problem: Problem,
    candidate: Candidate,
    attempts: Attempts,
    is_known: Callable[[Candidate], bool],
) -> None:
    try:
        traced = problem.trace(candidate.config)
        lowered = traced.lower()
        candidate.identify(traced, lowered)
    except (CannotTime, HangError):
        raise  # nothing can be timed here; or a called function hangs and blocks the device
    except Exception as error:
        candidate.fail("compile_error", error)
        return
    if is_known(candidate):
        return
    left = attempts.left(candidate.program)
    if left is not None:
        trial = candidate.trial
        trial.status, trial.reason, trial.left_out_by = left
        return
    leaves = fingerprints.get_arguments(lowered)
    candidate.donated = tuple(bool(leaf.donated) for leaf in leaves)
    candidate.lowered = lowered


_left_behind: list[threading.Thread] = []
"""Threads of compilations that were given up."""


def are_left_behind() -> bool:
    """Returns True if compilations that a sweep of this process gave up still run."""
    _left_behind[:] = [thread for thread in _left_behind if thread.is_alive()]
    return bool(_left_behind)


@dataclasses.dataclass(eq=False)
class _Job:
    candidate: Candidate
    thread: threading.Thread | None = None
    begin: float | None = None
    end: float | None = None
    compiled: Any = None
    error: BaseException | None = None
    is_given_up: bool = False
    is_out_of_time: bool = False
    """True if it was given up because the budget is spent."""
    is_told: bool = False

    @property
    def is_open(self) -> bool:
        return self.end is None and not self.is_given_up


class Compiler:
    """The compiler of one sweep.

        begin: start of the sweep, by time.perf_counter()
        limit: limit of a compilation, in seconds; None for a multiple of the usual time
    """

    def __init__(
        self, attempts: Attempts, progress: Progress, begin: float, limit: float | None
    ) -> None:
        self._attempts = attempts
        self._progress = progress
        self._begin = begin
        self._limit = limit
        self._patience = Patience()

    def compile(
        self, candidates: list[Candidate], threads: int, deadline: float = math.inf
    ) -> None:
        """Compiles lowered programs; failures are in the candidates.

        Programs that are not compiled by `deadline`, by time.perf_counter(), are untried. A
        program that may have killed a process is compiled by itself, so that it is identified if
        it does so again.
        """
        lowered = [candidate for candidate in candidates if candidate.lowered is not None]
        suspects = [c for c in lowered if self._attempts.is_suspect(c.program)]
        for suspect in suspects:
            self._side_by_side([suspect], 1, deadline)
        others = [c for c in lowered if c not in suspects]
        self._side_by_side(others, threads, deadline)

    def _side_by_side(
        self, candidates: list[Candidate], threads: int, deadline: float
    ) -> None:
        jobs = [_Job(candidate) for candidate in candidates]
        pool = _Pool(jobs, self._attempts, self._patience)
        try:
            pool.start(min(threads, len(jobs)))
            with pool.changed:
                while (due := self._look(pool, deadline)) is not None:
                    done = sum(not job.is_open for job in jobs)
                    self._progress.show(f"compiling {done + 1} of {len(jobs)}")
                    pool.changed.wait(min(due, threading.TIMEOUT_MAX))
        except BaseException:
            pool.give_up_all()
            raise
        pool.join()
        for job in jobs:
            self._close(job)

    def _look(self, pool: _Pool, deadline: float) -> float | None:
        """Gives up compilations that took too long, and all of them at the deadline. Returns the
        seconds until the next look; None when all have ended. Raises errors of the threads
        themselves."""
        if pool.error is not None:
            raise pool.error
        usual = self._patience.seconds
        limit = usual if self._limit is None else self._limit
        now = time.perf_counter()
        if now >= deadline:
            pool.run_out_of_time()
        due = [deadline]
        for job in pool.running():
            assert job.begin is not None
            config = job.candidate.config
            if now - job.begin >= limit:
                pool.give_up(job)
                self._progress.say(
                    f"{shown(config)}: compiling was given up after {limit:.3g} s, "
                    "and cannot be stopped; the compiler runs on in the background"
                )
                continue
            if now - job.begin >= usual and not job.is_told:
                job.is_told = True
                self._attempts.slow(config, usual)
                end = f", and is given up after {limit:.3g} s" if limit < math.inf else ""
                self._progress.say(
                    f"{shown(config)} has been compiling for {usual:.3g} s{end}"
                )
            due += [job.begin + limit] + ([] if job.is_told else [job.begin + usual])
        if not any(job.is_open for job in pool.jobs):
            return None
        return max(0.0, min(due, default=now + usual) - now)  # none may have begun yet

    def _close(self, job: _Job) -> None:
        trial = job.candidate.trial
        job.candidate.lowered = None
        if job.is_out_of_time:
            job.candidate.leave_untried()
            return
        assert job.begin is not None
        trial.compile_begin_s = job.begin - self._begin
        if job.end is None:
            trial.status = "compile_timeout"
            trial.reason = "compiling took too long (compile_seconds=)"
            return
        trial.compile_end_s = job.end - self._begin
        if job.error is None:
            job.candidate.compiled, job.compiled = job.compiled, None
        elif isinstance(job.error, Exception):
            job.candidate.fail("compile_error", job.error)
        else:
            raise job.error


class _Pool:
    """Threads that take jobs, one after the other."""

    def __init__(self, jobs: list[_Job], attempts: Attempts, patience: Patience) -> None:
        self.changed = threading.Condition()
        """Condition whose lock also protects the jobs."""
        self.jobs = jobs
        self.error: BaseException | None = None
        """Error of a thread outside of its jobs."""
        self._waiting = collections.deque(jobs)
        self._attempts = attempts
        self._patience = patience
        self._threads: list[threading.Thread] = []

    def start(self, number: int) -> None:
        for _ in range(number):
            # No executor: the end of the process would wait for its threads.
            thread = threading.Thread(target=self._work, name="tonno-compile", daemon=True)
            self._threads.append(thread)
            thread.start()

    def running(self) -> list[_Job]:
        return [job for job in self.jobs if job.is_open and job.begin is not None]

    def give_up(self, job: _Job) -> None:
        """Gives up a job. Its thread ends with the job, and a new thread takes its place."""
        job.is_given_up = True
        assert job.thread is not None
        _left_behind.append(job.thread)
        _survive_at_exit()
        self._attempts.end(job.candidate.config)
        if job.thread in self._threads:
            self._threads.remove(job.thread)
        if self._waiting:
            self.start(1)

    def run_out_of_time(self) -> None:
        """Gives up all jobs, running or not."""
        for job in self._waiting:
            job.is_given_up = job.is_out_of_time = True
        self._waiting.clear()
        for job in self.running():
            job.is_out_of_time = True
            self.give_up(job)

    def give_up_all(self) -> None:
        with self.changed:
            self._waiting.clear()
            for job in self.running():
                self.give_up(job)

    def join(self) -> None:
        """Waits for the threads that have no job left."""
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            compiled: Any = None
            error: BaseException | None = None
            try:
                compiled = job.candidate.lowered.compile()
            except BaseException as caught:
                error = caught
            with self.changed:
                if job.is_given_up:
                    return
                job.end = time.perf_counter()
                job.compiled, job.error = compiled, error
                if error is None:
                    self._patience.note(job.end - (job.begin or job.end))
                self._attempts.end(job.candidate.config)
                self.changed.notify_all()
            compiled = None  # an error keeps this frame alive until it is collected

    def _next(self) -> _Job | None:
        with self.changed:
            if not self._waiting:
                return None
            job = self._waiting.popleft()
            job.thread = threading.current_thread()
            try:
                self._attempts.begin(job.candidate.config, job.candidate.program, COMPILING)
            except BaseException as caught:  # such as a warning that is turned into an error
                self.error = caught
                self._attempts.end(job.candidate.config)
                self.changed.notify_all()
                return None
            job.begin = time.perf_counter()
            self.changed.notify_all()  # the limit of the next compilation may have changed
            return job


@functools.cache
def _survive_at_exit() -> None:
    """Lets the process end normally despite the threads that were left behind."""
    atexit.register(_park_who_terminates)


def _park_who_terminates() -> None:
    # A compilation checks for signals every 200 ms, and takes the interpreter's lock for it. When
    # a process finalizes Python, this ends the thread; C++ does not allow it there and calls
    # std::terminate: abort, whatever the exit status of the process should be.
    try:
        terminate = ctypes.CDLL("libstdc++.so.6")._ZSt13set_terminatePFvvE
    except (OSError, AttributeError):
        return  # another C++ library, whose behaviour is unknown
    terminate.argtypes = [ctypes.c_void_p]
    terminate.restype = ctypes.c_void_p
    terminate(ctypes.cast(ctypes.CDLL(None).pause, ctypes.c_void_p))
