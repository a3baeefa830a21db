# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decisions for objects that no other process can find, shared by those alike."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable

from tonno.jax.decisions import Decision
from tonno.jax.problems import Problem
from tonno.jax.reprs import without_addresses

_NOTE = "taken over from another object, with which the function computes the same"


class Instances:
    """Of one function, in one process.

    Two objects are alike if the key has nothing but their addresses to tell them
    apart, and the winner's trace is the same. Nothing here holds an object.
    """

    def __init__(self) -> None:
        self._decisions: dict[Hashable, dict[str, Decision]] = {}
        """By trace, of those that have the key in common."""

    def find(self, problem: Problem) -> Decision | None:
        for trace, decision in list(self._decisions.get(_common(problem), {}).items()):
            if problem.trace_fingerprint(decision.config) == trace:
                return dataclasses.replace(
                    decision, key=problem.key, notes=(*decision.notes, _NOTE)
                )
        return None

    def keep(self, problem: Problem, decision: Decision) -> None:
        alike = self._decisions.setdefault(_common(problem), {})
        for trace, other in list(alike.items()):
            if problem.trace_fingerprint(other.config) == trace:
                alike.pop(trace, None)
        alike[problem.trace_fingerprint(decision.config)] = decision


def _common(problem: Problem) -> Hashable:
    _, surroundings = problem.identity
    return without_addresses(problem.key), problem.device.device_kind, surroundings
