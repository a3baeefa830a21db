# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether there is a trace around, and leaving it for a while."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import jax
import jax.numpy as jnp


@contextlib.contextmanager
def outside_traces() -> Iterator[None]:
    """Arrays that are made within are concrete, and programs run, whatever is
    traced around it."""
    # The first does not leave a shard_map that no jit is around, which wraps all
    # that is made in it.
    with jax.ensure_compile_time_eval(), jax.core.eval_context():
        yield


def is_in_trace() -> bool:
    """Whether an operation would be traced, even one of no traced arguments."""
    return isinstance(jnp.zeros(()), jax.core.Tracer)
