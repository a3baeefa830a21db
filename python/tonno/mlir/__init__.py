# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels in MLIR and calls them, by tonno's tools.

    from tonno import mlir

    matmul = mlir.compile("matmul.mlir")

The tools run as processes of their own: no MLIR is loaded into this process.
They are found in $TONNO_TOOLS_DIR, beside the interpreter, or on the PATH;
`pip install tonno-mlir[tools]` installs them beside the interpreter.
"""

from tonno.mlir.compiling import compile
from tonno.mlir.kernels import AlignmentWarning, Kernel, empty
from tonno.mlir.sources import Source
from tonno.mlir.tools import ToolError

__all__ = ["AlignmentWarning", "Kernel", "Source", "ToolError", "compile", "empty"]
