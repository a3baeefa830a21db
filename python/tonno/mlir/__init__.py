# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes kernels in MLIR, compiles them and calls them, by tonno's tools.

    from tonno import mlir

    tuned = mlir.tune("matmul.mlir", budget_seconds=60)
    matmul = mlir.compile(tuned)
    result = matmul(a, b)

The tools run as processes of their own: no MLIR is loaded into this process.
They are found in $TONNO_TOOLS_DIR, beside the interpreter, or on the PATH;
`pip install tonno-mlir[tools]` installs them beside the interpreter.
"""

from tonno.mlir.any_size import AnySizeKernel
from tonno.mlir.compiling import compile
from tonno.mlir.kernels import AlignmentWarning, Kernel, LoadWarning, empty
from tonno.mlir.results import Tuned, TunedKernel
from tonno.mlir.sources import Source
from tonno.mlir.tools import Event, Message, ToolError
from tonno.mlir.tuning import tune

__all__ = [
    "AlignmentWarning",
    "AnySizeKernel",
    "Event",
    "Kernel",
    "LoadWarning",
    "Message",
    "Source",
    "ToolError",
    "Tuned",
    "TunedKernel",
    "compile",
    "empty",
    "tune",
]
