# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tiled product of matrices in Pallas, whose tiles are found by trying.

    python examples/jax/matmul.py [N]

On a CPU Pallas interprets the kernel, which is right but slow, and says nothing
of how a GPU would like the tiles.
"""

from __future__ import annotations

import functools
import sys
import time

import jax
import jax.experimental.pallas as pl
import jax.numpy as jnp

from tonno import autotune

IS_INTERPRETED = jax.default_backend() == "cpu"


def product_kernel(a_ref: jax.Array, b_ref: jax.Array, c_ref: jax.Array) -> None:
    """A tile of the result, of a band of rows and a band of columns."""
    c_ref[...] = jnp.dot(a_ref[...], b_ref[...], preferred_element_type=jnp.float32)


@autotune(
    space={"BM": [16, 32, 64, 128], "BN": [16, 32, 64, 128]},
    constraints=["BM * BN <= 8192"],
)
@jax.jit(static_argnames=["BM", "BN"])
def matmul(a: jax.Array, b: jax.Array, BM: int = 32, BN: int = 32) -> jax.Array:
    """a @ b, where BM divides the rows of a, and BN the columns of b."""
    (m, k), n = a.shape, b.shape[1]
    if m % BM or n % BN:
        raise ValueError(f"tiles of {BM} x {BN} don't divide {m} x {n}")
    return pl.pallas_call(
        product_kernel,
        out_shape=jax.ShapeDtypeStruct((m, n), jnp.float32),
        grid=(m // BM, n // BN),
        in_specs=[
            pl.BlockSpec((BM, k), lambda i, j: (i, 0)),
            pl.BlockSpec((k, BN), lambda i, j: (0, j)),
        ],
        out_specs=pl.BlockSpec((BM, BN), lambda i, j: (i, j)),
        interpret=IS_INTERPRETED,
    )(a, b)


def milliseconds(function: functools.partial[jax.Array]) -> float:
    """The least of five runs."""
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        function().block_until_ready()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3


def main(n: int) -> None:
    a, b = (jax.random.normal(key, (n, n)) for key in jax.random.split(jax.random.key(0)))
    error = float(jnp.abs(matmul(a, b) - a @ b).max())
    print(matmul.explain(a, b))
    print(f"largest error {error:.2g}")
    tuned = milliseconds(functools.partial(matmul, a, b))
    default = milliseconds(functools.partial(matmul, a, b, BM=32, BN=32))
    print(f"{n} x {n}: {default:.3g} ms with BM=32, BN=32; {tuned:.3g} ms as tuned")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 256)
