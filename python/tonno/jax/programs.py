# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equal programs: configurations that are compiled, run and timed once."""

from __future__ import annotations

import dataclasses

from tonno.jax.candidates import Candidate
from tonno.jax.decisions import ConfigTrial, shown


class Programs:
    """The programs of one sweep, each with the first configuration that has it."""

    def __init__(self) -> None:
        self._firsts: dict[str, Candidate] = {}
        self._past: set[str] = set()
        """Programs of an interrupted sweep that this process has not compiled."""

    def add_past(self, trial: ConfigTrial, program: str) -> None:
        """Adds a trial of an interrupted sweep, without its executable."""
        self._firsts.setdefault(program, Candidate(trial, program=program, is_shared=True))
        self._past.add(program)

    def has(self, candidate: Candidate) -> bool:
        """Returns True if an earlier configuration has the program; adds it if none has."""
        if not candidate.is_shared:
            return False
        first = self._firsts.setdefault(candidate.program, candidate)
        if candidate.program in self._past and first.config == candidate.config:
            # Finals, or a repeated trial, need its executable.
            self._past.remove(candidate.program)
            self._firsts[candidate.program] = candidate
            return False
        return first is not candidate

    def first(self, candidate: Candidate) -> Candidate:
        """Returns the candidate that is compiled and run for this one, or this one."""
        return self._firsts.get(candidate.program, candidate) if candidate.is_shared else candidate

    def trial(self, candidate: Candidate) -> ConfigTrial:
        """Returns a candidate's trial, derived from the first candidate's if the programs are
        equal."""
        first = self.first(candidate)
        if first is candidate:
            return candidate.trial
        found, reason = first.trial, first.trial.reason
        if found.time_ms is None and reason:
            reason = f"the same program as {shown(found.config)}: {reason}"
        return dataclasses.replace(
            found,
            config=candidate.config,
            reason=reason,
            samples_ms=list(found.samples_ms),
            compile_begin_s=None,
            compile_end_s=None,
            equals=dict(found.config),
        )
