# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules as users pass them."""

from __future__ import annotations

import dataclasses
import os
import re
from typing import TypeAlias

from tonno.models.model import Model

Source: TypeAlias = str | bytes | os.PathLike[str] | Model
"""A path; or the text of a module, recognized by a brace or a line end; or bytes, of
text or of MLIR bytecode; or a model that `tonno.models` imported. `tune` also takes OpenCL C:
a path that ends in `.cl`, or text with a `__kernel` function."""


OPENCL = "opencl"
"""Target of kernels in OpenCL C, as in launch plans."""

_OPENCL_KERNEL = re.compile(rb"^\s*(?:__kernel\b|kernel\s+void\b)", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class ToolInput:
    """Input of a tool: a file, or its standard input."""

    argument: str
    """Path, or `-`."""
    text: bytes | None = None
    """Content of the standard input."""

    @property
    def is_opencl(self) -> bool:
        """True for OpenCL C: a file by its name, as in tonno-tune; text by a kernel's
        first words."""
        if self.text is None:
            return self.argument.endswith(".cl")
        return bool(_OPENCL_KERNEL.search(self.text))


def read_source(source: Source) -> ToolInput:
    """Returns the input for a tool. Raises TypeError for a source of another type."""
    if isinstance(source, Model):
        source = source.text
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
    # A name such as "-o" would be parsed as an option.
    return ToolInput(os.path.join(".", path) if path.startswith("-") else path)
