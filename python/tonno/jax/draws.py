# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other floating-point arguments, on which bits="same" compares outputs, too.

A draw has the magnitudes that the timed arrays have, so that most functions take it. Integers,
which may be indices, stay as they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tonno.jax.fingerprints import equations

Array = np.ndarray[Any, Any]
_EXPONENTS = 8


class Draw(NamedTuple):
    """Other arguments than the timed ones."""

    seed: int
    name: str
    """Description for messages."""
    cancels: bool
    """True: with random signs and powers of two, so that sums cancel."""

    def make(self, leaves: list[Any]) -> list[Array | None]:
        """Returns other elements for each array of floats, in host memory."""
        return [self._draw(place, leaf) for place, leaf in enumerate(leaves)]

    def _draw(self, place: int, leaf: Any) -> Array | None:
        if not isinstance(leaf, jax.Array) or not jnp.issubdtype(leaf.dtype, jnp.inexact):
            return None
        generator = np.random.default_rng((self.seed, place))
        drawn = generator.permutation(np.asarray(jax.device_get(leaf)).reshape(-1))
        if self.cancels:
            powers = generator.integers(-_EXPONENTS, _EXPONENTS + 1, drawn.size)
            factors = np.exp2(powers) * generator.choice((-1.0, 1.0), drawn.size)
            with np.errstate(over="ignore"):
                drawn = (drawn * factors).astype(drawn.dtype)
        return drawn.reshape(leaf.shape)


DRAWS = (
    Draw(1, "the arguments' elements in another order", cancels=False),
    Draw(2, "arguments whose sums cancel", cancels=True),
)


def has_open_loop(traced: Any) -> bool:
    """Returns True if a loop may run longer on other data, or forever."""
    return any(each.primitive.name == "while" for each in equations(traced.jaxpr))
