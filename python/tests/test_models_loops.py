# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of JAX, as scf."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tonno import mlir, models


def recur(xs: Any, k: Any) -> Any:
    def step(h: Any, x: Any) -> Any:
        h = jnp.tanh(h @ k + x)
        return h, h

    return jax.lax.scan(step, jnp.zeros_like(xs[0]), xs)


def recur_backwards(xs: Any) -> Any:
    return jax.lax.scan(lambda c, x: (c + x, c * x), xs[0], xs, reverse=True)


def unroll_in_part(xs: Any) -> Any:
    return jax.lax.scan(lambda c, x: (c + x, c * x), xs[0], xs, unroll=3)


def count_to(n: Any, x: Any) -> Any:
    return jax.lax.fori_loop(0, n, lambda i, c: c * 0.5 + i, x)


def count_by_twos(x: Any) -> Any:
    return jax.lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] + 3, c[1] + c[0]), (2, x))


def count_never(x: Any) -> Any:
    return jax.lax.while_loop(lambda c: c[0] < 1, lambda c: (c[0] + 3, c[1] + c[0]), (2, x))


def count_from(n: Any, x: Any) -> Any:
    return jax.lax.while_loop(lambda c: c[0] < 9, lambda c: (c[0] + 1, c[1] + c[0]), (n, x))


def grow(x: Any) -> Any:
    return jax.lax.while_loop(lambda c: c.sum() < 300.0, lambda c: c + 1, x)


def count_within_count(x: Any) -> Any:
    def outer(i: Any, c: Any) -> Any:
        return jax.lax.fori_loop(0, 4, lambda j, d: d * 0.5 + j + i, c)

    return jax.lax.fori_loop(0, 3, outer, x)


_LOOPS: dict[Any, tuple[str, tuple[Any, ...]]] = {
    recur: ("scf.for", ((6, 1, 8), (8, 8))),
    recur_backwards: ("scf.for", ((5, 8),)),
    unroll_in_part: ("scf.for", ((7, 8),)),
    count_to: ("scf.while", (np.int32(5), (4, 4))),
    count_by_twos: ("scf.for", ((4, 4),)),
    count_never: ("return", ((4, 4),)),  # no loop is left
    count_from: ("scf.while", (np.int32(5), (4, 4))),
    grow: ("scf.while", ((4, 4),)),
    count_within_count: ("scf.for", ((4, 4),)),
}


@pytest.mark.usefixtures("tools")
@pytest.mark.filterwarnings("ignore::tonno.mlir.AlignmentWarning")
@pytest.mark.parametrize("function", _LOOPS, ids=lambda function: function.__name__)
def test_loops_compute_what_jax_does(function: Any) -> None:
    loop, given = _LOOPS[function]
    random = np.random.default_rng(0)
    values = [
        random.standard_normal(each, dtype=np.float32) if isinstance(each, tuple) else each
        for each in given
    ]
    model = models.from_jax(function, *values)
    assert f"{loop} " in model.text and "stablehlo" not in model.text
    found = mlir.compile(model)(*values)
    expected = jax.tree.leaves(jax.jit(function)(*values))
    results = found if isinstance(found, tuple) else (found,)
    for one, other in zip(results, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


def test_invariant_values_are_not_carried() -> None:
    spec = jax.ShapeDtypeStruct
    text = models.from_jax(recur, spec((6, 1, 8), jnp.float32), spec((8, 8), jnp.float32)).text
    (line,) = (line for line in text.splitlines() if "scf.for" in line)
    assert line.count("tensor<8x8xf32>") == 0 and "tensor<6x1x8xf32>" in line
