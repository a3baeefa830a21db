# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether configurations compute the same."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

HostOutputs = list["np.ndarray[Any, Any]"]


def to_host(outputs: Any) -> tuple[Any, HostOutputs]:
    """The structure and the arrays of what a function returned."""
    leaves, tree = jax.tree.flatten(outputs)
    return tree, [_array(leaf) for leaf in leaves]


def _array(leaf: Any) -> np.ndarray[Any, Any]:
    if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    return np.asarray(leaf)


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
    a, b = _wide(found), _wide(reference)
    is_plain = np.isfinite(b)
    others = np.array_equal(a[~is_plain], b[~is_plain], equal_nan=True)
    if not others or not np.isfinite(a[is_plain]).all():
        return float("inf")
    if not is_plain.any():
        return 0.0
    error = float(np.abs(a[is_plain] - b[is_plain]).max())
    scale = float(np.sqrt(np.mean(np.abs(b[is_plain]) ** 2)))
    if error == 0.0:
        return 0.0
    return error / (scale * allowed) if scale * allowed > 0 else float("inf")


def _wide(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    is_complex = jnp.issubdtype(array.dtype, jnp.complexfloating)
    return array.astype(np.complex128 if is_complex else np.float64)
