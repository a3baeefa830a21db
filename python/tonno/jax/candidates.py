# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations with their programs."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from typing import Any

import jax

from tonno.frontends import CandidateFailed
from tonno.jax import fingerprints
from tonno.jax.attempts import Attempts
from tonno.jax.decisions import ConfigTrial
from tonno.jax.hangs import HangError
from tonno.jax.problems import Problem
from tonno.trials import Configuration


@dataclasses.dataclass(eq=False)
class Candidate:
    """A configuration with its program, or with the reason why there is none."""

    trial: ConfigTrial
    compiled: Any = None
    donated: tuple[bool, ...] = ()
    """Of each array that it is called with: whether the call takes it away."""
    lowered: Any = None
    """Until it is compiled."""
    program: str = ""
    """The fingerprint of its trace, where attempts are remembered by it."""
    error: Exception | None = None
    """What it failed of, until a sweep took it."""

    @property
    def config(self) -> Configuration:
        return self.trial.config

    @property
    def failure(self) -> CandidateFailed:
        return CandidateFailed(self.trial.status, self.trial.reason)

    def fail(self, status: str, error: Exception) -> None:
        self.trial.status = status
        self.trial.reason = brief(error)
        self.trial.time_ms = None
        self.compiled = None
        self.error = error

    def fail_running(self, error: Exception) -> None:
        """Raises KeyboardInterrupt where that is what happened."""
        # One in a callback of the function is told of as text.
        if str(error).rstrip().rpartition("\n")[2].startswith("KeyboardInterrupt"):
            raise KeyboardInterrupt from error
        self.fail("out_of_memory" if is_of_memory(error) else "fault", error)


def is_of_memory(error: Exception) -> bool:
    """Whether there was too little of it."""
    return "RESOURCE_EXHAUSTED" in str(error) or isinstance(error, MemoryError)


def brief(error: Exception) -> str:
    """Its type and reason. XLA says more than what fits a table."""
    # The first line has the reason, or the last one of a callback's traceback.
    lines = str(error).strip().splitlines() or [""]
    line = lines[-1] if "Traceback (most recent" in lines[0] else lines[0]
    return f"{type(error).__name__}: {line}".rstrip(": ")


def workers() -> int:
    """As many as there are processors for this process, and no fewer than two."""
    return max(2, len(os.sched_getaffinity(0)))


def lower_all(
    problem: Problem,
    configs: list[Configuration],
    attempts: Attempts,
    tell: Callable[[str], None],
) -> list[Candidate]:
    """A candidate for each configuration, in order; failures are in them.

    Tracing and lowering happen here, on the caller's thread, since JAX's settings
    (precision, 64 bits, mesh) are those of a thread. Compiling needs none of
    them, and leaves the interpreter alone. All are lowered before one is compiled:
    a trace may call an autotuned function, whose timing is not to be disturbed.
    """
    candidates = [Candidate(ConfigTrial(dict(config))) for config in configs]
    for i, candidate in enumerate(candidates):
        tell(f"lowering {i + 1} of {len(candidates)}")
        _lower(problem, candidate, attempts)
    return candidates


def _lower(problem: Problem, candidate: Candidate, attempts: Attempts) -> None:
    try:
        traced = problem.trace(candidate.config)
        if attempts.are_remembered:
            candidate.program = fingerprints.of_trace(traced)
            left = attempts.left(candidate.config, candidate.program)
            if left is not None:
                trial = candidate.trial
                trial.status, trial.reason, trial.left_out_by = left
                return
        lowered = traced.lower()
    except HangError:
        raise  # Of a function that it calls, and the device is blocked.
    except Exception as error:
        candidate.fail("compile_error", error)
        return
    leaves = _leaves_of(lowered.args_info)
    candidate.donated = tuple(bool(leaf.donated) for leaf in leaves)
    candidate.lowered = lowered


def _leaves_of(information: Any) -> list[Any]:
    leaves: list[Any] = jax.tree.leaves(information, is_leaf=lambda x: hasattr(x, "donated"))
    return leaves
