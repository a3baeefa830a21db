# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The signature of a kernel as a function without side effects."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from tonno import _core
from tonno.errors import Error


@dataclasses.dataclass(frozen=True)
class ArraySpec:
    """An array that a function takes or returns."""

    position: int
    """Index among the arguments and results of the kernel."""
    name: str
    shape: tuple[int, ...]
    dtype: str
    """The name of its dtype in NumPy or ml_dtypes."""


@dataclasses.dataclass(frozen=True)
class Signature:
    """Arguments that a kernel reads, and arguments that it writes."""

    inputs: list[ArraySpec]
    outputs: list[ArraySpec]
    updates: dict[int, int]
    """Positions of inputs that are updated, with the positions of their outputs."""


def read_signature(plan: Mapping[str, Any], name: str, user: str) -> Signature:
    """Returns the signature of the kernel that has this launch plan. Raises `Error` if `user`,
    such as JAX, does not support an element type or layout."""
    signature = Signature([], [], {})
    for position, buffer in enumerate(plan["buffers"]):
        access = buffer["access"]
        if access == "workspace":
            continue
        dtype = _core.whole_byte_dtype(buffer["element_type"])
        label = f"buffer '{buffer['name']}' of kernel '{name}'"
        if dtype is None:
            raise Error(
                f"{label} has elements of {buffer['element_type']}, which {user} packs into bytes; "
                "call the kernel with arrays of NumPy"
            )
        if buffer.get("strides"):
            raise Error(
                f"{label} has strides, and arrays of {user} have none; "
                "call the kernel with arrays of NumPy"
            )
        spec = ArraySpec(position, buffer["name"], tuple(buffer["shape"]), dtype)
        if access == "read_write":
            signature.updates[len(signature.inputs)] = len(signature.outputs)
        if access != "write":
            signature.inputs.append(spec)
        if access != "read":
            signature.outputs.append(spec)
    return signature
