# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of compiled candidates, and samples of them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any, Protocol

import jax

from tonno import statistics
from tonno.frontends import CandidateFailed
from tonno.jax.cache import CacheWarning
from tonno.jax.candidates import Candidate, brief, is_of_memory
from tonno.jax.draws import Array, Draw
from tonno.jax.hangs import FirstRun, HangError, until_ready
from tonno.jax.plans import Plan
from tonno.jax.problems import NotTunable, outside_traces
from tonno.jax.verification import OtherBits, Verification, WrongOutputs

_NOT_OF_CANDIDATES = (HangError, CacheWarning, NotTunable)
"""Errors that are not the fault of the candidate that runs."""
_MOST_KEPT_BYTES = 1 << 30
"""Size of a draw that is kept in host memory for the next candidate."""
Watch = Callable[[Candidate], contextlib.AbstractContextManager[FirstRun]]
"""Context manager around a candidate's first run."""


class Bench:
    """The arguments, and one run of a candidate at a time."""

    def __init__(self, device: jax.Device, arguments: Any, watch: Watch) -> None:
        """`arguments`: positional ones, and those by name."""
        self._watch = watch
        self._device = device
        self._args = arguments
        self._given: Any = None
        """The arguments that are timed, while another draw is used."""
        self._drawn: dict[Draw, list[Array | None]] = {}

    def use(self, draw: Draw | None) -> None:
        """Runs candidates on this draw of the arguments from now on; None: on the given ones."""
        if self._given is not None:
            self._args, self._given = self._given, None
        if draw is None:
            return
        leaves, tree = jax.tree.flatten(self._args)
        with outside_traces(), self._copies_there():
            made = self._drawn[draw] if draw in self._drawn else draw.make(leaves)
            if sum(other.nbytes for other in made if other is not None) <= _MOST_KEPT_BYTES:
                self._drawn[draw] = made
            drawn = [
                leaf if other is None else jax.device_put(other, leaf.sharding)
                for leaf, other in zip(leaves, made, strict=True)
            ]
            drawn = jax.tree.unflatten(tree, jax.block_until_ready(drawn))
        self._args, self._given = drawn, self._args

    def redraw(self) -> None:
        """Moves the arguments to other memory, one array at a time. This takes the memory of one
        more array; an array for which there is no room stays where it is."""
        leaves, tree = jax.tree.flatten(self._args)
        with outside_traces(), self._copies_there():
            for i, leaf in enumerate(leaves):
                if isinstance(leaf, jax.Array):
                    leaves[i] = jax.block_until_ready(leaf.copy())
                    self._args = jax.tree.unflatten(tree, leaves)

    def first_run(self, candidate: Candidate) -> tuple[float, Any]:
        """Runs a candidate that may crash or hang; otherwise as `run`."""
        with self._watch(candidate) as run:
            return self._timed(candidate, lambda found, begin: until_ready(found, begin, run))

    def run(self, candidate: Candidate) -> tuple[float, Any]:
        """Returns the seconds of one run with its dispatch, and the outputs."""
        return self._timed(candidate, lambda found, begin: jax.block_until_ready(found))

    def _timed(
        self, candidate: Candidate, wait: Callable[[Any, float], Any]
    ) -> tuple[float, Any]:
        # Made-up arguments may give NaN; the call itself is still checked.
        with outside_traces(), jax.debug_nans(False), jax.debug_infs(False):
            args, kwargs = self._fresh(candidate)
            begin = time.perf_counter()
            outputs = wait(candidate.compiled(*args, **kwargs), begin)
            return time.perf_counter() - begin, outputs

    def _fresh(self, candidate: Candidate) -> Any:
        # A donated argument is a copy, made before the clock starts.
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
        # Arrays without a sharding would otherwise be copied to the default device.
        return jax.default_device(self._device)


class Runnable(Protocol):
    """Runs candidates: a `Bench`, or an equivalent in another process."""

    def redraw(self) -> None: ...
    def use(self, draw: Draw | None) -> None: ...
    def first_run(self, candidate: Candidate) -> tuple[float, Any]: ...
    def run(self, candidate: Candidate) -> tuple[float, Any]: ...


