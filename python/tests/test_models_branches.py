# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests for branches of JAX in imported models."""

from __future__ import annotations

import pathlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tonno import mlir, models


def choose(i: Any, x: Any) -> Any:
    return jax.lax.cond(i > 0, jnp.tanh, lambda x: x @ x, x)


def choose_one(i: Any, x: Any) -> Any:
    return jax.lax.switch(i, [jnp.tanh, lambda x: x @ x, lambda x: x + 1, jnp.exp], x)


def swap(i: Any, x: Any) -> Any:
    return jax.lax.cond(i > 0, lambda a, b: (a, b), lambda a, b: (b, a), x, x + 1)


def choose_in_loop(n: Any, x: Any) -> Any:
    def step(i: Any, x: Any) -> Any:
        return jax.lax.cond(i % 2 == n, lambda x: jnp.tanh(x @ x), lambda x: x * 0.5, x)

    return jax.lax.fori_loop(0, 5, step, x)


def loop_in_branch(i: Any, x: Any) -> Any:
    def repeat(x: Any) -> Any:
        return jax.lax.fori_loop(0, 3, lambda _, x: jnp.tanh(x @ x), x)

    def choose(x: Any) -> Any:
        return jax.lax.cond(i > 1, jnp.sin, jnp.cos, x)

    return jax.lax.switch(i, [repeat, jnp.tanh, choose], x)


_BRANCHES = {
    choose: "scf.if",
    choose_one: "scf.index_switch",
    swap: "arith.select",  # the branches are empty
    choose_in_loop: "scf.if",
    loop_in_branch: "scf.index_switch",
}


@pytest.mark.usefixtures("tools")
@pytest.mark.filterwarnings("ignore::tonno.mlir.AlignmentWarning")
@pytest.mark.parametrize("function", _BRANCHES, ids=lambda function: function.__name__)
def test_branches_compute_what_jax_does(function: Any) -> None:
    x = np.random.default_rng(0).standard_normal((8, 8), dtype=np.float32) / 4
    model = models.from_jax(function, np.int32(0), x)
    assert f"{_BRANCHES[function]} " in model.text and "stablehlo" not in model.text
    kernel = mlir.compile(model)
    for i in np.arange(-1, 5, dtype=np.int32):  # some are out of bounds
        expected = jax.tree.leaves(jax.jit(function)(i, x))
        found = kernel(i, x)
        results = found if isinstance(found, tuple) else (found,)
        for one, other in zip(results, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


_IF = """
func.func public @choose_first(%first: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = "stablehlo.if"(%first) ({
    %y = stablehlo.tanh %x : tensor<4xf32>
    stablehlo.return %y : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""


@pytest.mark.usefixtures("tools")
@pytest.mark.filterwarnings("ignore::tonno.mlir.AlignmentWarning")
def test_the_first_branch_is_for_true(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "choose_first.stablehlo.mlir"
    path.write_text(_IF)
    kernel = mlir.compile(models.from_stablehlo(path))
    x = np.arange(4, dtype=np.float32)
    np.testing.assert_allclose(kernel(np.bool_(True), x), np.tanh(x), rtol=1e-5)
    np.testing.assert_array_equal(kernel(np.bool_(False), x), x)


@pytest.mark.usefixtures("tools")
def test_branches_are_tuned(tmp_path: pathlib.Path) -> None:
    spec = jax.ShapeDtypeStruct
    model = models.from_jax(choose_in_loop, spec((), jnp.int32), spec((32, 32), jnp.float32))
    tuned = mlir.tune(model, cache="off", budget_trials=2)
    assert tuned["choose_in_loop"].verdict in ("faster", "tie")
