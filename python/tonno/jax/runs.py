# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running compiled candidates on made-up arguments."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

import jax

from tonno.jax.candidates import Candidate
from tonno.jax.hangs import FirstRun, until_ready
from tonno.jax.problems import Problem
from tonno.jax.tracing import outside_traces

Watch = Callable[[Candidate], contextlib.AbstractContextManager[FirstRun]]
"""Goes around a candidate's first run."""


class Bench:
    """The arguments, and one run of a candidate at a time."""

    def __init__(self, problem: Problem, seed: int, watch: Watch) -> None:
        self._watch = watch
        self._device = problem.device
        self._args = problem.dummies(seed)

    def redraw(self) -> None:
        """The same values in other memory, an array at a time: so there is one more
        array than before, and each stays as it was where there is no room for it."""
        leaves, tree = jax.tree.flatten(self._args)
        with outside_traces(), self._copies_there():
            for i, leaf in enumerate(leaves):
                if isinstance(leaf, jax.Array):
                    leaves[i] = jax.block_until_ready(leaf.copy())
                    self._args = jax.tree.unflatten(tree, leaves)

    def first_run(self, candidate: Candidate) -> tuple[float, Any]:
        """As `run`, of what may crash or hang."""
        with self._watch(candidate) as run:
            return self._timed(candidate, lambda found, begin: until_ready(found, begin, run))

    def run(self, candidate: Candidate) -> tuple[float, Any]:
        """Seconds of one run with its dispatch, and the outputs."""
        return self._timed(candidate, lambda found, begin: jax.block_until_ready(found))

    def _timed(
        self, candidate: Candidate, wait: Callable[[Any, float], Any]
    ) -> tuple[float, Any]:
        # What is made up may well give no numbers; the call itself is still checked.
        with outside_traces(), jax.debug_nans(False), jax.debug_infs(False):
            args, kwargs = self._fresh(candidate)
            begin = time.perf_counter()
            outputs = wait(candidate.compiled(*args, **kwargs), begin)
            return time.perf_counter() - begin, outputs

    def _fresh(self, candidate: Candidate) -> Any:
        # What the call takes away is a copy, made before the clock starts.
        if not any(candidate.donated):
            return self._args
        leaves, tree = jax.tree.flatten(self._args)
        with self._copies_there():
            copies = [
                leaf.copy() if is_donated and isinstance(leaf, jax.Array) else leaf
                for leaf, is_donated in zip(leaves, candidate.donated, strict=True)
            ]
        return jax.block_until_ready(jax.tree.unflatten(tree, copies))

    def _copies_there(self) -> Any:
        # What was put nowhere is otherwise copied to the default device.
        return jax.default_device(self._device)
