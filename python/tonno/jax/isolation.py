# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidates that are compiled and run in a child process.

A candidate that crashes or hangs there is one failed trial: the child ends, and the next request
starts another child, which creates the same arguments. A program that is requested again is
compiled again.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import math
import mmap
import os
import pickle
import time
import weakref
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from tonno.children import START_SECONDS, Child, NoAnswer
from tonno.frontends import CandidateFailed
from tonno.jax.arguments import TimedArguments
from tonno.jax.candidates import Candidate
from tonno.jax.draws import Draw
from tonno.jax.exports import Program, export
from tonno.jax.hangs import Patience
from tonno.jax.problems import NotTunable
from tonno.jax.verification import Deferred
from tonno.progress import Progress

_SETTINGS = (
    "jax_platforms",
    "jax_num_cpu_devices",
    "jax_cpu_enable_async_dispatch",
    "jax_enable_x64",
    "jax_default_prng_impl",
    "jax_threefry_partitionable",
    "jax_compilation_cache_dir",
)
"""Settings of JAX that affect how programs are compiled and run."""
_POLL_SECONDS = 5.0


class IsolatedBench:
    """Compiles and runs programs in a child process, as `runs.Bench` does in this one.

        limit_seconds: limit of a run
        compile_seconds: limit of a compilation; None for a multiple of the usual time
    """

    def __init__(
        self,
        arguments: TimedArguments,
        limit_seconds: float,
        compile_seconds: float | None,
        progress: Progress,
        begin: float,
    ) -> None:
        self._problem = arguments.problem
        self._limit = limit_seconds
        self._compile_limit = compile_seconds
        self._progress = progress
        self._begin = begin
        """Start of the sweep, by time.perf_counter()."""
        self._patience = Patience()
        self._programs = 0
        self._dropped: list[int] = []
        """Programs that are no longer needed."""
        self._child: Child | None = None
        self._loaded: set[int] = set()
        """Programs that the child has compiled."""
        self._runs = 0
        self._draw: Draw | None = None
        self._arguments = _File("tonno-arguments")
        self._program = _File("tonno-program")
        self._outputs = _File("tonno-outputs")
        try:
            self._arguments.write(pickle.dumps(_opening(arguments)))
            self._open()
        except NoAnswer as end:
            self.close()
            raise NotTunable(
                f"the child process of isolate=True {end}; see its messages on standard error"
            ) from end
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the child."""
        self._stop()
        for file in (self._arguments, self._program, self._outputs):
            file.close()

    def prepare(
        self, candidates: list[Candidate], is_known: Callable[[Candidate], bool]
    ) -> None:
        """Exports programs, except known ones; failures are in the candidates. Raises NotTunable
        for a program that can't be sent to a child."""
        for i, candidate in enumerate(candidates):
            self._progress.show(f"lowering {i + 1} of {len(candidates)}")
            self._programs += 1
            program = export(self._problem, candidate, self._programs, is_known)
            candidate.compiled = program
            if program is not None:
                weakref.finalize(program, self._dropped.append, program.number)

    def compile(
        self, candidates: list[Candidate], threads: int, deadline: float = math.inf
    ) -> None:
        """Compiles programs in parallel; failures are in the candidates.

        Programs whose compilation has not begun by `deadline`, by time.perf_counter(), are
        untried. If a child crashes while it compiles several programs, each of them is compiled
        by itself.
        """
        waiting = collections.deque(c for c in candidates if c.compiled is not None)
        suspects: collections.deque[Candidate] = collections.deque()
        while suspects or waiting:
            queue, width = (suspects, 1) if suspects else (waiting, threads)
            running: dict[int, _Running] = {}
            try:
                while queue or running:
                    if time.perf_counter() >= deadline:
                        for late in (*suspects, *waiting):
                            late.leave_untried()
                        suspects.clear()
                        waiting.clear()
                    left = len(queue) + (len(waiting) if width == 1 else 0)
                    self._progress.show(f"compiling, {left + len(running)} to go")
                    self._compile_some(queue, width, running)
            except NoAnswer as end:
                if len(running) == 1:
                    (only,) = running.values()
                    only.candidate.fail_as(_make_compile_failure(end))
                else:
                    suspects.extend(one.candidate for one in running.values())

    def first_run(self, candidate: Candidate) -> tuple[float, Any]:
        """Runs a candidate that may crash or hang; otherwise as `run`."""
        return self.run(candidate)

    def run(self, candidate: Candidate) -> tuple[float, Any]:
        """Returns the seconds of one run, and the outputs, which are fetched when they are
        compared.

        Raises CandidateFailed. A candidate that ran before, and a failure that something else may
        have caused, is repeated once, in a new child.
        """
        program: Program = candidate.compiled
        try:
            seconds = self._timed(program)
        except NoAnswer as end:
            may_pass = program.has_run or end.is_from_outside
            if end.cause == "timed_out" or not may_pass:
                raise self._make_run_failure(end) from end
            try:
                seconds = self._timed(program)
            except NoAnswer as again:
                raise self._make_run_failure(again) from again
        program.has_run = True
        run = self._runs
        return seconds, Deferred(lambda: self._fetched(program, run))

    def use(self, draw: Draw | None) -> None:
        """As of `runs.Bench`. Raises CandidateFailed if there is no memory for the draw."""
        self._draw = draw
        try:
            self._answer(_request_draw(draw), START_SECONDS)
        except NoAnswer as end:
            # The next child begins with the draw.
            if draw is not None:
                raise self._make_run_failure(end) from end

    def redraw(self) -> None:
        """Moves the arguments to other memory."""
        with contextlib.suppress(NoAnswer):  # a new child has them in other memory anyway
            self._answer({"do": "redraw"}, self._limit)

    def _open(self) -> None:
        """Starts a child if there is none."""
        if self._child is not None:
            return
        files = (self._arguments, self._program, self._outputs)
        self._child = Child("tonno.jax.child", [file.descriptor for file in files])
        self._loaded.clear()
        try:
            self._answer({"do": "open", "bytes": self._arguments.size}, START_SECONDS)
            if self._draw is not None:
                self._answer(_request_draw(self._draw), START_SECONDS)
        except CandidateFailed as failed:
            self._stop()
            kind = MemoryError if failed.status == "out_of_memory" else NotTunable
            raise kind(
                f"cannot make the arguments in a child process: {failed.message}"
            ) from failed

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.stop()

    def _answer(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Returns the answer to a request. Raises NoAnswer, and CandidateFailed for a failure
        that the child reports."""
        self._open()
        assert self._child is not None
        try:
            answer = self._child.ask(request, seconds)
        except NoAnswer:
            self._child = None
            raise
        if "status" in answer:
            raise CandidateFailed(answer["status"], answer["reason"])
        return answer

    def _compile_some(
        self,
        queue: collections.deque[Candidate],
        width: int,
        running: dict[int, _Running],
    ) -> None:
        """Starts compilations up to the limit, and waits until something changes."""
        while queue and len(running) < width:
            candidate = queue.popleft()
            running[candidate.compiled.number] = _Running(candidate)
            self._submit(candidate.compiled)
        limit = self._compile_seconds()
        first = min(one.begin for one in running.values())
        due = first + limit - time.perf_counter()
        for report in self._reports(due):
            done = running.pop(report["number"]).candidate
            done.trial.compile_begin_s = report["begin"] - self._begin
            done.trial.compile_end_s = report["end"] - self._begin
            if report["status"]:
                done.fail_as(CandidateFailed(report["status"], report["reason"]))
        now = time.perf_counter()
        late = [one for one in running.values() if now - one.begin >= limit]
        if late:
            self._stop()
            for one in late:
                one.candidate.fail_as(_too_long(limit))
            queue.extendleft(one.candidate for one in running.values() if one not in late)
            running.clear()

    def _submit(self, program: Program) -> None:
        self._open()
        self._program.write(program.text)
        request = {"do": "compile", "number": program.number, "bytes": self._program.size}
        self._answer(request, START_SECONDS)

    def _reports(self, seconds: float) -> list[dict[str, Any]]:
        """Returns the compilations that have ended; waits for one, up to `seconds`."""
        request = {"do": "wait", "seconds": max(0.0, min(seconds, _POLL_SECONDS))}
        reports: list[dict[str, Any]] = list(self._answer(request, START_SECONDS)["compiled"])
        for report in reports:
            if not report["status"]:
                self._patience.note(report["end"] - report["begin"])
                self._loaded.add(report["number"])
        return reports

    def _compile_seconds(self) -> float:
        return self._patience.seconds if self._compile_limit is None else self._compile_limit

    def _load(self, program: Program) -> None:
        """Compiles a program that the child does not have."""
        self._open()
        if program.number in self._loaded:
            return
        limit, begin = self._compile_seconds(), time.perf_counter()
        self._submit(program)
        while program.number not in self._loaded:
            left = begin + limit - time.perf_counter()
            if left <= 0:
                self._stop()
                raise _too_long(limit)
            for report in self._reports(left):
                if report["status"]:
                    raise CandidateFailed(report["status"], report["reason"])

    def _timed(self, program: Program) -> float:
        is_again = program.has_run and program.number not in self._loaded
        self._load(program)
        dropped, self._dropped[:] = list(self._dropped), []
        request = {"do": "run", "number": program.number, "dropped": dropped}
        if is_again:
            self._answer(request, self._limit)  # a program's first run is slow
        seconds: float = self._answer(request, self._limit)["seconds"]
        self._runs += 1
        return seconds

    def _fetched(self, program: Program, run: int) -> Any:
        """Returns the outputs of a run in host memory. Raises CandidateFailed."""
        try:
            if run != self._runs or self._child is None:
                self._timed(program)  # the child keeps only the last run's
            size = self._answer({"do": "outputs"}, START_SECONDS + self._limit)["bytes"]
        except NoAnswer as end:
            raise self._make_run_failure(end) from end
        sizes = [math.prod(shape) * dtype.itemsize for shape, dtype in program.out_types]
        if size != sum(sizes):
            raise CandidateFailed("fault", f"the outputs have {size} bytes, not {sum(sizes)}")
        data, arrays, offset = self._outputs.read(size), [], 0
        for (shape, dtype), length in zip(program.out_types, sizes, strict=True):
            arrays.append(np.ndarray(shape, dtype, data, offset))
            offset += length
        return jax.tree.unflatten(program.out_tree, arrays)

    def _make_run_failure(self, end: NoAnswer) -> CandidateFailed:
        if end.cause == "timed_out":
            return CandidateFailed(
                "hang",
                f"ran for over {self._limit:.3g} s (limit_seconds=), and its process was ended",
            )
        status = "out_of_memory" if end.cause == "out_of_memory" else "fault"
        return CandidateFailed(status, f"the process {end}")


@dataclasses.dataclass
class _Running:
    """A compilation in the child."""

    candidate: Candidate
    begin: float = dataclasses.field(default_factory=time.perf_counter)


class _File:
    """A file in memory, which a child inherits."""

    def __init__(self, name: str) -> None:
        self.descriptor = os.memfd_create(name)
        self.size = 0

    def write(self, data: bytes) -> None:
        os.ftruncate(self.descriptor, len(data))
        with mmap.mmap(self.descriptor, len(data)) as memory:
            memory.write(data)
        self.size = len(data)

    def read(self, size: int) -> bytes:
        if size == 0:
            return b""
        with mmap.mmap(self.descriptor, size, prot=mmap.PROT_READ) as memory:
            return memory.read(size)

    def close(self) -> None:
        os.close(self.descriptor)


def _opening(arguments: TimedArguments) -> dict[str, Any]:
    """Returns the state of this process that a child needs: settings, device and arguments."""
    device = arguments.problem.device
    settings = {n: getattr(jax.config, n) for n in _SETTINGS if hasattr(jax.config, n)}
    return {
        "settings": settings,
        "device": (device.platform, device.id),
        "leaves": arguments.get_sendable(),
    }


def _request_draw(draw: Draw | None) -> dict[str, Any]:
    return {"do": "use", "draw": () if draw is None else tuple(draw)}


def _too_long(limit: float) -> CandidateFailed:
    return CandidateFailed(
        "compile_timeout",
        f"compiling took over {limit:.3g} s (compile_seconds=), and its process was ended",
    )


def _make_compile_failure(end: NoAnswer) -> CandidateFailed:
    status = "out_of_memory" if end.cause == "out_of_memory" else "compile_crash"
    return CandidateFailed(status, f"the process {end}")
