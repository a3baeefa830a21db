# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Made-up arguments of given shapes and types, for runs that are only timed.

Floats are uniform in [-1, 1), integers 0 to 7 so that they are indices and trip
counts of something, lone numbers 1. A block of a prime length is repeated, so
that no two tiles of an array are alike.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tonno.jax.keys import Leaf

_BLOCK = 65537


def array(leaf: Leaf, place: Any, seed: int) -> jax.Array:
    """An array like `leaf`, at `place`, a sharding, or where JAX puts it if None.

    Concrete even beside a trace, if made under `outside_traces`.
    """
    if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return _keys(leaf, place)
    made: jax.Array = jax.device_put(host_array(leaf.shape, leaf.dtype, seed), place)
    return made


def host_array(shape: tuple[int, ...], dtype: Any, seed: int) -> np.ndarray[Any, Any]:
    """The same in NumPy; the same seed gives the same values."""
    if not shape:
        return np.ones((), dtype)
    length = min(_BLOCK, int(np.prod(shape)))
    return np.resize(_block(np.random.default_rng(seed), length, dtype), shape).astype(dtype)


def _block(
    generator: np.random.Generator, length: int, dtype: Any
) -> np.ndarray[Any, Any]:
    if dtype == np.bool_:
        return generator.integers(0, 2, length).astype(dtype)
    if jnp.issubdtype(dtype, jnp.integer):
        most = min(7, int(jnp.iinfo(dtype).max))
        return generator.integers(0, most + 1, length).astype(dtype)
    values: np.ndarray[Any, Any] = generator.uniform(-1, 1, length)
    if jnp.issubdtype(dtype, jnp.complexfloating):
        values = values + 1j * generator.uniform(-1, 1, length)
    return values.astype(dtype)


def _keys(leaf: Leaf, place: Any) -> jax.Array:
    keys = jnp.zeros(leaf.shape, leaf.dtype)
    moved: jax.Array = jax.device_put(keys, place)
    return moved
