# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that another compiler compiles."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class Buffer:
    """A buffer of a kernel, dense and in row-major order: an argument, or a result."""

    name: str
    """`arg0`, `result0`."""
    element_type: str
    """MLIR's name, such as `f32`."""
    shape: tuple[int, ...]
    access: str
    """`read`, `write` or `read_write`."""
    alignment: int
    """Alignment in bytes that the code may rely on; `tonno.alignment` in the IR states another."""


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel to compile."""

    name: str
    """The function's symbol, and that of the entry: `void name(void **buffers)`."""
    module: bytes
    """The function and what it calls, as MLIR bytecode of this tonno's version, with its knobs."""
    chip: str
    """CPU to compile for, as LLVM calls it."""
    features: str
    """Its features, as LLVM writes them: `+avx2,+fma`."""
    buffers: tuple[Buffer, ...]
    """Arguments of the entry, in this order."""
    text: str
    """The module as text that needs no dialect of tonno, with the knobs' defaults in it."""


Compile = Callable[[Kernel, Mapping[str, Any]], bytes | str | os.PathLike[str]]
"""Compiles a kernel with an option for each knob, by name. Returns a shared object, or its path.
It runs in a process of its own for each configuration, in an empty folder, which is removed, and
ends with all that it has started. What it raises fails the configuration; a
`tonno.frontends.CandidateFailed` states the status: `compile_error`, `compile_crash`,
`compile_timeout`, `out_of_memory` or `unlaunchable`."""
