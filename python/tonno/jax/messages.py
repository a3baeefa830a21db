# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warnings for users."""

from __future__ import annotations

import logging
import sys
import warnings

from tonno.printable import printable

log = logging.getLogger("tonno.tune")
"""Logger, named after the original decorator's module."""

_BETWEEN = ("tonno", "jax", "jaxlib", "contextlib", "functools")
"""Packages between a user's call and tonno."""


def warn(message: str | Warning, category: type[Warning] | None = None) -> None:
    """Issues a warning like warnings.warn, at the first line outside of tonno and JAX."""
    if isinstance(message, str):
        message = printable(message)
    elif message.args and isinstance(message.args[0], str):
        message.args = (printable(message.args[0]), *message.args[1:])
    frame, level = sys._getframe(1), 2
    while _is_between(str(frame.f_globals.get("__name__"))) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_between(module: str) -> bool:
    return module.partition(".")[0] in _BETWEEN
