# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imported models."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tonno.errors import Error
from tonno.models.weights import write_weights

if TYPE_CHECKING:
    import numpy

_REMEDY = "'pip install tonno-mlir[models]'"


class ImportFailure(Error):
    """A model can't be imported; the message names the op and its place."""


@dataclasses.dataclass(frozen=True)
class Argument:
    """An argument of a model's function."""

    name: str
    """As in the model: a parameter of Python with the path within its tree, or the name of an
    input, of an initializer, or of a parameter of a module."""
    shape: tuple[int, ...]
    dtype: str


@dataclasses.dataclass(frozen=True)
class Model:
    """A model as linalg on tensors. `tonno.mlir.tune` and `tonno.mlir.compile` take it."""

    function: str
    """Name of its public function."""
    arguments: tuple[Argument, ...]
    """The inputs, then the weights."""
    text: str = dataclasses.field(repr=False)
    """The module, with locations that name ops as the model does."""
    weights: Mapping[str, numpy.ndarray[Any, Any]] = dataclasses.field(repr=False)
    """Arrays of the last arguments, by name, in order. They may be views of the model's
    file."""

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        weights: str | os.PathLike[str] | None = None,
    ) -> None:
        """Writes the text to a file, and weights, if there are any, as safetensors.

        weights: file of the weights; else beside the text, with the ending `.safetensors`
        """
        if self.weights:
            write_weights(weights or pathlib.Path(path).with_suffix(".safetensors"), self.weights)
        pathlib.Path(path).write_text(self.text)


def explain_missing(error: ImportError) -> ImportFailure:
    """Returns the failure for a package that is not installed or has another interface."""
    return ImportFailure(f"{error}; install the packages that import models by {_REMEDY}")


NUMPY_NAMES = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E5M2": "float8_e5m2",
    "f8E4M3FNUZ": "float8_e4m3fnuz",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
    "i64": "int64",
    "i32": "int32",
    "i16": "int16",
    "i8": "int8",
    "i4": "int4",
    "i1": "bool",
    "index": "int64",
}
"""NumPy's and ml_dtypes' names of element types."""


def describe_argument(ir: ModuleType, argument: Any, name: str) -> Argument:
    """Returns a description of an argument of a function. Raises `ImportFailure` unless its
    shape is static and its element type is one that tonno compiles.

    ir: the Python bindings that `argument` is of
    """
    type = argument.type
    is_tensor = isinstance(type, ir.RankedTensorType)
    element = str(type.element_type if is_tensor else type)
    if element not in NUMPY_NAMES:
        raise ImportFailure(
            f"argument '{name}' has elements of type {element}, which tonno does not compile"
        )
    if is_tensor and not type.has_static_shape:
        raise ImportFailure(
            f"argument '{name}' has the dynamic shape {type}; export the model with static "
            "shapes, or state the dimension by dims (ONNX)"
        )
    return Argument(name, tuple(type.shape) if is_tensor else (), NUMPY_NAMES[element])
