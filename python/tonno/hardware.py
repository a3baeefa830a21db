# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Function of the original decorator's `tonno.hardware`."""

from __future__ import annotations

import jax


def get_device_name() -> str:
    """Returns the name of JAX's first device in the files of winners, such as "cpu"."""
    device = jax.devices()[0]
    return "cpu" if device.platform == "cpu" else str(device.device_kind)
