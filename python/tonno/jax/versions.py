# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which JAX this works with, and on what a winner depends beside the function."""

from __future__ import annotations

import functools
import pathlib
import platform
import re

OLDEST = (0, 8, 1)
"""The first JAX whose `jax.jit(static_argnames=...)` is a decorator."""


def require(version: str) -> None:
    """Raises ImportError for a JAX that is older than `OLDEST`."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
    if numbers < OLDEST:
        raise ImportError(
            f"tonno.autotune needs JAX {_dotted(OLDEST)} or newer, since older ones can't "
            f"do @jax.jit(static_argnames=[...]); this is JAX {version}: "
            f"pip install 'jax>={_dotted(OLDEST)}'"
        )


def _dotted(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))


@functools.cache
def processor() -> str:
    """The name of this machine's processor, as JAX calls all of them "cpu"."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found.group(1).strip() if found else platform.processor()
