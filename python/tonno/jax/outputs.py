# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether configurations compute the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify

HostOutputs = list["np.ndarray[Any, Any]"]

_CHUNK = 1 << 22
"""Elements that are compared at once, each in some 100 bytes."""


def to_host(outputs: Any) -> tuple[Any, HostOutputs]:
    """The structure and the arrays of what a function returned."""
    leaves, tree = jax.tree.flatten(outputs, is_leaf=_is_error)
    return tree, [_array(leaf) for leaf in leaves]


def _is_error(node: Any) -> bool:
    return isinstance(node, checkify.Error)


def _array(leaf: Any) -> np.ndarray[Any, Any]:
    if _is_error(leaf):
        return np.array(leaf.get() is not None)  # Its numbers are another trace's each time.
    if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    # What is asked for is no implicit transfer, which jax.transfer_guard refuses.
    host: np.ndarray[Any, Any] = jax.device_get(leaf)
    return host


def tolerance_of(dtype: Any) -> float:
    """Of errors over the root mean square: the root of the type's precision.

    float32 3e-4, bfloat16 0.09, float16 0.03; integers and bools are equal.
    """
    if jnp.issubdtype(dtype, jnp.inexact):
        return float(np.sqrt(float(jnp.finfo(dtype).eps)))
    return 0.0


def difference(
    found: tuple[Any, HostOutputs], reference: tuple[Any, HostOutputs], tolerance: float | None
) -> float:
    """The largest error in tolerances: more than 1 is another result.

    Errors are over the root mean square of each array. NaN is as good as NaN.
    Infinite where structure, shape or type differ.
    """
    if found[0] != reference[0]:
        return float("inf")
    return max(
        (_difference(a, b, tolerance) for a, b in zip(found[1], reference[1], strict=True)),
        default=0.0,
    )


def _difference(
    found: np.ndarray[Any, Any], reference: np.ndarray[Any, Any], tolerance: float | None
) -> float:
    if found.shape != reference.shape or found.dtype != reference.dtype:
        return float("inf")
    if found.size == 0:
        return 0.0
    allowed = tolerance_of(found.dtype) if tolerance is None else tolerance
    if not jnp.issubdtype(found.dtype, jnp.inexact):
        return 0.0 if np.array_equal(found, reference) else float("inf")
    error, squares, count = 0.0, 0.0, 0
    for a, b in zip(_chunks(found), _chunks(reference), strict=True):
        is_plain = np.isfinite(b)
        others = np.array_equal(a[~is_plain], b[~is_plain], equal_nan=True)
        if not others or not np.isfinite(a[is_plain]).all():
            return float("inf")
        if is_plain.any():
            error = max(error, float(np.abs(a[is_plain] - b[is_plain]).max()))
            squares += float(np.sum(np.abs(b[is_plain]) ** 2))
            count += int(np.count_nonzero(is_plain))
    if error == 0.0:
        return 0.0
    scale = float(np.sqrt(squares / count))
    return error / (scale * allowed) if scale * allowed > 0 else float("inf")


def _chunks(array: np.ndarray[Any, Any]) -> Iterator[np.ndarray[Any, Any]]:
    """The elements in a wide type, a part at a time, as they may fill the memory."""
    flat = array.reshape(-1)
    for begin in range(0, flat.size, _CHUNK):
        yield _wide(flat[begin : begin + _CHUNK])


def _wide(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    is_complex = jnp.issubdtype(array.dtype, jnp.complexfloating)
    return array.astype(np.complex128 if is_complex else np.float64)