class Runs:
    """Samples of candidates, for `tonno.frontends.TrialSampler`."""

    def __init__(
        self, bench: Runnable, plan: Plan, verification: Verification, entrants: list[Candidate]
    ) -> None:
        self._bench = bench
        self._plan = plan
        self._verification = verification
        self._entrants = entrants
        self._first = 0.0
        """Seconds of the first run of a trial."""
        self._samples: list[float] = []
        self._finals: dict[int, list[float]] = {}
        """Samples of finals, by entrant."""
        self._outputs: Any = None
        """Outputs of the last sample of the first candidate."""
        self._is_trial = False
        self._is_verified = False
        self._samples_others = False
        """True if the baseline or other candidates are sampled, too."""
        self.unmoved = ""
        """Reason why arguments could not be redrawn."""

    def launch_first(self) -> float:
        self._is_trial = True
        candidate = self._entrants[1]
        if candidate.compiled is None:
            raise candidate.failure
        self._take_reference()
        try:
            first, outputs = self._bench.first_run(candidate)
            self._verification.check(candidate.trial, outputs)
            outputs = None  # one run's outputs are in memory at a time
            self._compare_draws(candidate)
        except Exception as error:
            if isinstance(error, OtherBits):
                candidate.trial.first_ms = 1e3 * first
            raise self._failed(candidate, error) from error
        if self._plan.protocol == "paired":
            return min([first, *(self.warm(1) for _ in range(self._plan.num_warmup))])
        if self._plan.num_warmup == 0:
            self._samples.append(first)
        self._first = first
        return first

    def sample(self, entrant: int) -> float:
        self._outputs = None
        seconds, outputs = self._run(entrant)
        self._samples_others |= entrant != 1
        if not self._is_trial and self._plan.protocol == "median":
            self._finals.setdefault(entrant, []).append(seconds)
        elif entrant == 1:
            self._samples.append(seconds)
            self._outputs = outputs
        return seconds

    def warm(self, entrant: int) -> float:
        return self._run(entrant)[0]

    def redraw(self) -> None:
        try:
            self._bench.redraw()
        except Exception as error:
            self.unmoved = brief(error)

    def verify_last(self) -> None:
        """Verifies the last run: memory that was zero in the first run may no longer be."""
        self._is_verified = True
        self._take_reference()
        if self._outputs is None and not self._samples_others:
            return
        if self._outputs is None:
            # The baseline ran last, and one run's outputs are in memory at a time.
            self._outputs = self._run(1)[1]
        candidate = self._entrants[1]
        try:
            self._verification.check(candidate.trial, self._outputs)
        except Exception as error:
            raise self._failed(candidate, error) from error

    def _compare_draws(self, candidate: Candidate) -> None:
        """Compares bits on other arguments. Raises OtherBits."""
        baseline = self._entrants[0]
        if candidate is baseline:
            return
        for draw in self._verification.draws:
            if baseline.has_open_loop or candidate.has_open_loop:
                self._verification.note_uncompared(draw, "other data may not end a loop")
                continue
            try:
                if self._take_draw(draw):
                    outputs = self._bench.first_run(candidate)[1]
                    self._verification.check_bits(draw, outputs)
                    outputs = None
            except Exception as error:
                # The timed arguments are in memory beside the drawn ones.
                if not is_of_memory(error) and getattr(error, "status", "") != "out_of_memory":
                    raise
                self._verification.note_uncompared(draw, brief(error))
            finally:
                self._bench.use(None)

    def _take_draw(self, draw: Draw) -> bool:
        """Uses a draw; runs the baseline on it if its outputs are not known. Returns False if
        the draw is left out, since it does not fit or the baseline does not take it."""
        try:
            self._bench.use(draw)
            if not self._verification.knows(draw):
                self._verification.take(draw, self._bench.first_run(self._entrants[0])[1])
        except _NOT_OF_CANDIDATES:
            raise
        except Exception as error:
            self._verification.leave_out(draw, brief(error))
        return draw in self._verification.draws

    def _take_reference(self) -> None:
        """Runs the baseline for its outputs, if it ran only before the sweep was interrupted."""
        baseline = self._entrants[0]
        if self._verification.has_reference or baseline is self._entrants[1]:
            return
        outputs = self._run(0)[1]
        self._verification.check(baseline.trial, outputs)

    def close(self) -> None:
        """Completes the trial, or the trials of the finals."""
        candidate = self._entrants[1]
        trial = candidate.trial
        self._outputs = None
        for entrant, samples in self._finals.items():
            self._entrants[entrant].trial.finals_ms = [sample * 1e3 for sample in samples]
        if not self._is_trial:
            return
        samples = self._samples or ([self._first] if self._first else [])
        if trial.ok and samples:
            trial.status = "ok" if self._is_verified else "pruned"
            trial.samples_ms = [sample * 1e3 for sample in samples]
            trial.time_ms = statistics.median(samples) * 1e3
        if not trial.ok:
            candidate.compiled = None

    def _run(self, entrant: int) -> tuple[float, Any]:
        candidate = self._entrants[entrant]
        if candidate.compiled is None:  # it failed, and is requested again
            raise candidate.failure
        try:
            return self._bench.run(candidate)
        except Exception as error:
            raise self._failed(candidate, error) from error

    def _failed(self, candidate: Candidate, error: Exception) -> CandidateFailed:
        """Returns the failure of a candidate. Raises errors that are not the candidate's fault,
        since the next candidate would only wait for one that hangs."""
        if isinstance(error, _NOT_OF_CANDIDATES):
            raise error
        if isinstance(error, WrongOutputs):
            candidate.trial.status, candidate.trial.reason = error.status, str(error)
            candidate.trial.time_ms = None
        elif isinstance(error, CandidateFailed):
            candidate.fail_as(error)
        else:
            candidate.fail_running(error)
        candidate.compiled = None
        return candidate.failure
