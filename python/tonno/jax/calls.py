# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tells calls apart within a process, found quickly."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Hashable
from typing import Any

import jax

from tonno.jax.contract import Contract
from tonno.jax.winners import directory_name

_SETTINGS = tuple(
    name
    for name in (
        "jax_default_matmul_precision",
        "jax_default_device",
        "jax_enable_x64",
        "jax_numpy_dtype_promotion",
        "jax_default_prng_impl",
        "jax_threefry_partitionable",
    )
    if hasattr(jax.config, name)
)
"""Of JAX, on which it depends what a function is traced to and where it runs."""


def static_places(contract: Contract, args: tuple[Any, ...]) -> frozenset[int]:
    """Which positional arguments are static."""
    return _static_places(
        contract.positional[: len(args)],
        contract.statics,
        contract.static_numbers,
    )


@functools.lru_cache
def _static_places(
    names: tuple[str, ...], statics: frozenset[str], numbers: frozenset[int]
) -> frozenset[int]:
    return numbers | {i for i, name in enumerate(names) if name in statics}


def call_of(contract: Contract, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Hashable:
    """What tells a call from others in this process, found quickly.

    One problem may have several: its arguments may be passed in other ways.
    Raises TypeError for what is no argument to jax.jit.
    """
    statics, names = static_places(contract, args), contract.statics
    dynamic = [arg for i, arg in enumerate(args) if i not in statics]
    fixed: list[Hashable] = [
        (i, type(args[i]), held(args[i])) for i in statics if i < len(args)
    ]
    named = {}
    for name, value in kwargs.items():
        if name in names:
            fixed.append((name, type(value), held(value)))
        else:
            named[name] = value
    leaves, tree = jax.tree.flatten((dynamic, named))
    return tuple(map(_brief, leaves)), tree, tuple(fixed), surroundings()


def _brief(leaf: Any) -> Hashable:
    if isinstance(leaf, jax.Array) and not isinstance(leaf, jax.core.Tracer):
        return leaf.aval, leaf.sharding if leaf.committed else None
    aval: Hashable = jax.typeof(leaf)
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return aval, leaf.sharding
    return aval


def surroundings() -> Hashable:
    """The settings that a call depends on beside its arguments."""
    return (*[getattr(jax.config, name) for name in _SETTINGS], directory_name())


def held(value: Any) -> Hashable:
    """What equals nothing but itself is held weakly: a table of calls keeps no object
    alive, and is of no use without it."""
    hashing: Any = type(value).__hash__
    if hashing is object.__hash__:
        try:
            return weakref.ref(value)
        except TypeError:
            pass  # Of a class with __slots__.
    itself: Hashable = value
    return itself


def is_gone(call: Hashable) -> bool:
    """Whether a call, or a problem's identity, is of an object that is no more."""
    if isinstance(call, weakref.ref):
        return call() is None
    return isinstance(call, tuple) and any(map(is_gone, call))
