# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that run with the defaults of the function's signature, and the reasons."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import jax

from tonno.jax import messages
from tonno.jax.decisions import DEFAULT, Decision, shown
from tonno.jax.plans import Contract
from tonno.jax.problems import Problem, default_device, is_gone
from tonno.modes import Mode, UntunedWarning


class Defaults:
    """The untuned calls of one function in this process; warns once of each."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._decisions: dict[Hashable, Decision] = {}
        """Decisions by identity of the problem."""
        self._untimed: set[Hashable] = set()
        """Problems, traced or not, that can't be timed."""
        self._buckets: set[Hashable] = set()
        """Buckets, by identity, that a warning has reported."""

    def __str__(self) -> str:
        return f"{shown(self._contract.defaults)}, by the signature"

    @property
    def decisions(self) -> list[Decision]:
        return list(self._decisions.values())

    def get(self, problem: Problem) -> Decision | None:
        """Returns the decision for the problem, if there is one."""
        return self._decisions.get(problem.identity)

    def is_untimed(self, problem: Problem) -> bool:
        """Returns True if timing the problem was tried before, and is not possible."""
        # Few problems are; and finding out whether a trace is around may compile an operation.
        return bool(self._untimed) and _place(problem) in self._untimed

    def forget(self, problem: Problem) -> bool:
        """Drops the decision for a problem that is tuned now. Returns False if there was none."""
        return self._decisions.pop(problem.identity, None) is not None

    def forget_the_gone(self) -> None:
        """Drops the decisions for objects that no longer exist."""
        for key in [known for known in list(self._decisions) if is_gone(known)]:
            self._decisions.pop(key, None)
        self._untimed = {place for place in list(self._untimed) if not is_gone(place)}
        self._buckets = {bucket for bucket in list(self._buckets) if not is_gone(bucket)}

    def take_uncached(
        self, problem: Problem, bucket: Problem | None, mode: Mode
    ) -> Decision:
        """Decides for the defaults, since a problem is not in the cache. Warns once for a bucket,
        whichever sizes are called."""
        why = f"the cache has no decision, and {mode.description} measures nothing"
        remedy = "tune it in mode tune first, and keep the cache"
        decision = self.decision(problem, f"{why}: {remedy}")
        kept = self._decisions.setdefault(problem.identity, decision)
        if bucket is not None and bucket.identity in self._buckets:
            return kept
        if bucket is not None:
            self._buckets.add(bucket.identity)
        if kept is decision:
            self._warn(decision, (bucket or problem).key)
        return kept

    def take_untimed(self, problem: Problem, error: Exception) -> Decision:
        """Decides for the defaults, since a problem cannot be timed where it is called."""
        self._untimed.add(_place(problem))
        note = f"the call cannot be timed: {error}"
        return self._take(problem.identity, self.decision(problem, note))

    def take_unknown(self, call: Hashable, arguments: Any, error: Exception) -> Decision:
        """Decides for the defaults, since a call can't be a problem."""
        types = ", ".join(str(jax.typeof(leaf)) for leaf in jax.tree.leaves(arguments))
        return self._take(call, self._decision(types, f"the call cannot be timed: {error}"))

    def decision(self, problem: Problem, note: str) -> Decision:
        """Returns the decision for the defaults, without storing it."""
        return self._decision(problem.key, note, problem.device.device_kind)

    def _decision(self, key: str, note: str, device: str | None = None) -> Decision:
        return Decision(
            device=default_device().device_kind if device is None else device,
            key=key,
            config=dict(self._contract.defaults),
            time_ms=None,
            source=DEFAULT,
            notes=(note,),
        )

    def _take(self, key: Hashable, decision: Decision) -> Decision:
        kept = self._decisions.setdefault(key, decision)
        if kept is decision:
            self._warn(decision, decision.key)
        return kept

    def _warn(self, decision: Decision, key: str) -> None:
        """Warns of the defaults and the reason; `key` is of the problem, or of its bucket."""
        reason = f"{self._contract.name} runs with {self}, as {decision.notes[0]}"
        messages.warn(UntunedWarning(f"{reason} (for {key})"))


def _place(problem: Problem) -> Hashable:
    # Inside a trace, timing may be impossible for calls that can be timed elsewhere.
    return problem.identity, problem.is_traced
