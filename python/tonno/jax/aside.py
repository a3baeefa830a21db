# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Doing something beside what this thread is tracing."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

import jax

from tonno.jax import locks

T = TypeVar("T")


def aside(work: Callable[[], T]) -> T:
    """The work's result; what it raises is raised.

    Inside a shard_map nothing can be put on a device, so there a thread of its
    own does it, with the settings of this one that compiling depends on.
    """
    manual = jax.sharding.AxisType.Manual
    if manual not in jax.sharding.get_abstract_mesh().axis_types:
        return work()
    results: list[T] = []
    errors: list[BaseException] = []
    precision = jax.config.jax_default_matmul_precision
    device = jax.config.jax_default_device
    is_wide = jax.config.jax_enable_x64

    held = locks.held()

    def run() -> None:
        locks.hold_for(held)
        try:
            with contextlib.ExitStack() as stack:
                stack.enter_context(jax.default_matmul_precision(precision))
                stack.enter_context(jax.default_device(device))
                stack.enter_context(jax.enable_x64(is_wide))
                results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="tonno-aside")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
