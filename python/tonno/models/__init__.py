# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports models of JAX, StableHLO, ONNX and PyTorch as linalg on tensors.

    from tonno import mlir, models

    model = models.from_onnx("model.onnx")
    model.write("model.mlir")
    kernel = mlir.compile(model)
    result = kernel(x, *model.weights.values())

The frameworks' own passes lower the models; `pip install tonno-mlir[models]` installs
them. Large constants are arguments, and are not in the text.
"""

from tonno.models.jax_functions import from_jax
from tonno.models.model import Argument, ImportFailure, Model
from tonno.models.onnx_graphs import from_onnx
from tonno.models.stablehlo import from_stablehlo
from tonno.models.torch_programs import from_torch
from tonno.models.weights import read_weights

__all__ = [
    "Argument",
    "ImportFailure",
    "Model",
    "from_jax",
    "from_onnx",
    "from_stablehlo",
    "from_torch",
    "read_weights",
]
