# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pallas kernels, interpreted, and the example."""

from __future__ import annotations

import functools
import pathlib
import runpy
import sys
from typing import Any

import jax
import jax.experimental.pallas as pl
import jax.numpy as jnp
import pytest

from tonno import autotune

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/jax/matmul.py"


@autotune(configs=[{"BM": 4}, {"BM": 8}, {"BM": 3}], num_timing=1, outputs="refuse")
@jax.jit(static_argnames=["BM", "scale"])
def rows(x: jax.Array, scale: float = 2.0, BM: int = 4) -> jax.Array:
    if x.shape[0] % BM:
        raise ValueError(f"{BM} does not divide {x.shape[0]}")

    def kernel(x_ref: Any, y_ref: Any) -> None:
        y_ref[...] = jnp.exp(x_ref[...]) * scale

    block = pl.BlockSpec((BM, x.shape[1]), lambda i: (i, 0))
    scaled: jax.Array = pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(x.shape[0] // BM,),
        in_specs=[block],
        out_specs=block,
        interpret=True,
    )(x)
    return scaled


@jax.custom_vjp
def differentiable(x: jax.Array) -> jax.Array:
    return rows(x)


differentiable.defvjp(lambda x: (rows(x),) * 2, lambda y, g: (g * y,))

X = jnp.linspace(0, 1, 32).reshape(8, 4)


@pytest.mark.parametrize(
    ("transformed", "expected"),
    [
        (rows, 2 * jnp.exp(X)),
        (functools.partial(rows, scale=3.0), 3 * jnp.exp(X)),
        (jax.jit(rows), 2 * jnp.exp(X)),
        (lambda x: jax.vmap(rows)(jnp.stack([x, x]))[1], 2 * jnp.exp(X)),
        (jax.jit(jax.grad(lambda x: differentiable(x).sum())), 2 * jnp.exp(X)),
        (lambda x: jax.lax.scan(lambda c, _: (c, rows(c)), x, None, 2)[1][1], 2 * jnp.exp(X)),
    ],
    ids=range(6),
)
def test_kernel_is_tuned_and_right(transformed: Any, expected: Any, cache: Any) -> None:
    assert jnp.allclose(transformed(X), expected, rtol=1e-5)
    decision = rows.decisions[-1]
    assert decision.source == "sweep" and decision.config["BM"] in (4, 8)
    failed = [trial for trial in decision.trials if not trial.ok]
    assert [trial.reason for trial in failed] == ["ValueError: 3 does not divide 8"]


def test_change_of_where_blocks_are_is_noticed(cache: Any) -> None:
    sources = []
    for turned in (False, False, True):

        def index(i: int) -> tuple[int, int]:
            return (1 - i if turned else i, 0)  # noqa: B023

        def copied(x: Any, N: int = 1) -> Any:
            block = pl.BlockSpec((4, 4), index)  # noqa: B023

            def kernel(x_ref: Any, y_ref: Any) -> None:
                y_ref[...] = x_ref[...]

            return pl.pallas_call(
                kernel, out_shape=x, grid=(2,), in_specs=[block], out_specs=block, interpret=True
            )(x)

        tuned = autotune(configs=[{"N": 1}], num_timing=1)(
            jax.jit(copied, static_argnames=["N"])
        )
        tuned(X)
        sources.append(tuned.decisions[0].source)
    assert sources == ["sweep", "cache", "sweep"]


def test_example_runs(
    cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["matmul.py", "32"])
    for source in ("sweep", "cache"):
        runpy.run_path(str(EXAMPLE), run_name="__main__")
        shown = capsys.readouterr().out
        assert f"ms, from the {source}\n" in shown
        assert "BM=64, BN=16  compile_error: ValueError: tiles of 64 x 16 don't" in shown
        assert "32 x 32: " in shown and "largest error " in shown
    assert (cache / "matmul.json").exists()
