# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions whose configurations compute different things."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax_events import VirtualTime

from tonno import autotune
from tonno.jax import FailureWarning, OutputWarning

X = jnp.linspace(0.5, 1, 16)
Kind = Callable[[Any], Any]
clocks: list[VirtualTime] = []
"""The last one is the running test's."""


def slow(x: Any) -> Any:
    """Returns the double, and is never the fastest by the clock of `clocks`."""

    def wait(x: Any) -> Any:
        clocks[-1].add(0.02)
        return x

    return jax.pure_callback(wait, jax.ShapeDtypeStruct(x.shape, x.dtype), x) * 2


def double(x: Any) -> Any:
    return x * 2


def nan(x: Any) -> Any:
    """Returns what a block larger than the array gives."""
    return x * jnp.nan


def partly_nan(x: Any) -> Any:
    return (x * 2).at[:4].set(jnp.nan)


def inexact(x: Any) -> Any:
    return x * 2.1


def make(*kinds: Kind, default: int = 1, **options: Any) -> Any:
    """A function whose N-th configuration, from 1, is of the N-th kind.

    `searched`: as a space instead of a list.
    """
    numbers = range(1, 1 + len(kinds))
    if options.pop("searched", False):
        options["space"] = {"N": numbers}
    else:
        options["configs"] = [{"N": n} for n in numbers]
    options.setdefault("num_timing", 3)

    @autotune(**options)
    @jax.jit(static_argnames=["N"])
    def varying(x: Any, N: int = default) -> Any:
        return kinds[N - 1](x)

    return varying


def decided(tuned: Any, *args: Any) -> tuple[str, int, list[str]]:
    """Returns source, winner and what was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tuned(*(args or (X,)))
    decision = tuned.decisions[-1]
    own = [w for w in caught if issubclass(w.category, (OutputWarning, FailureWarning))]
    return decision.source, decision.config["N"], [str(w.message) for w in own]
