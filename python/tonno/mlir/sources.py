# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules as users pass them."""

from __future__ import annotations

import dataclasses
import os
from typing import TypeAlias

Source: TypeAlias = str | bytes | os.PathLike[str]
"""A path; or the text of a module, which has a brace or a line end, as no path
has; or bytes, of text or of MLIR bytecode."""


OPENCL = "opencl"
"""The target of kernels in OpenCL C, as launch plans name it."""


@dataclasses.dataclass(frozen=True)
class ToolInput:
    """An input of a tool: a file, or what it reads from its standard input."""

    argument: str
    """The path, or `-`."""
    text: bytes | None = None
    """For the standard input."""

    @property
    def is_opencl(self) -> bool:
        """Returns True for a file in OpenCL C, as tonno-tune knows it by its name."""
        return self.argument.endswith(".cl")


def read_source(source: Source) -> ToolInput:
    """Returns what a tool is to be given. Raises TypeError for another type."""
    if isinstance(source, bytes):
        return ToolInput("-", source)
    if isinstance(source, str) and any(mark in source for mark in "{\n"):
        return ToolInput("-", source.encode())
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(
            f"a module is a path, text or bytes, not {type(source).__name__}; "
            "pass str(module) of a module of Python's bindings"
        )
    path = os.fspath(source)
    # A name such as "-o" would be taken for an option.
    return ToolInput(os.path.join(".", path) if path.startswith("-") else path)
